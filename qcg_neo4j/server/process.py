"""The server's process, never another's: started, recognized again, asked whether it answers, asked to end."""

from __future__ import annotations

import base64
import http.client
import json
import os
import re
import socket
import subprocess
import time
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from qcg_neo4j.core.errors import ServerError
from qcg_neo4j.server.home import (
    USER,
    Home,
    Launch,
    Record,
    check_room,
    is_full,
    read_launch,
    read_password,
    record_of,
)
from qcg_neo4j.server.machine import LOOPBACK, psutil

PAUSE_SECONDS = 0.05
REPLACED_SECONDS = 5.0
FULL_SECONDS = 15.0  # that a server may take to stop on a full disk
ANSWER_SECONDS = 5
STATE = "SHOW HOME DATABASE YIELD currentStatus"  # asked of the database system, which always has that name
TELLING = re.compile(r"\bERROR\b|Exception|^Error|Caused by|^Unrecognized|Could not|Invalid", re.MULTILINE)

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
    package, child = psutil(), _children.get(launch.pid)
    if child is not None and _has_ended(child, os.WNOHANG):
        del _children[launch.pid]
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
        _has_ended(child, 0)  # the last of its threads may end after it
    return True


def _has_ended(child: subprocess.Popen[bytes], how: int) -> bool:
    """Whether a child has ended; waits for that where ``how`` is 0.

    Popen's own way takes a lock, and an interrupt in between leaves it taken for ever.
    """
    try:
        number, status = os.waitpid(child.pid, how)
    except ChildProcessError:
        number, status = child.pid, 0
    if number:
        child.returncode = os.waitstatus_to_exitcode(status)
    return bool(number)


def await_ready(home: Home, launch: Launch, record: Record, patience: float) -> None:
    """Wait until the database answers a request with our password, which no other process than the launched one gets.

    Raises:
        ServerError: the process ended, the disk is full, or ``patience`` seconds are over; with the log's reason.
    """
    password, until = read_password(home), time.monotonic() + patience
    while time.monotonic() < until:
        if find(home, launch) is None:
            raise ServerError(f"The server did not start.\n{reason(home)}", f"The whole log is {home.log}.")
        ports = (record.bolt_port, record.http_port)
        if all(map(_is_open, ports)) and _listens(launch.pid, {*ports}):
            answer = ask(record.http_port, password)
            if answer is False and is_full(home.data):  # it cannot read who may log in
                break
            if answer is not None:
                return
        time.sleep(PAUSE_SECONDS)
    check_room(home.data)
    raise ServerError(
        f"The server does not answer after {patience:.0f} seconds.\n{reason(home)}", f"The whole log is {home.log}."
    )


def _is_open(port: int) -> bool:
    """Whether anybody listens there: asked in no time, while to look who it is takes a processor.

    Not by `is_free`, which would hold the port for a moment that the server may choose to take it.
    """
    with socket.socket() as asking:
        return asking.connect_ex((LOOPBACK, port)) == 0


def _listens(pid: int, ports: set[int]) -> bool:
    """Whether it is that process that has the ports: another program may have taken one at the same moment."""
    package = psutil()
    try:
        connections = package.Process(pid).net_connections("tcp")
    except package.NoSuchProcess:
        return False
    except package.AccessDenied:  # some systems keep it to themselves
        return True
    return ports <= {found.laddr.port for found in connections if found.status == package.CONN_LISTEN}


def ask(http_port: int, password: str) -> bool | None:
    """Whether the server takes the password and its default database is online; None where it does not say so yet."""
    token = base64.b64encode(f"{USER}:{password}".encode()).decode()
    headers = {"Authorization": f"Basic {token}", "Content-Type": "application/json"}
    connection = http.client.HTTPConnection(LOOPBACK, http_port, timeout=ANSWER_SECONDS)
    try:
        connection.request("POST", "/db/system/tx/commit", json.dumps({"statements": [{"statement": STATE}]}), headers)
        answer = connection.getresponse()
        body = answer.read()
    except (OSError, http.client.HTTPException):
        return None
    finally:
        connection.close()
    if answer.status == http.HTTPStatus.UNAUTHORIZED:
        return False
    return True if answer.status == http.HTTPStatus.OK and b'"online"' in body else None


def reason(home: Home) -> str:
    """The lines of the log with the error, else its last lines."""
    try:
        log = home.log.read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:
        return "It left no log."
    telling = [line for line in log if TELLING.search(line)] or log
    return "\n".join(f"  {line.strip()[:300]}" for line in telling[-8:]) or "It left an empty log."


@dataclass(frozen=True)
class ServerAddress:
    """How to log in; the password stays out of every printed form."""

    uri: str
    user: str
    password: str = field(repr=False)
    http_uri: str


def running(home: Path) -> ServerAddress | None:
    """The address of the home's server, or None when none runs or it is not up yet."""
    place = Home(home)
    launch = read_launch(place)
    if launch is None or not launch.ready or find(place, launch) is None:
        return None
    return address_of(place)


def address_of(home: Home) -> ServerAddress:
    """The address of the server that was started last."""
    record = record_of(home)
    return ServerAddress(
        f"bolt://{LOOPBACK}:{record.bolt_port}", USER, read_password(home), f"http://{LOOPBACK}:{record.http_port}"
    )
