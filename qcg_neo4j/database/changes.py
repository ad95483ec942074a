"""What statements gave and changed."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import neo4j

Rows = list[dict[str, Any]]


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
    return Changes(
        counters.nodes_created,
        counters.nodes_deleted,
        counters.relationships_created,
        counters.relationships_deleted,
        counters.properties_set,
    )
