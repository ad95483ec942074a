"""Ports on the loopback address: the wished ones where they are free, else others; held until the server has them."""

from __future__ import annotations

import os
import socket
from collections.abc import Iterator
from contextlib import ExitStack, suppress

from qcg_neo4j.core.errors import ServerError

LOOPBACK = "127.0.0.1"
DEFAULT_BOLT, DEFAULT_HTTP = 7687, 7474
SEARCHED = 200  # ports above the default one


class Ports:
    """Hands out free ports; two starts at the same moment never get the same one while the block lasts.

    A port is reserved by the one of the same number of UDP, which no server here uses: the machine itself knows of it,
    whatever home, cache or user a start has, and forgets it when the process ends.
    """

    def __init__(self) -> None:
        self._held = ExitStack()

    def __enter__(self) -> Ports:
        return self

    def __exit__(self, *_: object) -> None:
        self._held.close()

    def take(self, name: str, wished: int | None, last: int | None, default: int) -> int:
        """A free port: the wished one or none, else the last one, else the default one, else one above it.

        Raises:
            ServerError: the wished port is taken, or none is free.
        """
        if wished is not None:
            if not self._reserve(wished):
                raise ServerError(
                    f"Port {wished} for {name} is taken by another program.",
                    f"Choose another, or leave --{name.lower()}-port out: then a free one is found.",
                )
            return wished
        for port in _candidates(last, default):
            if self._reserve(port):
                return port
        raise ServerError(
            f"None of the ports {default} to {default + SEARCHED} is free.", f"Choose one with --{name.lower()}-port."
        )

    def _reserve(self, port: int) -> bool:
        reservation = socket.socket(type=socket.SOCK_DGRAM)
        with suppress(OSError, OverflowError):
            reservation.bind((LOOPBACK, port))
            if is_free(port):
                self._held.enter_context(reservation)
                return True
        reservation.close()
        return False


def _candidates(last: int | None, default: int) -> Iterator[int]:
    if last is not None:
        yield last
    yield from range(default, default + SEARCHED + 1)


def is_free(port: int) -> bool:
    """Whether a server could listen on that loopback port now."""
    with socket.socket() as probe:
        if os.name == "posix":  # as the server does: a connection that is just closing does not count
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((LOOPBACK, port))
        except (OSError, OverflowError):
            return False
    return True
