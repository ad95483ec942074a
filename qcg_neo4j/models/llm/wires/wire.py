"""What a wire format is: a call of OpenAI's format in it, and what comes back in OpenAI's again."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol

Body = dict[str, Any]


@dataclass(frozen=True)
class Sent:
    """A call as a provider takes it: the path behind its address, headers, and the body."""

    path: str
    body: Body
    headers: Mapping[str, str] = field(default_factory=dict)


class Wire(Protocol):
    """A provider's own format. What comes is read without trust: any part may be missing or of another kind."""

    @property
    def names(self) -> Mapping[str, str]:
        """OpenAI's names of what a call may have by its own ones, so that a refusal of one is understood."""

    def sent(self, body: Body, key: str | None) -> Sent:
        """A call of OpenAI's format in this one."""

    def completion(self, found: Any) -> Body:
        """A completion in OpenAI's format."""

    def chunks(self, events: Iterable[Any]) -> Iterator[Body]:
        """The chunks of a streamed completion in OpenAI's format, the usage with the last of them."""


def completion(text: str, reason: str, usage: tuple[Any, Any], refusal: str | None = None) -> Body:
    """A completion in OpenAI's format; ``reason`` is why it ended, ``usage`` the tokens that went in and came out."""
    message = {"role": "assistant", "content": text, "refusal": refusal}
    return {"choices": [{"index": 0, "message": message, "finish_reason": reason}], "usage": told(usage)}


def told(usage: tuple[Any, Any]) -> Body:
    """The usage in OpenAI's format; counts that were not told are None."""
    return {"prompt_tokens": usage[0], "completion_tokens": usage[1]}


def piece(text: str) -> Body:
    """A piece of a streamed text."""
    return _chunk([{"index": 0, "delta": {"content": text}}])


def last(usage: tuple[Any, Any]) -> Body:
    """The end of a streamed text, which tells the usage."""
    return {**_chunk([]), "usage": told(usage)}


def _chunk(choices: list[Body]) -> Body:
    return {"id": "", "object": "chat.completion.chunk", "created": 0, "model": "", "choices": choices}


def parted(body: Body) -> tuple[str, list[Body]]:
    """The text of the system, and the messages of the conversation."""
    messages = [message for message in body["messages"] if message["role"] != "system"]
    return "\n\n".join(message["content"] for message in body["messages"] if message["role"] == "system"), messages


def schema_of(body: Body) -> Body | None:
    """The schema that the reply is to have."""
    wanted = body.get("response_format")
    return wanted["json_schema"]["schema"] if wanted else None


def given(**values: Any) -> Body:
    """The values that are not None."""
    return {name: value for name, value in values.items() if value is not None}


def get(value: Any, *path: str | int) -> Any:
    """What is at a path of names and places; None where there is nothing."""
    for name in path:
        try:
            value = value[name]
        except (TypeError, KeyError, IndexError):
            return None
    return value


def texts(parts: Any, name: str = "text") -> str:
    """The texts of parts, joined; parts that have none are left out."""
    found = (get(part, name) for part in parts) if isinstance(parts, list) else ()
    return "".join(text for text in found if isinstance(text, str))


def total(*counts: Any) -> Any:
    """The sum of counts; None where the first is none, others may be missing."""
    numbers = [count for count in counts if type(count) is int]
    return sum(numbers) if type(counts[0]) is int else None


def events(lines: Iterable[str]) -> Iterator[Any]:
    """The values of a stream: of events (``data: …``), or a line each."""
    for line in lines:
        kind, _, data = line.partition(":") if line.startswith(("data:", "event:", ":", "id:")) else ("data", "", line)
        if kind == "data" and data.strip():
            yield json.loads(data)
