"""A client for endpoints that may not be well: what it reads is limited in bytes and time, and stays with one host."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from dataclasses import dataclass
from importlib import import_module
from threading import Thread
from typing import Any

from openai import DefaultHttpxClient

from qcg_neo4j.core.telemetry import LOG

_REDIRECTS = 5
_REFUSED = 400


@dataclass(frozen=True)
class Limits:
    """How many bytes a call may bring, unpacked, and how many seconds it may take; a stream takes ``streamed``."""

    bytes: int
    seconds: float
    streamed: float = 0.0


class TooLargeError(Exception):
    """A stream brought more than is allowed."""


class _GivenUpError(Exception):
    """The call is not followed further; what is answered instead."""

    def __init__(self, response: Any) -> None:
        super().__init__()
        self.response = response


class BoundedClient(DefaultHttpxClient):
    """The HTTP client of the package openai, which gives up at limits; also where bytes only drip."""

    def __init__(self, limits: Limits, **options: Any) -> None:
        super().__init__(follow_redirects=False, **options)
        self._limits = limits

    def send(self, request: Any, *, stream: bool = False, **options: Any) -> Any:
        """Send; the body of what comes back is read here, unless it is a stream."""
        until = time.monotonic() + (self._limits.streamed if stream else self._limits.seconds)
        try:
            response = self._answered(request, until, **options)
            body = _pieces(response, self._limits, until)
            return _copied(response, body if stream else b"".join(body))
        except _GivenUpError as error:
            return error.response
        except TooLargeError as error:
            return _given_up(response, str(error))
        except TimeoutError:
            package = import_module(type(request).__module__.partition(".")[0])
            raise package.ReadTimeout("its bytes only drip", request=request) from None

    def _answered(self, request: Any, until: float, **options: Any) -> Any:
        """What answers at the end of all redirects, its body unread."""

        def sent(one: Any) -> Any:
            return _awaited(lambda: super(BoundedClient, self).send(one, stream=True, **options), until)

        response = sent(request)
        for _ in range(_REDIRECTS):
            following = response.next_request
            if following is None:
                break
            response.close()
            if not _stays(request.url, following.url):
                why = f"wants the call to go to another host, {following.url.host}"
                raise _GivenUpError(_given_up(response, why))
            response = sent(following)
        if response.status_code >= _REFUSED:
            LOG.warning("%s answers with status %d", request.url.host, response.status_code)
        return response

    def __del__(self) -> None:
        """Let go of the connections, as the package's own client does."""
        if not getattr(self, "is_closed", True):
            self.close()


def _awaited(work: Callable[[], Any], until: float) -> Any:
    """What the work gives; who waits too long is let go, and what still comes then is closed.

    The client's own limit of time is that of one read, and a head that drips is many.

    Raises:
        TimeoutError: it is not there in time.
    """
    found: Future[Any] = Future()

    def run() -> None:
        try:
            found.set_result(work())
        except BaseException as error:
            found.set_exception(error)

    Thread(target=run, name="qcg call", daemon=True).start()
    try:
        return found.result(until - time.monotonic())
    except TimeoutError:
        found.add_done_callback(lambda late: late.exception() or late.result().close())
        raise


def _stays(here: Any, there: Any) -> bool:
    """Whether a redirect keeps to the host, and does not give up encryption."""
    return bool(here.host == there.host and (here.scheme, there.scheme) != ("https", "http"))


def _pieces(response: Any, limits: Limits, until: float) -> Iterator[bytes]:
    """The unpacked body, piece by piece.

    Raises:
        TooLargeError: it passes the limit of bytes.
        TimeoutError: it passes that of time.
    """
    size = 0
    try:
        for piece in response.iter_bytes():
            size += len(piece)
            if size > limits.bytes:
                raise TooLargeError(f"sent more than {limits.bytes:,} bytes")
            if time.monotonic() > until:
                raise TimeoutError
            yield piece
    finally:
        response.close()


def _copied(response: Any, content: Any) -> Any:
    """The response with a body that is unpacked already."""
    packing = ("content-encoding", "content-length", "transfer-encoding")
    headers = [(name, value) for name, value in response.headers.multi_items() if name.lower() not in packing]
    return type(response)(
        response.status_code, headers=headers, content=content, request=response.request, extensions=_said(response)
    )


def _given_up(response: Any, why: str) -> Any:
    """A refusal in the place of what came, which the client does not ask for again."""
    body = json.dumps({"error": {"message": why}}).encode()
    headers = {"content-type": "application/json", "x-should-retry": "false"}
    return type(response)(
        413, headers=headers, content=body, request=response.request, extensions={**_said(response), "given_up": why}
    )


def _said(response: Any) -> dict[str, Any]:
    return {name: value for name, value in response.extensions.items() if name != "network_stream"}
