"""JSON Lines: a document a line (`id`, `text` …), or a passage a line (`document`, `index`, `text`)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import Any, BinaryIO

from qcg_neo4j.core.json_lines import UnusableError, object_of
from qcg_neo4j.core.records import Rejected, SourceDocument
from qcg_neo4j.indexing.load.validation import document_from, filled, identifier, optional_texts, required

Line = tuple[int, dict[str, Any]]


@dataclass(frozen=True)
class Read:
    """A document and the line on which it begins (None where its source has no lines)."""

    document: SourceDocument
    source: str
    line: int | None = None


@dataclass
class _Passages:
    """Consecutive lines of one document, while they are read."""

    given: object
    name: str
    line: int
    texts: list[str] = field(default_factory=list)
    about: dict[str, str | None] = field(default_factory=dict)
    broken: int | None = None


def read_json_lines(stream: BinaryIO, source: str, largest: int) -> Iterator[Read | Rejected]:
    """Documents of a stream of JSON Lines, one at a time; lines longer than ``largest`` bytes are rejected."""
    group: _Passages | None = None
    for item in _objects(stream, source, largest):
        if isinstance(item, Rejected):
            yield item
            continue
        line, record = item
        name = record.get("document") if "id" not in record else None
        if group and name != group.given:
            yield from _finished(group, source)
            group = None
        try:
            if name is None:
                yield Read(document_from(record), source, line)
            else:
                group = group or _Passages(name, identifier(name, "document"), line)
                _add(group, record)
        except UnusableError as error:
            yield Rejected(source, line, str(error))
            if group:
                group.broken = group.broken or line
    if group:
        yield from _finished(group, source)


def _add(group: _Passages, record: dict[str, Any]) -> None:
    # A document with a broken line is left out as a whole: checks that only follow from the break would be noise.
    text, index = filled(required(record, "text"), "text"), required(record, "index")
    if group.broken is None and (index != len(group.texts) or isinstance(index, bool)):
        raise UnusableError(
            f"'index' is {index!r}, but {len(group.texts)} comes next; passages of a document must be in order"
        )
    if not group.texts:
        group.about = optional_texts(record)
    group.texts.append(text)


def _finished(group: _Passages, source: str) -> Iterator[Read | Rejected]:
    if group.broken is not None:
        if group.texts:
            reason = f"the document {group.name!r} is left out, because line {group.broken} is one of its passages"
            yield Rejected(source, group.line, reason)
        return
    document = replace(SourceDocument(group.name, passages=tuple(group.texts)), **group.about)  # type: ignore[arg-type]
    yield Read(document, source, group.line)


def _objects(stream: BinaryIO, source: str, largest: int) -> Iterator[Line | Rejected]:
    """The objects by number of their line; of a line that is too long only a piece at a time is held."""
    number = 0
    while raw := stream.readline(largest + 1):
        number += 1
        if len(raw) > largest and not raw.endswith(b"\n"):
            while raw and not raw.endswith(b"\n"):
                raw = stream.readline(largest)
            yield Rejected(source, number, f"the line is longer than {largest:,} bytes (`load.largest_document`)")
            continue
        try:
            record = object_of(raw.removeprefix(b"\xef\xbb\xbf") if number == 1 else raw, _no_number)
        except UnusableError as error:
            yield Rejected(source, number, str(error))
        else:
            if record is not None:
                yield number, record


def _no_number(name: str) -> Any:
    raise UnusableError(f"not JSON: {name} is no number")
