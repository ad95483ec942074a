"""What an embedder is, its settings, and the checks that every vector passes."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from qcg_neo4j.core.addresses import shown_address
from qcg_neo4j.core.errors import EmbeddingError, SettingsError
from qcg_neo4j.core.settings import Settings, setting
from qcg_neo4j.models.embedding.known_models import DEFAULT_MODEL, Prefixes

if TYPE_CHECKING:
    from tokenizers import Tokenizer

Vectors = NDArray[np.float32]
_SHOWN = 60  # characters of a text in an error


class UnembeddableError(EmbeddingError):
    """Some texts have no vector; all others have.

    ``reasons`` says why by the place of the text. ``vectors`` are those of all texts, of zeros for these.
    """

    def __init__(self, where: str, texts: Sequence[str], vectors: Vectors, reasons: Mapping[int, str]) -> None:
        """``where`` says what embeds, such as ``The embedding endpoint http://localhost/v1``."""
        place, reason = next(iter(reasons.items()))
        number = f"{len(reasons):,} of {len(texts):,} texts"
        super().__init__(
            f"{where} cannot embed {number}, the first {texts[place][:_SHOWN]!r}: {reason}",
            "Correct or leave out what it cannot embed.",
        )
        self.vectors, self.reasons = vectors, reasons


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
        given = f"{len(rows)} vectors" if rows.ndim == 2 else "no list of vectors"
        raise EmbeddingError(f"The embedding model {model!r} gave {given} for {count} texts.")
    if dimension is not None and rows.shape[1] != dimension:
        raise EmbeddingError(
            f"The embedding model {model!r} gave {rows.shape[1]} numbers a text instead of {dimension}."
        )
    with np.errstate(over="ignore"):
        lengths = np.linalg.norm(rows, axis=1, keepdims=True)
    if not np.all(np.isfinite(lengths)) or np.any(lengths < 1e-12):
        raise EmbeddingError(f"The embedding model {model!r} gave a vector that is zero or not finite.")
    return np.asarray(rows / lengths, dtype=np.float32)


@dataclass(frozen=True)
class EmbeddingSettings(Settings):
    """Which model makes the vectors, and where it runs."""

    embedder: str = setting(
        "auto",
        "Where the model runs: database (plug-in qcg-embedding) or local (sentence-transformers); "
        "auto prefers an endpoint that is given, then the database if it has the model.",
        choices=("auto", "database", "local"),
    )
    model: str = setting(
        DEFAULT_MODEL,
        "Embedding model: a name, a folder, or the model's id at the endpoint.",
        source="QCG-RAG paper, §4.1",
    )
    endpoint: str | None = setting(
        None, "Address of an OpenAI-compatible embedding endpoint, such as http://localhost:11434/v1."
    )
    tokenizer: str | None = setting(
        None,
        "Tokenizer of an endpoint's model: a tokenizer.json, its folder, or a model name. "
        "OpenAI's are known (package tiktoken); otherwise tokens are estimated.",
    )
    window_tokens: int | None = setting(
        None,
        "Maximum tokens that the model reads. Local models know it; OpenAI's read 8191; others at "
        "an endpoint count as 512.",
        minimum=8,
    )
    question_prefix: str | None = setting(
        None, "Prefix of each question. Default: the graph's, then the model's own (e5, bge and others)."
    )
    passage_prefix: str | None = setting(None, "Prefix of each passage. Default: as above.")
    batch_size: int = setting(32, "Batch size.", minimum=1, maximum=2048)

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.endpoint and self.embedder != "auto":
            raise SettingsError(
                f"The embedder {self.embedder!r} and the endpoint {shown_address(self.endpoint)} cannot be combined.",
                f"Give --embedding NAME@{self.embedder} or --embedding NAME@URL.",
            )


def chosen_prefixes(settings: EmbeddingSettings, own: Prefixes) -> Prefixes:
    """The prefixes of the settings where they are given, even as empty; else the model's own."""
    question, passage = settings.question_prefix, settings.passage_prefix
    return Prefixes(own.question if question is None else question, own.passage if passage is None else passage)


class Embedder(ABC):
    """Turns texts into vectors of unit length; the prefix before each text takes room in the model's window.

    ``name`` is the model's as the graph records it, as are the ``prefixes`` of questions and passages; ``dimension``
    is how many numbers a vector has, ``reads`` how many tokens of a text the model reads, special tokens not counted.
    """

    name: str
    dimension: int
    prefixes: Prefixes
    reads: int

    @property
    @abstractmethod
    def tokenizer(self) -> Tokenizer:
        """The model's tokenizer, without truncation and padding."""

    @abstractmethod
    def _vectors(self, texts: Sequence[str], prefix: str) -> Vectors:
        """Vectors of the texts with the prefix before each; of what is longer than its room only the beginning."""

    @property
    def window_tokens(self) -> int:
        """How many tokens of a passage the model reads, special tokens and the prefix not counted."""
        return self._room(self.prefixes.passage)

    @property
    def question_tokens(self) -> int:
        """How many tokens of a question the model reads, special tokens and the prefix not counted."""
        return self._room(self.prefixes.question)

    def embed(self, texts: Sequence[str]) -> Vectors:
        """Vectors of passages, (len(texts), dimension), in the given order, rows of unit length.

        A passage is all that a graph keeps: chunks, queries, and names, which are so compared with each other. Of a
        text that is longer than ``window_tokens`` only the beginning counts.

        Raises:
            EmbeddingError: the model or the endpoint gave no usable vectors.
        """
        return self._vectors(texts, self.prefixes.passage)

    def embed_questions(self, texts: Sequence[str]) -> Vectors:
        """Vectors of what is asked, (len(texts), dimension), as `embed` gives those of passages.

        Of a text that is longer than ``question_tokens`` only the beginning counts.
        """
        return self._vectors(texts, self.prefixes.question)

    def _room(self, prefix: str) -> int:
        taken = len(self.tokenizer.encode(prefix, add_special_tokens=False).ids) if prefix else 0
        return max(self.reads - taken, 1)
