"""The embedding model that a graph records: read once for a connection, the same for everything in the graph."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from qcg_neo4j.core.errors import GraphError, ModelMismatchError
from qcg_neo4j.database.connection import Call, Connection
from qcg_neo4j.database.schema import FORM, create_schema, create_vector_indexes
from qcg_neo4j.models.embedding.embedder import Embedder
from qcg_neo4j.models.embedding.known_models import Prefixes


def recorded_model(graph: Connection) -> Mapping[str, Any] | None:
    """What the graph records of its embedding model; None while it is empty. Read once for each connection."""
    if graph.recorded is None:
        graph.recorded = next(iter(graph.rows("schema/model")), None)
    return graph.recorded


def model_name(graph: Connection) -> str | None:
    """The name of the graph's embedding model; None while it is empty."""
    found = recorded_model(graph)
    return found["model"] if found else None


def prefixes_of(recorded: Mapping[str, Any]) -> Prefixes:
    """The prefixes that a graph was made with."""
    return Prefixes(recorded["question_prefix"], recorded["passage_prefix"])


def check_form(graph: Connection) -> None:
    """Refuse a graph that another version made.

    Raises:
        GraphError: says both forms and what to do.
    """
    found = recorded_model(graph)
    if found and found["form"] != FORM:
        raise GraphError(
            f"The graph was made by another version of qcg-neo4j (its form is {found['form']}, here it is {FORM}).",
            "Index again: `qcg delete --all` removes the graph, `qcg index FOLDER` makes it; or index into another "
            "corpus (`--corpus NAME`), or install the other version.",
        )


def use_model(graph: Connection, name: str, dimension: int, prefixes: Prefixes = Prefixes()) -> None:
    """Record the embedding model in the graph, or refuse another one; create the schema and the vector indexes.

    Raises:
        ModelMismatchError: the graph was made with another model or dimension, or with other prefixes.
    """
    create_schema(graph)  # which has gone where the corpus was deleted meanwhile
    model = {"model": name, "dimension": dimension}
    prefix = {"question_prefix": prefixes.question, "passage_prefix": prefixes.passage}
    recorded = graph.write(
        Call("schema/use_model", {**model, **prefix, "form": FORM, "own_labels": graph.address.own_labels})
    ).rows[0][0]
    graph.recorded = None  # it may have been written by this
    _check_same(recorded, name, dimension, prefixes)
    create_vector_indexes(graph, dimension)


def check_model(graph: Connection, name: str, dimension: int, prefixes: Prefixes = Prefixes()) -> None:
    """Refuse to search with vectors of another model than the graph's.

    Raises:
        GraphError: the graph holds no documents yet.
        ModelMismatchError: the graph was made with another model or dimension, or with other prefixes.
    """
    recorded = recorded_model(graph)
    if recorded is None:
        raise GraphError("The graph is empty.", "Load documents first: `qcg load FILE`.")
    _check_same(recorded, name, dimension, prefixes)


def remember_endpoint(graph: Connection, embedder: Embedder) -> None:
    """Keep the endpoint of what is embedded there, so that asking needs no options; other embedders need none."""
    remembered = getattr(embedder, "remembered", None)
    if remembered is not None:
        graph.write(Call("schema/use_endpoint", remembered))
        graph.recorded = None


def _check_same(recorded: Mapping[str, Any], name: str, dimension: int, prefixes: Prefixes) -> None:
    model = (recorded["model"], recorded["dimension"])
    if model != (name, dimension):
        raise ModelMismatchError(
            f"The graph was made with the embedding model {model[0]!r} ({model[1]} dimensions), "
            f"but {name!r} ({dimension} dimensions) is in use.",
            f"Use `--embedding {model[0]}`, or load the documents into another corpus (`--corpus NAME`).",
        )
    if prefixes_of(recorded) != prefixes:
        raise ModelMismatchError(
            f"The graph was made by {name!r} with {prefixes_of(recorded)}; in use are {prefixes}.",
            "Leave out --set embedding.question_prefix and --set embedding.passage_prefix to use the graph's, or load "
            "the documents into another corpus (`--corpus NAME`).",
        )
