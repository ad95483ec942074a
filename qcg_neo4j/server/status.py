"""How a home and its server are: for people and programs."""

from __future__ import annotations

import time
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from qcg_neo4j.core.errors import ServerError, SettingsError
from qcg_neo4j.server.embedding import JAR, database_model
from qcg_neo4j.server.home import USER, Home, Launch, Record, is_full, read_launch, read_record
from qcg_neo4j.server.lines import known_line
from qcg_neo4j.server.machine import psutil
from qcg_neo4j.server.plugins import PLUGIN, version_of
from qcg_neo4j.server.process import ask, find, running


@dataclass(frozen=True)
class Status:
    """The state of a home.

    ``state`` is ``running``, ``starting``, ``stopped`` or ``absent`` (no server was ever started there). Sizes are in
    bytes, ``uptime`` in seconds. ``password_accepted`` says whether the server takes the password in the file,
    ``full`` that no space is left on the home's disk. What only a running server has is None otherwise. ``others`` are
    other homes whose servers run.
    """

    state: str
    home: Path
    line: str | None = None
    neo4j: str | None = None
    graph_data_science: str | None = None
    plugin: str | None = None
    embedding: bool | None = None
    embedding_model: str | None = None
    java: str | None = None
    uri: str | None = None
    http_uri: str | None = None
    user: str = USER
    password_file: Path | None = None
    password_accepted: bool | None = None
    pid: int | None = None
    uptime: float | None = None
    heap: str | None = None
    memory: int | None = None
    data: int = 0
    full: bool = False
    others: tuple[Path, ...] = ()


def status(home: Path) -> Status:
    """The state of the home; reads only."""
    place = Home(home)
    record, launch = read_record(place), read_launch(place)
    found = Status("absent", place.root) if record is None else _status(place, record, launch)
    return replace(found, full=place.data.is_dir() and is_full(place.data), others=_others(place))


def _others(place: Home) -> tuple[Path, ...]:
    """The other homes whose servers run."""
    named = "--home-dir="
    words = (process.info["cmdline"] or () for process in psutil().process_iter(["cmdline"]))
    homes = {Path(word.removeprefix(named)) for line in words for word in line if word.startswith(named)}
    others = []
    for home in sorted(homes - {place.root}):
        with suppress(ServerError):  # what another version of the package wrote there says nothing
            if running(home):
                others.append(home)
    return tuple(others)


def _status(place: Home, record: Record, launch: Launch | None) -> Status:
    process = find(place, launch) if launch else None
    line = known_line(record.line, place.root)
    stopped = Status(
        state="stopped",
        home=place.root,
        line=line.name,
        neo4j=line.neo4j,
        graph_data_science=line.gds,
        plugin=version_of(place.plugins / PLUGIN.name),
        embedding=(installed := (place.jars / JAR).exists()),
        embedding_model=_model(record) if installed else None,
        password_file=place.password_file,
        data=folder_size(place.data),
    )
    if launch is None or process is None:
        return stopped
    alive = replace(
        stopped,
        state="starting",
        java=launch.java,
        pid=launch.pid,
        uptime=max(0.0, round(time.time() - launch.created, 1)),  # the clock may have been set back
        heap=launch.heap,
        memory=_memory(process),
    )
    address = running(place.root)
    if address is None:
        return alive
    answer = ask(record.http_port, address.password)
    accepted = None if is_full(place.data) else answer  # what a server says that cannot write proves nothing
    return replace(alive, state="running", uri=address.uri, http_uri=address.http_uri, password_accepted=accepted)


def _model(record: Record) -> str:
    try:
        return database_model(record.database_model).name
    except SettingsError:  # the folder has gone since
        return str(record.database_model)


def _memory(process: Any) -> int | None:
    try:
        return int(process.memory_info().rss)
    except psutil().Error:  # it ended this moment
        return None


def folder_size(folder: Path) -> int:
    """The bytes of all files below a folder; files that vanish meanwhile do not count."""
    total = 0
    for path in folder.rglob("*"):
        with suppress(OSError):
            total += path.lstat().st_size
    return total
