"""KG-CQR: the question enriched by a context from a completed subgraph, then searched for (Bui et al.)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar

import numpy as np

from qcg_neo4j.core.errors import SettingsError
from qcg_neo4j.core.records import Passage, Step, Subgraph, Triple, TriplePath
from qcg_neo4j.core.settings import setting
from qcg_neo4j.database.connection import Call
from qcg_neo4j.database.conversion import from_cypher
from qcg_neo4j.database.graph import Graph
from qcg_neo4j.database.permission import Permission
from qcg_neo4j.models.replies import ReplySource
from qcg_neo4j.retrieval.baselines import FULLTEXT, windows_call
from qcg_neo4j.retrieval.evidence import OF_TRIPLE, complete, passages_of
from qcg_neo4j.retrieval.method import MODEL, PASSAGES, Found, RetrieveSettings, Vector, call_of, near_call
from qcg_neo4j.retrieval.model_steps import FILTER, AskingMethod, kept, summary


def subgraph(row: Mapping[str, Any]) -> Subgraph:
    """The subgraph of a row of ``retrieve/kg_cqr/subgraph``, without a context."""
    triples = tuple(Triple(**triple) for triple in complete(row["triples"], *OF_TRIPLE))
    ids = {triple.id for triple in triples}
    paths = [
        TriplePath(path["score"], tuple(path["triples"])) for path in row["paths"] if ids.issuperset(path["triples"])
    ]
    return Subgraph(triples, tuple(paths))


def joined(triples: Sequence[Triple]) -> str:
    """The context that needs no language model: the triples' texts in order, a line each."""
    return "\n".join(triple.ttr for triple in triples)


def with_triples(passages: Sequence[Passage], found: Subgraph) -> tuple[Passage, ...]:
    """The passages with a path for each triple of theirs, how the question led to it, before the paths they have."""
    return tuple(replace(passage, paths=(*_paths_to(passage, found), *passage.paths)) for passage in passages)


def _paths_to(passage: Passage, found: Subgraph) -> list[tuple[Step, ...]]:
    by_id = {triple.id: triple for triple in found.triples}
    shown = {path[-1].id for path in passage.paths}
    reached = [triple for triple in found.triples if triple.chunk == passage.id and triple.id not in shown]
    return [tuple(_step(by_id[name]) for name in _way(triple, found)) for triple in reached]


def _way(triple: Triple, found: Subgraph) -> tuple[str, ...]:
    """The ids of the triples on the best path up to an added one; a triple that the question hit is reached at once."""
    if triple.added:
        for path in found.paths:
            if triple.id in path.triples:
                return path.triples[: path.triples.index(triple.id) + 1]
    return (triple.id,)


def _step(triple: Triple) -> Step:
    how = "ADDED" if triple.added else "HIT"
    return Step("RELATED_TO", triple.id, triple.ttr, how, triple.similarity)


KG_CQR = "KG-CQR paper, §3"


@dataclass(frozen=True)
class KgCqrSettings(RetrieveSettings):
    """Contextual query retrieval over a completed subgraph."""

    triples: int = setting(
        20, "Number of nearest triples that start the subgraph (k); the paper gives no value.", minimum=1, maximum=1000
    )
    triple_filter: str = setting(
        "none",
        "Let a language model drop triples that are irrelevant to the question.",
        choices=("none", "model"),
        in_database=False,
    )
    completion: str = setting(
        "beam", "How paths between the subgraph's entities are found.", source=KG_CQR, choices=("beam", "all", "none")
    )
    beam_width: int = setting(
        3, "Beam width: triples followed per partial path (W).", source=KG_CQR, minimum=1, maximum=1000
    )
    path_length: int = setting(3, "Maximum number of triples per path (L).", minimum=1, maximum=6)
    direction: str = setting("outgoing", "Direction in which triples are followed.", choices=("outgoing", "undirected"))
    added_triples: int = setting(
        20, "Maximum number of triples added by paths (K).", source=KG_CQR, minimum=0, maximum=1000
    )
    context: str = setting(
        "joined",
        "The context: the triples' texts joined, a language model's summary of them, or none.",
        choices=("joined", "model", "none"),
        in_database=("joined", "none"),
    )
    alpha: float = setting(
        0.7,
        "Weight of the question in the fused vector (α); 1 = vector search.",
        source=KG_CQR,
        minimum=0,
        maximum=1,
    )
    search: str = setting(
        "vector",
        "Search for chunks by the fused vector, by BM25 with the context, or by best window and best triple.",
        choices=("vector", "fulltext", "layers"),
    )
    layer_candidates: int = setting(50, "Number of chunks per layer (search=layers).", minimum=2, maximum=1000)
    vector_weight: float = setting(1.0, "Weight of the best window (search=layers).", minimum=0.0)
    triple_weight: float = setting(1.0, "Weight of the best triple (search=layers).", minimum=0.0)


@dataclass(frozen=True)
class KgCqr(AskingMethod):
    """KG-CQR: the triples near the question, completed to a subgraph, and the chunks that state them.

    ``source`` is the language model (or recording) that filters triples and summarises the subgraph.
    """

    settings: KgCqrSettings = KgCqrSettings()
    source: ReplySource | None = field(default=None, compare=False, repr=False)
    name: ClassVar[str] = "kg-cqr"
    procedure: ClassVar[str] = "qcg.retrieve.kgCqr"
    looks_at: ClassVar[tuple[str, ...]] = ("RELATED_TO",)
    paper: ClassVar[Mapping[str, Any]] = {"triple_filter": MODEL, "context": MODEL}
    by_model: ClassVar[Mapping[str, str]] = {"triple_filter": "filter", "context": "generation"}
    nothing: ClassVar[Found] = Found(subgraph=Subgraph(()))
    # The triples as a layer of their own, instead of a context in which most triples are from other documents.
    tuned: ClassVar[Mapping[str, Any]] = {"search": "layers", "context": "none"}

    def call(self, question: str, vector: Vector | None) -> Call:
        """``retrieve/kg_cqr``: all of it in one statement, to look at.

        Raises:
            SettingsError: a language model is asked on the way, so there is no one statement.
        """
        if self.asks_model:
            raise SettingsError(
                "With these settings kg-cqr asks a language model between its statements, so it has several.",
                "Leave triple_filter and context at their defaults.",
            )
        return call_of("retrieve/kg_cqr", self.settings, question, vector)

    @property
    def left_out(self) -> tuple[str, ...]:  # type: ignore[override] # it is a matter of the settings
        """Nothing where the triples are a layer: that is this project's own way."""
        return () if self.settings.search == "layers" else super().left_out

    @property
    def asks_model(self) -> bool:
        """Whether these settings ask a language model."""
        return MODEL in (self.settings.triple_filter, self.settings.context)

    def _found(self, graph: Graph, question: str, vector: Vector, permitted: Permission) -> Found:
        """Chunks and subgraph: in one round trip where no model is asked and the database embeds the context."""
        chosen = self.settings
        if not self.asks_model and graph.embeds() and graph.has_procedures():
            row = graph.rows(call_of("retrieve/kg_cqr/evidence", chosen, question, vector))[0]
            rows = [from_cypher(found) for found in row["passages"]]
            completed = replace(subgraph(row), context=row["context"])
        else:
            completed = self._with_context(self._subgraph(graph, question, vector, permitted))
            rows = graph.rows(permitted.applied(self._search(graph, question, vector, completed.context)))
        met = self.looks_at if completed.triples else ()
        return Found(with_triples(passages_of(rows), completed), met, subgraph=completed)

    def _subgraph(self, graph: Graph, question: str, vector: Vector, permitted: Permission) -> Subgraph:
        chosen = self.settings
        nearest = near_call("retrieve/kg_cqr/triples", chosen, {"RELATED_TO": vector}, chosen.triples)
        rows = graph.rows(permitted.applied(nearest))
        if chosen.triple_filter == MODEL:
            keep = kept(FILTER, "triples", question, [row["ttr"] for row in rows], self.needed_source())
            rows = [rows[position] for position in keep]
        if not rows:
            return Subgraph(())  # nothing is near, or the filter keeps nothing: the question stands alone
        hits = [row["id"] for row in rows]
        paths = graph.rows(permitted.applied(call_of("retrieve/kg_cqr/paths", chosen, "", vector, hits=hits)))
        call = call_of("retrieve/kg_cqr/subgraph", chosen, "", vector, hits=hits, paths=paths)
        return subgraph(graph.rows(permitted.applied(call))[0])

    def _with_context(self, found: Subgraph) -> Subgraph:
        chosen = self.settings
        if not found.triples or chosen.context == "none":
            return found
        if chosen.context == MODEL:
            texts = [triple.ttr for triple in found.triples]
            return replace(found, context=summary(texts, self.needed_source()))
        return replace(found, context=joined(found.triples))

    def _search(self, graph: Graph, question: str, vector: Vector, context: str) -> Call:
        chosen = self.settings
        if chosen.search == "fulltext":
            return _fulltext_call(chosen, question, context)
        fused = vector
        if context and chosen.alpha < 1:
            fused = fuse(vector, graph.embed_question(context), chosen.alpha)
        if chosen.search == "layers":
            vectors = {"Window": fused, "RELATED_TO": vector}
            both = {"question_vector": vector, "window_vector": fused}
            return near_call("retrieve/kg_cqr/layers" + PASSAGES, chosen, vectors, chosen.layer_candidates, **both)
        return windows_call(chosen, fused)


def fuse(question: Vector, context: Vector, alpha: float) -> Vector:
    """``α · question + (1 − α) · context``, brought to unit length (KG-CQR, equation of fusion)."""
    mixed = alpha * question.astype(np.float64) + (1 - alpha) * context.astype(np.float64)
    length = np.linalg.norm(mixed)
    return np.asarray(mixed / length if length > 1e-12 else question, dtype=np.float32)


def _fulltext_call(chosen: KgCqrSettings, question: str, context: str) -> Call:
    """BM25; with α = 1 only the question counts, and with α = 0 only the context."""
    context = context if chosen.alpha < 1 else ""
    asked = question if chosen.alpha > 0 or not context else ""
    boost = chosen.alpha / (1 - chosen.alpha) if 0 < chosen.alpha < 1 else 1.0
    return call_of(FULLTEXT, chosen, asked, None, texts=[asked, context], boost=boost)
