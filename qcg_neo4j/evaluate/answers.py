"""Answers of several systems to the same questions: files of JSON in, checked values out."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from qcg_neo4j.errors import InputError, QcgError
from qcg_neo4j.retrieve.method import checked_question

_SHOWN = 5  # mistakes that are named
_LOOK = (
    'A line looks like {"system": "C0", "question": "Which …?", "answer": "…"}; without "system" the file\'s name '
    "counts. What `qcg answer --json` prints is taken as well."
)
_BLANK = " \t\r\n"


@dataclass(frozen=True)
class Answers:
    """What each system answered: ``texts`` by system and question, both in the order of the files.

    ``questions`` are those that every system has answered, ``left_out`` the others, which take no part.
    """

    systems: tuple[str, ...]
    questions: tuple[str, ...]
    texts: Mapping[tuple[str, str], str]
    left_out: tuple[str, ...] = ()

    def limited(self, limit: int | None) -> Answers:
        """The same with the first ``limit`` questions."""
        return Answers(self.systems, self.questions[:limit], self.texts, self.left_out)


class _UnusableError(Exception):
    """An entry that cannot be used; the text says why."""


@dataclass(frozen=True)
class _Entry:
    """An answer and the place where it stands."""

    where: str
    system: str
    question: str
    answer: str


def read_answers(paths: Sequence[Path]) -> Answers:
    """The answers in files of JSON, one object after the other: a line each, or over several lines.

    Raises:
        InputError: a file cannot be read, an object is wrong (file and line), or no question has been answered by all.
    """
    mistakes: list[str] = []
    found: dict[tuple[str, str], _Entry] = {}
    for path in paths:
        for item in _entries(path):
            if isinstance(item, str):
                mistakes.append(item)
                continue
            first = found.setdefault((item.system, item.question), item)
            if first is not item:
                mistakes.append(f"{item.where}: {item.system!r} has answered this question at {first.where} already")
    if mistakes:
        more = [f"… and {len(mistakes) - _SHOWN:,} more"] if len(mistakes) > _SHOWN else []
        raise InputError("\n".join([*mistakes[:_SHOWN], *more]), _LOOK)
    return _together({place: entry.answer for place, entry in found.items()}, paths)


def _together(texts: Mapping[tuple[str, str], str], paths: Sequence[Path]) -> Answers:
    if not texts:
        raise InputError(f"There is no answer in {', '.join(map(str, paths)) or 'no file'}.", _LOOK)
    systems = tuple(dict.fromkeys(system for system, _ in texts))
    asked = tuple(dict.fromkeys(question for _, question in texts))
    shared = tuple(question for question in asked if all((system, question) in texts for system in systems))
    if not shared:
        raise InputError(
            f"No question has been answered by all of {', '.join(systems)}.",
            "Questions are matched by their exact text; compare systems on the same questions.",
        )
    return Answers(systems, shared, texts, tuple(question for question in asked if question not in set(shared)))


def _entries(path: Path) -> Iterator[_Entry | str]:
    """The answers of a file, and a message for each object that is none."""
    for number, value in _values(path):
        where = f"{path}:{number}"
        try:
            if isinstance(value, _UnusableError):
                raise value
            yield _entry(value, where, path.stem)
        except _UnusableError as error:
            yield f"{where}: {error}"


def _values(path: Path) -> Iterator[tuple[int, Any]]:
    """The JSON values of a file with the lines on which they begin; after a broken one it goes on at the next ``{``."""
    text = _text_of(path)
    decoder, position, line = json.JSONDecoder(), 0, 1
    while (start := _skipped(text, position)) < len(text):
        line += text.count("\n", position, start)
        try:
            value, position = decoder.raw_decode(text, start)
            yield line, value
        except json.JSONDecodeError as error:
            yield line + text.count("\n", start, error.pos), _UnusableError(f"not JSON: {error.msg}")
            position = _next_object(text, start)
        except (RecursionError, ValueError):
            yield line, _UnusableError("not JSON that can be read: nested too deeply, or a number with too many digits")
            position = _next_object(text, start)
        line += text.count("\n", start, position)


def _skipped(text: str, position: int) -> int:
    while position < len(text) and text[position] in _BLANK:
        position += 1
    return position


def _next_object(text: str, start: int) -> int:
    """Where the next line begins that opens an object: objects inside others are indented."""
    found = text.find("\n{", start)
    return len(text) if found < 0 else found + 1


def _text_of(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8-sig")
    except OSError as error:
        raise InputError(f"The answers file {path} cannot be read: {error.strerror}.") from None
    except UnicodeDecodeError as error:
        line = path.read_bytes()[: error.start].count(b"\n") + 1
        raise InputError(f"{path}:{line}: not UTF-8: byte {error.object[error.start]:#04x}.", _LOOK) from None


def _entry(value: Any, where: str, name: str) -> _Entry:
    if not isinstance(value, Mapping):
        raise _UnusableError("not a JSON object")
    system = value.get("system", name)
    if not isinstance(system, str) or not system.strip():
        raise _UnusableError("'system' is not a text")
    return _Entry(where, system.strip(), _question(value), _answer(value))


def _question(value: Mapping[str, Any]) -> str:
    evidence = value.get("evidence")  # what `qcg answer --json` prints has the question there
    question = value.get("question", evidence.get("question") if isinstance(evidence, Mapping) else None)
    if question is None:
        raise _UnusableError("'question' is missing")
    if not isinstance(question, str):
        raise _UnusableError("'question' is not a text")
    try:
        return checked_question(question)
    except QcgError as error:
        raise _UnusableError(error.problem) from None


def _answer(value: Mapping[str, Any]) -> str:
    name = "answer" if "answer" in value else "text"
    if name not in value:
        raise _UnusableError("'answer' is missing")
    if value[name] is None:
        raise _UnusableError(f"{name!r} is null: nobody has written this answer")
    if not isinstance(value[name], str):
        raise _UnusableError(f"{name!r} is not a text")
    return str(value[name]).strip()
