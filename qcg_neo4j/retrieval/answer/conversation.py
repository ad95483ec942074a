"""Questions one after the other: a follow-up becomes a complete question, and citations keep their numbers."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from qcg_neo4j.core.errors import SettingsError
from qcg_neo4j.core.records import Evidence
from qcg_neo4j.database.graph import Graph
from qcg_neo4j.models.prompts import plain, quoted, task
from qcg_neo4j.models.prompts.citations import Citable
from qcg_neo4j.models.replies import ReplySource, Request
from qcg_neo4j.retrieval.answer.records import Answer
from qcg_neo4j.retrieval.answer.writing import STYLES, Streaming, Writing
from qcg_neo4j.retrieval.around.wrapper import Answering
from qcg_neo4j.retrieval.evidence import with_language_told
from qcg_neo4j.retrieval.layers import Layers
from qcg_neo4j.retrieval.method import LONGEST_QUESTION, Method, checked_question
from qcg_neo4j.retrieval.model_steps import reply

FOLLOW_UP = "analyse/follow_up"
TURNS = 5  # that a follow-up is understood from
NAMING_TURNS, NAMES = 2, 5  # without a language model: turns whose names join the question, and how many of them


@dataclass(frozen=True)
class Turn:
    """A question that was asked, and its answer; empty if there is none."""

    question: str
    answer: str = ""


def standalone(graph: Graph, question: str, history: Sequence[Turn], source: ReplySource | None = None) -> str:
    """The question as it can be understood without the turns before; itself where there are none.

    A language model (``source``) rewrites it. Without one the names of the graph in the last turns join it.

    Raises:
        InputError: the question is empty or too long.
        MissingReplyError: the model, or the recording, gave nothing.
    """
    question = checked_question(question)
    if not history:
        return question
    if source is None:
        return _with_names(graph, question, history[-NAMING_TURNS:])
    told = "\n\n".join(f"Question: {one.question}\nAnswer: {plain(one.answer)}" for one in history[-TURNS:])
    key = json.dumps([told, question], ensure_ascii=False)
    variables = {"conversation": quoted(told), "question": question}
    return checked_question(str(reply(source, Request(task(FOLLOW_UP), key, variables))["question"]))


def _with_names(graph: Graph, question: str, history: Sequence[Turn]) -> str:
    names: dict[str, None] = {}
    for turn in reversed(history):
        text = f"{turn.question} {plain(turn.answer)}"[:LONGEST_QUESTION]
        names |= dict.fromkeys(graph.rows("retrieve/auto/scope", question=text, permitted=None)[0]["names"])
    joined = [name for name in names if name.casefold() not in question.casefold()][:NAMES]
    return f"{question} ({', '.join(joined)})" if joined else question


@dataclass
class Conversation:
    """Questions to a graph, one after the other; nothing of it is kept in the graph.

    ``model`` writes the answers, ``source`` (a model with its store, or a recording) rewrites follow-ups; each may be
    None. ``history`` is what was said before. ``numbers`` are those of the passages that answers have cited, by id.
    """

    graph: Graph
    method: Method = Layers()
    model: Streaming | None = None
    source: ReplySource | None = None
    style: str = STYLES[0]
    general_knowledge: bool = False
    history: Sequence[Turn] = ()
    numbers: dict[str, int] = field(default_factory=dict, init=False)
    _shown: dict[str, Citable] = field(default_factory=dict, init=False, repr=False)

    def search(self, question: str) -> Evidence:
        """The evidence for a question, as it is understood after the turns before.

        Raises:
            InputError: the question is empty or too long.
            MissingReplyError: the model, or the recording, gave nothing.
        """
        asked = standalone(self.graph, question, self.history, self.source)
        method = Answering(self.method) if self.model else self.method
        evidence = with_language_told(self.graph, method.retrieve(self.graph, asked))
        if asked == question.strip():
            return evidence
        return replace(evidence, notes=(f"understood as: {asked}", *evidence.notes))

    def write(self, evidence: Evidence) -> Writing:
        """The answer from what `search` has found, to be iterated over; `keep` then makes it part of the conversation.

        Raises:
            SettingsError: no language model is given.
        """
        if self.model is None:
            raise SettingsError("A conversation without a language model has no written answers.", "Give a model.")
        self._shown |= {one.id: one for one in evidence.citable}
        general = self.general_knowledge
        return Writing(evidence, self.model, self.style, general_knowledge=general, numbers=self.numbers)

    def ask(self, question: str) -> Answer:
        """The whole answer at once.

        Raises:
            SettingsError: no language model is given.
            LanguageModelError: the endpoint failed.
        """
        written = self.write(self.search(question)).whole()
        self.keep(question, written.text)
        return written

    def keep(self, question: str, answer: str = "") -> None:
        """Make a turn part of the conversation."""
        self.history = (*self.history, Turn(question.strip(), answer))

    @property
    def sources(self) -> tuple[Citable, ...]:
        """What the answers have cited, in the order of the numbers."""
        return tuple(self._shown[name] for name in self.numbers)


def answer(
    graph: Graph,
    question: str,
    model: Streaming,
    method: Method = Layers(),
    *,
    history: Sequence[Turn] = (),
    source: ReplySource | None = None,
    style: str = STYLES[0],
    general_knowledge: bool = False,
) -> Answer:
    """The answer to a question from the passages that a method finds, understood after the turns of ``history``.

    Raises:
        InputError: the question is empty or too long.
        LanguageModelError: the endpoint failed.
    """
    return Conversation(graph, method, model, source, style, general_knowledge, history).ask(question)
