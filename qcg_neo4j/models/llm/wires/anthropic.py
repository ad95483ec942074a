"""Anthropic's messages."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from types import MappingProxyType
from typing import Any

from qcg_neo4j.models.llm.wires.wire import (
    Body,
    Sent,
    completion,
    get,
    given,
    last,
    parted,
    piece,
    schema_of,
    texts,
    total,
)

VERSION = "2023-06-01"
_REASONS = {"max_tokens": "length", "model_context_window_exceeded": "length"}


class Anthropic:
    """``POST /v1/messages``."""

    names = MappingProxyType({"output_config": "response_format", "output_format": "response_format"})

    def sent(self, body: Body, key: str | None) -> Sent:
        """A call of OpenAI's format in this one."""
        system, messages = parted(body)
        schema = schema_of(body)
        wanted = given(
            model=body["model"],
            max_tokens=body.get("max_tokens") or body.get("max_completion_tokens"),
            system=system or None,
            messages=messages,
            temperature=body.get("temperature"),
            top_p=body.get("top_p"),
            output_config={"format": {"type": "json_schema", "schema": schema}} if schema else None,
            stream=body.get("stream"),
        )
        return Sent("/v1/messages", wanted, given(**{"x-api-key": key, "anthropic-version": VERSION}))

    def completion(self, found: Any) -> Body:
        """A completion in OpenAI's format."""
        if not isinstance(get(found, "content"), list):
            return {}
        reason, text = get(found, "stop_reason"), texts(get(found, "content"))
        refusal = text or "it gave no reason" if reason == "refusal" else None
        return completion(text, _REASONS.get(str(reason), "stop"), _usage(get(found, "usage")), refusal)

    def chunks(self, events: Iterable[Any]) -> Iterator[Body]:
        """The chunks of a streamed completion in OpenAI's format."""
        usage: dict[str, Any] = {}
        for event in events:
            if error := get(event, "error"):
                yield {"error": error}
            told = get(event, "message", "usage") or get(event, "usage")
            usage |= told if isinstance(told, dict) else {}
            text = get(event, "delta", "text")
            if isinstance(text, str):
                yield piece(text)
        yield last(_usage(usage))


def _usage(told: Any) -> tuple[Any, Any]:
    cached = (get(told, name) for name in ("cache_creation_input_tokens", "cache_read_input_tokens"))
    return total(get(told, "input_tokens"), *cached), get(told, "output_tokens")
