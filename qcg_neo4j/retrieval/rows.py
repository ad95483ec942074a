"""The rows of statements as passages and paths.

Nodes that another transaction deletes while a question is answered are read without values, and left out.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from qcg_neo4j.core.records import NamedDocument, Passage, Step

OF_PASSAGE = ("id", "document", "index", "text", "score", "token_count")  # what no row of a passage lacks
OF_TRIPLE = ("id", "source", "predicate", "target", "ttr", "chunk", "similarity")
_OF_STEP = ("id", "text", "relationship")
_OWN = ("id", "title", "contentHash", "displayName", "listedIn")


def complete(rows: Iterable[Mapping[str, Any]], *needed: str) -> list[Mapping[str, Any]]:
    """The rows that have all these values.

    >>> complete([{"id": "a", "text": "Li Hua"}, {"id": "b", "text": None}], "id", "text")
    [{'id': 'a', 'text': 'Li Hua'}]
    """
    return [row for row in rows if all(row[name] is not None for name in needed)]


def passages_of(rows: Iterable[Mapping[str, Any]]) -> list[Passage]:
    """The rows of a ``retrieve/`` statement as passages."""
    return [passage(row, paths(row["paths"])) for row in complete(rows, *OF_PASSAGE)]


def passage(row: Mapping[str, Any], found_by: tuple[tuple[Step, ...], ...]) -> Passage:
    """A row as a passage with these paths."""
    read = {"paths": found_by, "also": named(row["also"]), "headings": tuple(row["headings"] or ())}
    return Passage(**{**row, **read, "metadata": metadata(row["metadata"])})


def paths(rows: Iterable[Iterable[Mapping[str, Any]]]) -> tuple[tuple[Step, ...], ...]:
    """Paths whose steps are all there, but for those of a walk that stayed where it began: that is no reason."""
    there = [path for path in map(list, rows) if len(complete(path, *_OF_STEP)) == len(path)]
    return tuple(tuple(Step(**step) for step in path) for path in there if path and not _stayed(path[-1]))


def _stayed(step: Mapping[str, Any]) -> bool:
    """Whether the walk ends at a chunk and not at what led to it."""
    return step.get("layer") == "Entity" and step["label"] == "Chunk"


def metadata(document: Mapping[str, Any]) -> dict[str, Any]:
    """What a document says of itself beside its id and its title, which a passage has anyway.

    >>> metadata({"id": "a", "title": None, "contentHash": "0f", "publishedAt": "2025-01-31", "tags": ["law"]})
    {'publishedAt': '2025-01-31', 'tags': ['law']}
    """
    return {name: value for name, value in document.items() if name not in _OWN and value is not None}


def named(rows: Iterable[Mapping[str, Any]]) -> tuple[NamedDocument, ...]:
    """Documents that are all there."""
    return tuple(NamedDocument(**row) for row in complete(rows, "id"))
