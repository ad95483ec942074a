"""A request, and what comes back for it."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Protocol

from qcg_neo4j.prompts import Message, Task
from qcg_neo4j.records import Usage


def key_of(text: str) -> str:
    """The key of the input that the text identifies: SHA-256 of its UTF-8, in hexadecimal digits."""
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


@dataclass(frozen=True)
class Request:
    """One question to a model: a task, the text that identifies the input, and the variables of the prompt."""

    task: Task
    key_text: str = field(repr=False)
    variables: Mapping[str, str] = field(repr=False)

    @cached_property
    def key(self) -> str:
        """The key under which the reply is recorded."""
        return key_of(self.key_text)

    @cached_property
    def prompt(self) -> str:
        """Identifies the exact prompt, so that a reply to 10 pairs is not taken for one to 20."""
        parts = [self.task.name, self.messages(), self.task.schema]
        return key_of(json.dumps(parts, sort_keys=True))

    def messages(self) -> list[Message]:
        """The chat that asks for a JSON reply."""
        return self.task.messages({"mark": f"material-{self.key[:12]}", **self.variables})


@dataclass(frozen=True)
class Reply:
    """A reply that has the form its task asks for.

    ``model`` is who wrote it. ``usage`` is what it costs now: nothing when it was there already. ``paid`` is what it
    cost when it was asked for, and ``seconds`` how long it took; both where that is known.
    """

    request: Request
    value: Mapping[str, Any]
    model: str
    usage: Usage = field(default_factory=Usage)
    paid: Usage = field(default_factory=Usage)
    seconds: float | None = None


@dataclass(frozen=True)
class Failure:
    """No reply, and why; what was spent on it nevertheless.

    ``unusable`` says that the model did reply, but not in the form of the task.
    """

    request: Request
    reason: str
    usage: Usage = field(default_factory=Usage)
    unusable: bool = False


Result = Reply | Failure


class ReplySource(Protocol):
    """Whatever replies to requests."""

    @property
    def name(self) -> str:
        """What a person is told where the replies are from."""

    def known(self, request: Request) -> Reply | None:
        """The reply if it is there without any cost."""

    def replies(self, requests: Iterable[Request]) -> Iterator[Result]:
        """One result per request, in the order in which they come."""
