"""Models behind an OpenAI-compatible endpoint."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from qcg_neo4j.core.addresses import is_address, redact, secrets_of, shown_address
from qcg_neo4j.core.errors import EmbeddingError
from qcg_neo4j.core.telemetry import observed_model
from qcg_neo4j.models.embedding.embedder import (
    Embedder,
    EmbeddingSettings,
    UnembeddableError,
    Vectors,
    chosen_prefixes,
    unit_rows,
)
from qcg_neo4j.models.embedding.known_models import prefixes_by_name
from qcg_neo4j.models.embedding.windows import Counting, beginnings, counting_of, window_of
from qcg_neo4j.models.refusals import reason_of

if TYPE_CHECKING:
    from tokenizers import Tokenizer

ASSUMED_WINDOW = 512
RETRIES = 6
SECONDS = 60.0
_CHECK = "Check its address, the model's name, and the key in OPENAI_API_KEY."
_MAY_BE_ONE_TEXT = (400, 413, 422, 500)  # some answer 500 to a text whose vector is no number
_ANY_TEXT = "A text."
_LARGEST_OF_ONE = 250_000  # bytes of a vector as text: more than the largest models send


class EndpointEmbedder(Embedder):
    """An endpoint's model. The dimension is learnt from the first call; the client retries with back-off."""

    def __init__(self, settings: EmbeddingSettings, api_key: str | None = None) -> None:
        assert settings.endpoint  # noqa: S101 - else the model would be elsewhere
        self._settings = settings
        self._key = api_key
        self._secrets = secrets_of(settings.endpoint, api_key)
        self.name = settings.model
        self.prefixes = chosen_prefixes(settings, prefixes_by_name(settings.model))
        self.reads = settings.window_tokens or window_of(settings.model) or ASSUMED_WINDOW
        self._size = settings.batch_size
        self._dimension: int | None = None

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self._settings, self._key)  # another process connects itself

    @property
    def place(self) -> str:
        """Where it runs, for people."""
        return f"at {self._shown}"

    @property
    def remembered(self) -> dict[str, Any]:
        """What the graph keeps, so that questions are embedded by the same model; no user, password and key."""
        settings = self._settings
        return {"endpoint": self._shown, "tokenizer": settings.tokenizer, "window_tokens": settings.window_tokens}

    @cached_property
    def counting(self) -> Counting:
        """How tokens are counted."""
        return counting_of(self._settings.model, self._settings.tokenizer)

    @property
    def tokenizer(self) -> Tokenizer:
        """The model's tokenizer, or an estimate of its tokens; without truncation and padding."""
        return self.counting.tokenizer

    @property
    def dimension(self) -> int:  # type: ignore[override] # learnt when somebody asks
        """How many numbers a vector has; asks the endpoint once."""
        if self._dimension is None:
            self._embed_batch(["dimension"], self.prefixes.passage)
        assert self._dimension is not None  # noqa: S101 - the call sets it or raises
        return self._dimension

    def _vectors(self, texts: Sequence[str], prefix: str) -> Vectors:
        batches: list[Vectors] = []
        refused: dict[int, str] = {}
        start = 0
        while start < len(texts):
            batch = texts[start : start + self._size]
            vectors, reasons = self._embed_in_halves(batch, prefix)
            batches.append(vectors)
            refused |= {start + place: reason for place, reason in reasons.items()}
            start += len(batch)
        vectors = np.concatenate(batches) if batches else np.empty((0, self.dimension), np.float32)
        if refused:
            raise UnembeddableError(f"The embedding endpoint {self._shown}", texts, vectors, refused)
        return vectors

    def _embed_in_halves(self, texts: Sequence[str], prefix: str) -> tuple[Vectors, dict[int, str]]:
        """Vectors of a batch, and by place why the endpoint embeds a text of it not, whose vector is of zeros.

        A batch that is refused may be too large, or hold such a text: its halves show which. That the endpoint is well
        shows another text.
        """
        try:
            return self._embed_batch(texts, prefix), {}
        except _RefusedError as error:
            self._embed_batch([_ANY_TEXT], prefix)
            if len(texts) == 1:
                return np.zeros((1, self.dimension), np.float32), {0: error.reason}
        half = len(texts) // 2
        first, refused = self._embed_in_halves(texts[:half], prefix)
        second, others = self._embed_in_halves(texts[half:], prefix)
        refused |= {half + place: reason for place, reason in others.items()}
        if not refused:
            self._size = min(self._size, half)  # the batch was too large
        return np.concatenate([first, second]), refused

    def _embed_batch(self, texts: Sequence[str], prefix: str) -> Vectors:
        # Endpoints refuse what is longer than the model's window, or cut it unseen.
        readable = beginnings(texts, lambda: self.tokenizer, self._room(prefix))
        vectors = unit_rows(self._ask([prefix + text for text in readable]), len(texts), self.name, self._dimension)
        self._dimension = vectors.shape[1]
        return vectors

    def _ask(self, texts: list[str]) -> list[Any]:
        import openai

        from qcg_neo4j.models.bounded_client import GivenUpError

        try:
            # Plain numbers: not every server knows the client's default, base64.
            with observed_model("embeddings", self._settings.model, self._settings.endpoint or "", {}):
                reply = self._client.embeddings.create(input=texts, model=self._settings.model, encoding_format="float")
            return [item.embedding for item in sorted(reply.data or [], key=lambda item: item.index)]
        except openai.APIStatusError as error:
            reason = reason_of(error, self._secrets)
            if error.status_code in _MAY_BE_ONE_TEXT:
                raise _RefusedError(self._shown, error.status_code, reason) from None
            raise self._failed(f"answered {error.status_code}: {reason}") from None
        except openai.APIError as error:
            raise self._failed(f"does not answer: {error.__cause__ or error.message}") from None
        except GivenUpError as error:
            raise self._failed(str(error)) from None
        except RecursionError:
            raise self._failed("gave a reply that is nested too deep") from None
        except (TypeError, ValueError, AttributeError, OverflowError) as error:
            raise self._failed(f"gave a reply without vectors: {error}") from None

    @property
    def _shown(self) -> str:
        return shown_address(self._settings.endpoint or "")

    def _failed(self, what: str) -> EmbeddingError:
        shown = redact(what, self._secrets)
        return EmbeddingError(f"The embedding endpoint {self._shown} {shown}", _CHECK)

    @cached_property
    def _client(self) -> Any:
        import openai

        from qcg_neo4j.models.bounded_client import Limits, open_client

        if not is_address(self._settings.endpoint or ""):
            raise EmbeddingError(
                f"{self._shown!r} is not the address of an endpoint.", "Give one such as http://localhost:11434/v1."
            )
        # Local servers want no key, but the client insists on one.
        return openai.OpenAI(
            http_client=open_client(Limits(_LARGEST_OF_ONE * (self._settings.batch_size + 1), SECONDS)),
            base_url=self._settings.endpoint,
            api_key=self._key or "none",
            max_retries=RETRIES,
            timeout=SECONDS,
        )


class _RefusedError(EmbeddingError):
    """The endpoint has refused a batch, which may be for one text of it."""

    def __init__(self, address: str, status: int, reason: str) -> None:
        super().__init__(f"The embedding endpoint {address} answered {status}: {reason}", _CHECK)
        self.reason = reason
