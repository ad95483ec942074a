"""Gemini's generateContent."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from types import MappingProxyType
from typing import Any
from urllib.parse import quote

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

_ROLES = {"assistant": "model"}


class Gemini:
    """``POST /v1beta/models/MODEL:generateContent``."""

    names = MappingProxyType(
        {
            "response_json_schema": "response_format",
            "responseJsonSchema": "response_format",
            "response_mime_type": "response_format",
            "JSON mode": "response_format",
            "topP": "top_p",
            "maxOutputTokens": "max_tokens",
            "max_output_tokens": "max_tokens",
        }
    )

    def sent(self, body: Body, key: str | None) -> Sent:
        """A call of OpenAI's format in this one."""
        system, messages = parted(body)
        schema = schema_of(body)
        settings = given(
            temperature=body.get("temperature"),
            topP=body.get("top_p"),
            maxOutputTokens=body.get("max_tokens") or body.get("max_completion_tokens"),
            responseMimeType="application/json" if schema else None,
            responseJsonSchema=schema,
        )
        wanted = given(
            systemInstruction={"parts": [{"text": system}]} if system else None,
            contents=[
                {"role": _ROLES.get(message["role"], "user"), "parts": [{"text": message["content"]}]}
                for message in messages
            ],
            generationConfig=settings,
        )
        action = "streamGenerateContent?alt=sse" if body.get("stream") else "generateContent"
        model = quote(str(body["model"]).removeprefix("models/"), safe="")
        return Sent(f"/v1beta/models/{model}:{action}", wanted, given(**{"x-goog-api-key": key}))

    def completion(self, found: Any) -> Body:
        """A completion in OpenAI's format."""
        if not (get(found, "candidates", 0) or get(found, "promptFeedback")):
            return {}
        reason, blocked = get(found, "candidates", 0, "finishReason"), get(found, "promptFeedback", "blockReason")
        text = _text(found)
        refusal = (
            str(blocked or reason) if blocked or (not text and reason not in (None, "STOP", "MAX_TOKENS")) else None
        )
        return completion(text, "length" if reason == "MAX_TOKENS" else "stop", _usage(found), refusal)

    def chunks(self, events: Iterable[Any]) -> Iterator[Body]:
        """The chunks of a streamed completion in OpenAI's format."""
        usage: tuple[Any, Any] = (None, None)
        for event in events:
            if error := get(event, "error"):
                yield {"error": error}
            if get(event, "usageMetadata"):
                usage = _usage(event)
            if text := _text(event):
                yield piece(text)
        yield last(usage)


def _text(found: Any) -> str:
    """The text without what was thought before it."""
    parts = get(found, "candidates", 0, "content", "parts")
    return texts([part for part in parts if not get(part, "thought")] if isinstance(parts, list) else None)


def _usage(found: Any) -> tuple[Any, Any]:
    """What was thought is paid as what was written."""
    told = get(found, "usageMetadata")
    written, thought = (get(told, name) for name in ("candidatesTokenCount", "thoughtsTokenCount"))
    out = total(written if written is not None else 0, thought) if told else None
    return get(told, "promptTokenCount"), out
