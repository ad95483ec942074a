"""How many claims answers make, and how different these are (GraphRAG, section 4.2)."""

from qcg_neo4j.evaluate.claims.clusters import THRESHOLDS, cluster_counts, distinct
from qcg_neo4j.evaluate.claims.counting import count_claims, estimate_claims
from qcg_neo4j.evaluate.claims.extracting import Claims
from qcg_neo4j.evaluate.claims.result import ClaimsResult, Contrast, SystemRow

__all__ = [
    "THRESHOLDS",
    "Claims",
    "ClaimsResult",
    "Contrast",
    "SystemRow",
    "cluster_counts",
    "count_claims",
    "distinct",
    "estimate_claims",
]
