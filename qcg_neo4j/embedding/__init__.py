"""Text to vectors: a model on this machine or behind an endpoint, and texts longer than what it reads."""

from qcg_neo4j.embedding.embedder import Embedder, EmbeddingSettings, Remembered, Vectors, open_embedder
from qcg_neo4j.embedding.local import local_is_installed
from qcg_neo4j.embedding.prefixes import Prefixes, Prefixing
from qcg_neo4j.embedding.windows import (
    TokenCounter,
    embed_whole,
    mean_of_windows,
    parts,
    token_counter,
    windows,
)
from qcg_neo4j.model_files import short_name

__all__ = [
    "Embedder",
    "EmbeddingSettings",
    "Prefixes",
    "Prefixing",
    "Remembered",
    "TokenCounter",
    "Vectors",
    "embed_whole",
    "local_is_installed",
    "mean_of_windows",
    "open_embedder",
    "parts",
    "short_name",
    "token_counter",
    "windows",
]
