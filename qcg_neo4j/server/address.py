"""Where a running embedded server is reached."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

from qcg_neo4j.server.credentials import USER
from qcg_neo4j.server.home import Home, read_password
from qcg_neo4j.server.ports import LOOPBACK
from qcg_neo4j.server.process import find
from qcg_neo4j.server.state import read_launch, read_record


@dataclass(frozen=True)
class ServerAddress:
    """How to log in; the password stays out of every printed form."""

    uri: str
    user: str
    password: str = field(repr=False)
    http_uri: str


def running(home: Path) -> ServerAddress | None:
    """The address of the home's server, or None when none runs or it is not up yet."""
    place = Home.at(home)
    launch = read_launch(place)
    if launch is None or not launch.ready or find(place, launch) is None:
        return None
    return address_of(place)


def address_of(home: Home) -> ServerAddress:
    """The address of the server that was started last."""
    record = read_record(home)
    assert record is not None  # noqa: S101 - written before anything is launched
    return ServerAddress(
        f"bolt://{LOOPBACK}:{record.bolt_port}", USER, read_password(home), f"http://{LOOPBACK}:{record.http_port}"
    )
