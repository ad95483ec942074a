"""An endpoint that also speaks the batch format of OpenAI: files, batches, and their lines, over real HTTP."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from email import message_from_bytes
from email.policy import HTTP
from http.server import ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs, urlsplit

from endpoint import Fail, FakeEndpoint, Raw, Script, completion, handler, normal, served

Line = dict[str, Any]
CREATED = 4_000_000_000  # later than any batch is prepared
_NO_LINE = b"so this is no line\n[]\n\n"


@dataclass
class Sent:
    """A batch as it was created, and how it stands."""

    id: str
    file: str
    metadata: dict[str, str]
    created_at: int
    status: str = "in_progress"
    output: str | None = None
    errors: str | None = None
    counts: dict[str, int] = field(default_factory=dict)
    reasons: list[dict[str, Any]] = field(default_factory=list)


class BatchEndpoint(FakeEndpoint):
    """The running endpoint: ``files`` by id, ``sent`` batches by id; a test ends them.

    ``before`` and ``after`` hear each request (method and path) ere it is handled, and ere its answer is sent.
    """

    def __init__(self, script: Script) -> None:
        super().__init__(script)
        self.files: dict[str, tuple[str, bytes]] = {}
        self.sent: dict[str, Sent] = {}
        self.requests: list[str] = []
        self.before: Callable[[str], None] = lambda _: None
        self.after: Callable[[str], None] = lambda _: None
        self.refuse: dict[str, Fail] = {}
        self.server.server_close()
        self.server = ThreadingHTTPServer(("127.0.0.1", 0), _handler(self))
        self.server.daemon_threads = True

    def lines(self, batch: Sent) -> list[Line]:
        """The requests of a batch."""
        return [json.loads(line) for line in self.files[batch.file][1].splitlines()]

    def end(self, state: str = "completed", *, answered: int | None = None, reason: str = "") -> None:
        """End all batches under way; the first ``answered`` lines have their replies."""
        for batch in [each for each in self.sent.values() if each.status == "in_progress"]:
            batch.status = state
            batch.reasons = [{"code": "bad", "message": reason, "line": 1, "param": None}] if reason else []
            lines = self.lines(batch)
            done = lines[: len(lines) if answered is None else answered]
            if state != "failed":
                self._answer(batch, done, lines[len(done) :])

    def _answer(self, batch: Sent, done: list[Line], left: list[Line]) -> None:
        good: list[Line] = []
        bad: list[Line] = []
        for line in reversed(done):  # the format promises no order
            manner = self.script(len(self.calls) + 1, line["body"])
            (bad if isinstance(manner, Fail) else good).append(_answered(line, manner))
            self.calls.append(line["body"])
            if not isinstance(manner, Fail):
                self.paid.append(line["body"])
        why = {"code": f"batch_{batch.status}", "message": f"This request was not begun: {batch.status}."}
        bad += [{"custom_id": line["custom_id"], "response": None, "error": why} for line in left]
        batch.counts = {"total": len(done) + len(left), "completed": len(good), "failed": len(bad)}
        batch.output = self._file(good) if good else None
        batch.errors = self._file(bad) if bad else None

    def _file(self, lines: list[Line]) -> str:
        content = b"".join(json.dumps(line, ensure_ascii=False).encode() + b"\n" for line in lines) + _NO_LINE
        return self.keep("replies.jsonl", content)

    def keep(self, name: str, content: bytes) -> str:
        """Keep a file; its id."""
        made = f"file-{len(self.files) + 1}"
        self.files[made] = (name, content)
        return made

    def answer(self, method: str, path: str, body: bytes, kind: str) -> tuple[int, bytes]:
        """What is sent for a request about files and batches."""
        parts = urlsplit(path)
        steps = parts.path.removeprefix("/v1/").split("/")
        with self.lock:
            if refused := self.refuse.get(f"{method} {steps[0]}"):
                return refused.status, json.dumps({"error": {"message": refused.message}}).encode()
            if steps[0] == "files":
                return self._about_files(method, steps, body, kind)
            return self._about_batches(method, steps, body, parse_qs(parts.query))

    def _about_files(self, method: str, steps: list[str], body: bytes, kind: str) -> tuple[int, bytes]:
        if method == "POST":
            form = message_from_bytes(f"Content-Type: {kind}\r\n\r\n".encode() + body, policy=HTTP)
            fields: dict[Any, Any] = {
                part.get_param("name", header="content-disposition"): part for part in form.iter_parts()
            }
            assert fields["purpose"].get_content().strip() == "batch"
            name = fields["file"].get_filename()
            return 200, _json(_told_file(self.keep(name, fields["file"].get_payload(decode=True)), name))
        if len(steps) == 1:
            told = [_told_file(file, name) for file, (name, _) in self.files.items()]
            return 200, _json({"object": "list", "data": told, "has_more": False})
        if steps[1] not in self.files:
            return 404, _json({"error": {"message": "No such file"}})
        return 200, self.files[steps[1]][1]

    def _about_batches(self, method: str, steps: list[str], body: bytes, query: Any) -> tuple[int, bytes]:
        if method == "POST":
            asked = json.loads(body)
            assert (asked["endpoint"], asked["completion_window"]) == ("/v1/chat/completions", "24h")
            assert asked["input_file_id"] in self.files
            number = len(self.sent) + 1
            made = Sent(f"batch_{number}", asked["input_file_id"], asked["metadata"], CREATED + number)
            self.sent[made.id] = made
            return 200, _json(_told_batch(made))
        if len(steps) == 1:  # the newest first, page by page
            every = [_told_batch(each) for each in reversed(self.sent.values())]
            after = query.get("after", [None])[0]
            start = next((place + 1 for place, each in enumerate(every) if each["id"] == after), 0)
            page = every[start : start + 2]
            return 200, _json({"object": "list", "data": page, "has_more": start + 2 < len(every)})
        if steps[1] not in self.sent:
            return 404, _json({"error": {"message": "No such batch"}})
        return 200, _json(_told_batch(self.sent[steps[1]]))


def _told_file(file: str, name: str) -> Line:
    told = {"id": file, "object": "file", "bytes": 1, "created_at": CREATED, "filename": name}
    return {**told, "purpose": "batch", "status": "processed"}


def _told_batch(batch: Sent) -> Line:
    return {
        "id": batch.id,
        "object": "batch",
        "endpoint": "/v1/chat/completions",
        "input_file_id": batch.file,
        "completion_window": "24h",
        "status": batch.status,
        "output_file_id": batch.output,
        "error_file_id": batch.errors,
        "created_at": batch.created_at,
        "metadata": batch.metadata,
        "request_counts": batch.counts or {"total": 0, "completed": 0, "failed": 0},
        "errors": {"object": "list", "data": batch.reasons} if batch.reasons else None,
    }


def _answered(line: Line, manner: Any) -> Line:
    if isinstance(manner, Fail):
        response = {"status_code": manner.status, "body": {"error": {"message": manner.message}}}
    elif isinstance(manner, Raw):
        response = {"status_code": 200, "body": json.loads(manner.body)}
    else:
        response = {"status_code": 200, "request_id": "1", "body": json.loads(completion(manner))}
    return {"id": "1", "custom_id": line["custom_id"], "response": response, "error": None}


def _json(value: Any) -> bytes:
    return json.dumps(value).encode()


def _handler(fake: BatchEndpoint) -> Any:
    class Handler(handler(fake)):  # type: ignore[misc] # made per endpoint
        def do_GET(self) -> None:  # noqa: N802 - http.server names it
            self._about("GET", b"")

        def do_POST(self) -> None:  # noqa: N802 - as above
            what = f"POST {self.path}"
            if self.path.endswith("/chat/completions"):
                fake.before(what)
                super().do_POST()
                return
            self._about("POST", self.rfile.read(int(self.headers["Content-Length"])))

        def _about(self, method: str, body: bytes) -> None:
            what = f"{method} {re.sub(r'[?].*', '', self.path).removeprefix('/v1')}"
            fake.requests.append(what)
            fake.before(what)
            status, sent = fake.answer(method, self.path, body, self.headers.get("Content-Type", ""))
            fake.after(what)
            try:
                self.reply(status, sent)
            except (BrokenPipeError, ConnectionResetError):
                self.close_connection = True

    return Handler


@contextmanager
def batch_endpoint(script: Script = normal) -> Iterator[BatchEndpoint]:
    """Run an endpoint for the block."""
    fake = BatchEndpoint(script)
    with served(fake.server):
        yield fake
