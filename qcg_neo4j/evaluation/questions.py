"""Questions with the documents that answer them: JSON Lines in, checked values out."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from qcg_neo4j.core.errors import InputError
from qcg_neo4j.core.json_lines import UnusableError, object_of
from qcg_neo4j.core.settings import nearest
from qcg_neo4j.evaluation.json_records import question_of, refuse, text_of, texts_of
from qcg_neo4j.evaluation.settings import ALL, EVEN, ODD

NULL_TYPES = ("null", "null_query")  # of LiHua-World, of MultiHop-RAG
INSUFFICIENT = "insufficient information"  # the answer to such a question in both
_LOOK = 'A line looks like {"question": "When …?", "evidence": ["document id"], "type": "single"}.'


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
    questions: list[Question] = []
    mistakes: list[str] = []
    lines_of_ids: dict[str, int] = {}
    for number, line in enumerate(lines, start=1):
        try:
            record = object_of(line)
            if record is not None:
                questions.append(_question(record, len(questions)))
                _check_new(questions[-1].id, number, lines_of_ids)
        except UnusableError as error:
            mistakes.append(f"{path}:{number}: {error}")
    refuse(mistakes, _LOOK)
    if not questions:
        raise InputError(f"The questions file {path} is empty.", _LOOK)
    return questions


def questions_of(records: Iterable[Mapping[str, Any]], where: str) -> list[Question]:
    """Questions from records with the fields of a line of a questions file; ``where`` names their source in errors."""
    questions: list[Question] = []
    places: dict[str, int] = {}
    for position, record in enumerate(records):
        try:
            questions.append(_question(record, position))
            _check_new(questions[-1].id, position + 1, places)
        except UnusableError as error:
            raise InputError(f"{where}, question {position + 1}: {error}.") from None
    if not questions:
        raise InputError(f"{where} holds no question.")
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


def _check_new(identifier: str, place: int, places: dict[str, int]) -> None:
    if places.setdefault(identifier, place) != place:
        raise UnusableError(f"the id {identifier!r} is that of line {places[identifier]} as well")


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
