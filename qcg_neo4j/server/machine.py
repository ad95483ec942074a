"""What a start takes of the machine: optional packages, memory, ports."""

from __future__ import annotations

import os
import re
import socket
from contextlib import ExitStack, suppress
from importlib import import_module
from itertools import chain
from pathlib import Path
from typing import Any

from qcg_neo4j.core.errors import ServerError, needs

BYTES = re.compile(r"[1-9][0-9]{0,8}[kmg]", re.IGNORECASE)
FACTORS = {"k": 2**10, "m": 2**20, "g": 2**30}
LOOPBACK = "127.0.0.1"
DEFAULT_BOLT, DEFAULT_HTTP = 7687, 7474
SEARCHED = 200  # ports above the default one


def package(name: str) -> Any:
    """The named package of the extra `embedded`; `MissingPackageError` where it is not installed."""
    with needs("The embedded server", name, "embedded"):
        return import_module(name)


def psutil() -> Any:
    """What watches processes."""
    return package("psutil")


def bytes_of(amount: str) -> int:
    """The number of bytes of an amount such as ``512m``; the text must match `BYTES`."""
    return int(amount[:-1]) * FACTORS[amount[-1].lower()]


def default_heap(store: int) -> str:
    """A quarter of this machine's memory, between 512m and 4g; for a large store twice its size, up to two fifths.

    An eighth of the heap is for copies of what questions read, which are less than a quarter of a store.
    """
    whole = psutil().virtual_memory().total
    return _amount(max(min(max(whole // 4, 512 * 2**20), 4 * 2**30), min(2 * store, 2 * whole // 5)))


def default_page_cache(store: int) -> str:
    """As large as the store, at least 512m, at most a fifth of this machine's memory: the indexes want the rest."""
    return _amount(max(512 * 2**20, min(store, psutil().virtual_memory().total // 5)))


def has_outgrown(before: int, now: int) -> bool:
    """Whether a store of ``now`` bytes needs half as much memory again as one of ``before``."""
    wanted = [bytes_of(default_heap(store)) + bytes_of(default_page_cache(store)) for store in (before, now)]
    return wanted[1] >= 1.5 * wanted[0]


def store_size(data: Path) -> int:
    """Bytes of the stores in a folder of data, without indexes and logs."""
    return sum(file.stat().st_size for file in data.glob("databases/*/neostore*"))


def _amount(size: int) -> str:
    return f"{size // FACTORS['m']}m"


class Ports(ExitStack):
    """Hands out free ports; two starts at the same moment never get the same one while the block lasts.

    A port is reserved by the one of the same number of UDP, which no server here uses: the machine itself knows of it,
    whatever home, cache or user a start has, and forgets it when the process ends.
    """

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
        first = default if last is None else last
        for port in chain((first,), range(default, default + SEARCHED + 1)):
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
                self.enter_context(reservation)
                return True
        reservation.close()
        return False


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
