"""The baselines: vectors of windows or chunks, BM25, both together, and vectors with the generated queries in them."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any, ClassVar

from qcg_neo4j.core.settings import like, setting
from qcg_neo4j.database.connection import Call
from qcg_neo4j.retrieval.layers import Layers, LayersSettings
from qcg_neo4j.retrieval.method import PASSAGES, OneStatement, RetrieveSettings, Vector, call_of, near_call

FULLTEXT = "retrieve/words | retrieve/fulltext" + PASSAGES


@dataclass(frozen=True)
class VectorSettings(RetrieveSettings):
    """Naive RAG: the chunk vectors."""

    scoring: str = setting(
        "windows",
        "Score a chunk by its best window or by its own vector (the windows' mean).",
        choices=("windows", "mean"),
    )


@dataclass(frozen=True)
class HybridSettings(RetrieveSettings):
    """Best window and BM25, added."""

    hits: int = like(LayersSettings, "hits")
    window_weight: float = setting(1.0, "Weight of the best window's cosine.", minimum=0.0)
    fulltext_weight: float = like(LayersSettings, "fulltext_weight")


@dataclass(frozen=True)
class VectorBaseline(OneStatement):
    """Naive RAG: the chunks whose vectors are nearest to the question's."""

    settings: VectorSettings = VectorSettings()
    name: ClassVar[str] = "vector"
    procedure: ClassVar[str] = "qcg.retrieve.vector"
    needs_text: ClassVar[bool] = False

    def call(self, question: str, vector: Vector | None) -> Call:
        """``retrieve/windows``, over the windows or the chunks' own vectors."""
        return windows_call(self.settings, vector, "embedding" if self.settings.scoring == "mean" else "Window")


@dataclass(frozen=True)
class D2q(OneStatement):
    """D2QRAG: the vector of a chunk's text with all generated queries appended."""

    settings: RetrieveSettings = RetrieveSettings()
    name: ClassVar[str] = "d2q"
    procedure: ClassVar[str] = "qcg.retrieve.d2q"
    needs_text: ClassVar[bool] = False
    layer: ClassVar[str] = "d2qAllEmbedding"

    def call(self, question: str, vector: Vector | None) -> Call:
        """``retrieve/windows`` over this vector of the chunks."""
        return windows_call(self.settings, vector, self.layer)


@dataclass(frozen=True)
class D2qFiltered(D2q):
    """D2Q--RAG: the vector of a chunk's text with the kept queries appended."""

    name: ClassVar[str] = "d2q--"
    procedure: ClassVar[str] = "qcg.retrieve.d2qFiltered"
    layer: ClassVar[str] = "d2qKeptEmbedding"


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
        return call_of(FULLTEXT, self.settings, question, vector, boost=1.0)


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


def windows_call(chosen: RetrieveSettings, vector: Vector | None, layer: str = "Window") -> Call:
    """``retrieve/windows``: the chunks by their best window, or by a vector of their own."""
    return near_call("retrieve/windows" + PASSAGES, chosen, {layer: vector}, chosen.passages)
