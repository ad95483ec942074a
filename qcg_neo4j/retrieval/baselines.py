"""The baselines: vectors of windows or chunks, BM25, both together, and vectors with the generated queries in them."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any, ClassVar

from qcg_neo4j.core.settings import setting
from qcg_neo4j.database.connection import Call
from qcg_neo4j.retrieval.layers import Layers, LayersSettings
from qcg_neo4j.retrieval.method import PASSAGES, OneStatement, RetrieveSettings, call_of

if TYPE_CHECKING:
    from qcg_neo4j.retrieval.method import Vector


@dataclass(frozen=True)
class VectorSettings(RetrieveSettings):
    """Naive RAG: the chunk vectors."""

    scoring: str = setting(
        "windows",
        "Score a chunk by its best window, or by its own vector (the windows' mean).",
        choices=("windows", "mean"),
    )


@dataclass(frozen=True)
class HybridSettings(RetrieveSettings):
    """Best window and BM25, added."""

    hits: int = setting(
        100, "Entries nearest to the question that each layer brings, at least the candidates.", minimum=1, maximum=1000
    )
    window_weight: float = setting(1.0, "Weight of the best window's cosine.", minimum=0.0)
    fulltext_weight: float = setting(1.0, "Weight of BM25, as a share of the question's best.", minimum=0.0)


@dataclass(frozen=True)
class VectorBaseline(OneStatement):
    """Naive RAG: the chunks whose vectors are nearest to the question's."""

    settings: VectorSettings = VectorSettings()
    name: ClassVar[str] = "vector"
    procedure: ClassVar[str] = "qcg.retrieve.vector"
    needs_text: ClassVar[bool] = False

    def call(self, question: str, vector: Vector | None) -> Call:
        """``retrieve/windows``, or ``retrieve/chunk_vector`` over the chunks' own vectors."""
        if self.settings.scoring == "mean":
            return _chunk_vector(self.settings, vector, "embedding")
        return windows_call(self.settings, vector)


@dataclass(frozen=True)
class D2q(OneStatement):
    """D2QRAG: the vector of a chunk's text with all generated queries appended."""

    settings: RetrieveSettings = RetrieveSettings()
    name: ClassVar[str] = "d2q"
    procedure: ClassVar[str] = "qcg.retrieve.d2q"
    needs_text: ClassVar[bool] = False

    def call(self, question: str, vector: Vector | None) -> Call:
        """``retrieve/chunk_vector`` over ``d2qAllEmbedding``."""
        return _chunk_vector(self.settings, vector, "d2qAllEmbedding")


@dataclass(frozen=True)
class D2qFiltered(OneStatement):
    """D2Q--RAG: the vector of a chunk's text with the kept queries appended."""

    settings: RetrieveSettings = RetrieveSettings()
    name: ClassVar[str] = "d2q--"
    procedure: ClassVar[str] = "qcg.retrieve.d2qFiltered"
    needs_text: ClassVar[bool] = False

    def call(self, question: str, vector: Vector | None) -> Call:
        """``retrieve/chunk_vector`` over ``d2qKeptEmbedding``."""
        return _chunk_vector(self.settings, vector, "d2qKeptEmbedding")


@dataclass(frozen=True)
class Fulltext(OneStatement):
    """BM25 over the text of chunks; scores are Lucene's, at least 0 and without an upper end."""

    settings: RetrieveSettings = RetrieveSettings()
    name: ClassVar[str] = "fulltext"
    procedure: ClassVar[str] = "qcg.retrieve.fulltext"
    searches_words: ClassVar[bool] = True
    needs_vector: ClassVar[bool] = False

    def call(self, question: str, vector: Vector | None) -> Call:
        """``retrieve/fulltext``."""
        return call_of("retrieve/words | retrieve/fulltext" + PASSAGES, self.settings, question, vector)


@dataclass(frozen=True)
class Hybrid(OneStatement):
    """Best window and BM25 added: the control that needs no model but the embedding's."""

    settings: HybridSettings = HybridSettings()
    name: ClassVar[str] = "hybrid"
    procedure: ClassVar[str] = "qcg.retrieve.hybrid"
    searches_words: ClassVar[bool] = True

    def call(self, question: str, vector: Vector | None) -> Call:
        """``retrieve/layers`` with these two layers alone."""
        others: dict[str, Any] = dict.fromkeys(
            ("query_weight", "atom_weight", "triple_weight", "expanded_weight", "date_weight", "walk_weight"), 0.0
        )
        two = LayersSettings(**asdict(self.settings), **others)
        return Layers(two).call(question, vector)


def windows_call(chosen: RetrieveSettings, vector: Vector | None) -> Call:
    """``retrieve/windows``: the chunks by their best window."""
    return call_of(
        "retrieve/windows" + PASSAGES, chosen, "", vector, candidates=chosen.candidate_factor * chosen.passages
    )


def _chunk_vector(chosen: RetrieveSettings, vector: Vector | None, property_name: str) -> Call:
    wanted = {"candidates": chosen.candidate_factor * chosen.passages, "property": property_name}
    return call_of("retrieve/chunk_vector" + PASSAGES, chosen, "", vector, **wanted)
