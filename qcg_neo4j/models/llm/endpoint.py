"""One OpenAI-compatible endpoint: a call, a streamed call, and errors in words for a person."""

from __future__ import annotations

import re
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qsl, urlsplit

from qcg_neo4j.core.addresses import is_address, secrets_of, shown_address
from qcg_neo4j.core.errors import LanguageModelError
from qcg_neo4j.core.records import Usage
from qcg_neo4j.core.telemetry import LOG, Observed, observed_model
from qcg_neo4j.models.llm.attempts import (
    Completion,
    check_end,
    ended,
    no_completion,
    read_completion,
    read_piece,
    reply_format,
)
from qcg_neo4j.models.llm.budget import Budget
from qcg_neo4j.models.llm.settings import PROVIDERS, LanguageModelSettings
from qcg_neo4j.models.prompts import Message, Task
from qcg_neo4j.models.refusals import is_about_text, is_endpoints, reason_of, translate

if TYPE_CHECKING:
    from openai import APIStatusError, OpenAI

    from qcg_neo4j.models.bounded_client import Limits

NOT_CONFIGURED = "No language model is configured."
CONFIGURE = "Give --llm NAME@URL, or QCG_LLM."
WHERE = "Give its address as --llm NAME@URL, such as https://api.openai.com/v1 or http://localhost:11434/v1."
AZURE_VERSION = "2024-10-21"  # of its interface, unless the address names another: ?api-version=…
_STREAM = {"stream": True, "stream_options": {"include_usage": True}}
_STREAMED = 10  # a streamed text may take so many times as long as another reply
_SYSTEM = "system messages"
# What templates without such messages say: Gemma's, Mistral's, and Gemini about Gemma.
_NO_SYSTEM = re.compile(
    r"system (?:role|message|prompt|instruction)s?\b|role\W+system\b|roles must alternate|developer instruction",
    re.IGNORECASE,
)
_BROKEN = 500
_TELLING = (400, 422, _BROKEN)  # a template that fails is an error of the server
# A limit beyond the usual one may be too high, which does not say that the endpoint takes none.
_TOO_HIGH = re.compile(
    r"too (?:large|high|big|many)|at most|above|exceed|maximum|(?:less|greater|more) than|range|[<>≤]", re.IGNORECASE
)
_LIMITS = ("max_tokens", "max_completion_tokens")
# Parameters that some endpoints refuse; each can be left out.
_OPTIONAL = ("response_format", "stream_options", "temperature", "top_p", *_LIMITS)


class Endpoint:
    """A model at an endpoint. The client repeats calls after 429, 5xx and time-outs by itself."""

    def __init__(
        self,
        settings: LanguageModelSettings,
        api_key: str | None = None,
        budget: Budget | None = None,
        notice: Callable[[str], None] = LOG.warning,
    ) -> None:
        """Prepare the client; nothing is sent yet. Local endpoints need no key; who shares a budget pays from it.

        ``notice`` hears of time-outs, in a sentence, when they happen.

        Raises:
            LanguageModelError: endpoint or model is not set, or the endpoint is no web address.
        """
        address = settings.address
        if not address or not settings.model:
            raise _not_configured(settings)
        self.settings = settings
        self.provider = settings.known_provider
        self.budget = budget or Budget(settings)
        self.model = settings.model
        self.address = shown_address(address)
        self._client = _client(settings, address, api_key, notice)
        self.secrets = secrets_of(address, api_key)
        self._refused = {"max_completion_tokens", *self.provider.refused}
        self._lock = threading.Lock()

    def close(self) -> None:
        """Close all connections."""
        self._client.close()

    def complete(self, messages: Sequence[Message], task: Task, longest: int | None = None) -> Completion:
        """Ask once; the reply is held to the task's schema where the endpoint can do that.

        ``longest`` is how many tokens it may have, `max_output_tokens` unless given.

        Raises:
            LanguageModelError: the endpoint failed for this call after all repetitions.
            PermanentError: it will fail for every call, or no call more may be paid.
        """
        limit = longest or self.settings.max_output_tokens
        reserved, paid = self.budget.reserve(messages, limit), None
        try:
            with self._observed(limit, task) as seen, self.translated():
                create = self._client.chat.completions.with_raw_response.create
                answer = self._send(create, messages, limit, reply_format(task))
                completion = read_completion(answer.content, self.address, self.secrets)
                paid = completion.usage
                seen.attributes.update(_told(completion))
                return completion
        finally:
            self.budget.settle(reserved, paid)

    def client(self, limits: Limits) -> OpenAI:
        """The client of the same place and key with other limits, for files; it is for the caller to close."""
        from qcg_neo4j.models.bounded_client import open_client

        return self._client.with_options(http_client=open_client(limits), timeout=limits.seconds)

    def stream(self, messages: Sequence[Message]) -> TextStream:
        """Ask for plain text, piece by piece."""
        return TextStream(self, messages)

    def pieces(self, messages: Sequence[Message]) -> Iterator[tuple[str, Usage | None]]:
        """The pieces of a streamed text; the last one has the usage if the endpoint reports it.

        Raises:
            InvalidReplyError: after the last one, where the model refused or was cut off.
        """
        limit = self.settings.max_output_tokens
        reserved = self.budget.reserve(messages, limit)
        paid: Usage | None = None
        try:
            with (
                self._observed(limit) as seen,
                self.translated(),
                self._send(self._client.chat.completions.create, messages, limit, _STREAM) as events,
            ):
                paid, event, reason = Usage(1, untold=1), None, None
                for event in events:
                    text, told, end = read_piece(event)
                    paid, reason = told or paid, end or reason
                    yield text, told
                if event is None:
                    raise no_completion(self.address, "no event of a stream")
                completion = ended("", paid, reason)
                seen.attributes.update(_told(completion))
                check_end(completion, limit)
        finally:
            self.budget.settle(reserved, paid)

    def _send(
        self, create: Callable[..., Any], messages: Sequence[Message], longest: int, more: Mapping[str, Any]
    ) -> Any:
        """Send, and send again without the parameters that the endpoint says it does not take."""
        from openai import APIStatusError

        while True:
            sent = self.body(messages, longest, more)
            try:
                return create(**sent)
            except APIStatusError as error:
                if not self._adapt(error, sent, longest):
                    raise

    def _observed(self, longest: int, task: Task | None = None) -> AbstractContextManager[Observed]:
        settings = self.settings
        asked = {
            "gen_ai.request.max_tokens": longest,
            "gen_ai.request.temperature": settings.temperature,
            "gen_ai.request.top_p": settings.top_p,
        }
        return observed_model("chat", self.model, self.address, {**asked, **({"qcg.task": task.name} if task else {})})

    def body(self, messages: Sequence[Message], longest: int, more: Mapping[str, Any]) -> dict[str, Any]:
        """The body of a request, with the parameters that the endpoint takes as known so far."""
        wanted = {
            "model": self.model,
            "messages": self._known_roles(messages),
            "temperature": self.settings.temperature,
            "top_p": self.settings.top_p,
            "max_tokens": longest,
            "max_completion_tokens": longest,
            **more,
        }
        return {name: value for name, value in wanted.items() if name not in self._refused}

    def _known_roles(self, messages: Sequence[Message]) -> list[Message]:
        """The messages; where the model's template knows no system message, that is part of the first question."""
        if _SYSTEM not in self._refused or len(messages) < 2:
            return list(messages)
        system, first, *others = messages
        return [{"role": "user", "content": f"{system['content']}\n\n{first['content']}"}, *others]

    def _adapt(self, error: APIStatusError, sent: dict[str, Any], longest: int) -> bool:
        """Remember what was refused of a call, so that it is left out; False when the refusal has another cause."""
        reason = reason_of(error, self.secrets)
        if error.status_code not in _TELLING or is_about_text(error, reason):
            return False  # texts that are too long name max_tokens without refusing it
        named = [_SYSTEM] if _SYSTEM not in self._refused and _NO_SYSTEM.search(reason) else []
        text = f"{error.param or ''} {reason}"
        if not named and error.status_code != _BROKEN:
            is_too_high = longest > self.settings.max_output_tokens and _TOO_HIGH.search(reason)
            kept = _LIMITS if is_too_high else ()
            named = [name for name in _OPTIONAL if name in sent and name in text and name not in kept]
            if not named and "response_format" in sent and "schema" in text.lower():
                named = ["response_format"]
        if named:
            LOG.warning("%s does not take %s: left out from now on", self.model, ", ".join(named))
        with self._lock:
            self._refused.update(named)
            if "max_tokens" in named and "max_completion_tokens" in text:
                self._refused.discard("max_completion_tokens")
        return bool(named)

    @contextmanager
    def translated(self) -> Iterator[None]:
        """The client's errors become ours."""
        try:
            yield
        except Exception as error:
            if not is_endpoints(error):
                raise
            variable = self.provider.key or "the key"
            raise translate(error, self.address, self.model, self.secrets, variable) from None


class TextStream:
    """Text as it is written: iterate over its pieces; ``usage`` is complete at the end."""

    def __init__(self, endpoint: Endpoint, messages: Sequence[Message]) -> None:
        self.usage = Usage(calls=1, untold=1)
        self._pieces = endpoint.pieces(messages)

    def __iter__(self) -> Iterator[str]:
        for text, usage in self._pieces:
            self.usage = usage or self.usage
            if text:
                yield text


def _told(completion: Completion) -> dict[str, Any]:
    """What a call tells of itself when it is over."""
    usage = completion.usage
    counts = {} if usage.untold else {"input_tokens": usage.input_tokens, "output_tokens": usage.output_tokens}
    told = {f"gen_ai.usage.{name}": number for name, number in counts.items()}
    return {**told, "gen_ai.response.finish_reasons": ["length" if completion.cut_off else "stop"]}


def _not_configured(settings: LanguageModelSettings) -> LanguageModelError:
    name, at, place = (settings.model or "").rpartition("@")
    if name and at:  # the name of a provider would have been read as one
        known = f"Known are: {', '.join(PROVIDERS)}. An address begins with http:// or https://."
        return LanguageModelError(f"There is no provider {place!r} of the language model {name!r}.", known)
    if settings.model:
        example = settings.known_provider.example
        where = f"Give its address as --llm NAME@URL, such as {example}." if example else WHERE
        return LanguageModelError(f"The language model {settings.model!r} is given, but not where it runs.", where)
    if settings.provider:
        return LanguageModelError(
            f"The provider {settings.provider} is given, but not which of its models.",
            "Name it as --llm NAME@PROVIDER.",
        )
    if settings.endpoint:
        return LanguageModelError(
            f"The endpoint {shown_address(settings.endpoint)} is given, but not which of its models.",
            "Name the model as --llm NAME@URL.",
        )
    return LanguageModelError(NOT_CONFIGURED, CONFIGURE)


def _client(
    settings: LanguageModelSettings, address: str, api_key: str | None, notice: Callable[[str], None]
) -> OpenAI:
    import openai

    from qcg_neo4j.models.bounded_client import Limits, Pace, open_client

    if not is_address(address):
        raise LanguageModelError(f"{shown_address(address)!r} is not the address of an endpoint.", CONFIGURE)
    seconds = settings.timeout_seconds
    limits = Limits(settings.largest_reply, seconds, _STREAMED * seconds)
    # Local endpoints need no key, but the client insists on one.
    common: dict[str, Any] = {
        "http_client": open_client(limits, Pace(settings.concurrency, notice)),
        "api_key": api_key or "none",
        "timeout": seconds,
        "max_retries": settings.retries,
    }
    if settings.provider == "azure":
        parts = urlsplit(address)
        version = dict(parse_qsl(parts.query)).get("api-version", AZURE_VERSION)
        place = parts._replace(query="", fragment="").geturl()
        return openai.AzureOpenAI(azure_endpoint=place, api_version=version, **common)
    return openai.OpenAI(base_url=address, **common)
