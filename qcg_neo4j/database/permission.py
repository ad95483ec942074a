"""The documents that a filter permits: for a question, or fixed by an application for all that a connection shows.

Those of a question are read once and passed to its statements. On a connection with a fixed filter a statement that
declares ``$permitted`` gets the permitted documents, and one that calls a procedure which evaluates filters gets the
filter. Of the statements of `SHOWING`, whose rows are nodes, relationships and paths, the rows stay that permitted
documents alone tell of. Any other statement that could tell of documents is refused.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from neo4j import graph as entities

from qcg_neo4j.core.errors import GraphError, InputError
from qcg_neo4j.core.filters import Where, read, steps
from qcg_neo4j.core.settings import nearest
from qcg_neo4j.database.connection import Call, Connection
from qcg_neo4j.database.conversion import Rows
from qcg_neo4j.database.model import recorded_model
from qcg_neo4j.database.statements import statement

USUAL = 40  # candidates that an index is asked for where ten are wanted, by default
# Statements that say nothing of documents: the schema, the model, what it embeds, the predictor, how many seeds.
_HARMLESS = (
    *("embed/", "schema/data_folder", "schema/gds", "schema/model", "schema/plugin", "schema/server"),
    *("retrieve/atomic/seeding", "retrieve/lp/predictor"),
)
SHOWING = frozenset(
    f"inspect/{name}"
    for name in (
        *("atoms_of_document", "chunk", "derivation", "document", "entity", "evidence_path", "nearest_queries"),
        *("neighbours", "subgraph", "synonyms", "triples"),
    )
)


def width_in_words(widening: float) -> str:
    """How wide the indexes are searched, in words.

    >>> width_in_words(1.5)
    '60 candidates for ten wanted'
    """
    return f"{USUAL * widening:,.0f} candidates for ten wanted"


class PermittedIds(list[str]):
    """Ids of documents that a connection's restriction has let through."""


@dataclass(frozen=True)
class Permission:
    """The ids of the documents that may be used (None for all), and how indexes are searched for what is theirs.

    ``widening`` is by how much more candidates an index has to bring for the size of the graph and for the filter; from
    ``exact_from`` wanted ones on, looking at all that is permitted is sooner than the index.
    """

    documents: tuple[str, ...] | None = None
    widening: float = 1.0
    exact_from: float = math.inf
    notes: tuple[str, ...] = ()

    @property
    def is_empty(self) -> bool:
        """Whether there is nothing that may be used."""
        return self.documents == ()

    @property
    def parameter(self) -> list[str] | None:
        """The ids as statements take them, as ``$permitted``."""
        return None if self.documents is None else PermittedIds(self.documents)

    def candidates(self, wanted: int) -> int:
        """How many candidates an index is asked for; 1 where that is too few, so that all permitted are looked at."""
        return 1 if wanted and wanted >= self.exact_from else math.ceil(wanted * self.widening)

    def applied(self, call: Call) -> Call:
        """The call, restricted to these documents."""
        if self.documents is None and self.widening == 1:
            return call
        values = dict(self._widened(call.parameters))
        if "permitted" in values:
            values["permitted"] = self.parameter
        if "where" not in values.get("configuration", {"where": None}):  # else the procedure itself asks for the filter
            values["configuration"] = self._widened(values["configuration"])
        return replace(call, parameters=values)

    def _widened(self, values: Any) -> dict[str, Any]:
        wanted = {name: self.candidates(value) for name, value in values.items() if name == "candidates"}
        return {**values, **wanted}


def permission(graph: Connection, where: Where | None) -> Permission:
    """The documents that a filter permits, among the connection's; all without a filter.

    Raises:
        InputError: the filter names a property that no document has.
    """
    fixed = graph.restriction
    if where is None and fixed is None:
        return Permission(widening=(recorded_model(graph) or {"widening": 1.0})["widening"])
    if where is None and fixed is not None:  # the connection's own filter is nothing to tell of
        row = fixed.evaluated()
        return Permission(tuple(row["permitted"]), row["widening"], row["exact_from"])
    part = read(where or "")
    row = graph.rows("retrieve/permitted", where=steps(part), permitted=None)[0]
    if row["unknown"] and row["documents"]:
        name = row["unknown"][0]
        raise InputError(f"No document has {name!r}, which the filter names.", nearest(name, row["known"]))
    permitted = tuple(row["permitted"])
    told = f"{len(permitted):,} of {row['documents']:,} documents are permitted by: {part}"
    note = told if permitted else f"no document is permitted by: {part}"
    return Permission(permitted, row["widening"], row["exact_from"], (note,))


class Restriction:
    """The documents that a connection may see, by its filter, read from the database each time."""

    def __init__(self, connection: Connection, where: Where) -> None:
        self._connection = connection
        self.part = read(where)

    def rows(self, call: Call, most: int | None) -> Rows:
        """The rows of a reading statement, restricted to permitted documents.

        Raises:
            GraphError: the statement cannot be restricted.
        """
        if not can_be_restricted(call.path):
            raise GraphError(
                f"{call.path} reads all documents, but this connection sees only some.",
                "Connect without a fixed filter to run it.",
            )
        if _takes_permitted(call.path):
            within = self._within(call.parameters.get("permitted"))
            return self._connection.read(replace(call, parameters={**call.parameters, "permitted": within}), most)
        if _filters_itself(call.path):
            return self._connection.read(self._with_filter(call), most)
        if call.path not in SHOWING:
            return self._connection.read(call, most)
        return self._shown(self._connection.read(call))[:most]

    def _with_filter(self, call: Call) -> Call:
        given = call.parameters["configuration"]
        where = steps(self.part)
        if given.get("where") is not None:
            where = [*where, *given["where"], {"operator": "and"}]  # both must hold
        return replace(call, parameters={**call.parameters, "configuration": {**given, "where": where}})

    def _within(self, ids: Iterable[str] | None) -> PermittedIds:
        if isinstance(ids, PermittedIds):
            return ids
        permitted = PermittedIds(self.evaluated()["permitted"])
        if ids is None:
            return permitted
        known = set(permitted)
        return PermittedIds(name for name in ids if name in known)

    def evaluated(self) -> Mapping[str, Any]:
        """The row of ``retrieve/permitted`` for the filter."""
        values = {"where": steps(self.part), "permitted": None}
        return self._connection.read(Call("retrieve/permitted", values))[0]

    def _shown(self, rows: Rows) -> Rows:
        nodes = {node.element_id for row in rows for value in row.values() for node in _nodes(value)}
        values = {"nodes": sorted(nodes), "permitted": self.evaluated()["permitted"]}
        visible = {row["node"] for row in self._connection.read(Call("retrieve/visible", values))}
        return [shown for row in rows if (shown := _shown(row, visible)) is not None]


def can_be_restricted(path: str) -> bool:
    """Whether a statement can be restricted to permitted documents."""
    return _takes_permitted(path) or _filters_itself(path) or path in SHOWING or path.startswith(_HARMLESS)


def _filters_itself(path: str) -> bool:
    found = statement(path)
    declares = any(parameter.name == "configuration" for parameter in found.parameters)
    return declares and "CALL qcg.evidence." in found.text


def _takes_permitted(path: str) -> bool:
    return any(parameter.name == "permitted" for parameter in statement(path).parameters)


def _shown(row: Mapping[str, Any], visible: set[str]) -> dict[str, Any] | None:
    """The row without the items of its lists that are hidden; None where it tells of something else that is."""
    shown = {}
    for name, value in row.items():
        if isinstance(value, list):
            shown[name] = [item for item in value if _is_visible(item, visible)]
        elif _is_visible(value, visible):
            shown[name] = value
        else:
            return None
    return shown


def _is_visible(value: Any, visible: set[str]) -> bool:
    return all(node.element_id in visible for node in _nodes(value))


def _nodes(value: Any) -> Iterable[entities.Node]:
    """All nodes in a value, the ends of relationships and what is on a path included."""
    match value:
        case entities.Node():
            yield value
        case entities.Relationship() | entities.Path():
            yield from (node for node in value.nodes if node is not None)
        case Mapping():
            for item in value.values():
                yield from _nodes(item)
        case list() | tuple():
            for item in value:
                yield from _nodes(item)
