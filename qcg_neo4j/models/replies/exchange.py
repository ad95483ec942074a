"""A request, and what comes back for it."""

from __future__ import annotations

import hashlib
import json
from collections import defaultdict, deque
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Protocol, TypeVar, runtime_checkable

from qcg_neo4j.core.records import Usage
from qcg_neo4j.models.prompts import Message, Task

T = TypeVar("T")


def key_of(text: str) -> str:
    """The key of the input that the text identifies: SHA-256 of its UTF-8, in hexadecimal digits."""
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


class Asked(Protocol):
    """What identifies a request: its task, its key, and the mark of its exact prompt."""

    @property
    def task(self) -> Task:
        """What is asked for."""

    @property
    def key(self) -> str:
        """The key of the input."""

    @property
    def prompt(self) -> str:
        """The mark of the prompt."""


@dataclass(frozen=True)
class Request:
    """One question to a model: a task, the text that identifies the input, and the variables of the prompt."""

    task: Task
    key_text: str = field(repr=False)
    variables: Mapping[str, str] = field(repr=False)
    demonstrated: bool = False  # the chat shows a good reply first

    @cached_property
    def key(self) -> str:
        """The key under which the reply is recorded."""
        return key_of(self.key_text)

    @cached_property
    def prompt(self) -> str:
        """Identifies the exact prompt, so that a reply to 10 pairs is not taken for one to 20."""
        parts = [self.task.name, self.messages(), self.task.schema]
        return key_of(json.dumps(parts, sort_keys=True))

    def messages(self, mark: str = "") -> list[Message]:
        """The chat that asks for a JSON reply. Material is inside tags of the name ``mark``.

        Material may try to pass for instructions, so what is sent has a random mark, which no text can foresee. The
        usual one is that of the key, so that equal requests have one `prompt`.
        """
        variables = {"mark": mark or f"material-{self.key[:12]}", **self.variables}
        return self.task.messages(variables, demonstrated=self.demonstrated)


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
        """Where the replies are from, in words."""

    def known(self, request: Request) -> Reply | None:
        """The reply if it is there without any cost."""

    def replies(self, requests: Iterable[Request]) -> Iterator[Result]:
        """One result per request, in the order in which they come."""


@runtime_checkable
class Submitting(ReplySource, Protocol):
    """A source that may have ordered replies which have not come yet.

    ``waiting`` names the batches that hold what it was asked for.
    """

    waiting: tuple[str, ...]

    def waits(self, request: Request) -> str | None:
        """Why the request is not asked again, in words: it is under way; None where it is not."""


def replies_about(
    source: ReplySource, items: Iterable[T], request: Callable[[T], Request]
) -> Iterator[tuple[T, Result]]:
    """Each item with the result of its request, in the order in which they come; equal requests get one each."""
    waiting: defaultdict[str, deque[T]] = defaultdict(deque)

    def requests() -> Iterator[Request]:
        for item in items:
            wanted = request(item)
            waiting[wanted.key].append(item)
            yield wanted

    for result in source.replies(requests()):
        yield waiting[result.request.key].popleft(), result
