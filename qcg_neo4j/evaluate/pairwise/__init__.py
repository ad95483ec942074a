"""Answers of several systems side by side, as a judge sees them (GraphRAG, sections 3.3 and 4.1)."""

from qcg_neo4j.evaluate.pairwise.comparing import compare_pairwise, estimate_comparison
from qcg_neo4j.evaluate.pairwise.criteria import CRITERIA
from qcg_neo4j.evaluate.pairwise.result import Comparison, Counts, PairwiseResult, Rate
from qcg_neo4j.evaluate.pairwise.verdicts import Trial, Verdict

__all__ = [
    "CRITERIA",
    "Comparison",
    "Counts",
    "PairwiseResult",
    "Rate",
    "Trial",
    "Verdict",
    "compare_pairwise",
    "estimate_comparison",
]
