"""Entities, relations with their texts (TTR), atoms and claims of each chunk, in one call of a model or none."""

from qcg_neo4j.indexing.extract.conversation import estimate_extraction
from qcg_neo4j.indexing.extract.readers import missing_for_spacy
from qcg_neo4j.indexing.extract.settings import ExtractSettings
from qcg_neo4j.indexing.extract.stage import ExtractReport, extract_graph

__all__ = ["ExtractReport", "ExtractSettings", "estimate_extraction", "extract_graph", "missing_for_spacy"]
