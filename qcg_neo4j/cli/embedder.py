"""How the verbs open the embedder, and tell where it runs."""

from __future__ import annotations

from typing import TYPE_CHECKING

from qcg_neo4j.cli.language_model import api_key
from qcg_neo4j.cli.terminal import notices
from qcg_neo4j.models.embedding.counting import ESTIMATE
from qcg_neo4j.models.embedding.embedder import Embedder, EmbeddingSettings

if TYPE_CHECKING:
    from qcg_neo4j.database.graph import Graph

_KNOWN = {ESTIMATE: ", a token for up to five letters; --embedding-tokenizer or the package tiktoken counts them"}


def embedder_of(graph: Graph, settings: EmbeddingSettings) -> Embedder:
    """The embedder for what is written into the graph; says how tokens are counted where only an endpoint knows."""
    from qcg_neo4j.database.embedder import open_embedder_of

    embedder = _shown(open_embedder_of(graph, settings, api_key()))
    counting = getattr(embedder, "counting", None)
    if counting is not None:
        notices().print(f"Tokens: {counting.name}{_KNOWN.get(counting.name, '')}", style="dim", markup=False)
    return embedder


def use_for_questions(graph: Graph, settings: EmbeddingSettings) -> None:
    """Let the graph embed questions by its own model, unless the settings name another; opened when one comes."""
    from qcg_neo4j.database.embedder import open_question_embedder

    graph.open_embedder = lambda: _shown(open_question_embedder(graph, settings, api_key()))


def _shown(embedder: Embedder) -> Embedder:
    place = getattr(embedder, "place", "on this machine")
    notices().print(f"Embedding {place}: {embedder.name}", style="dim", markup=False)
    return embedder
