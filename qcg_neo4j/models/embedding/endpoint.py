"""Models behind an OpenAI-compatible endpoint."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

import numpy as np

from qcg_neo4j.core.errors import EmbeddingError
from qcg_neo4j.core.telemetry import observed_model
from qcg_neo4j.models.embedding.counting import Counting, counting_of, window_of
from qcg_neo4j.models.embedding.embedder import EmbeddingSettings, Remembered, Vectors
from qcg_neo4j.models.embedding.prefixes import Prefixing, chosen_prefixes, prefixes_by_name
from qcg_neo4j.models.embedding.unit import unit_rows
from qcg_neo4j.models.embedding.windows import beginnings

if TYPE_CHECKING:
    from tokenizers import Tokenizer

ASSUMED_WINDOW = 512
RETRIES = 6
SECONDS = 60.0
_LARGEST_OF_ONE = 250_000  # bytes of a vector as text: more than the largest models send


class EndpointEmbedder(Prefixing):
    """An endpoint's model. The dimension is learnt from the first call; the client retries with back-off."""

    def __init__(self, settings: EmbeddingSettings, api_key: str | None = None) -> None:
        assert settings.endpoint  # noqa: S101 - else the model would be elsewhere
        self._settings = settings
        self._key = api_key
        self.name = settings.model
        self.prefixes = chosen_prefixes(settings, prefixes_by_name(settings.model))
        self.reads = settings.window_tokens or window_of(settings.model) or ASSUMED_WINDOW
        self._dimension: int | None = None

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self._settings, self._key)  # another process connects itself

    @property
    def place(self) -> str:
        """Where it runs, for people."""
        return f"at {_shown(self._settings.endpoint or '')}"

    @property
    def remembered(self) -> Remembered:
        """What the graph keeps, so that questions are embedded by the same model; no user and no password."""
        settings = self._settings
        return Remembered(_shown(settings.endpoint or ""), settings.tokenizer, settings.window_tokens)

    @cached_property
    def counting(self) -> Counting:
        """How tokens are counted."""
        return counting_of(self._settings.model, self._settings.tokenizer)

    @property
    def tokenizer(self) -> Tokenizer:
        """The model's tokenizer, or an estimate of its tokens; without truncation and padding."""
        return self.counting.tokenizer

    @property
    def dimension(self) -> int:
        """How many numbers a vector has; asks the endpoint once."""
        if self._dimension is None:
            self._embed_batch(["dimension"], self.prefixes.passage)
        assert self._dimension is not None  # noqa: S101 - the call sets it or raises
        return self._dimension

    def _vectors(self, texts: Sequence[str], prefix: str) -> Vectors:
        size = self._settings.batch_size
        batches = [self._embed_batch(texts[start : start + size], prefix) for start in range(0, len(texts), size)]
        return np.concatenate(batches) if batches else np.empty((0, self.dimension), np.float32)

    def _embed_batch(self, texts: Sequence[str], prefix: str) -> Vectors:
        # Endpoints refuse what is longer than the model's window, or cut it unseen.
        readable = beginnings(texts, lambda: self.tokenizer, self._room(prefix))
        vectors = unit_rows(self._ask([prefix + text for text in readable]), len(texts), self.name, self._dimension)
        self._dimension = vectors.shape[1]
        return vectors

    def _ask(self, texts: list[str]) -> list[Any]:
        import openai

        try:
            # Plain numbers: not every server knows the client's default, base64.
            with observed_model("embeddings", self._settings.model, self._settings.endpoint or "", {}):
                reply = self._client.embeddings.create(input=texts, model=self._settings.model, encoding_format="float")
            return [item.embedding for item in sorted(reply.data or [], key=lambda item: item.index)]
        except openai.APIStatusError as error:
            if given_up := error.response.extensions.get("given_up"):
                raise self._failed(given_up) from None
            raise self._failed(f"answered {error.status_code}: {error.message}") from None
        except openai.APIError as error:
            raise self._failed(f"does not answer: {error.message}") from None
        except RecursionError:
            raise self._failed("gave a reply that is nested too deep") from None
        except (TypeError, ValueError, AttributeError, OverflowError) as error:
            raise self._failed(f"gave a reply without vectors: {error}") from None

    def _failed(self, what: str) -> EmbeddingError:
        shown = what.replace(self._key, "…") if self._key else what
        return EmbeddingError(
            f"The embedding endpoint {_shown(self._settings.endpoint or '')} {shown}",
            "Check its address, the model's name, and the key in OPENAI_API_KEY.",
        )

    @cached_property
    def _client(self) -> Any:
        import openai

        from qcg_neo4j.models.transfer import BoundedClient, Limits

        # Local servers want no key, but the client insists on one.
        return openai.OpenAI(
            http_client=BoundedClient(Limits(_LARGEST_OF_ONE * (self._settings.batch_size + 1), SECONDS)),
            base_url=self._settings.endpoint,
            api_key=self._key or "none",
            max_retries=RETRIES,
            timeout=SECONDS,
        )


def _shown(address: str) -> str:
    """The address without what may be secret in it: user, password, query."""
    parts = urlsplit(address)
    return parts._replace(netloc=parts.netloc.rpartition("@")[2], query="", fragment="").geturl()
