"""Doc2Query and Doc2Query--: questions with answers for each chunk, the most faithful of them kept as nodes."""

from qcg_neo4j.indexing.generate.pairs import GenerateSettings, estimate_generation
from qcg_neo4j.indexing.generate.stage import GenerateReport, generate_queries

__all__ = ["GenerateReport", "GenerateSettings", "estimate_generation", "generate_queries"]
