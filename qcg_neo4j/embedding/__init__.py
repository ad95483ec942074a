"""Text to vectors: a model on this machine or behind an endpoint, and texts longer than what it reads."""

from qcg_neo4j.embedding.embedder import Embedder, EmbeddingSettings, Remembered, Vectors, open_embedder
from qcg_neo4j.embedding.local import local_is_installed
from qcg_neo4j.embedding.model_files import short_name
from qcg_neo4j.embedding.windows import TokenCounter, embed_whole, mean_of_windows, token_counter, windows

__all__ = [
    "Embedder",
    "EmbeddingSettings",
    "Remembered",
    "TokenCounter",
    "Vectors",
    "embed_whole",
    "local_is_installed",
    "mean_of_windows",
    "open_embedder",
    "short_name",
    "token_counter",
    "windows",
]
