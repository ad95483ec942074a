"""The stage `load`: documents in, chunks with their vectors out; and documents out again."""

from qcg_neo4j.indexing.load.chunks import Chunk, Chunker, LoadSettings
from qcg_neo4j.indexing.load.documents import DeleteReport, delete_corpus, delete_documents
from qcg_neo4j.indexing.load.sources import check_paths, read_documents, source_of
from qcg_neo4j.indexing.load.stage import LoadReport, load_documents

__all__ = [
    "Chunk",
    "Chunker",
    "DeleteReport",
    "LoadReport",
    "LoadSettings",
    "check_paths",
    "delete_corpus",
    "delete_documents",
    "load_documents",
    "read_documents",
    "source_of",
]
