"""Questions with the documents that answer them, and what systems answered: files of JSON in, checked values out."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from qcg_neo4j.core.errors import InputError
from qcg_neo4j.core.json_lines import UnusableError, object_of
from qcg_neo4j.core.settings import nearest
from qcg_neo4j.evaluation.json_records import question_of, record_of, refuse, text_of, texts_of, values_in
from qcg_neo4j.evaluation.settings import ALL, EVEN, ODD
from qcg_neo4j.models.prompts import plain

NULL_TYPES = ("null", "null_query")  # of LiHua-World, of MultiHop-RAG
INSUFFICIENT = "insufficient information"  # the answer to such a question in both
_LOOK_OF_QUESTIONS = 'A line looks like {"question": "When …?", "evidence": ["document id"], "type": "single"}.'
_LOOK_OF_ANSWERS = (
    'A line looks like {"system": "C0", "question": "Which …?", "answer": "…"}; without "system" the file\'s name '
    'counts. "documents" and "cited" may list the documents that were read and cited. '
    "What `qcg answer --json` prints is taken as well."
)


@dataclass(frozen=True)
class Question:
    """A question; ``evidence`` are the ids of the documents that answer it, none of them for a null question.

    ``position`` counts the questions of the file from 0; ``aliases`` are further good answers.
    """

    id: str
    text: str
    evidence: tuple[str, ...]
    type: str = ""
    answer: str | None = None
    position: int = 0
    aliases: tuple[str, ...] = ()

    @property
    def is_null(self) -> bool:
        """Whether no document answers it, so that the right answer is to say so."""
        return self.type.casefold() in NULL_TYPES or (self.answer or "").strip(" .").casefold() == INSUFFICIENT

    @property
    def has_reference(self) -> bool:
        """Whether it is known what a good answer is: one of the `references`, or that there is none."""
        return self.is_null or bool(self.answer)

    @property
    def references(self) -> list[str]:
        """All good answers."""
        return [self.answer or "", *self.aliases]


def read_questions(path: Path) -> list[Question]:
    """The questions of a file of JSON Lines, in its order.

    Raises:
        InputError: the file cannot be read, holds no question, or a line is wrong; names file and line.
    """
    try:
        lines = path.read_bytes().removeprefix(b"\xef\xbb\xbf").splitlines()
    except OSError as error:
        raise InputError(f"The questions file {path} cannot be read: {error.strerror}.") from None
    found = _checked(_objects(lines), f"{path}:", _LOOK_OF_QUESTIONS)
    if not found:
        raise InputError(f"The questions file {path} is empty.", _LOOK_OF_QUESTIONS)
    return found


def questions_of(records: Iterable[Mapping[str, Any]], where: str) -> list[Question]:
    """Questions from records with the fields of a line of a questions file; ``where`` names their source in errors."""
    found = _checked(enumerate(records, start=1), f"{where}, question ", "")
    if not found:
        raise InputError(f"{where} holds no question.")
    return found


def _objects(lines: Iterable[bytes]) -> Iterator[tuple[int, Any]]:
    """The object of each line that is not blank, or why it has none."""
    for number, line in enumerate(lines, start=1):
        try:
            found: Any = object_of(line)
        except UnusableError as error:
            found = error
        if found is not None:
            yield number, found


def _checked(values: Iterable[tuple[int, Any]], where: str, look: str) -> list[Question]:
    """The questions that values with their numbers are; an `InputError` names those that are none."""
    questions: list[Question] = []
    mistakes: list[str] = []
    lines: dict[str, int] = {}
    for number, value in values:
        try:
            found = _question(record_of(value), len(questions))
        except UnusableError as error:
            mistakes.append(f"{where}{number}: {error}")
            continue
        if (first := lines.setdefault(found.id, number)) != number:
            mistakes.append(f"{where}{number}: the id {found.id!r} is that of line {first} as well")
        questions.append(found)
    refuse(mistakes, look)
    return questions


def select(
    questions: Sequence[Question], half: str = ALL, types: Sequence[str] = (), limit: int | None = None
) -> list[Question]:
    """The questions of one half of the file, then of the given types, then the first ``limit`` of these.

    ``even`` positions are the half to look for settings on, ``odd`` ones the half to confirm them on.

    Raises:
        InputError: no question of that type, or nothing is left.
    """
    known = sorted({question.type for question in questions})
    for name in types:
        if name not in known:
            raise InputError(f"No question has the type {name!r}.", nearest(name, known))
    parity = {ALL: (0, 1), EVEN: (0,), ODD: (1,)}[half]
    chosen = [item for item in questions if item.position % 2 in parity and (not types or item.type in types)]
    if not chosen[:limit]:
        raise InputError("The selection leaves no question.", "Choose another half or type, or a higher limit.")
    return chosen[:limit]


def _question(record: Mapping[str, Any], position: int) -> Question:
    text = question_of(record)  # its mistakes are named first
    return Question(
        id=_identifier(record.get("id", position)),
        text=text,
        evidence=_evidence(record),
        type=_optional(record, "type") or "",
        answer=_optional(record, "answer"),
        position=position,
        aliases=tuple(texts_of(record.get("aliases", []), "'aliases' is not a list of texts")),
    )


def _optional(record: Mapping[str, Any], name: str) -> str | None:
    return None if record.get(name) is None else text_of(record, name)


def _identifier(value: object) -> str:
    if isinstance(value, bool) or not isinstance(value, str | int) or value == "":
        raise UnusableError("'id' is neither a text nor a whole number")
    return str(value)


def _evidence(record: Mapping[str, Any]) -> tuple[str, ...]:
    if "evidence" not in record:
        raise UnusableError("'evidence' is missing; a question without evidence has an empty list")
    found = texts_of(record["evidence"], "'evidence' is not a list of document ids")
    if not all(found):
        raise UnusableError("'evidence' is not a list of document ids")
    return tuple(dict.fromkeys(found))  # an id that stands twice is one document


@dataclass(frozen=True)
class Answers:
    """What each system answered: ``texts`` by system and question, both in the order of the files.

    ``questions`` are those that every system has answered, ``left_out`` the others, which take no part. ``read`` are
    the documents of the passages that an answer was written from, ``cited`` those that it cites, where these are known.
    """

    systems: tuple[str, ...]
    questions: tuple[str, ...]
    texts: Mapping[tuple[str, str], str]
    left_out: tuple[str, ...] = ()
    read: Mapping[tuple[str, str], frozenset[str]] = field(default_factory=dict)
    cited: Mapping[tuple[str, str], frozenset[str]] = field(default_factory=dict)

    def limited(self, limit: int | None) -> Answers:
        """The same with the first ``limit`` questions."""
        return replace(self, questions=self.questions[:limit])


def read_answers(paths: Sequence[Path]) -> Answers:
    """The answers in files of JSON, one object after the other: a line each, or over several lines.

    Raises:
        InputError: a file cannot be read, an object is wrong (file and line), or no question has been answered by all.
    """
    mistakes: list[str] = []
    places: dict[tuple[str, str], str] = {}
    texts: dict[tuple[str, str], str] = {}
    read: dict[tuple[str, str], frozenset[str]] = {}
    cited: dict[tuple[str, str], frozenset[str]] = {}
    for where, name, value in (
        (f"{path}:{line}", path.stem, value)
        for path in paths
        for line, value in values_in(path, "answers", _LOOK_OF_ANSWERS)
    ):
        try:
            system, question, answer = _answered(value, name)
            documents = _documents(value)
        except UnusableError as error:
            mistakes.append(f"{where}: {error}")
            continue
        if (system, question) in texts:
            mistakes.append(f"{where}: {system!r} has answered this question at {places[system, question]} already")
        else:
            texts[system, question], places[system, question] = answer, where
            for known, found in zip((read, cited), documents, strict=True):
                if found is not None:
                    known[system, question] = found
    refuse(mistakes, _LOOK_OF_ANSWERS)
    if not texts:
        raise InputError(f"There is no answer in {', '.join(map(str, paths)) or 'no file'}.", _LOOK_OF_ANSWERS)
    return replace(together(texts), read=read, cited=cited)


def together(texts: Mapping[tuple[str, str], str]) -> Answers:
    """Answers by system and question as `Answers`; an `InputError` where no question has been answered by all."""
    systems = tuple(dict.fromkeys(system for system, _ in texts))
    asked = dict.fromkeys(question for _, question in texts)
    shared = {question: None for question in asked if all((system, question) in texts for system in systems)}
    if not shared:
        raise InputError(
            f"No question has been answered by all of {', '.join(systems)}.",
            "Questions are matched by their exact text; compare systems on the same questions.",
        )
    return Answers(systems, tuple(shared), texts, tuple(question for question in asked if question not in shared))


def _answered(value: Any, name: str) -> tuple[str, str, str]:
    """System, question and answer of an object; ``name`` is the system's where it names none."""
    record = record_of(value)
    system = text_of({"system": name, **record}, "system").strip()
    if not system:
        raise UnusableError("'system' is not a text")
    evidence = record.get("evidence")  # what `qcg answer --json` prints has the question there
    if isinstance(evidence, Mapping) and "question" in evidence:
        return system, question_of({**evidence, **record}), plain(_answer(record))  # as the answers written here
    return system, question_of(record), _answer(record)


def _documents(record: Mapping[str, Any]) -> tuple[frozenset[str] | None, frozenset[str] | None]:
    """The documents that were read and those that are cited: ``documents`` and ``cited``, or `qcg answer --json`'s."""
    evidence = record.get("evidence")
    if not isinstance(evidence, Mapping):
        return _names(record, "documents"), _names(record, "cited")
    try:
        passages = {one["id"]: {one["document"], *(also["id"] for also in one["also"])} for one in evidence["passages"]}
        cited = [passages[name] for name in record["citations"] if name in passages]
    except (KeyError, TypeError):
        return None, None
    none: frozenset[str] = frozenset()
    return none.union(*passages.values()), None if evidence.get("atoms") else none.union(*cited)


def _names(record: Mapping[str, Any], name: str) -> frozenset[str] | None:
    value = record.get(name)
    return None if value is None else frozenset(texts_of(value, f"{name!r} is not a list of texts"))


def _answer(record: Mapping[str, Any]) -> str:
    name = "answer" if "answer" in record else "text"
    if name not in record:
        raise UnusableError("'answer' is missing")
    if record[name] is None:
        raise UnusableError(f"{name!r} is null: this answer is missing")
    return text_of(record, name).strip()
