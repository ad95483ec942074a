"""Graphs in the memory of Graph Data Science: queries, entities, or atoms with their entities, with weights.

One statement makes them all. The graph of atoms that a question walks is made once for each state of the graph.
"""

from __future__ import annotations

import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from threading import Lock

from qcg_neo4j.core.errors import GraphError
from qcg_neo4j.database.graph import Graph

QUERIES, ENTITIES, ATOMS = GRAPHS = ("queries", "entities", "atoms")
KIND = "qcg_atoms"  # what the names of the projections begin with, as their statements have it
_ONE_AT_A_TIME = Lock()  # sub-questions that are asked side by side would each make it


@contextmanager
def projection(graph: Graph, kind: str) -> Iterator[str]:
    """A name for a projected graph that no other run has; dropped at the end, forgotten ones beforehand."""
    prefix = f"{graph.own(kind)}:"  # of no other corpus's names the beginning
    graph.run("build/forget_projections", prefix=prefix)
    name = prefix + secrets.token_hex(4)
    try:
        yield name
    finally:
        graph.run("build/drop_projection", projection=name)


def project_as(
    graph: Graph, name: str, what: str, *, vectors: bool = True, edge_weight: str = "strength", synonyms: bool = True
) -> None:
    """Let the database project one of `GRAPHS`: the statement says what its nodes and relationships are.

    Raises:
        MissingPluginError: the server has no Graph Data Science.
    """
    chosen = {"vectors": vectors, "edge_weight": edge_weight, "synonyms": synonyms}
    graph.run("build/graph_relationships | build/project", projection=name, graph=what, **chosen)


def provide_projection(graph: Graph, *, synonyms: bool = True) -> str:
    """Project the graph in its present state, unless that is there, and forget those of earlier states.

    Raises:
        MissingPluginError: the server has no Graph Data Science.
    """
    with _ONE_AT_A_TIME:
        row = graph.rows("build/atoms_state", synonyms=synonyms)[0]
        name, own = str(row["projection"]), f"{graph.own(KIND)}:"
        state = name.removeprefix(f"{own}{str(synonyms).lower()}")
        if name not in row["present"]:
            try:
                project_as(graph, name, ATOMS, vectors=False, synonyms=synonyms)
            except GraphError as error:
                if not any(said in error.problem for said in ("already exists", "already loaded")):
                    raise  # else another process was quicker
        for other in row["present"]:
            if other.startswith(own) and not other.endswith(state):
                graph.run("build/drop_projection", projection=other)
        return name


def forget_projections(graph: Graph) -> None:
    """Free the memory that the corpus's projections take, whichever state they are of."""
    if graph.rows("schema/gds"):
        graph.run("build/forget_projections", prefix=f"{graph.own(KIND)}:")
