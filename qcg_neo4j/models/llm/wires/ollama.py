"""Ollama's own chat, which holds a reply to a schema."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from types import MappingProxyType
from typing import Any

from qcg_neo4j.models.llm.wires.wire import Body, Sent, completion, get, given, last, piece, schema_of


class Ollama:
    """``POST /api/chat``."""

    names = MappingProxyType({"format": "response_format", "num_predict": "max_tokens"})

    def sent(self, body: Body, key: str | None) -> Sent:
        """A call of OpenAI's format in this one."""
        options = given(
            temperature=body.get("temperature"),
            top_p=body.get("top_p"),
            num_predict=body.get("max_tokens") or body.get("max_completion_tokens"),
        )
        wanted = given(
            model=body["model"],
            messages=body["messages"],
            stream=bool(body.get("stream")),
            format=schema_of(body),
            options=options,
        )
        return Sent("/api/chat", wanted, given(Authorization=f"Bearer {key}" if key else None))

    def completion(self, found: Any) -> Body:
        """A completion in OpenAI's format."""
        text = get(found, "message", "content")
        if not isinstance(text, str):
            return {}
        reason = "length" if get(found, "done_reason") == "length" else "stop"
        return completion(text, reason, _usage(found))

    def chunks(self, events: Iterable[Any]) -> Iterator[Body]:
        """The chunks of a streamed completion in OpenAI's format."""
        usage: tuple[Any, Any] = (None, None)
        for event in events:
            if error := get(event, "error"):
                yield {"error": {"message": str(error)}}
            text = get(event, "message", "content")
            if isinstance(text, str) and text:
                yield piece(text)
            if get(event, "done"):
                usage = _usage(event)
        yield last(usage)


def _usage(found: Any) -> tuple[Any, Any]:
    return get(found, "prompt_eval_count"), get(found, "eval_count")
