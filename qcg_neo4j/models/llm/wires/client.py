"""The client of the package openai for endpoints of other formats: calls are put into theirs, answers into its."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from typing import Any

from qcg_neo4j.models.llm.wires.wire import Body, Wire, events
from qcg_neo4j.models.transfer import BoundedClient, Limits

_REFUSED = 400
_KEPT = ("retry-after", "retry-after-ms", "x-should-retry")


class WireClient(BoundedClient):
    """Retries, limits of bytes and time, and errors are those of OpenAI's endpoints: what is sent differs, no more."""

    def __init__(self, wire: Wire, address: str, key: str | None, limits: Limits, **options: Any) -> None:
        super().__init__(limits, **options)
        self._wire, self._address, self._key = wire, address.rstrip("/"), key

    def send(self, request: Any, *, stream: bool = False, **options: Any) -> Any:
        """Send a call for a completion in the provider's format."""
        sent = self._wire.sent(json.loads(request.content), self._key)
        call = type(request)(
            "POST",
            self._address + sent.path,
            headers={"content-type": "application/json", "user-agent": "qcg-neo4j", **sent.headers},
            content=json.dumps(sent.body, ensure_ascii=False).encode("utf-8", "replace"),
            extensions=request.extensions,
        )
        response = super().send(call, stream=stream, **options)
        if response.extensions.get("given_up"):
            return response
        response.request = request  # whose headers tell the package how the answer is to be read
        if response.status_code >= _REFUSED:
            return _answer(response, json.dumps(self._refusal(response.read())).encode())
        if stream:
            return _answer(response, _streamed(self._wire.chunks(events(response.iter_lines()))), "text/event-stream")
        return _answer(response, _translated(self._wire, response.read()))

    def _refusal(self, body: bytes) -> Body:
        """An error in OpenAI's form, the provider's names of what it refuses in OpenAI's words."""
        text = body.decode("utf-8", "replace")
        try:
            found = json.loads(text)
        except (ValueError, RecursionError):
            found = None
        error = found.get("error", found) if isinstance(found, dict) else text
        message = str(error.get("message") or error) if isinstance(error, dict) else str(error)
        named = {ours for theirs, ours in self._wire.names.items() if theirs in message}
        return {"error": {"message": f"{message} ({', '.join(sorted(named))})" if named else message}}


def _translated(wire: Wire, body: bytes) -> bytes:
    """A completion in OpenAI's form; what is none stays as it is, and is refused as such."""
    try:
        found = json.loads(body)
    except (ValueError, RecursionError):
        return body
    return json.dumps(wire.completion(found)).encode()


def _streamed(chunks: Iterable[Body]) -> Iterator[bytes]:
    for chunk in chunks:
        yield f"data: {json.dumps(chunk)}\n\n".encode()
    yield b"data: [DONE]\n\n"


def _answer(response: Any, content: Any, kind: str = "application/json") -> Any:
    headers = {"content-type": kind, **{name: response.headers[name] for name in _KEPT if name in response.headers}}
    extensions = {name: value for name, value in response.extensions.items() if name != "network_stream"}
    return type(response)(
        response.status_code, headers=headers, content=content, request=response.request, extensions=extensions
    )
