"""The embedding model that a graph remembers, prefixes included, and how another one is refused."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from qcg_neo4j.core.errors import ModelMismatchError
from qcg_neo4j.models.embedding.embedder import Prefixes


def prefixes_of(recorded: Mapping[str, Any]) -> Prefixes:
    """The prefixes that a graph was made with."""
    return Prefixes(recorded["question_prefix"], recorded["passage_prefix"])


def recorded_prefixes(prefixes: Prefixes) -> dict[str, str]:
    """The prefixes as a graph keeps them."""
    return {"question_prefix": prefixes.question, "passage_prefix": prefixes.passage}


def check_same_model(recorded: Mapping[str, Any], name: str, dimension: int, prefixes: Prefixes) -> None:
    """Refuse another model than the recorded one.

    Raises:
        ModelMismatchError: says both, and what to do.
    """
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
