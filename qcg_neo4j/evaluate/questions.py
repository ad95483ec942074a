"""Questions with the documents that answer them: JSON Lines in, checked values out."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from qcg_neo4j.errors import InputError, QcgError
from qcg_neo4j.evaluate.settings import ALL, EVEN, ODD
from qcg_neo4j.retrieve.method import checked_question
from qcg_neo4j.settings import nearest

NULL_TYPES = ("null", "null_query")  # of LiHua-World, of MultiHop-RAG
INSUFFICIENT = "insufficient information"  # the answer to such a question in both
_SHOWN = 5  # mistakes that are named
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


class _UnusableError(Exception):
    """A line that cannot be used; the text says why."""


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
        if not line.strip():
            continue
        try:
            question = _question(_record(line), len(questions))
            _check_new(question.id, lines_of_ids)
        except _UnusableError as error:
            mistakes.append(f"{path}:{number}: {error}")
            continue
        lines_of_ids[question.id] = number
        questions.append(question)
    if mistakes:
        more = [f"… and {len(mistakes) - _SHOWN:,} more"] if len(mistakes) > _SHOWN else []
        raise InputError("\n".join([*mistakes[:_SHOWN], *more]), _LOOK)
    if not questions:
        raise InputError(f"The questions file {path} is empty.", _LOOK)
    return questions


def questions_of(records: Iterable[Mapping[str, Any]], where: str) -> list[Question]:
    """Questions from records with the fields of a line of a questions file; ``where`` names their source.

    Raises:
        InputError: a record is wrong; names its place.
    """
    questions: list[Question] = []
    places: dict[str, int] = {}
    for position, record in enumerate(records):
        try:
            question = _question(record, position)
            _check_new(question.id, places)
        except _UnusableError as error:
            raise InputError(f"{where}, question {position + 1}: {error}.") from None
        places[question.id] = position + 1
        questions.append(question)
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


def _record(line: bytes) -> Mapping[str, Any]:
    try:
        record = json.loads(line.decode())
    except UnicodeDecodeError as error:
        raise _UnusableError(f"not UTF-8: byte {error.object[error.start]:#04x} at position {error.start}") from None
    except json.JSONDecodeError as error:
        raise _UnusableError(f"not JSON: {error.msg} at column {error.colno}") from None
    except (RecursionError, ValueError):
        raise _UnusableError("not JSON that can be read") from None
    if not isinstance(record, dict):
        raise _UnusableError("not a JSON object")
    return record


def _question(record: Mapping[str, Any], position: int) -> Question:
    try:
        text = checked_question(_text(record, "question", required=True) or "")
    except QcgError as error:
        raise _UnusableError(error.problem) from None
    return Question(
        id=_identifier(record.get("id", position)),
        text=text,
        evidence=tuple(_evidence(record)),
        type=_text(record, "type") or "",
        answer=_text(record, "answer"),
        position=position,
        aliases=_texts(record, "aliases"),
    )


def _text(record: Mapping[str, Any], name: str, *, required: bool = False) -> str | None:
    value = record.get(name)
    if value is None and not required:
        return None
    if name not in record:
        raise _UnusableError(f"{name!r} is missing")
    if not isinstance(value, str):
        raise _UnusableError(f"{name!r} is not a text")
    return value


def _texts(record: Mapping[str, Any], name: str) -> tuple[str, ...]:
    value = record.get(name, [])
    if not isinstance(value, list) or not all(isinstance(item, str) for item in value):
        raise _UnusableError(f"{name!r} is not a list of texts")
    return tuple(value)


def _identifier(value: object) -> str:
    if isinstance(value, bool) or not isinstance(value, str | int) or value == "":
        raise _UnusableError("'id' is neither a text nor a whole number")
    return str(value)


def _evidence(record: Mapping[str, Any]) -> Iterator[str]:
    if "evidence" not in record:
        raise _UnusableError("'evidence' is missing; a question without evidence has an empty list")
    value = record["evidence"]
    if not isinstance(value, list) or not all(isinstance(item, str) and item for item in value):
        raise _UnusableError("'evidence' is not a list of document ids")
    yield from dict.fromkeys(value)  # an id that stands twice is one document


def _check_new(identifier: str, lines: Mapping[str, int]) -> None:
    if identifier in lines:
        raise _UnusableError(f"the id {identifier!r} is that of line {lines[identifier]} as well")
