"""Documents of others get our mark, or a node of ours beside them; chunks without any get one of ours."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from itertools import chain
from typing import Any

from qcg_neo4j.core.records import content_id
from qcg_neo4j.database.connection import Call
from qcg_neo4j.database.graph import Graph
from qcg_neo4j.indexing.adopt.found import HELD, Found
from qcg_neo4j.indexing.adopt.targets import Listed, taken
from qcg_neo4j.indexing.load.transactions import LIGHT_ROWS, pieces

Row = Mapping[str, Any]


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
    theirs = _read(graph, [value for kind, value in keys if kind == "element"])
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
    for piece in pieces(written, LIGHT_ROWS):
        graph.write(Call("adopt/documents", {"rows": list(piece), "label": found.label}), stages=("load",))
    return ids


def _read(graph: Graph, elements: Sequence[str]) -> list[Row]:
    rows = [graph.rows("adopt/documents_of_others", elements=list(piece)) for piece in pieces(elements, LIGHT_ROWS)]
    return list(chain.from_iterable(rows))


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
    kept = {"id": name, **{known: _text(row[known]) for known in ("title", "source", "published_at")}}
    names = taken(row)
    same = all(kept[known] is not None for known, spelled in _SPELLED.items() if spelled in names)
    return same and not names & set(HELD) and ("id" not in names or row["candidates"][0] == name)


_SPELLED = {"title": "title", "source": "source", "published_at": "publishedAt"}
