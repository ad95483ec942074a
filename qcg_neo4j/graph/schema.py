"""The constraints and indexes of a graph, made where they are missing; an older graph is brought up to date."""

from __future__ import annotations

from collections.abc import Container, Iterable
from typing import Any

from qcg_neo4j.corpora import DEFAULT, corpus_of, plain_name
from qcg_neo4j.errors import GraphError
from qcg_neo4j.graph.connection import Connection
from qcg_neo4j.marks import index
from qcg_neo4j.records import content_id
from qcg_neo4j.statements import paths

_CHUNKS_AT_ONCE = 500  # whose words, or hashes, are made in one transaction
_BASELINES = {"chunk_d2q_all": "generate/index_all", "chunk_d2q_kept": "generate/index_kept"}
_LAST = "corpus_id"  # an older graph has it until it is up to date
_UNMARKED = "related_to_"  # relationships have no mark: what covers them makes room first
_SECONDS = 3600  # that all indexes of an older graph may take


def create_schema(graph: Connection) -> None:
    """Create what is missing; of the indexes over vectors only those that an older graph had."""
    present = _present(graph)
    if _LAST in present and graph.corpus == DEFAULT:
        _bring_up_to_date(graph, present)
    else:
        _create(graph, present)


def is_older(graph: Connection) -> bool:
    """Whether the database holds a graph that was made before nodes were marked."""
    return _LAST in _present(graph)


def corpora(graph: Connection) -> list[str]:
    """The corpora of the database, by a constraint that each has; the default one first."""
    found = {corpus_of(name) for name in _present(graph) if plain_name(name) in (_LAST, index(_LAST))}
    return sorted(found, key=lambda name: (name != DEFAULT, name))


def drop_schema(graph: Connection) -> None:
    """Drop what a corpus has of constraints and indexes, that last by which it is known."""
    own = [name for name in _present(graph) if name.startswith(index("")) and corpus_of(name) == graph.corpus]
    _drop(graph, sorted(own, key=lambda name: name == index(_LAST, graph.corpus)))


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


def _bring_up_to_date(graph: Connection, present: Container[str]) -> None:
    """Mark the nodes of a graph that was made before nodes were; interrupted, the next connection goes on."""
    graph.run("schema/older/chunks")
    graph.run("schema/older/others")
    _drop(graph, [name for name in _names(present) if name.startswith(_UNMARKED)])
    _create(graph, _present(graph))
    for corpus in graph.rows("schema/model"):
        create_vector_indexes(graph, corpus["dimension"])
        for name in _BASELINES.keys() & _names(present):
            graph.run(_BASELINES[name], dimension=corpus["dimension"])
    graph.run("schema/await_indexes", seconds=_SECONDS)
    _drop(graph, [*_names(present), _LAST])


def _drop(graph: Connection, names: Iterable[str]) -> None:
    for name in names:
        graph.run("schema/drop_constraint", name=name)
        graph.run("schema/drop_index", name=name)


def _names(present: Container[str]) -> list[str]:
    """What an older graph has of constraints and indexes, but for the last one."""
    made = [path.rpartition("/")[2] for folder in ("index", "vector_index") for path in _statements(folder)]
    return [name for name in (*made, *_BASELINES, "chunk_text") if name in present and name != _LAST]


def _create(graph: Connection, present: Container[str]) -> None:
    _add_words(graph, present)
    _add_hashes(graph, present)
    for path in _statements("index"):
        if index(path, graph.corpus) not in present:
            graph.run(path)


def _add_words(graph: Connection, present: Container[str]) -> None:
    """Give the chunks of an older graph, which lacks the indexes of words, the words that those are of."""
    if index("chunk_words", graph.corpus) not in present:
        graph.run("schema/words")
    if index("chunk_expanded_words", graph.corpus) not in present:
        while rows := graph.rows("schema/unexpanded", limit=_CHUNKS_AT_ONCE):
            graph.run("schema/expanded_words", chunk_ids=[row["id"] for row in rows])


def _add_hashes(graph: Connection, present: Container[str]) -> None:
    """Give the chunks of an older graph the hash by which a further document's same text is found."""
    if index("chunk_text_hash", graph.corpus) in present:
        return
    while rows := graph.rows("schema/unhashed", limit=_CHUNKS_AT_ONCE):
        hashed = [{"id": row["id"], "text_hash": content_id(row["text"])} for row in rows]
        graph.run("schema/text_hashes", rows=hashed)


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
