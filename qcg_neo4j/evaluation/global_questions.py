"""Questions that need the whole corpus: people who use it, their tasks, and what they ask (GraphRAG, algorithm 1)."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field

from qcg_neo4j.core.errors import InputError
from qcg_neo4j.core.progress import Progress, silent
from qcg_neo4j.core.records import MissingReply, Usage
from qcg_neo4j.evaluation.judge import BYTES_PER_TOKEN, expect, replies_to
from qcg_neo4j.evaluation.settings import QuestionsSettings
from qcg_neo4j.models.llm import Estimate, LanguageModelSettings
from qcg_neo4j.models.prompts import task
from qcg_neo4j.models.replies import Failure, Reply, ReplySource, ReplyStore, Request

PERSONAS, TASKS, QUESTIONS = "evaluate/personas", "evaluate/tasks", "evaluate/questions"
GLOBAL = "global"  # the type of these questions
LONGEST_DESCRIPTION = 20_000
# Tokens of a persona, a task and a question as JSON.
_TOKENS = {PERSONAS: 70, TASKS: 30, QUESTIONS: 30}


@dataclass(frozen=True)
class GlobalQuestion:
    """A question with the person who asks it and the task it is asked for; the id counts persona, task, question."""

    id: str
    text: str
    persona: str
    task: str

    def line(self) -> str:
        """The question as a line of JSON; it names no evidence, because the whole corpus is its evidence."""
        fields = {"id": self.id, "question": self.text, "type": GLOBAL, "evidence": []}
        return json.dumps({**fields, "persona": self.persona, "task": self.task}, ensure_ascii=False) + "\n"


@dataclass(frozen=True)
class GlobalQuestions:
    """The questions, and the outcome of each requested one.

    ``expected`` is the number of questions, of ``duplicates`` (asked by two people), of ``not_given`` (a reply was
    shorter than asked for) and of ``without_reply`` together. ``missing`` names the requests without a usable reply,
    with the reason.
    """

    questions: tuple[GlobalQuestion, ...]
    expected: int
    duplicates: int = 0
    not_given: int = 0
    without_reply: int = 0
    missing: tuple[MissingReply, ...] = ()
    usage: Usage = field(default_factory=Usage)


@dataclass(frozen=True)
class _Place:
    """A node of the tree of personas and tasks, under which more is asked for; the root has no texts."""

    id: str = ""
    texts: tuple[str, ...] = ()


@dataclass(frozen=True)
class _Level:
    """A task asked under each place of a level: how many texts are wanted, and how many questions hang on one."""

    name: str
    wanted: int
    leaves: int


def write_questions(
    description: str, settings: QuestionsSettings, source: ReplySource, progress: Progress = silent
) -> GlobalQuestions:
    """Ask for people, for their tasks, and for the questions of each task.

    Raises:
        InputError: the description is empty or too long.
        LanguageModelError: the endpoint failed for good; what came before is stored.
    """
    description = checked_description(description)
    missing: list[MissingReply] = []
    counts: Counter[str] = Counter()
    usage = Usage()
    places = [_Place()]
    for level in _levels(settings):  # each level's prompts are made of the replies of the one above
        asked = list(_requests(level, description, places))
        replies = replies_to([request for _, request in asked], source, progress)
        usage += replies.usage
        places = []
        for (place, _), result in zip(asked, replies.results, strict=True):
            if isinstance(result, Failure):
                missing.append(MissingReply(f"{level.name} {place.id}".strip(), result.reason))
                counts["without_reply"] += level.wanted * level.leaves
                continue
            given = _texts(result, level)
            counts["not_given"] += (level.wanted - len(given)) * level.leaves
            places += _below(place, given)
    questions: dict[str, GlobalQuestion] = {}
    for place in places:
        persona, of_task, text = place.texts
        questions.setdefault(text.casefold(), GlobalQuestion(place.id, text, persona, of_task))
    return GlobalQuestions(
        tuple(questions.values()),
        settings.personas * settings.tasks * settings.questions,
        duplicates=len(places) - len(questions),
        **counts,
        missing=tuple(missing),
        usage=usage,
    )


def estimate_questions(
    description: str,
    settings: QuestionsSettings,
    source: ReplySource,
    language_model: LanguageModelSettings,
    store: ReplyStore,
) -> Estimate:
    """Calls, tokens and cost still to pay; prompts that rest on replies not yet given are taken as of usual length."""
    requests = _expected_requests(checked_description(description), settings, source)
    lengths = {level.name: float(level.wanted * _TOKENS[level.name]) for level in _levels(settings)}
    return expect(requests, source, language_model, store, lengths)


def checked_description(description: str) -> str:
    """The description of a corpus without white space at its ends."""
    description = description.strip()
    if not description:
        raise InputError("The description of the corpus is empty.", "Say in a few sentences what its texts are.")
    if len(description) > LONGEST_DESCRIPTION:
        raise InputError(
            f"The description of the corpus has {len(description):,} characters; at most {LONGEST_DESCRIPTION:,} are "
            "taken.",
            "Describe the corpus; do not give its texts.",
        )
    return description


def _levels(size: QuestionsSettings) -> tuple[_Level, ...]:
    return (
        _Level(PERSONAS, size.personas, size.tasks * size.questions),
        _Level(TASKS, size.tasks, size.questions),
        _Level(QUESTIONS, size.questions, 1),
    )


def _requests(level: _Level, description: str, places: Iterable[_Place]) -> Iterator[tuple[_Place, Request]]:
    for place in places:
        above = dict(zip(("persona", "task"), place.texts, strict=False))
        variables = {"description": description, "count": str(level.wanted), **above}
        yield place, Request(task(level.name), json.dumps([description, *place.texts], ensure_ascii=False), variables)


def _below(place: _Place, texts: Iterable[str]) -> Iterator[_Place]:
    for number, text in enumerate(texts, start=1):
        yield _Place(f"{place.id}.{number}".lstrip("."), (*place.texts, text))


def _texts(reply: Reply, level: _Level) -> list[str]:
    """The personas, tasks or questions of a reply, each once, at most as many as wanted; blank ones are none."""
    items = reply.value[level.name.partition("/")[2]]
    texts = [_persona(item) if isinstance(item, Mapping) else " ".join(item.split()) for item in items]
    return list(dict.fromkeys(text for text in texts if text))[: level.wanted]


def _persona(item: Mapping[str, str]) -> str:
    parts = (" ".join(item[name].split()) for name in ("name", "description"))
    return ": ".join(part for part in parts if part)


def _expected_requests(description: str, settings: QuestionsSettings, source: ReplySource) -> Iterator[Request]:
    """All requests of a run; where the reply above is not there yet, texts of usual length stand for it."""
    places = [_Place()]
    for level in _levels(settings):
        stand_ins = [f"{number} ".ljust(BYTES_PER_TOKEN * _TOKENS[level.name], "x") for number in range(level.wanted)]
        below: list[_Place] = []
        for place, request in _requests(level, description, places):
            yield request
            known = source.known(request)
            below += _below(place, _texts(known, level) if known else stand_ins)
        places = below
