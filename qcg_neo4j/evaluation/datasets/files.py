"""From the files of a benchmark and the objects in them to what every format is read into."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

from qcg_neo4j.core.errors import InputError
from qcg_neo4j.core.json_lines import UnusableError, object_of
from qcg_neo4j.core.records import SourceDocument
from qcg_neo4j.evaluation.json_records import after_blanks, text_of_file
from qcg_neo4j.evaluation.page import some
from qcg_neo4j.indexing.load.validation import clean, filled, required

T = TypeVar("T")


@dataclass(frozen=True)
class Dataset:
    """Documents, and questions with the fields of a line of a questions file; ``notes`` say what was left out."""

    documents: tuple[SourceDocument, ...]
    questions: tuple[Mapping[str, Any], ...]
    notes: tuple[str, ...] = ()


def unique(documents: Sequence[tuple[str, SourceDocument]]) -> tuple[SourceDocument, ...]:
    """Documents, each given with its place for messages; an `InputError` where two have the same id."""
    places: dict[str, str] = {}
    for where, document in documents:
        if document.id in places:
            raise InputError(f"{where}: the id {document.id!r} is that of {places[document.id]} as well.")
        places[document.id] = where
    return tuple(document for _, document in documents)


def left_out(what: str, names: Sequence[str]) -> tuple[str, ...]:
    """A note on what was left out, if anything was."""
    return (f"{len(names):,} {what}: {some(names)}",) if names else ()


@dataclass(frozen=True)
class Item:
    """An object of a file: where it begins (``file:line``), its key where it has one, and its fields."""

    where: str
    key: str
    fields: Mapping[str, Any]

    def text(self, name: str) -> str:
        """A field that must hold a text."""
        return self.checked(lambda: filled(required(self.fields, name), name))

    def filled_or_empty(self, name: str) -> str:
        """A field that must hold a text, which may be empty."""
        return self.checked(lambda: clean(required(self.fields, name), name))

    def optional(self, name: str) -> str | None:
        """A field that may hold a text; an empty one is none."""
        value = self.fields.get(name)
        return self.checked(lambda: clean(value, name).strip() or None) if value is not None else None

    def items(self, name: str) -> list[Any]:
        """A field that must hold a list."""
        value = self.checked(lambda: required(self.fields, name))
        if not isinstance(value, list):
            raise self.wrong(f"{name!r} is not a list")
        return value

    def checked(self, read: Callable[[], T]) -> T:
        """What a function reads; an unusable piece becomes an error that names the place."""
        try:
            return read()
        except UnusableError as error:
            raise self.wrong(str(error)) from None

    def wrong(self, what: str) -> InputError:
        """The error that something in this object is wrong."""
        return InputError(f"{self.where}: {what}.")


def file_of(folder: Path, names: Sequence[str], what: str) -> Path:
    """The first of these files that a folder holds; an `InputError` where it holds none."""
    found = next((folder / name for name in names if (folder / name).is_file()), None)
    if found is None:
        raise InputError(f"{folder} does not hold the {what}.", f"Looked for: {', '.join(names)}.")
    return found


def files_of(folder: Path, pattern: str, what: str) -> list[Path]:
    """The files of a folder whose names fit, sorted; an `InputError` where there are none."""
    found = sorted(folder.glob(pattern))
    if not found:
        raise InputError(f"{folder} does not hold the {what}.", f"Looked for: {pattern}.")
    return found


def objects(path: Path) -> Iterator[Item]:
    """The objects of a JSON file that is a list of them, an object of them, or a single one with texts in it.

    Raises:
        InputError: the file cannot be read, is not JSON, or holds something else (file and line).
    """
    text, line, before = text_of_file(path), 1, 0
    for start, key, value in _Parser(path, text).values():
        line, before = line + text.count("\n", before, start), start
        where = f"{path}:{line}"
        if not isinstance(value, dict):
            raise InputError(f"{where}: not a JSON object.")
        yield Item(where, key, value)


def lines(path: Path) -> Iterator[Item]:
    """The objects of a file of JSON Lines; an `InputError` names the file and the line that is none."""
    for number, line in enumerate(text_of_file(path).split("\n"), start=1):
        where = f"{path}:{number}"
        try:
            fields = object_of(line)
        except UnusableError as error:
            raise InputError(f"{where}: {error}.") from None
        if fields is not None:
            yield Item(where, "", fields)


class _Parser:
    """Reads the outermost list or object value by value, so that each has its place."""

    def __init__(self, path: Path, text: str) -> None:
        self._path, self._text, self._decoder = path, text, json.JSONDecoder()

    def values(self) -> Iterator[tuple[int, str, Any]]:
        """Place, key and value of each member; of an object whose first member is no object, the object itself."""
        start = self._skip(0)
        opened = self._text[start : start + 1]
        if opened not in ("[", "{"):
            raise self._wrong(start, "neither a list nor an object")
        first = place = self._skip(start + 1)
        closing = {"[": "]", "{": "}"}[opened]
        while self._text[place : place + 1] != closing:
            key, begin = "", place
            if opened == "{":
                key, place = self._value(place)
                place = self._after(place, ":")
                if begin == first and self._text[place : place + 1] != "{":
                    yield start, "", self._value(start)[0]
                    return
            value, place = self._value(place)
            yield begin, str(key), value
            place = self._skip(place)
            if self._text[place : place + 1] != closing:
                place = self._after(place, ",")

    def _value(self, place: int) -> tuple[Any, int]:
        try:
            return self._decoder.raw_decode(self._text, place)
        except json.JSONDecodeError as error:
            raise self._wrong(error.pos, f"not JSON: {error.msg}") from None
        except (RecursionError, ValueError):
            raise self._wrong(place, "not JSON that can be read") from None

    def _after(self, place: int, sign: str) -> int:
        place = self._skip(place)
        if self._text[place : place + 1] != sign:
            raise self._wrong(place, f"not JSON: expecting {sign!r}")
        return self._skip(place + 1)

    def _skip(self, place: int) -> int:
        return after_blanks(self._text, place)

    def _wrong(self, place: int, what: str) -> InputError:
        line = self._text.count("\n", 0, place) + 1
        return InputError(f"{self._path}:{line}: {what}.")
