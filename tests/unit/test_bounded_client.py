"""Limits on what an endpoint may send: bytes, seconds, hosts."""

from __future__ import annotations

import gzip
import json
import time
import tracemalloc
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import openai  # noqa: F401 - so that it is not imported where memory is traced, which takes half a minute
import pytest
from endpoint import served

from qcg_neo4j.core.errors import LanguageModelError
from qcg_neo4j.models.llm import Endpoint, LanguageModelSettings
from qcg_neo4j.models.prompts import task

Serve = Callable[[BaseHTTPRequestHandler], None]
REPLY = json.dumps({"choices": [{"message": {"content": "Li."}}]}).encode()


@contextmanager
def serving(serve: Serve) -> Iterator[tuple[str, list[str]]]:
    """An endpoint that writes its own bytes; gives its address and the paths that were asked for."""
    paths: list[str] = []

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self) -> None:
            self.rfile.read(int(self.headers["Content-Length"]))
            paths.append(self.path)
            with suppress(BrokenPipeError, ConnectionResetError):
                serve(self)
            self.close_connection = True

        def log_message(self, *_: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    with served(server):
        yield f"http://127.0.0.1:{server.server_address[1]}/v1", paths


def head(handler: BaseHTTPRequestHandler, status: int = 200, **headers: str) -> None:
    handler.send_response(status)
    for name, value in {"Content_Type": "application/json", **headers}.items():
        handler.send_header(name.replace("_", "-"), value)
    handler.end_headers()


def complete(url: str, seconds: float = 5.0, largest: int = 100_000) -> str:
    settings = LanguageModelSettings(
        endpoint=url, model="small", retries=1, timeout_seconds=seconds, largest_reply=largest
    )
    model = Endpoint(settings, "sk-key")
    try:
        return model.complete([], task("generate/pairs")).text
    finally:
        model.close()


def endless(handler: BaseHTTPRequestHandler) -> None:
    head(handler)
    while True:
        handler.wfile.write(b" " * 65536)


def packed(handler: BaseHTTPRequestHandler) -> None:
    head(handler, Content_Encoding="gzip")
    handler.wfile.write(gzip.compress(b" " * 50_000_000))


@pytest.mark.parametrize("serve", [endless, packed])
def test_a_reply_without_end_is_given_up_and_not_asked_for_again(serve: Serve) -> None:
    with serving(serve) as (url, paths):
        tracemalloc.start()
        with pytest.raises(LanguageModelError, match=r"sent more than 100,000 bytes.\n.*--set llm.largest_reply"):
            complete(url)
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
    assert len(paths) == 1
    assert peak < 60_000_000


def test_what_is_packed_is_read() -> None:
    def serve(handler: BaseHTTPRequestHandler) -> None:
        head(handler, Content_Encoding="gzip")
        handler.wfile.write(gzip.compress(REPLY))

    with serving(serve) as (url, _):
        assert complete(url) == "Li."


def dripping_body(handler: BaseHTTPRequestHandler) -> None:
    head(handler)
    for _ in range(2000):
        handler.wfile.write(b" ")
        time.sleep(0.05)


def dripping_head(handler: BaseHTTPRequestHandler) -> None:
    handler.wfile.write(b"HTTP/1.1 200 OK\r\n")
    for number in range(2000):
        handler.wfile.write(b"x-%d: x\r\n" % number)
        time.sleep(0.05)


@pytest.mark.parametrize("serve", [dripping_body, dripping_head])
def test_bytes_that_only_drip_are_a_time_out(serve: Serve) -> None:
    with serving(serve) as (url, paths):
        begun = time.monotonic()
        with pytest.raises(LanguageModelError, match="did not reply in time"):
            complete(url, seconds=1.0)
        assert time.monotonic() - begun < 60
    assert len(paths) == 2  # as after any time-out, the call is repeated


def test_a_stream_without_end_is_given_up() -> None:
    def serve(handler: BaseHTTPRequestHandler) -> None:
        head(handler, Content_Type="text/event-stream")
        while True:
            handler.wfile.write(b'data: {"choices": [{"delta": {"content": "so "}}]}\n\n')

    with serving(serve) as (url, _):
        model = Endpoint(LanguageModelSettings(endpoint=url, model="small", largest_reply=50_000))
        with pytest.raises(LanguageModelError, match="sent more than 50,000 bytes"):
            list(model.stream([]))
        model.close()


@pytest.mark.parametrize("status", [307, 308])
def test_redirects_stay_with_the_host(status: int) -> None:
    def away(handler: BaseHTTPRequestHandler) -> None:
        head(handler, status, Location="http://localhost:9/v1/chat/completions")
        handler.wfile.write(b" " * 10)

    def back(handler: BaseHTTPRequestHandler) -> None:
        if handler.path == "/here":
            head(handler, Content_Length=str(len(REPLY)))
            handler.wfile.write(REPLY)
        else:
            head(handler, status, Location="/here", Content_Length="0")

    with serving(away) as (url, paths), pytest.raises(LanguageModelError, match="another host, localhost"):
        complete(url)
    assert len(paths) == 1
    with serving(back) as (url, _):
        assert complete(url) == "Li."
