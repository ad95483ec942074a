"""The constraints and indexes of a graph, made where they are missing, and the version of its form."""

from __future__ import annotations

from typing import Any

from qcg_neo4j.core.errors import GraphError
from qcg_neo4j.database.connection import Connection
from qcg_neo4j.database.corpora import DEFAULT, corpus_of, plain_name
from qcg_neo4j.database.labels import index
from qcg_neo4j.database.statements import paths

# Raise it when another version of the package would read or write the graph wrongly.
FORM = 3
_LAST = index("corpus_id")  # dropped last: by it a corpus is known


def check_form(graph: Connection) -> None:
    """Refuse a graph that another version made.

    Raises:
        GraphError: says both forms and what to do.
    """
    found = graph.rows("schema/model")
    if found and found[0]["form"] != FORM:
        raise GraphError(
            f"The graph was made by another version of qcg-neo4j (its form is {found[0]['form']}, here it is {FORM}).",
            "Index again: `qcg delete --all` removes the graph, `qcg index FOLDER` makes it; or index into another "
            "corpus (`--corpus NAME`), or install the other version.",
        )


def create_schema(graph: Connection) -> None:
    """Create the constraints and indexes that are missing, without those over vectors."""
    present = _present(graph)
    for path in _statements("index"):
        if index(path, graph.corpus) not in present:
            graph.run(path)


def corpora(graph: Connection) -> list[str]:
    """The corpora of the database, by a constraint that each has; the default one first."""
    found = {corpus_of(name) for name in _present(graph) if plain_name(name) == _LAST}
    return sorted(found, key=lambda name: (name != DEFAULT, name))


def drop_schema(graph: Connection) -> None:
    """Drop the constraints and indexes of a corpus; that by which it is known comes last."""
    own = [name for name in _present(graph) if name.startswith(index("")) and corpus_of(name) == graph.corpus]
    for name in sorted(own, key=lambda name: plain_name(name) == _LAST):
        graph.run("schema/drop_constraint", name=name)
        graph.run("schema/drop_index", name=name)


def create_vector_indexes(graph: Connection, dimension: int) -> None:
    """Create the indexes over vectors of a dimension that are missing.

    Raises:
        GraphError: an index of somebody else is where one would have to be.
    """
    present = _present(graph)
    names = {path: index(path, graph.corpus) for path in _statements("vector_index")}
    missing = {path: name for path, name in names.items() if present.get(name) != dimension}
    for path, name in missing.items():
        if name in present:  # left from vectors that are gone; it would take none of these, without a word
            graph.run("schema/drop_index", name=name)
        graph.run(path, dimension=dimension)
    if missing and (lacking := {*missing.values()} - _present(graph).keys()):
        _refuse(graph, lacking)


def _present(graph: Connection) -> dict[str, int | None]:
    return {row["name"]: row["dimension"] for row in graph.rows("schema/present")}


def _statements(folder: str) -> list[str]:
    return [path for path in paths() if path.startswith(f"schema/{folder}/")]


def _refuse(graph: Connection, lacking: set[str]) -> None:
    """Only relationships have no mark: an index over the vectors of RELATED_TO may be there already."""
    others: list[dict[str, Any]] = [
        row for row in graph.rows("schema/present") if row["covers"] == ["RELATED_TO"] and row["dimension"]
    ]
    names = ", ".join(row["name"] for row in others)
    raise GraphError(
        f"The index {', '.join(sorted(lacking))} cannot be made: this database has another one ({names}) over the "
        "same property of RELATED_TO.",
        "Use a database of its own (`--database`), or drop that index if nobody needs it.",
    )
