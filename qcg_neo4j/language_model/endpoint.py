"""One OpenAI-compatible endpoint: a call, a streamed call, and errors in words for a person."""

from __future__ import annotations

import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from qcg_neo4j.errors import LanguageModelError
from qcg_neo4j.language_model import translation
from qcg_neo4j.language_model.settings import LanguageModelSettings
from qcg_neo4j.prompts import Message, Task
from qcg_neo4j.records import Usage

if TYPE_CHECKING:
    from openai import APIStatusError, OpenAI

NOT_CONFIGURED = "No language model is configured."
CONFIGURE = (
    "Give --language-model-endpoint and --language-model, or QCG_LANGUAGE_MODEL_ENDPOINT and QCG_LANGUAGE_MODEL."
)
# Parameters that some endpoints refuse; each can be left out.
_OPTIONAL = ("response_format", "stream_options", "temperature", "top_p", "max_tokens", "max_completion_tokens")


@dataclass(frozen=True)
class Completion:
    """What a model wrote; ``cut_off`` when it was not finished at ``max_output_tokens``."""

    text: str
    usage: Usage
    cut_off: bool = False
    refusal: str | None = None


class Endpoint:
    """A model at an endpoint. The client repeats calls after 429, 5xx and time-outs by itself."""

    def __init__(self, settings: LanguageModelSettings, api_key: str | None = None) -> None:
        """Prepare the client; nothing is sent yet. Local endpoints need no key.

        Raises:
            LanguageModelError: endpoint or model is not set, or the endpoint is no web address.
        """
        if not settings.endpoint or not settings.model:
            raise LanguageModelError(NOT_CONFIGURED, CONFIGURE)
        self.settings = settings
        self.model = settings.model
        self.address = _shown(settings.endpoint)
        self._secrets = tuple(secret for secret in (api_key, urlsplit(settings.endpoint).password) if secret)
        self._client = _client(settings, api_key)
        self._refused: set[str] = {"max_completion_tokens"}
        self._lock = threading.Lock()

    def close(self) -> None:
        """Close all connections."""
        self._client.close()

    def complete(self, messages: Sequence[Message], task: Task) -> Completion:
        """Ask once; the reply is held to the task's schema where the endpoint can do that.

        Raises:
            LanguageModelError: the endpoint failed for this call after all repetitions.
            PermanentError: it will fail for every call.
        """
        with self._translated():
            answer = self._send(messages, response_format=translation.response_format(task))
            if not getattr(answer, "choices", None):
                raise LanguageModelError(f"{self.address} sent no choices: it is not an OpenAI-compatible endpoint.")
            choice = answer.choices[0]
            return Completion(
                choice.message.content or "",
                translation.usage(answer.usage),
                choice.finish_reason == "length",
                getattr(choice.message, "refusal", None),
            )

    def stream(self, messages: Sequence[Message]) -> TextStream:
        """Ask for plain text, piece by piece."""
        return TextStream(self, messages)

    def pieces(self, messages: Sequence[Message]) -> Iterator[tuple[str, Usage | None]]:
        """The pieces of a streamed text, and the usage with the last of them where the endpoint tells it."""
        more = {"stream": True, "stream_options": {"include_usage": True}}
        with self._translated(), self._send(messages, **more) as events:
            for event in events:
                text = (event.choices[0].delta.content or "") if event.choices else ""
                yield text, translation.usage(event.usage) if event.usage else None

    def _send(self, messages: Sequence[Message], **more: Any) -> Any:
        """Send, and send again without the parameters that the endpoint says it does not take."""
        from openai import APIStatusError

        chat: Any = messages
        while True:
            wanted = {**self._sampling(), **more}
            sent = {name: value for name, value in wanted.items() if name not in self._refused}
            try:
                return self._client.chat.completions.create(model=self.model, messages=chat, **sent)
            except APIStatusError as error:
                if not self._adapt(error, sent):
                    raise

    def _sampling(self) -> dict[str, Any]:
        longest = self.settings.max_output_tokens
        return {
            "temperature": self.settings.temperature,
            "top_p": self.settings.top_p,
            "max_tokens": longest,
            "max_completion_tokens": longest,
        }

    def _adapt(self, error: APIStatusError, sent: dict[str, Any]) -> bool:
        """Remember which parameter was refused; False when the refusal has another cause."""
        if error.status_code not in (400, 422):
            return False
        text = f"{error.param or ''} {error.message}"
        if "context length" in text or "context_length" in f"{error.code}":
            return False  # such texts name max_tokens without refusing it
        named = [name for name in _OPTIONAL if name in sent and name in text]
        if not named and "response_format" in sent and "schema" in text.lower():
            named = ["response_format"]
        with self._lock:
            self._refused.update(named)
            if "max_tokens" in named and "max_completion_tokens" in text:
                self._refused.discard("max_completion_tokens")
        return bool(named)

    @contextmanager
    def _translated(self) -> Iterator[None]:
        try:
            yield
        except Exception as error:
            if not translation.is_endpoints(error):
                raise
            raise translation.translate(error, self.address, self.model, self._secrets) from None


class TextStream:
    """Text as it is written: iterate over its pieces; ``usage`` is complete at the end."""

    def __init__(self, endpoint: Endpoint, messages: Sequence[Message]) -> None:
        self.usage = Usage(calls=1)
        self._pieces = endpoint.pieces(messages)

    def __iter__(self) -> Iterator[str]:
        for text, usage in self._pieces:
            if usage:
                self.usage = replace(usage, calls=1)
            if text:
                yield text


def _client(settings: LanguageModelSettings, api_key: str | None) -> OpenAI:
    from openai import OpenAI

    parts = urlsplit(settings.endpoint or "")
    if parts.scheme not in ("http", "https") or not parts.netloc:
        raise LanguageModelError(f"{_shown(settings.endpoint or '')!r} is not the address of an endpoint.", CONFIGURE)
    return OpenAI(
        base_url=settings.endpoint,
        api_key=api_key or "none",
        timeout=settings.timeout_seconds,
        max_retries=settings.retries,
    )


def _shown(address: str) -> str:
    """The address without user, password and query."""
    parts = urlsplit(address)
    return parts._replace(netloc=parts.netloc.rpartition("@")[2], query="", fragment="").geturl()
