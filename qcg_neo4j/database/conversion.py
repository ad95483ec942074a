"""What goes into the database and what comes back: names, values, rows, and what statements changed.

Python says ``token_count``, Cypher says ``tokenCount``: the names of parameters, of the columns of ``$rows`` and
of the columns of a result are converted here and nowhere else. What lies deeper (a document's own metadata)
is data and stays as it is. `plain` is what a result is as JSON.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, fields
from itertools import chain
from typing import Any

import neo4j
import numpy as np
from neo4j import graph as entities
from neo4j import time as moments
from neo4j.vector import Vector

from qcg_neo4j.core.settings import Settings
from qcg_neo4j.database.corpora import MARK, is_mark, plain_name

Rows = list[dict[str, Any]]

_SECOND_WORD = re.compile(r"_([a-z0-9])")
_CAPITAL = re.compile(r"(?<!^)(?=[A-Z])")


def camel(name: str) -> str:
    """Cypher's spelling of a name.

    >>> camel("token_count")
    'tokenCount'
    """
    return _SECOND_WORD.sub(lambda match: match.group(1).upper(), name)


def snake(name: str) -> str:
    """Python's spelling of a name.

    >>> snake("tokenCount")
    'token_count'
    """
    return _CAPITAL.sub("_", name).lower()


def to_cypher(parameters: Mapping[str, Any], *, vectors: bool) -> dict[str, Any]:
    """Parameters as the driver sends them; with ``vectors`` numpy arrays go as Bolt vectors, else as lists."""
    return {camel(name): _parameter(value, vectors) for name, value in parameters.items()}


def _parameter(value: Any, vectors: bool) -> Any:
    if isinstance(value, list) and value and isinstance(value[0], Mapping):
        return [{camel(name): _value(item, vectors) for name, item in row.items()} for row in value]
    return _value(value, vectors)


def _value(value: Any, vectors: bool) -> Any:
    if isinstance(value, np.ndarray):
        if value.ndim == 1 and vectors:
            return Vector.from_numpy(np.ascontiguousarray(value, dtype=np.float32))
        return [_value(row, vectors) for row in value] if value.ndim > 1 else value.astype(float).tolist()
    if isinstance(value, np.generic):
        return value.item()
    if isinstance(value, tuple | list):
        return [_value(item, vectors) for item in value]
    if isinstance(value, Mapping):
        return {name: _value(item, vectors) for name, item in value.items()}
    return value


def configuration(settings: Settings) -> dict[str, Any]:
    """Settings as a procedure of the plug-in takes them: only the database's, by Cypher's names."""
    known = [declared.name for declared in fields(settings) if declared.metadata["in_database"]]
    return {camel(name): settings.told(name) for name in known}


def from_cypher(record: Mapping[str, Any]) -> dict[str, Any]:
    """A row of a result with Python's names."""
    return {snake(name): value for name, value in record.items()}


@dataclass(frozen=True)
class Changes:
    """What statements changed, as the server counts it, and in how many transactions."""

    nodes_created: int = 0
    nodes_deleted: int = 0
    relationships_created: int = 0
    relationships_deleted: int = 0
    properties_set: int = 0
    transactions: int = 0

    def __add__(self, other: Changes) -> Changes:
        return Changes(*(getattr(self, name) + getattr(other, name) for name in self.__dataclass_fields__))

    @property
    def structure(self) -> int:
        """How many nodes and relationships came or went."""
        return self.nodes_created + self.nodes_deleted + self.relationships_created + self.relationships_deleted


@dataclass(frozen=True)
class Written:
    """What a transaction gave: the rows of each of its statements, and what they changed together."""

    rows: list[Rows]
    changes: Changes


def counted(counters: neo4j.SummaryCounters) -> Changes:
    """What the server has counted for a statement."""
    names = [one.name for one in fields(Changes) if one.name != "transactions"]
    return Changes(**{name: getattr(counters, name) for name in names})


def plain(value: Any, longest: int) -> Any:
    """The value as JSON; longer texts are cut and end with ``…``."""
    match value:
        case entities.Node():
            # Marks tell a reader nothing; of what was adopted, ours may have nothing else.
            labels = sorted({plain_name(one).removeprefix(MARK) if is_mark(one) else one for one in value.labels})
            found: Any = {"labels": labels, **_properties(value, longest)}
        case entities.Relationship():
            # Apart, because a property may be called type or source, too.
            ends = {"source": _name(value.start_node), "target": _name(value.end_node)}
            found = {"type": plain_name(value.type), **ends, "properties": _properties(value, longest)}
        case entities.Path():
            steps = zip(value.relationships, value.nodes[1:], strict=True)
            found = [plain(part, longest) for part in (value.start_node, *chain.from_iterable(steps))]
        case Mapping():
            found = {str(name): plain(item, longest) for name, item in value.items()}
        case list() | tuple():
            found = [plain(item, longest) for item in value]
        case str():
            found = value if len(value) <= longest else value[: longest - 1] + "…"
        case moments.DateTime() | moments.Date() | moments.Time():
            found = value.iso_format()
        case _:
            found = value
    return found


def _properties(entity: entities.Entity, longest: int) -> dict[str, Any]:
    # A vector is of no use to whoever reads, and is longer than all the rest.
    kept = {name: value for name, value in entity.items() if not name.lower().endswith("embedding")}
    return {snake(name): plain(value, longest) for name, value in kept.items()}


def _name(node: entities.Node | None) -> Any:
    """What tells a node from others: its id."""
    return None if node is None else node.get("id")
