"""Models of sentence-transformers on this machine."""

from __future__ import annotations

import os
from collections.abc import Sequence
from functools import cached_property, lru_cache
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from qcg_neo4j.core.errors import EmbeddingError, MissingPackageError
from qcg_neo4j.models.embedding import model_files
from qcg_neo4j.models.embedding.embedder import Embedder, EmbeddingSettings, Vectors, chosen_prefixes, unit_rows
from qcg_neo4j.models.embedding.known_models import Prefixes
from qcg_neo4j.models.embedding.model_files import prefixes_of_files

if TYPE_CHECKING:
    from tokenizers import Tokenizer


def local_is_installed() -> bool:
    """Whether sentence-transformers is there."""
    return find_spec("sentence_transformers") is not None


class LocalEmbedder(Embedder):
    """A model of sentence-transformers; loaded when the first text is embedded."""

    def __init__(self, settings: EmbeddingSettings) -> None:
        if not local_is_installed():
            raise MissingPackageError(
                "Embedding on this machine needs sentence-transformers, which is not installed.", model_files.INSTALL
            )
        self._settings = settings
        self._location = model_files.location(settings.model)
        self.name = model_files.short_name(settings.model)

    def __reduce__(self) -> tuple[Any, ...]:
        return _kept, (self._settings,)  # another process loads the model itself

    @cached_property
    def prefixes(self) -> Prefixes:  # type: ignore[override] # read from files when somebody asks
        """The model's own prefixes, unless the settings name others."""
        return chosen_prefixes(self._settings, prefixes_of_files(self._settings.model))

    @cached_property
    def tokenizer(self) -> Tokenizer:
        """The model's tokenizer, without truncation and padding."""
        return model_files.read_tokenizer(self._settings.model)

    @cached_property
    def reads(self) -> int:  # type: ignore[override] # as above
        """How many tokens of a text the model reads, special tokens not counted."""
        reads = model_files.read_window(self._settings.model, self.tokenizer)
        return min(reads, self._settings.window_tokens or reads)

    @cached_property
    def dimension(self) -> int:  # type: ignore[override] # as above
        """How many numbers a vector has."""
        known = model_files.read_dimension(self._settings.model)
        return known or int(self._model.get_embedding_dimension())

    def _vectors(self, texts: Sequence[str], prefix: str) -> Vectors:
        if not texts:
            return np.empty((0, self.dimension), np.float32)
        # The model sorts by length itself, so that a batch holds texts of like length, and restores the order.
        vectors = self._model.encode(
            list(texts),
            prompt=prefix,  # also where it is empty: else the model may take a default of its own
            batch_size=self._settings.batch_size,
            show_progress_bar=False,
            convert_to_numpy=True,
        )
        return unit_rows(vectors, len(texts), self.name, self.dimension)

    @cached_property
    def _model(self) -> Any:
        os.environ.setdefault("TOKENIZERS_PARALLELISM", "false")  # else it warns whenever a process forks
        import transformers
        from sentence_transformers import SentenceTransformer

        transformers.utils.logging.disable_progress_bar()
        here = Path(self._location).is_dir()
        try:
            model = SentenceTransformer(
                self._location,
                device=None,
                local_files_only=here,
                model_kwargs={"use_safetensors": True},  # the other form of weights may hold code
            )
        except Exception as error:  # many kinds, from missing files to broken weights
            raise EmbeddingError(f"The embedding model {self._settings.model!r} cannot be loaded: {error}") from None
        model.max_seq_length = self.reads + self.tokenizer.num_special_tokens_to_add(False)
        return model


@lru_cache(maxsize=1)
def _kept(settings: EmbeddingSettings) -> LocalEmbedder:
    """The embedder that another process gave last: a worker keeps its model from one run to the next."""
    return LocalEmbedder(settings)
