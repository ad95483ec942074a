"""QCG-RAG: the nearest generated questions, their neighbours, and the chunks that they were written for."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

from qcg_neo4j.core.settings import setting
from qcg_neo4j.database.connection import Call
from qcg_neo4j.retrieval.method import PASSAGES, QCG, OneStatement, RetrieveSettings, Vector, near_call


@dataclass(frozen=True)
class QcgSettings(RetrieveSettings):
    """Query-centric graph retrieval."""

    queries: int = setting(
        15, "Maximum number of queries nearest to the question (n).", source=QCG, minimum=1, maximum=1000
    )
    minimum_score: float = setting(1.0, "Minimum cosine + 1 of a query hit (γ).", source=QCG, minimum=0.0, maximum=2.0)
    hops: int = setting(1, "Number of hops along SIMILAR_TO (h).", source=QCG, minimum=0, maximum=100)
    neighbours: int = setting(
        3, "Number of nearest neighbours followed per query (k).", source=QCG, minimum=1, maximum=100
    )
    aggregation: str = setting(
        "mean", "How a chunk's score is computed from its queries' cosines.", source=QCG, choices=("mean", "max", "sum")
    )


@dataclass(frozen=True)
class Qcg(OneStatement):
    """QCG-RAG: the nearest generated questions, their neighbours, and the chunks that they were written for."""

    settings: QcgSettings = QcgSettings()
    name: ClassVar[str] = "qcg"
    procedure: ClassVar[str] = "qcg.retrieve.qcg"
    needs_text: ClassVar[bool] = False
    looks_at: ClassVar[tuple[str, ...]] = ("Query",)
    # A chunk's score is that of its best query, as an exact search over all queries has it.
    tuned: ClassVar[Mapping[str, Any]] = {"hops": 0, "queries": 200, "minimum_score": 0.0, "aggregation": "max"}

    # What the paper's §4.1 sets for its two data sets; the defaults are those of the second.
    data_sets: ClassVar[Mapping[str, Mapping[str, Any]]] = {
        "paper-lihua-world": {"neighbours": 2, "queries": 10, "minimum_score": 1.5},
        "paper-multihop-rag": {"neighbours": 3, "queries": 15, "minimum_score": 1.0},
    }

    def call(self, question: str, vector: Vector | None) -> Call:
        """``retrieve/qcg`` with these settings."""
        chosen = self.settings
        return near_call("retrieve/qcg" + PASSAGES, chosen, {"Query": vector}, chosen.queries, question_vector=vector)
