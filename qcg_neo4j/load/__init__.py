"""The stage `load`: documents in, chunks with their vectors out; and documents out again."""

from qcg_neo4j.load.chunking import Chunk, Chunker
from qcg_neo4j.load.delete import DeleteReport, delete
from qcg_neo4j.load.settings import LoadSettings
from qcg_neo4j.load.sources import read
from qcg_neo4j.load.stage import LoadReport, load

__all__ = ["Chunk", "Chunker", "DeleteReport", "LoadReport", "LoadSettings", "delete", "load", "read"]
