"""An OpenAI-compatible endpoint over real HTTP whose manners a test decides, call by call."""

from __future__ import annotations

import json
import re
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from qcg_neo4j.models.prompts import task
from qcg_neo4j.models.replies import Request

KEY = "sk-verysecret0123456789"
GOOD = '{"pairs": [{"question": "Whose text?", "answer": "Li."}]}'  # a reply to `request`

Body = dict[str, Any]


@dataclass(frozen=True)
class Say:
    """Answer with a text."""

    text: str
    finish_reason: str = "stop"
    seconds: float = 0.0
    refusal: str | None = None


@dataclass(frozen=True)
class Fail:
    """Answer with an error status."""

    status: int
    message: str = "no"
    code: str | None = None
    param: str | None = None
    headers: dict[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Raw:
    """Send these bytes as the body; with ``announced`` a longer body is promised and the connection then dropped."""

    body: bytes
    announced: int | None = None
    kind: str = "application/json"


Manner = Say | Fail | Raw
Script = Callable[[int, Body], Manner]


def material(body: Body) -> str:
    """The text between the marks of the prompt."""
    said = [message["content"] for message in body["messages"] if message["role"] == "user"]
    found = [re.search(r"<(material-\w+)>\n(.*)\n</\1>", text, re.DOTALL) for text in said]
    last = next((match for match in reversed(found) if match), None)  # behind that of a demonstration
    assert last, body["messages"]
    return last.group(2)


def prompt_of(body: Body) -> str:
    """What was asked, without the mark around the material, which is another one at every call."""
    return re.sub(r"material-\w+", "material", json.dumps(body["messages"]))


def pairs(body: Body) -> str:
    """A good reply to ``generate/pairs``: a question about each of the material's first lines."""
    lines = [line for line in material(body).splitlines() if line.strip()][:6]
    return json.dumps({"pairs": [{"question": f"Who said: {line[:60]}?", "answer": line[:80]} for line in lines]})


def request(text: str = "Li met Adam.", count: int = 20) -> Request:
    return Request(task("generate/pairs"), text, {"text": text, "count": str(count)})


def normal(_: int, body: Body) -> Manner:
    return Say(pairs(body))


class FakeEndpoint:
    """The running endpoint: ``calls`` are the bodies it received, ``paid`` those that it answered with a text."""

    def __init__(self, script: Script) -> None:
        self.script = script
        self.calls: list[Body] = []
        self.paid: list[Body] = []
        self.keys: list[str | None] = []
        self.busy = self.most_busy = 0
        self.lock = threading.Lock()
        self.server = ThreadingHTTPServer(("127.0.0.1", 0), handler(self))
        self.server.daemon_threads = True

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server.server_address[1]}/v1"


@contextmanager
def endpoint(script: Script = normal) -> Iterator[FakeEndpoint]:
    """Run an endpoint for the block."""
    fake = FakeEndpoint(script)
    with served(fake.server):
        yield fake


@contextmanager
def served(server: ThreadingHTTPServer) -> Iterator[None]:
    """Answer calls for the block."""
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
    thread.start()
    try:
        yield
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


def handler(fake: FakeEndpoint) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        disable_nagle_algorithm = True  # the body would wait 40 ms until the client has acknowledged the head

        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            with fake.lock:
                fake.calls.append(body)
                fake.keys.append(self.headers["Authorization"])
                number = len(fake.calls)
                fake.busy += 1
                fake.most_busy = max(fake.busy, fake.most_busy)
            try:
                self.answer(fake.script(number, body), body)
            except (BrokenPipeError, ConnectionResetError):
                self.close_connection = True  # the client has given up
            finally:
                with fake.lock:
                    fake.busy -= 1

        def answer(self, manner: Manner, body: Body) -> None:
            if isinstance(manner, Fail):
                told = {"message": manner.message, "code": manner.code, "param": manner.param}
                self.reply(manner.status, json.dumps({"error": told}).encode(), headers=manner.headers)
            elif isinstance(manner, Raw):
                self.reply(200, manner.body, kind=manner.kind, announced=manner.announced)
            else:
                time.sleep(manner.seconds)
                with fake.lock:
                    fake.paid.append(body)
                sent = _events(manner) if body.get("stream") else completion(manner)
                self.reply(200, sent, kind="text/event-stream" if body.get("stream") else "application/json")

        def reply(
            self,
            status: int,
            body: bytes,
            *,
            kind: str = "application/json",
            announced: int | None = None,
            headers: dict[str, str] | None = None,
        ) -> None:
            self.send_response(status)
            for name, value in {"Content-Type": kind, **(headers or {})}.items():
                self.send_header(name, value)
            self.send_header("Content-Length", str(announced or len(body)))
            self.end_headers()
            self.wfile.write(body)
            self.wfile.flush()
            if announced:
                self.close_connection = True

        def log_message(self, *_: Any) -> None:
            pass

    return Handler


USAGE = {"prompt_tokens": 100, "completion_tokens": 40, "total_tokens": 140}


def completion(manner: Say) -> bytes:
    message = {"role": "assistant", "content": manner.text, "refusal": manner.refusal}
    choice = {"index": 0, "message": message, "finish_reason": manner.finish_reason}
    return json.dumps({"id": "1", "object": "chat.completion", "choices": [choice], "usage": USAGE}).encode()


def _events(manner: Say) -> bytes:
    pieces = [{"choices": [{"index": 0, "delta": {"content": word}}]} for word in re.findall(r"\S+\s*", manner.text)]
    end = {"choices": [{"index": 0, "delta": {}, "finish_reason": manner.finish_reason}]}
    events = [*pieces, end, {"choices": [], "usage": USAGE}]
    return b"".join(b"data: %s\n\n" % json.dumps(event).encode() for event in events) + b"data: [DONE]\n\n"
