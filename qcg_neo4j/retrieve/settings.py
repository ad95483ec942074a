"""Settings of the retrieval methods; defaults are the papers' constants unless the source says otherwise."""

from __future__ import annotations

from dataclasses import dataclass

from qcg_neo4j.settings import Settings, setting

QCG = "QCG-RAG paper, §4"


@dataclass(frozen=True)
class RetrieveSettings(Settings):
    """What all methods share: how many passages, how long together, how many candidates."""

    passages: int = setting(5, "Passages returned at most (K).", source=QCG, minimum=1, maximum=1000)
    context_tokens: int = setting(6000, "Tokens of all passages together at most.", source=QCG, minimum=1)
    candidate_factor: int = setting(
        4, "Candidates per wanted hit taken from a vector index, then scored exactly.", minimum=1, maximum=100
    )


@dataclass(frozen=True)
class QcgSettings(RetrieveSettings):
    """Query-centric graph retrieval."""

    queries: int = setting(15, "Queries that the question hits at most (n).", source=QCG, minimum=1, maximum=1000)
    minimum_score: float = setting(
        1.0, "Least cosine + 1 of a query that counts as hit (γ).", source=QCG, minimum=0.0, maximum=2.0
    )
    hops: int = setting(1, "Hops along SIMILAR_TO (h).", source=QCG, minimum=0, maximum=2)
    neighbours: int = setting(
        3, "Nearest neighbours of a query that are followed (k).", source=QCG, minimum=1, maximum=100
    )
    aggregation: str = setting(
        "mean", "A chunk's score from its queries' cosines.", source=QCG, choices=("mean", "max", "sum")
    )


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
    """Best window and BM25, standardized over the candidates."""

    layer_candidates: int = setting(50, "Chunks that each of the two layers proposes.", minimum=2, maximum=1000)
    vector_weight: float = setting(1.0, "Weight of the best window's standardized score.", minimum=0.0)
    fulltext_weight: float = setting(1.0, "Weight of the standardized BM25 score.", minimum=0.0)
