"""Chunks and documents of others as they are, and where ours go: onto theirs, or beside them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from qcg_neo4j.core.records import content_id
from qcg_neo4j.database.conversion import snake
from qcg_neo4j.database.graph import Graph
from qcg_neo4j.indexing.adopt.found import HELD, Found
from qcg_neo4j.indexing.load import Chunk
from qcg_neo4j.indexing.load.transactions import LIGHT_ROWS, pieces
from qcg_neo4j.models.embedding.embedder import Vectors

Row = Mapping[str, Any]
UNIT = 1e-3  # how far from one the length of a vector may be that is used as it is


@dataclass(frozen=True)
class Listed:
    """A chunk of others in the order of its documents: these by our ids, and its place there."""

    element: str
    documents: tuple[str, ...]
    index: int


@dataclass(frozen=True)
class Adoptable:
    """What is on a chunk of others: its text, its vector where that can be used, and the names that are taken."""

    element: str
    text: str
    vector: Vectors | None
    names: frozenset[str]
    id: str | None
    index: Any
    held: tuple[Mapping[str, Any], ...]
    token_count: int = 0

    @property
    def hash(self) -> str:
        """The hash of the text, as ours record it."""
        return content_id(self.text)

    def as_chunk(self, name: str, index: int = 0, written: str | None = None) -> Chunk:
        """The chunk of ours that it becomes."""
        return Chunk(name, index, self.text, self.token_count, written=written)


def read_adoptable(row: Mapping[str, Any], dimension: int) -> Adoptable | None:
    """A row of ``adopt/chunks_of_others``; None where it holds no text."""
    text = row["text"]
    if not isinstance(text, str) or not text.strip():
        return None
    name = row["id"] if "id" in row["names"] and isinstance(row["id"], str) and row["id"] else None
    return Adoptable(
        row["element"],
        text,
        usable(row["vector"], dimension),
        taken(row),
        name,
        row["index"],
        tuple({snake(name): value for name, value in held.items()} for held in row["held"]),
    )


def taken(row: Mapping[str, Any]) -> frozenset[str]:
    """The names of another application's node, from a row with its properties and our mark."""
    return frozenset(row["names"]) - (set(HELD) if row["is_adopted"] else set())


def usable(value: Any, dimension: int) -> Vectors | None:
    """A property as a vector of the dimension; None where it is none, or has no direction."""
    if not isinstance(value, list) or len(value) != dimension:
        return None
    vector = np.asarray(value, dtype=np.float32)
    return vector if np.isfinite(vector).all() and np.linalg.norm(vector) > 0 else None


def fits(theirs: Adoptable, found: Found, wanted: str, index: int) -> bool:
    """Whether the names that ours need are free on theirs, or mean the same there."""
    names = theirs.names
    is_unit = theirs.vector is not None and abs(float(np.linalg.norm(theirs.vector)) - 1) < UNIT
    return not (
        names & set(HELD)
        or ("text" in names and found.text != "text")
        or ("id" in names and theirs.id != wanted)
        or ("index" in names and theirs.index != index)
        or ("embedding" in names and (found.embedding != "embedding" or not is_unit))
    )


def targets(
    theirs: Adoptable, listed: Listed, found: Found, taken_ids: Collection[str], *, beside: bool
) -> list[tuple[str, str, bool]]:
    """Where its chunks go, one per document: id, document, and whether onto theirs.

    The first one goes there where nothing speaks against it.
    """
    own = content_id("adopted", theirs.element)
    wanted = theirs.id if theirs.id is not None and theirs.id not in taken_ids else own
    in_place = not beside and fits(theirs, found, wanted, listed.index)
    first, *others = listed.documents
    return [
        (wanted, first, in_place),
        *((content_id("adopted", theirs.element, document), document, False) for document in others),
    ]


def list_chunks(graph: Graph, found: Found, *, beside: bool) -> list[Listed]:
    """All chunks of other applications in order, with the ids of their documents; missing ids are written."""
    rows = graph.rows(
        "adopt/elements",
        label=found.label,
        text=found.text,
        relationship=found.relationship,
        document=found.document_property,
        order=found.order,
    )
    rows.sort(key=_made)
    ids = _ids(graph, found, rows, beside=beside)
    counted: defaultdict[str, int] = defaultdict(int)
    listed = []
    for row in rows:
        documents = tuple(ids[key] for key in _keys(row))
        position = row["position"] if isinstance(row["position"], int) else counted[documents[0]]
        counted[documents[0]] += 1
        listed.append(Listed(row["element"], documents, position))
    return sorted(listed, key=lambda chunk: (chunk.documents[0], chunk.index))


def first_elements(graph: Graph, found: Found, number: int) -> list[str]:
    """Some of the chunks of others, evenly over all of them."""
    rows = graph.rows(
        "adopt/elements", label=found.label, text=found.text, relationship=None, document=None, order=None
    )
    rows.sort(key=_made)
    return [row["element"] for row in rows[:: max(1, len(rows) // number)]][:number]


def _made(row: Row) -> tuple[int, str]:
    """The order in which nodes were made: the last part of an element's id is a rising number."""
    return len(row["element"]), row["element"]


def _keys(row: Row) -> list[tuple[str, str]]:
    """What tells the documents of a chunk apart: theirs, else their name, else nothing."""
    if row["documents"]:
        return [("element", element) for element in row["documents"]]
    return [("name", str(row["name"] or ""))]


def _ids(graph: Graph, found: Found, rows: Iterable[Row], *, beside: bool) -> dict[tuple[str, str], str]:
    """The id of ours for each document; writes those that are missing."""
    keys = dict.fromkeys(key for row in rows for key in _keys(row))
    names = [value or found.label for kind, value in keys if kind == "name"]
    elements = [value for kind, value in keys if kind == "element"]
    theirs = [
        row
        for piece in pieces(elements, LIGHT_ROWS)
        for row in graph.rows("adopt/documents_of_others", elements=list(piece))
    ]
    used = _taken(graph, [*names, *filter(None, map(_name, theirs))], theirs)
    written, ids = [], {}
    for row in theirs:
        element = row["element"]
        ids["element", element] = name = row["held"] or _free(_name(row) or element, element, used)
        used.add(name)
        title, source = _text(row["title"]), _text(row["source"])
        in_place = row["is_adopted"] if row["held"] else not beside and _fits(row, name)
        written.append({"id": name, "element": element, "in_place": in_place, "title": title, "source": source})
    for kind, value in keys:
        if kind == "name":
            ids[kind, value] = name = _free(value or found.label, found.label, used)
            written.append({"id": name, "element": None, "in_place": False, "title": None, "source": None})
    graph.write_batches("adopt/documents", written, batch_size=LIGHT_ROWS, stages=("load",), label=found.label)
    return ids


def _taken(graph: Graph, names: list[str], theirs: Iterable[Row]) -> set[str]:
    """Those of the names that other documents have: loaded ones, and adopted ones that are not among these."""
    held = {row["held"] for row in theirs}
    rows = graph.rows("load/hashes", documents=names)
    used = {row["id"] for row in rows if row["adopted_from"] is None or row["is_of_others"]}
    return (used - held) | (held - {None})


def _free(name: str, owner: str, taken: set[str]) -> str:
    return name if name not in taken else f"{name} ({content_id(owner)[:8]})"


def _name(row: Row) -> str:
    return next((name for name in row["candidates"] if isinstance(name, str) and name), "")


def _text(value: Any) -> str | None:
    return value if isinstance(value, str) else None


def _fits(row: Row, name: str) -> bool:
    """Whether the names that ours need are free on theirs, or mean the same there."""
    names = taken(row)
    spelled = {"title": "title", "source": "source", "published_at": "publishedAt"}
    same = all(_text(row[known]) is not None for known, theirs in spelled.items() if theirs in names)
    return same and not names & set(HELD) and ("id" not in names or row["candidates"][0] == name)
