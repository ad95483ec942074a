"""A projected graph of Graph Data Science that lives as long as a part of the build needs it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from qcg_neo4j.errors import MissingPluginError
from qcg_neo4j.graph import Graph


@contextmanager
def projected(graph: Graph, name: str, path: str) -> Iterator[tuple[Any, Any]]:
    """The client and the graph that the statement projects; dropped at the end, and a forgotten one beforehand."""
    science = graph.data_science()
    science.graph.drop(name, fail_if_missing=False)
    graph.run(path, projection=name)
    try:
        yield science, science.graph.get(name)
    finally:
        science.graph.drop(name, fail_if_missing=False)


def possible_strategies(graph: Graph, strategy: str, order: tuple[str, ...]) -> list[str]:
    """What to try one after the other: the chosen strategy, or for ``auto`` those of ``order`` that the server has.

    Raises:
        MissingPluginError: the strategy is ``gds`` and the server has no Graph Data Science.
    """
    has_gds = bool(graph.rows("schema/gds"))
    if strategy == "gds" and not has_gds:
        raise MissingPluginError(
            "The server has no Graph Data Science.", "Install it, or use `--strategy index`, which needs no plug-in."
        )
    if strategy == "auto":
        return [name for name in order if has_gds or name != "gds"]
    return [strategy]
