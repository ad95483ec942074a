"""What people write as JSON, value by value: where each begins, fields of the right kind, mistakes by their place."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from qcg_neo4j.core.errors import InputError, QcgError
from qcg_neo4j.core.json_lines import UNREADABLE, UnusableError, has_half
from qcg_neo4j.retrieval.method import checked_question

_SHOWN = 5  # mistakes that are named
_BLANKS = re.compile(r"[ \t\r\n]*")


def refuse(mistakes: Sequence[str], look: str) -> None:
    """Refuse to go on where there are mistakes: an `InputError` names the first, and how a record has to look."""
    if mistakes:
        more = [f"… and {len(mistakes) - _SHOWN:,} more"] if len(mistakes) > _SHOWN else []
        raise InputError("\n".join([*mistakes[:_SHOWN], *more]), look)


def text_of_file(path: Path, kind: str = "", look: str = "") -> str:
    """The text of a file; ``kind`` names it in errors, ``look`` says how it has to look.

    Raises:
        InputError: the file cannot be read, or is not UTF-8 (names the line).
    """
    try:
        return path.read_text(encoding="utf-8-sig")
    except OSError as error:
        named = f"The {kind} file {path}" if kind else path
        raise InputError(f"{named} cannot be read: {error.strerror}.") from None
    except UnicodeDecodeError as error:
        line = path.read_bytes()[: error.start].count(b"\n") + 1
        raise InputError(f"{path}:{line}: not UTF-8: byte {error.object[error.start]:#04x}.", look) from None


def values_in(path: Path, kind: str, look: str) -> Iterator[tuple[int, Any]]:
    """The JSON values of a file with the lines on which they begin; after a broken one it goes on at the next ``{``.

    A broken one is an `UnusableError`, given and not raised. ``kind`` and ``look`` are those of `text_of_file`.

    Raises:
        InputError: the file cannot be read, or is not UTF-8 (names the line).
    """
    text = text_of_file(path, kind, look)
    decoder, position, line = json.JSONDecoder(), 0, 1
    while (start := after_blanks(text, position)) < len(text):
        line += text.count("\n", position, start)
        try:
            value, position = decoder.raw_decode(text, start)
            yield line, value
        except json.JSONDecodeError as error:
            yield line + text.count("\n", start, error.pos), UnusableError(f"not JSON: {error.msg}")
            position = _next_object(text, start)
        except (RecursionError, ValueError):
            yield line, UnusableError(UNREADABLE)
            position = _next_object(text, start)
        line += text.count("\n", start, position)


def after_blanks(text: str, position: int) -> int:
    """The first place from there on that is not white space of JSON."""
    found = _BLANKS.match(text, position)
    return found.end() if found else position


def _next_object(text: str, start: int) -> int:
    """Where the next line begins that opens an object: objects inside others are indented."""
    found = text.find("\n{", start)
    return len(text) if found < 0 else found + 1


def record_of(value: object) -> Mapping[str, Any]:
    """The value, which must be an object; one of `values_in` may be broken."""
    if isinstance(value, UnusableError):
        raise value
    if not isinstance(value, Mapping):
        raise UnusableError("not a JSON object")
    return value


def text_of(record: Mapping[str, Any], name: str) -> str:
    """A field that must be there, and a text."""
    if name not in record:
        raise UnusableError(f"{name!r} is missing")
    if not isinstance(record[name], str):
        raise UnusableError(f"{name!r} is not a text")
    if has_half(record[name]):
        raise UnusableError(f"{name!r} contains an unpaired surrogate")
    return str(record[name])


def texts_of(value: object, mistake: str) -> list[str]:
    """A value that must be a list of texts; ``mistake`` says so."""
    if not isinstance(value, list) or not all(isinstance(one, str) for one in value):
        raise UnusableError(mistake)
    if any(map(has_half, value)):
        raise UnusableError("a text contains an unpaired surrogate")
    return value


def question_of(record: Mapping[str, Any]) -> str:
    """The question that a record holds."""
    try:
        return checked_question(text_of(record, "question"))
    except QcgError as error:
        raise UnusableError(error.problem) from None
