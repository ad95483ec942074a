"""Checks that every vector passes, whatever made it."""

from __future__ import annotations

from typing import Any

import numpy as np

from qcg_neo4j.core.errors import EmbeddingError
from qcg_neo4j.models.embedding.embedder import Vectors


def unit_rows(vectors: Any, count: int, model: str, dimension: int | None = None) -> Vectors:
    """The vectors as float32 rows of unit length.

    Raises:
        EmbeddingError: not one row of numbers per text, another dimension, or a vector that is zero or not finite.
    """
    try:
        rows = np.asarray(vectors, dtype=np.float64)
    except (TypeError, ValueError, OverflowError):
        raise EmbeddingError(f"The embedding model {model!r} did not return vectors of one length.") from None
    if rows.ndim != 2 or rows.shape[1] == 0 or len(rows) != count:
        raise EmbeddingError(f"The embedding model {model!r} gave {_shape(rows)} for {count} texts.")
    if dimension is not None and rows.shape[1] != dimension:
        raise EmbeddingError(
            f"The embedding model {model!r} gave {rows.shape[1]} numbers a text instead of {dimension}."
        )
    with np.errstate(over="ignore"):
        lengths = np.linalg.norm(rows, axis=1, keepdims=True)
    if not np.all(np.isfinite(lengths)) or np.any(lengths < 1e-12):
        raise EmbeddingError(f"The embedding model {model!r} gave a vector that is zero or not finite.")
    return np.asarray(rows / lengths, dtype=np.float32)


def _shape(rows: Any) -> str:
    return f"{len(rows)} vectors" if rows.ndim == 2 else "no list of vectors"
