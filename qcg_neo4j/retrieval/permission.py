"""The documents that a filter permits: read once per question and passed to its statements."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Any

from qcg_neo4j.core.errors import InputError
from qcg_neo4j.core.filters import Where, read, steps
from qcg_neo4j.core.settings import nearest
from qcg_neo4j.database.connection import Call
from qcg_neo4j.database.graph import Graph
from qcg_neo4j.database.model import recorded_model
from qcg_neo4j.database.restriction import PermittedIds


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


def permission(graph: Graph, where: Where | None) -> Permission:
    """The documents that a filter permits, among the connection's; all without a filter.

    Raises:
        InputError: the filter names a property that no document has.
    """
    fixed = graph.restriction
    if where is None and fixed is None:
        return Permission(widening=(recorded_model(graph) or {"widening": 1.0})["widening"])
    part = fixed.part if where is None and fixed is not None else read(where or "")
    row = graph.rows("retrieve/permitted", where=steps(part), permitted=None)[0]
    if row["unknown"] and row["documents"]:
        name = row["unknown"][0]
        raise InputError(f"No document has {name!r}, which the filter names.", nearest(name, row["known"]))
    permitted = tuple(row["permitted"])
    if where is None:  # the connection's own filter is nothing to tell of
        return Permission(permitted, row["widening"], row["exact_from"])
    told = f"{len(permitted):,} of {row['documents']:,} documents are permitted by: {part}"
    note = told if permitted else f"no document is permitted by: {part}"
    return Permission(permitted, row["widening"], row["exact_from"], (note,))
