"""The server's process: started apart from ours, recognized again, asked to end; never another's."""

from __future__ import annotations

import os
import subprocess
import time
from contextlib import suppress
from typing import Any

from qcg_neo4j.core.errors import ServerError
from qcg_neo4j.server.home import Home, is_full
from qcg_neo4j.server.packages import psutil
from qcg_neo4j.server.state import Launch

PAUSE_SECONDS = 0.05
REPLACED_SECONDS = 5.0
FULL_SECONDS = 15.0  # that a server may take to stop on a full disk

# Children of this Python process, kept so that their end is noticed and no half-dead entry stays behind.
_children: dict[int, subprocess.Popen[bytes]] = {}


def java_environment() -> dict[str, str]:
    """The environment of a Java that finds files by names outside of ASCII, whatever the language of the terminal."""
    return {**os.environ, "LC_ALL": "C.UTF-8"}


def spawn(command: list[str], home: Home) -> Any:
    """Start a process of its own session (Ctrl-C at the terminal does not reach it), its output in the home's log."""
    with home.log.open("wb") as output:
        child = subprocess.Popen(  # noqa: S603 - our own command
            command,
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.STDOUT,
            start_new_session=True,
            cwd=home.root,
            env=java_environment(),
            umask=0o077,
        )
    _children[child.pid] = child
    return psutil().Process(child.pid)


def find(home: Home, launch: Launch) -> Any | None:
    """The launched process if it still lives, else None.

    A number alone proves nothing: after a reboot it belongs to somebody else. The process must name this home in its
    command line. The time of its creation is no condition, since it moves when the machine's clock is set.
    """
    package = psutil()
    _reap(launch.pid)
    try:
        process = package.Process(launch.pid)
        ours = home_argument(home) in _command_line(process)
        return process if ours and process.status() != package.STATUS_ZOMBIE else None
    except package.Error:
        return None


def _command_line(process: Any) -> list[str]:
    """Its words; while a process replaces itself, as Java does at its start, there are none for a moment."""
    until = time.monotonic() + REPLACED_SECONDS
    while not (words := process.cmdline()) and time.monotonic() < until:
        time.sleep(PAUSE_SECONDS)
    return list(words)


def home_argument(home: Home) -> str:
    """The argument of a server's process that names its home."""
    return f"--home-dir={home.root}"


def end(home: Home, launch: Launch, patience: float) -> bool:
    """Ask the launched process to end and wait until it has; False when it lived no more.

    Raises:
        ServerError: it has not ended after ``patience`` seconds; it is left alone.
    """
    process = find(home, launch)
    if process is None:
        return False
    with suppress(psutil().NoSuchProcess):
        process.terminate()
    begun = time.monotonic()
    until = begun + patience
    # Not the process's own wait: one whose parent does not look after it stays in the list although it has ended.
    while find(home, launch) is not None:
        # A server that cannot write waits for room for ever; what was committed is in its logs.
        if time.monotonic() > begun + FULL_SECONDS and is_full(home.data):
            with suppress(psutil().NoSuchProcess):
                process.kill()
        if time.monotonic() > until:
            raise ServerError(
                f"The server (process {launch.pid}) has not stopped after {patience:.0f} seconds.",
                "It may still be writing; look into its log (`qcg server logs`) and stop it again.",
            )
        time.sleep(PAUSE_SECONDS)
    child = _children.pop(launch.pid, None)
    if child is not None:
        child.wait()  # the last of its threads may end after it
    return True


def _reap(pid: int) -> None:
    child = _children.get(pid)
    if child is not None and child.poll() is not None:
        del _children[pid]
