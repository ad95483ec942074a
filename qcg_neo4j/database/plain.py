"""Values of a result as plain ones, for JSON: nodes, relationships and paths become maps, vectors are left out."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from neo4j import graph as entities
from neo4j import time as moments

from qcg_neo4j.database.conversion import snake
from qcg_neo4j.database.corpora import MARK, is_mark, plain_name


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
            found = [plain(part, longest) for part in _along(value)]
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


def _along(path: entities.Path) -> list[Any]:
    steps: list[Any] = [path.start_node]
    for node, relationship in zip(path.nodes[1:], path.relationships, strict=True):
        steps += [relationship, node]
    return steps
