"""One writer at a time: it takes the graph's lock and keeps it by a heartbeat.

No clock is compared with another: a writer is taken for gone when its number of heartbeats has stood still for
`STALE_SECONDS` before the eyes of the one who waits, or at once when its process was on this machine and is no more.
"""

from __future__ import annotations

import getpass
import os
import secrets
import socket
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from copy import copy
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from threading import Event, Thread, get_ident
from typing import Any

from qcg_neo4j.core.errors import GraphError, QcgError
from qcg_neo4j.database.connection import Call, Connection

BEAT_SECONDS = 5.0
STALE_SECONDS = 30.0
LOOK_SECONDS = 1.0  # from one attempt of the one who waits to the next
END_SECONDS = 1.0  # that a last heartbeat is waited for, which would open a connection while others are closed


@dataclass
class Lease:
    """A writer's lease: its mark in the graph, and when it last was seen to be its own."""

    token: str = field(default_factory=lambda: secrets.token_hex(8))
    confirmed: float = field(default_factory=time.monotonic)
    lost: bool = False
    is_shared: bool = False


@dataclass
class WriterLock:
    """The lock of one graph, for all threads that share the connection; ``leases`` has theirs, by thread."""

    graph: Connection
    leases: dict[int, Lease] = field(default_factory=dict)

    @contextmanager
    def held(self, work: str) -> Iterator[None]:
        """Be the graph's only writer in the block; within another such block of the thread, nothing is done.

        Raises:
            GraphError: another one writes, and has not ended within the graph's ``patience``.
        """
        thread = get_ident()
        if thread in self.leases:
            yield
            return
        # Without the check below, and without a limit of time that is meant for other statements.
        graph = copy(self.graph)
        graph.before_writing, graph.time_limit = None, None
        lease, over = Lease(), Event()
        heart = Thread(target=_beat, args=(graph, lease, over), name="qcg heartbeat", daemon=True)
        try:
            _take(graph, lease, work)
            self.leases[thread] = lease
            heart.start()
            yield
        finally:
            over.set()
            self.leases.pop(thread, None)
            if heart.is_alive():
                heart.join(END_SECONDS)
            with suppress(QcgError):  # a server that has gone; others will find the heartbeat still
                graph.write(Call("lock/release", {"token": lease.token}))

    def token(self) -> str:
        """The mark of the thread's lease, by which other processes may write in it: see `shared`."""
        return self.leases[get_ident()].token

    @contextmanager
    def shared(self, token: str) -> Iterator[None]:
        """Write in the lease of another process; before each write the graph is asked whether that one still has it."""
        self.leases[get_ident()] = Lease(token, is_shared=True)
        try:
            yield
        finally:
            del self.leases[get_ident()]

    def check(self) -> None:
        """Refuse to write when the lease is over, as after the machine has slept; asks the graph only in doubt.

        A lease is that of the threads as well that write for the one that took it.

        Raises:
            GraphError: another one may have written meanwhile.
        """
        lease = self.leases.get(get_ident()) or next(iter(self.leases.copy().values()), None)
        if lease is None:
            return
        if lease.is_shared or time.monotonic() - lease.confirmed > STALE_SECONDS / 2:
            graph = copy(self.graph)
            graph.before_writing = None
            _confirm(graph, lease)
        if lease.lost:
            raise GraphError(
                f"Another writer has taken over: this one made no progress for {STALE_SECONDS:.0f} s or more.",
                "Run it again: it goes on where it was.",
            )


def _take(graph: Connection, lease: Lease, work: str) -> None:
    me = {"token": lease.token, "work": work, **_myself()}
    begun = seen = time.monotonic()
    pulse, told, gone = ("", -1), "", ""
    while True:
        holder = graph.write(Call("lock/take", {**me, "gone": gone})).rows[0][0]
        now = time.monotonic()
        if holder["token"] == lease.token:
            lease.confirmed = now
            return
        if (holder["token"], holder["beats"]) != pulse:
            pulse, seen = (holder["token"], holder["beats"]), now
        if now - seen > STALE_SECONDS or has_gone(holder):
            gone = holder["token"]
            continue
        if graph.patience is not None and now - begun >= graph.patience:
            raise GraphError(f"{described(holder)} writes to the graph.", "Try again when that has ended.")
        if told != holder["token"]:
            graph.tell(f"{described(holder)} writes to the graph; waiting until that has ended (Ctrl-C gives up).")
            told = holder["token"]
        time.sleep(LOOK_SECONDS)


def described(holder: Mapping[str, Any]) -> str:
    """Who writes, where and since when: a row of the lock's statements as the beginning of a sentence."""
    process = str(holder["process"]).partition(":")[0]
    since = str(holder["since"])[:19].replace("T", " ")
    return f"`{holder['work']}` of {holder['user']} on {holder['host']} (process {process}, since {since} UTC)"


def _beat(graph: Connection, lease: Lease, over: Event) -> None:
    while not over.wait(BEAT_SECONDS) and not lease.lost:
        with suppress(QcgError):  # a server that does not answer for once; `check` asks before it is too late
            _confirm(graph, lease)


def _confirm(graph: Connection, lease: Lease) -> None:
    asked = time.monotonic()
    if graph.write(Call("lock/beat", {"token": lease.token})).rows[0]:
        lease.confirmed = asked
    else:
        lease.lost = True


def _myself() -> dict[str, str]:
    host = socket.gethostname()
    try:
        user = getpass.getuser()
    except (KeyError, OSError):  # a container whose user has no name
        user = str(os.getuid()) if hasattr(os, "getuid") else "somebody"
    pid = os.getpid()
    return {"user": user, "host": host, "machine": _machine(host), "process": f"{pid}:{_started(pid)}"}


@cache
def _machine(host: str) -> str:
    """The machine since it was switched on and, on Linux, the container: where a number of a process means the same."""
    try:
        boot = Path("/proc/sys/kernel/random/boot_id").read_text(encoding="ascii").strip()
        return f"{host} {boot} {Path('/proc/self/ns/pid').readlink()}"
    except OSError:
        return host


def _started(pid: int) -> str:
    """When a process was started, which tells it from a later one of that number; '' where nobody says."""
    try:
        return Path(f"/proc/{pid}/stat").read_text(encoding="utf-8", errors="replace").rpartition(")")[2].split()[19]
    except OSError:
        return ""


def has_gone(holder: Mapping[str, Any]) -> bool:
    """Whether the writer's process was on this machine and is no more."""
    if holder["machine"] != _machine(socket.gethostname()) or os.name != "posix":
        return False
    number, _, started = str(holder["process"]).partition(":")
    try:
        os.kill(int(number), 0)
    except ProcessLookupError:
        return True
    except OSError:
        return False  # another user's, and there
    return _started(int(number)) != started
