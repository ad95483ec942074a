"""Text to vectors: a model on this machine or behind an endpoint, and texts longer than what it reads."""

from qcg_neo4j.embedding.embedder import Embedder, EmbeddingSettings, Vectors, open_embedder
from qcg_neo4j.embedding.windows import mean_of_windows, windows

__all__ = ["Embedder", "EmbeddingSettings", "Vectors", "mean_of_windows", "open_embedder", "windows"]
