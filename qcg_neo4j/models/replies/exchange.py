"""A request, and what comes back for it, also from a recording: JSON Lines of ``{"task", "key", "reply"}``.

A line may name the ``model``, and others for information.
"""

from __future__ import annotations

import hashlib
import json
from collections import defaultdict, deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any, Protocol, TypeVar, runtime_checkable

from qcg_neo4j.core.errors import InputError, InvalidReplyError
from qcg_neo4j.core.json_lines import UnusableError, has_half, object_of
from qcg_neo4j.core.records import Usage
from qcg_neo4j.models.prompts import Message, Task, task, tasks

T = TypeVar("T")
RECORDED = "recorded"  # who wrote a reply whose line does not name a model


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


@dataclass(frozen=True)
class RecordedReply:
    """A line of a recording. ``prompt`` identifies the exact prompt and is empty where that is unknown."""

    task: str
    key: str
    reply: Mapping[str, Any]
    model: str = RECORDED
    prompt: str = ""


def read_recording(path: Path, only: str | None = None) -> Iterator[RecordedReply]:
    """The lines of a recording, each checked against its task's schema; ``only`` leaves out other tasks.

    Lines of tasks that this version does not know are left out as well.

    Raises:
        InputError: the file cannot be read, or a line is malformed (file, line and reason).
    """
    try:
        with path.open(encoding="utf-8") as lines:
            for number, line in enumerate(lines, start=1):
                found = _read_line(line, f"{path}:{number}", only)
                if found is not None:
                    yield found
    except OSError as error:
        raise InputError(f"The recording {path} cannot be read: {error.strerror}.") from None
    except UnicodeDecodeError as error:
        raise InputError(f"The recording {path} is not UTF-8: {error}.") from None


def _read_line(line: str, where: str, only: str | None) -> RecordedReply | None:
    try:
        fields = object_of(line)
    except UnusableError as error:
        raise InputError(f"{where}: {error}.", "Correct or remove the line.") from None
    if fields is None:
        return None
    texts = [fields.get("task"), fields.get("key"), fields.get("model", RECORDED), fields.get("prompt", "")]
    if not all(isinstance(text, str) for text in texts) or not texts[1] or "reply" not in fields:
        raise InputError(f"{where}: a line needs the texts 'task' and 'key', and a 'reply'.")
    if any(has_half(str(text)) for text in texts):
        raise InputError(f"{where}: a text contains an unpaired surrogate.", "Correct or remove the line.")
    if (only and texts[0] != only) or texts[0] not in tasks():
        return None
    try:
        reply = task(str(texts[0])).check(fields["reply"])
    except InvalidReplyError as error:
        raise InputError(f"{where}: {error}", "Correct or remove the line.") from None
    return RecordedReply(str(texts[0]), str(texts[1]), reply, str(texts[2]), str(texts[3]))


def recorded_line(recorded: RecordedReply) -> str:
    """The reply as a line of a recording, line end included."""
    fields: dict[str, Any] = {"task": recorded.task, "key": recorded.key, "model": recorded.model}
    if recorded.prompt:
        fields["prompt"] = recorded.prompt
    return json.dumps({**fields, "reply": recorded.reply}, ensure_ascii=False) + "\n"


class Recording:
    """A source that replies from files and makes nothing up."""

    def __init__(self, paths: Sequence[Path], only: str | None = None) -> None:
        """Read the files; where two lines have the same task and key, the later one counts."""
        self.name = ", ".join(path.name for path in paths)
        lines = (line for path in paths for line in read_recording(path, only))
        self._replies = {(line.task, line.key): line for line in lines}

    def known(self, request: Request) -> Reply | None:
        """The recorded reply."""
        found = self._replies.get((request.task.name, request.key))
        return Reply(request, found.reply, found.model) if found else None

    def replies(self, requests: Iterable[Request]) -> Iterator[Result]:
        """One result per request; a missing key is a failure that names task and key."""
        return known_or_missing(self, requests)


def known_or_missing(source: ReplySource, requests: Iterable[Request]) -> Iterator[Result]:
    """The replies that a source holds, and a failure for each that it does not."""
    for request in requests:
        lacking = f"{source.name} holds no reply to {request.task.name} for the key {request.key}"
        yield source.known(request) or Failure(request, lacking)
