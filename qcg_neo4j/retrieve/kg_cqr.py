"""KG-CQR: the question enriched by a context from a completed subgraph, then searched for (Bui et al.)."""

from __future__ import annotations

import time
from dataclasses import asdict, dataclass, field, replace
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from qcg_neo4j.errors import SettingsError
from qcg_neo4j.graph import Call, Graph
from qcg_neo4j.graph.conversion import camel, from_cypher
from qcg_neo4j.records import Evidence, Subgraph
from qcg_neo4j.replies import ReplySource
from qcg_neo4j.retrieve.method import checked_question, passage, why_nothing, within
from qcg_neo4j.retrieve.reasoning import relevant, summary
from qcg_neo4j.retrieve.settings import KgCqrSettings
from qcg_neo4j.retrieve.subgraph import joined, subgraph, with_triples

if TYPE_CHECKING:
    from qcg_neo4j.retrieve.method import Vector

MODEL = "model"


@dataclass(frozen=True)
class KgCqr:
    """Contextual query retrieval; ``source`` is the language model (or recording) that filters and sums up."""

    settings: KgCqrSettings = KgCqrSettings()
    source: ReplySource | None = field(default=None, compare=False, repr=False)
    name: ClassVar[str] = "kg-cqr"
    needs_vector: ClassVar[bool] = True

    def with_settings(self, settings: KgCqrSettings) -> KgCqr:
        """The same with other settings."""
        return replace(self, settings=settings)

    def call(self, question: str, vector: Vector | None) -> Call:
        """``retrieve/kg_cqr_graph``: all of it in one statement, to look at.

        Raises:
            SettingsError: a language model is asked on the way, so there is no one statement.
        """
        if self.asks_model():
            raise SettingsError(
                "With these settings kg-cqr asks a language model between its statements; there is no single one.",
                "Leave triple_filter and context at their defaults.",
            )
        return Call("retrieve/kg_cqr_graph", _evidence(self.settings, question, vector))

    def retrieve(self, graph: Graph, question: str, vector: Vector | None = None) -> Evidence:
        """The evidence for a question, with its subgraph.

        Raises:
            SettingsError: a setting asks for a language model and there is none.
            MissingReplyError: the language model, or the recording, gave no reply.
            MissingPluginError: the server lacks the plug-in, or has another version of it.
        """
        question = checked_question(question)
        if self.asks_model() and self.source is None:
            raise SettingsError(
                "The settings of kg-cqr ask for a language model, and none is given.",
                "Give --language-model-endpoint and --language-model, or set triple_filter and context otherwise.",
            )
        start = time.perf_counter()
        vector = graph.embed_question(question) if vector is None else vector
        graph.need_procedures()
        found, rows = self._found(graph, question, vector)
        passages, notes = within([passage(row) for row in rows], self.settings.context_tokens)
        notes = notes if passages else why_nothing(self, graph)
        seconds = time.perf_counter() - start
        kept = with_triples(passages, found)
        return Evidence(question, self.name, kept, asdict(self.settings), seconds, notes, found)

    def asks_model(self) -> bool:
        """Whether these settings ask a language model."""
        return MODEL in (self.settings.triple_filter, self.settings.context)

    def _found(self, graph: Graph, question: str, vector: Vector) -> tuple[Subgraph, list[dict[str, Any]]]:
        """Subgraph and chunks: in one round trip where no model is asked and the database embeds the context."""
        chosen = self.settings
        if not self.asks_model() and graph.embeds():
            row = graph.rows("retrieve/kg_cqr", **_evidence(chosen, question, vector))[0]
            passages = [from_cypher(found) for found in row["passages"]]
            return replace(subgraph(row), context=row["context"]), passages
        found = self._with_context(question, self._subgraph(graph, question, vector))
        call = self._search(graph, question, vector, found.context)
        return found, graph.rows_of(call)

    def _subgraph(self, graph: Graph, question: str, vector: Vector) -> Subgraph:
        chosen = self.settings
        kept: tuple[str, ...] = ()
        if chosen.triple_filter == MODEL:
            assert self.source is not None  # noqa: S101 - `retrieve` has checked it
            rows = graph.rows("retrieve/nearest_triples", **_nearest(chosen, vector))
            keep = relevant(question, [row["ttr"] for row in rows], self.source)
            kept = tuple(rows[position]["id"] for position in keep)
            if not kept:
                return Subgraph(())  # the filter found nothing: the question stands alone
        call = _subgraph_call(chosen, vector, kept)
        return subgraph(graph.rows_of(call)[0])

    def _with_context(self, question: str, found: Subgraph) -> Subgraph:
        chosen = self.settings
        if not found.triples or chosen.context == "none":
            return found
        if chosen.context == MODEL:
            assert self.source is not None  # noqa: S101 - `retrieve` has checked it
            texts = [triple.ttr for triple in found.triples]
            return replace(found, context=summary(question, texts, self.source))
        return replace(found, context=joined(found.triples))

    def _search(self, graph: Graph, question: str, vector: Vector, context: str) -> Call:
        chosen = self.settings
        if chosen.search == "fulltext":
            return _fulltext_call(chosen, question, context)
        fused = vector
        if context and chosen.alpha < 1:
            fused = fuse(vector, graph.embed_question(context), chosen.alpha)
        if chosen.search == "layers":
            return _layers_call(chosen, vector, fused)
        wanted = {"candidates": chosen.candidate_factor * chosen.passages, "passages": chosen.passages}
        return Call("retrieve/windows", {"question_vector": fused, **wanted})


def fuse(question: Vector, context: Vector, alpha: float) -> Vector:
    """``α · question + (1 − α) · context``, brought to unit length (KG-CQR, equation of fusion)."""
    mixed = alpha * question.astype(np.float64) + (1 - alpha) * context.astype(np.float64)
    length = np.linalg.norm(mixed)
    return np.asarray(mixed / length if length > 1e-12 else question, dtype=np.float32)


def _evidence(chosen: KgCqrSettings, question: str, vector: Vector | None) -> dict[str, object]:
    configuration = {camel(name): value for name, value in asdict(chosen).items() if name != "triple_filter"}
    return {"question": question, "question_vector": vector, "configuration": configuration}


def _nearest(chosen: KgCqrSettings, vector: Vector | None) -> dict[str, object]:
    candidates = chosen.candidate_factor * chosen.triples
    return {"question_vector": vector, "candidates": candidates, "triples": chosen.triples}


def _subgraph_call(chosen: KgCqrSettings, vector: Vector | None, kept: tuple[str, ...]) -> Call:
    return Call(
        "retrieve/subgraph",
        {
            **_nearest(chosen, vector),
            "kept": list(kept),
            "completion": chosen.completion,
            "beam_width": chosen.beam_width,
            "path_length": chosen.path_length,
            "direction": chosen.direction,
            "added_triples": chosen.added_triples,
        },
    )


def _fulltext_call(chosen: KgCqrSettings, question: str, context: str) -> Call:
    """BM25; with α = 1 only the question counts, and with α = 0 only the context."""
    context = context if chosen.alpha < 1 else ""
    asked = question if chosen.alpha > 0 or not context else ""
    boost = chosen.alpha / (1 - chosen.alpha) if 0 < chosen.alpha < 1 else 1.0
    return Call(
        "retrieve/fulltext_context",
        {"question": asked, "context": context, "boost": boost, "passages": chosen.passages},
    )


def _layers_call(chosen: KgCqrSettings, vector: Vector, fused: Vector) -> Call:
    return Call(
        "retrieve/triple_layers",
        {
            "question_vector": vector,
            "window_vector": fused,
            "candidates": chosen.candidate_factor * chosen.layer_candidates,
            "layer_candidates": chosen.layer_candidates,
            "vector_weight": chosen.vector_weight,
            "triple_weight": chosen.triple_weight,
            "passages": chosen.passages,
        },
    )
