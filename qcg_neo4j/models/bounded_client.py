"""A client for endpoints that may not be well: limited in bytes, in time and in calls at once, and true to one host."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, nullcontext
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Any

import httpcore2
import httpx2
from openai import DefaultHttpxClient, OpenAIError

from qcg_neo4j.core.errors import MissingPackageError, SettingsError
from qcg_neo4j.core.telemetry import LOG

_REDIRECTS = 5
_PROXIES = ("http_proxy", "https_proxy", "all_proxy")
_REFUSED = 400
_PACKING = ("content-encoding", "content-length", "transfer-encoding")
_UNTIL: ContextVar[float | None] = ContextVar("until", default=None)  # the end of the call, on the monotonic clock


@dataclass(frozen=True)
class Limits:
    """How many bytes a call may bring, unpacked, and how many seconds it may take; a stream takes ``streamed``."""

    bytes: int
    seconds: float
    streamed: float = 0.0


class GivenUpError(OpenAIError):
    """The answer is not followed further. The client does not repeat such a call."""


class TooLargeError(GivenUpError):
    """The answer has more bytes than are allowed."""


class BoundedClient(DefaultHttpxClient):
    """The HTTP client of the package openai, which gives up at limits; also where bytes only drip."""

    def __init__(self, limits: Limits, pace: Pace | None = None) -> None:
        """``pace`` says how many calls may be under way at once; without it any number."""
        super().__init__(follow_redirects=False)
        self._limits, self._pace = limits, pace
        for transport in (self._transport, *self._mounts.values()):  # all but the first go through proxies
            if isinstance(transport, httpx2.HTTPTransport):
                pool: Any = transport._pool  # it takes no backend from outside
                pool._network_backend = _TimedBackend(pool._network_backend)

    def send(self, request: httpx2.Request, *, stream: bool = False, **options: Any) -> httpx2.Response:
        """Send; the body of the answer is read here, unless it is a stream. `GivenUpError` where it is not followed."""
        with self._pace.call() if self._pace and not stream else nullcontext():
            return self._send(request, stream, **options)

    def _send(self, request: httpx2.Request, stream: bool, **options: Any) -> httpx2.Response:
        until = time.monotonic() + (self._limits.streamed if stream else self._limits.seconds)
        running = _UNTIL.set(until)
        try:
            response = self._answer(request, **options)
            body = _pieces(response, self._limits, until)
            return _unpacked(response, body if stream else b"".join(body))
        finally:
            _UNTIL.reset(running)

    def _answer(self, request: httpx2.Request, **options: Any) -> httpx2.Response:
        """The answer at the end of all redirects, its body unread."""
        response = super().send(request, stream=True, **options)
        for _ in range(_REDIRECTS):
            following = response.next_request
            if following is None:
                break
            response.close()
            if not _stays(request.url, following.url):
                raise GivenUpError(f"wants the call to go to another host, {following.url.host}")
            response = super().send(following, stream=True, **options)
        if response.status_code >= _REFUSED:
            LOG.warning("%s answers with status %d", request.url.host, response.status_code)
        return response

    def __del__(self) -> None:
        """Let go of the connections, as the package's own client does."""
        if hasattr(self, "_pace") and not self.is_closed:  # else a proxy was refused before
            self.close()


def open_client(limits: Limits, pace: Pace | None = None) -> BoundedClient:
    """A client that goes through the proxies that the environment names.

    Raises:
        MissingPackageError: one of them speaks SOCKS, and the package for that is not installed.
        SettingsError: one of them is no address.
    """
    try:
        return BoundedClient(limits, pace)
    except ImportError:
        raise MissingPackageError(
            f"The proxy of {_proxies()} speaks SOCKS, for which a package is missing.",
            "Install it with: pip install 'httpx2[socks]', or name the endpoint in NO_PROXY.",
        ) from None
    except (ValueError, httpx2.InvalidURL):
        raise SettingsError(
            f"The proxy of {_proxies()} is no address of a proxy.",
            "Give it as http://HOST:PORT or socks5://HOST:PORT, or name the endpoint in NO_PROXY.",
        ) from None


def _proxies() -> str:
    """The variables that name proxies; not their values, which may hold passwords."""
    names = [name for name in os.environ if name.lower() in _PROXIES and os.environ[name]]
    return ", ".join(sorted(names)) or "the system"


class _TimedBackend(httpcore2.NetworkBackend):
    """Opens connections that stop at the end of the call."""

    def __init__(self, backend: httpcore2.NetworkBackend) -> None:
        self._backend = backend

    def connect_tcp(self, host: str, port: int, timeout: float | None = None, *options: Any, **named: Any) -> Any:
        return _TimedStream(self._backend.connect_tcp(host, port, _time_left(timeout), *options, **named))


class _TimedStream(httpcore2.NetworkStream):
    """A connection. The client's own limit of time is that of one read, and a head that drips is many."""

    def __init__(self, stream: httpcore2.NetworkStream) -> None:
        self._stream = stream
        self.close, self.get_extra_info = stream.close, stream.get_extra_info  # type: ignore[method-assign]

    def read(self, max_bytes: int, timeout: float | None = None) -> bytes:
        return self._stream.read(max_bytes, _time_left(timeout))

    def write(self, buffer: bytes, timeout: float | None = None) -> None:
        self._stream.write(buffer, _time_left(timeout))

    def start_tls(self, context: Any, server_hostname: str | None = None, timeout: float | None = None) -> _TimedStream:
        return _TimedStream(self._stream.start_tls(context, server_hostname, _time_left(timeout)))


def _time_left(timeout: float | None) -> float | None:
    """The time-out of one read or write, cut at the end of the call that this thread makes."""
    until = _UNTIL.get()
    if until is None:
        return timeout
    left = until - time.monotonic()
    if left <= 0:
        raise httpcore2.ReadTimeout("its bytes only drip")
    return left if timeout is None else min(timeout, left)


def _stays(here: httpx2.URL, there: httpx2.URL) -> bool:
    """Whether a redirect keeps to the host, and does not give up encryption."""
    return here.host == there.host and (here.scheme, there.scheme) != ("https", "http")


def _pieces(response: httpx2.Response, limits: Limits, until: float) -> Iterator[bytes]:
    """The unpacked body, piece by piece, within the limits of bytes and of time."""
    size = 0
    try:
        for piece in response.iter_bytes():
            size += len(piece)
            if size > limits.bytes:
                raise TooLargeError(f"sent more than {limits.bytes:,} bytes")
            if time.monotonic() > until:
                raise httpx2.ReadTimeout("its bytes only drip", request=response.request)
            yield piece
    finally:
        response.close()


def _unpacked(response: httpx2.Response, content: bytes | Iterable[bytes]) -> httpx2.Response:
    """The response with a body that is unpacked already."""
    headers = [(name, value) for name, value in response.headers.multi_items() if name.lower() not in _PACKING]
    return httpx2.Response(response.status_code, headers=headers, content=content, request=response.request)


class Pace:
    """A limit to calls at the same time. A time-out halves it; as many replies in a row as it allows raise it by one.

    Calls that began before the last time-out say nothing new: eight that time out together halve the limit once.
    """

    def __init__(self, most: int, notice: Callable[[str], None]) -> None:
        """At first, and never more than, ``most`` at once; ``notice`` hears of time-outs, in a sentence."""
        self.allowed = self._most = most
        self._notice = notice
        self._under_way = self._replies = 0
        self._changed_at = 0.0
        self._changed = threading.Condition()

    @contextmanager
    def call(self) -> Iterator[None]:
        """Wait until a further call may be made, and count it until it is over."""
        with self._changed:
            self._changed.wait_for(lambda: self._under_way < self.allowed)
            self._under_way += 1
        begun = time.monotonic()
        try:
            yield
        except httpx2.TimeoutException:
            self._slow_down(begun)
            raise
        else:
            self._speed_up()
        finally:
            with self._changed:
                self._under_way -= 1
                self._changed.notify_all()

    def _slow_down(self, begun: float) -> None:
        with self._changed:
            if begun < self._changed_at:
                return
            before, self.allowed = self.allowed, max(1, self.allowed // 2)
            self._replies, self._changed_at = 0, time.monotonic()
        fewer = f" Now {self.allowed} instead of {before} at once." if self.allowed < before else ""
        self._notice(
            f"A call timed out after {time.monotonic() - begun:.0f} s.{fewer} What helps: fewer "
            "calls at once (--set llm.concurrency=N), or more time (--set llm.timeout_seconds=SECONDS)."
        )

    def _speed_up(self) -> None:
        with self._changed:
            self._replies += 1
            if self._replies >= self.allowed and self.allowed < self._most:
                self._replies, self.allowed = 0, self.allowed + 1
