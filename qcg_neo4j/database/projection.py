"""The projected atom-entity graph of GDS: made once for each state of the graph, never for a question."""

from __future__ import annotations

from threading import Lock

from qcg_neo4j.core.errors import GraphError
from qcg_neo4j.database.graph import Graph

KIND = "qcg_atoms"  # what the names of the projections begin with, as their statements have it
_ONE_AT_A_TIME = Lock()  # sub-questions that are asked side by side would each make it


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
            _project(graph, name, synonyms)
        for other in row["present"]:
            if other.startswith(own) and not other.endswith(state):
                graph.run("build/drop_projection", projection=other)
        return name


def forget_projections(graph: Graph) -> None:
    """Free the memory that the corpus's projections take, whichever state they are of."""
    if graph.rows("schema/gds"):
        graph.run("build/forget_projections", prefix=f"{graph.own(KIND)}:")


def _project(graph: Graph, name: str, synonyms: bool) -> None:
    try:
        graph.run("build/project_atoms", projection=name, synonyms=synonyms)
    except GraphError as error:
        if not any(said in error.problem for said in ("already exists", "already loaded")):  # else another was quicker
            raise
