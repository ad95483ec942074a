"""Whether a started server answers; and if it does not come up, why."""

from __future__ import annotations

import base64
import http.client
import json
import re
import socket
import time

from qcg_neo4j.core.errors import ServerError
from qcg_neo4j.server.credentials import USER
from qcg_neo4j.server.home import Home, check_room, is_full, read_password
from qcg_neo4j.server.packages import package
from qcg_neo4j.server.ports import LOOPBACK
from qcg_neo4j.server.process import find
from qcg_neo4j.server.state import Launch, Record

PAUSE_SECONDS = 0.05
ANSWER_SECONDS = 5
STATE = "SHOW HOME DATABASE YIELD currentStatus"  # asked of the database system, which always has that name
TELLING = re.compile(r"\bERROR\b|Exception|^Error|Caused by|^Unrecognized|Could not|Invalid", re.MULTILINE)


def await_ready(home: Home, launch: Launch, record: Record, patience: float) -> None:
    """Wait until the database answers a request with our password, which no other process than the launched one gets.

    Raises:
        ServerError: the process ended, the disk is full, or ``patience`` seconds are over; with the reason
            from the log.
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
    psutil = package("psutil")
    try:
        connections = psutil.Process(pid).net_connections("tcp")
    except psutil.NoSuchProcess:
        return False
    except psutil.AccessDenied:  # some systems keep it to themselves
        return True
    return ports <= {found.laddr.port for found in connections if found.status == psutil.CONN_LISTEN}


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


def reason(home: Home, lines: int = 8) -> str:
    """The lines of the log with the error, else its last lines."""
    try:
        log = home.log.read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:
        return "It left no log."
    telling = [line for line in log if TELLING.search(line)] or log
    return "\n".join(f"  {line.strip()[:300]}" for line in telling[-lines:]) or "It left an empty log."
