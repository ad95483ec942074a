"""The projected atom-entity graph of GDS: made once for each state of the graph, never for a question."""

from __future__ import annotations

from contextlib import nullcontext
from threading import Lock

from qcg_neo4j.errors import GraphError
from qcg_neo4j.graph import Graph
from qcg_neo4j.graph.bridge import is_bridged

KIND = "qcg_atoms"  # what the names of the projections begin with, as their statements have it
_ONE_AT_A_TIME = Lock()  # sub-questions that are asked side by side would each make it


def provide_projection(graph: Graph, *, synonyms: bool = True) -> str:
    """Project the graph in its present state, unless that is there, and forget those of earlier states.

    Raises:
        MissingPluginError: the server has no Graph Data Science.
    """
    # On an event loop nobody may wait for a lock; who comes second then finds it, or is told that it is there.
    with nullcontext() if is_bridged() else _ONE_AT_A_TIME:
        state = graph.rows("build/atoms_state", synonyms=synonyms)[0]
        name = str(state["projection"])
        if name not in state["present"]:
            _project(graph, name, synonyms)
        for other in state["present"]:
            if other != name and other.startswith(f"{graph.own(KIND)}:{str(synonyms).lower()}_"):
                graph.run("build/drop_projection", projection=other)
        return name


def _project(graph: Graph, name: str, synonyms: bool) -> None:
    try:
        graph.run("build/project_atoms", projection=name, synonyms=synonyms)
    except GraphError as error:
        if not any(said in error.problem for said in ("already exists", "already loaded")):  # else another was quicker
            raise
