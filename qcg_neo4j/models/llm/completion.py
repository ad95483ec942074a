"""What an endpoint sends for a call, read without trust: any part of it may be missing or of another kind."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from typing import Any

from qcg_neo4j.core.errors import LanguageModelError
from qcg_neo4j.core.records import Usage

_MOST_TOKENS = 2**40  # no call has more; what is told beyond it is no count


@dataclass(frozen=True)
class Completion:
    """What a model wrote; ``cut_off`` when it was not finished at its longest."""

    text: str
    usage: Usage
    cut_off: bool = False
    refusal: str | None = None

    def as_dict(self) -> dict[str, Any]:
        """Everything as plain values."""
        return asdict(self)

    @classmethod
    def from_dict(cls, values: dict[str, Any]) -> Completion:
        """The completion of these values."""
        return cls(**{**values, "usage": Usage(**values["usage"])})


def read_completion(body: bytes, address: str) -> Completion:
    """The completion in the body of a response.

    Raises:
        LanguageModelError: it is none.
    """
    try:
        found = json.loads(body)
    except (ValueError, RecursionError):
        raise _no_completion(address, "what is no JSON") from None
    return completion_of(found, address)


def completion_of(found: Any, address: str) -> Completion:
    """The completion in a decoded body.

    Raises:
        LanguageModelError: it is none.
    """
    choices = found.get("choices") if isinstance(found, dict) else None
    if not isinstance(choices, list) or not choices or not isinstance(choices[0], dict):
        raise _no_completion(address, "no choices")
    message = choices[0].get("message")
    if not isinstance(message, dict):
        raise _no_completion(address, "a choice without a message")
    refusal = message.get("refusal")
    return Completion(
        text_of(message.get("content")),
        read_usage(found.get("usage")),
        choices[0].get("finish_reason") == "length",
        refusal if isinstance(refusal, str) and refusal else None,
    )


def text_of(content: Any) -> str:
    """The text of a message: the content itself, or that of its parts which are text."""
    if isinstance(content, str):
        return content
    parts = content if isinstance(content, list) else []
    texts = (part.get("text") if isinstance(part, dict) else part for part in parts)
    return "".join(text for text in texts if isinstance(text, str))


def read_usage(told: Any) -> Usage:
    """One call with the tokens that the endpoint reports; ``untold`` if it reports none."""
    counts = [_get(told, name) for name in ("prompt_tokens", "completion_tokens")]
    if all(type(count) is int and 0 <= count < _MOST_TOKENS for count in counts):
        return Usage(1, *counts)
    return Usage(1, untold=1)


def read_piece(event: Any) -> tuple[str, Usage | None]:
    """The text of an event of a stream, and its usage if reported."""
    choices, told = _get(event, "choices"), _get(event, "usage")
    delta = _get(choices[0], "delta") if isinstance(choices, list) and choices else None
    return text_of(_get(delta, "content")), read_usage(told) if told else None


def _get(value: Any, name: str) -> Any:
    return value.get(name) if isinstance(value, dict) else getattr(value, name, None)


def _no_completion(address: str, what: str) -> LanguageModelError:
    return LanguageModelError(f"{address} sent {what}: it is not an OpenAI-compatible endpoint, or it is failing.")
