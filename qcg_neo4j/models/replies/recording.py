"""Recorded replies: JSON Lines of ``{"task", "key", "reply"}``, with ``model`` and others for information."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from qcg_neo4j.core.errors import InputError, InvalidReplyError
from qcg_neo4j.core.json_lines import UnusableError, has_half, object_of
from qcg_neo4j.models.prompts import task, tasks
from qcg_neo4j.models.replies.exchange import Failure, Reply, ReplySource, Request, Result

RECORDED = "recorded"  # who wrote a reply whose line does not name a model


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
