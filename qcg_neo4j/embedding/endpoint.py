"""Models behind an OpenAI-compatible endpoint."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from qcg_neo4j.embedding import model_files
from qcg_neo4j.embedding.embedder import EmbeddingSettings, Vectors
from qcg_neo4j.embedding.unit import unit_rows
from qcg_neo4j.embedding.windows import beginnings
from qcg_neo4j.errors import EmbeddingError, SettingsError

if TYPE_CHECKING:
    from tokenizers import Tokenizer

ASSUMED_WINDOW = 512
RETRIES = 6
SECONDS = 60.0


class EndpointEmbedder:
    """An endpoint's model. The dimension is learnt from the first call; the client retries with back-off."""

    def __init__(self, settings: EmbeddingSettings, api_key: str | None = None) -> None:
        if not settings.tokenizer:
            raise SettingsError(
                f"An endpoint does not tell how {settings.model!r} counts tokens.",
                "Give its tokenizer: `--embedding-tokenizer` with a tokenizer.json or the name of a model.",
            )
        self._settings = settings
        self._key = api_key
        self.place = f"at {settings.endpoint}"
        self.name = model_files.short_name(settings.model)
        self.window_tokens = settings.window_tokens or ASSUMED_WINDOW
        self._dimension: int | None = None

    @cached_property
    def tokenizer(self) -> Tokenizer:
        """The model's tokenizer as the settings give it, without truncation and padding."""
        return model_files.read_tokenizer(str(self._settings.tokenizer))

    @property
    def dimension(self) -> int:
        """How many numbers a vector has; asks the endpoint once."""
        if self._dimension is None:
            self._embed_batch(["dimension"])
        assert self._dimension is not None  # noqa: S101 - the call sets it or raises
        return self._dimension

    def embed(self, texts: Sequence[str]) -> Vectors:
        """Vectors of the texts, (len(texts), dimension), in the given order, rows of unit length."""
        size = self._settings.batch_size
        batches = [self._embed_batch(texts[start : start + size]) for start in range(0, len(texts), size)]
        return np.concatenate(batches) if batches else np.empty((0, self.dimension), np.float32)

    def _embed_batch(self, texts: Sequence[str]) -> Vectors:
        # Endpoints refuse what is longer than the model's window, or cut it unseen.
        readable = beginnings(texts, self.tokenizer, self.window_tokens)
        vectors = unit_rows(self._ask(readable), len(texts), self.name, self._dimension)
        self._dimension = vectors.shape[1]
        return vectors

    def _ask(self, texts: list[str]) -> list[Any]:
        import openai

        try:
            # Plain numbers: not every server knows the client's default, base64.
            reply = self._client.embeddings.create(input=texts, model=self._settings.model, encoding_format="float")
            return [item.embedding for item in sorted(reply.data or [], key=lambda item: item.index)]
        except openai.APIStatusError as error:
            raise self._failed(f"answered {error.status_code}: {error.message}") from None
        except openai.APIError as error:
            raise self._failed(f"does not answer: {error.message}") from None
        except (TypeError, ValueError, AttributeError) as error:
            raise self._failed(f"gave a reply without vectors: {error}") from None

    def _failed(self, what: str) -> EmbeddingError:
        shown = what.replace(self._key, "…") if self._key else what
        return EmbeddingError(
            f"The embedding endpoint {self._settings.endpoint} {shown}",
            "Check its address, the model's name, and the key in OPENAI_API_KEY.",
        )

    @cached_property
    def _client(self) -> Any:
        import openai

        # Local servers want no key, but the client insists on one.
        return openai.OpenAI(
            base_url=self._settings.endpoint, api_key=self._key or "none", max_retries=RETRIES, timeout=SECONDS
        )
