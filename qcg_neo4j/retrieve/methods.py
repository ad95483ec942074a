"""The methods, each a value: ``Qcg(QcgSettings(hops=0)).retrieve(graph, "When …?")``."""

from __future__ import annotations

from dataclasses import asdict, dataclass, replace
from typing import TYPE_CHECKING, Any, ClassVar, Self

from qcg_neo4j.graph import Call, Graph
from qcg_neo4j.graph.conversion import camel
from qcg_neo4j.records import Evidence
from qcg_neo4j.retrieve.method import retrieve
from qcg_neo4j.retrieve.settings import HybridSettings, LayersSettings, QcgSettings, RetrieveSettings, VectorSettings

if TYPE_CHECKING:
    from qcg_neo4j.retrieve.method import Vector


class OneStatement:
    """A method that is one statement: one round trip through `retrieve`."""

    def with_settings(self, settings: Any) -> Self:
        """The same method with other settings of its class."""
        return replace(self, settings=settings)  # type: ignore[type-var] # each subclass is a dataclass

    def retrieve(self, graph: Graph, question: str, vector: Vector | None = None) -> Evidence:
        """The evidence for a question; ``vector`` is its embedding where the caller already has it."""
        return retrieve(self, graph, question, vector)  # type: ignore[arg-type] # each subclass is a Method


@dataclass(frozen=True)
class Qcg(OneStatement):
    """Query-centric graph retrieval (QCG-RAG): hit queries, expand along their neighbours, aggregate by chunk."""

    settings: QcgSettings = QcgSettings()
    name: ClassVar[str] = "qcg"
    needs_vector: ClassVar[bool] = True

    def call(self, question: str, vector: Vector | None) -> Call:
        """``retrieve/qcg`` with these settings."""
        chosen = self.settings
        return Call(
            "retrieve/qcg",
            {
                "question_vector": vector,
                "candidates": chosen.candidate_factor * chosen.queries,
                "queries": chosen.queries,
                "minimum_score": chosen.minimum_score,
                "hops": chosen.hops,
                "neighbours": chosen.neighbours,
                "aggregation": chosen.aggregation,
                "passages": chosen.passages,
            },
        )


@dataclass(frozen=True)
class VectorBaseline(OneStatement):
    """Naive RAG: the chunks whose vectors are nearest to the question's."""

    settings: VectorSettings = VectorSettings()
    name: ClassVar[str] = "vector"
    needs_vector: ClassVar[bool] = True

    def call(self, question: str, vector: Vector | None) -> Call:
        """``retrieve/windows``, or ``retrieve/chunk_vector`` over the chunks' own vectors."""
        if self.settings.scoring == "mean":
            return _chunk_vector(self.settings, vector, "chunk_embedding", "embedding")
        return Call("retrieve/windows", _nearest(self.settings, vector))


@dataclass(frozen=True)
class D2q(OneStatement):
    """D2QRAG: the vector of a chunk's text with all generated queries appended."""

    settings: RetrieveSettings = RetrieveSettings()
    name: ClassVar[str] = "d2q"
    needs_vector: ClassVar[bool] = True

    def call(self, question: str, vector: Vector | None) -> Call:
        """``retrieve/chunk_vector`` over ``d2qAllEmbedding``."""
        return _chunk_vector(self.settings, vector, "chunk_d2q_all", "d2qAllEmbedding")


@dataclass(frozen=True)
class D2qFiltered(OneStatement):
    """D2Q--RAG: the vector of a chunk's text with the kept queries appended."""

    settings: RetrieveSettings = RetrieveSettings()
    name: ClassVar[str] = "d2q--"
    needs_vector: ClassVar[bool] = True

    def call(self, question: str, vector: Vector | None) -> Call:
        """``retrieve/chunk_vector`` over ``d2qKeptEmbedding``."""
        return _chunk_vector(self.settings, vector, "chunk_d2q_kept", "d2qKeptEmbedding")


@dataclass(frozen=True)
class Fulltext(OneStatement):
    """BM25 over the text of chunks; scores are Lucene's, at least 0 and without an upper end."""

    settings: RetrieveSettings = RetrieveSettings()
    name: ClassVar[str] = "fulltext"
    needs_vector: ClassVar[bool] = False

    def call(self, question: str, vector: Vector | None) -> Call:
        """``retrieve/fulltext``."""
        return Call("retrieve/fulltext", {"question": question, "passages": self.settings.passages})


@dataclass(frozen=True)
class Hybrid(OneStatement):
    """Best window and BM25 added: the control that needs no model but the embedding's."""

    settings: HybridSettings = HybridSettings()
    name: ClassVar[str] = "hybrid"
    needs_vector: ClassVar[bool] = True

    def call(self, question: str, vector: Vector | None) -> Call:
        """``retrieve/layers`` with these two layers alone."""
        chosen = self.settings
        two = LayersSettings(
            passages=chosen.passages,
            candidate_factor=chosen.candidate_factor,
            layer_candidates=chosen.layer_candidates,
            query_weight=0.0,
            window_weight=chosen.window_weight,
            atom_weight=0.0,
            triple_weight=0.0,
            fulltext_weight=chosen.fulltext_weight,
            expanded_weight=0.0,
            walk_weight=0.0,
        )
        return Layers(two).call(question, vector)


@dataclass(frozen=True)
class Layers(OneStatement):
    """Best query, window, atom, triple and BM25 of a chunk, and a walk from the best chunks over their entities, added.

    Cosines are taken as they are, BM25 as a share of the question's best, so that a score does not depend on the other
    candidates. A layer that the graph lacks takes no part; the paths say what each layer found and adds to the score.
    """

    settings: LayersSettings = LayersSettings()
    name: ClassVar[str] = "layers"
    needs_vector: ClassVar[bool] = True

    def call(self, question: str, vector: Vector | None) -> Call:
        """``retrieve/layers`` with these settings; ``retrieve/layers_scored`` where the plug-in is."""
        chosen = self.settings
        return Call(
            "retrieve/layers",
            {
                "question": question,
                "question_vector": vector,
                "candidates": chosen.candidate_factor * chosen.layer_candidates,
                "layer_candidates": chosen.layer_candidates,
                "query_weight": float(chosen.query_weight),
                "window_weight": float(chosen.window_weight),
                "atom_weight": float(chosen.atom_weight),
                "triple_weight": float(chosen.triple_weight),
                "fulltext_weight": float(chosen.fulltext_weight),
                "expanded_weight": float(chosen.expanded_weight),
                "walk_weight": float(chosen.walk_weight),
                "walk_seeds": chosen.walk_seeds,
                "walk_chunks": chosen.walk_chunks,
                "max_entity_degree": chosen.max_entity_degree,
                "passages": chosen.passages,
            },
            by_procedure=Call(
                "retrieve/layers_scored",
                {"question": question, "question_vector": vector, "configuration": _configuration(chosen)},
            ),
        )


def _configuration(chosen: LayersSettings) -> dict[str, Any]:
    """The settings as ``qcg.score.layers`` takes them: all but the one that counts tokens afterwards."""
    return {camel(name): value for name, value in asdict(chosen).items() if name != "context_tokens"}


def _nearest(chosen: RetrieveSettings, vector: Vector | None) -> dict[str, Any]:
    return {
        "question_vector": vector,
        "candidates": chosen.candidate_factor * chosen.passages,
        "passages": chosen.passages,
    }


def _chunk_vector(chosen: RetrieveSettings, vector: Vector | None, index: str, property_name: str) -> Call:
    return Call("retrieve/chunk_vector", {**_nearest(chosen, vector), "index": index, "property": property_name})
