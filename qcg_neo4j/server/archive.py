"""Backup and restore of a home's graph as one file: Neo4j's own dump, load and check, while the server is stopped."""

from __future__ import annotations

import dataclasses
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from qcg_neo4j.core.errors import InputError, ServerError
from qcg_neo4j.core.progress import Progress, silent
from qcg_neo4j.server.configuration import default_database
from qcg_neo4j.server.control import embedding_of, launch_files, line_of, locked, model_of
from qcg_neo4j.server.home import Home, Record, read_launch, read_record, write_record
from qcg_neo4j.server.machine import DEFAULT_BOLT, DEFAULT_HTTP
from qcg_neo4j.server.process import find, java_environment
from qcg_neo4j.server.settings import ServerSettings

ADMINISTRATION = "org.neo4j.cli.AdminTool"
_SILENCED = (
    "WARNING",
    "Files:",
    "Done:",
    "Load failed",
    "Run with",
    "-----",
    "Command Failed",
)  # of what its commands say
_NO_DUMP = "Not a valid Neo4j archive"


def backup(
    home: Path,
    file: Path,
    settings: ServerSettings | None = None,
    *,
    replace: bool = False,
    progress: Progress = silent,
) -> int:
    """Write the graph of a home with a stopped server into a file; returns its size in bytes.

    It is a dump as `neo4j-admin database load` takes it; user and password are not in it.

    Raises:
        InputError: the file is there, and ``replace`` is not set.
        ServerError: the server runs, there is no graph, or the dump failed; then there is no new file.
    """
    if file.exists() and not replace:
        raise InputError(f"{file} is there already.", "Name another file, or give --replace.")
    settings, place = settings or ServerSettings(), Home(home)
    if not place.has_data():
        raise ServerError(f"No server was ever started in {place.root}.", "Name the folder of the server with --home.")
    with _standing_still(place, settings, progress) as java, _folder_beside(file) as folder:
        database = default_database(place)
        _run(place, java, place.configuration, "dump", database, f"--to-path={folder}")
        fresh = folder / f"{database}.dump"
        _run(place, java, place.configuration, "load", database, "--info", f"--from-path={folder}")
        fresh.replace(file)
    return file.stat().st_size


def restore(
    home: Path,
    file: Path,
    settings: ServerSettings | None = None,
    *,
    replace: bool = False,
    progress: Progress = silent,
) -> None:
    """Load the graph of a file into a home with a stopped server; creates the home if missing.

    The file is unpacked beside what is there, and checked as a whole; only then the one takes the place of the other.

    Raises:
        InputError: there is no such file, it is no dump, or the home has a graph already and ``replace`` is not set.
        ServerError: the server runs, or the file holds no sound graph for its line; then nothing has changed.
    """
    if not file.is_file():
        raise InputError(f"There is no file {file}.")
    settings, place = settings or ServerSettings(), Home(home)
    place.prepare()
    database = default_database(place)
    if (place.data / "databases" / database).exists() and not replace:
        raise InputError(f"The home {place.root} has a graph already.", "Name another --home, or give --replace.")
    with (
        _standing_still(place, settings, progress) as java,
        tempfile.TemporaryDirectory(dir=place.run, prefix="restore-") as name,
    ):
        scratch = Path(name)
        # Below the parent of the configuration's folder, which `_run` names as the home.
        (scratch / "neo4j.conf").write_text(f"server.directories.data={scratch.name}/data\n", encoding="utf-8")
        (scratch / f"{database}.dump").symlink_to(file.resolve())
        try:
            _run(place, java, scratch, "load", database, f"--from-path={scratch}")
        except ServerError as error:
            if _NO_DUMP in error.problem:
                raise InputError(f"{file} is no dump of Neo4j.", "Give one that qcg or neo4j-admin wrote.") from None
            raise
        _run(place, java, scratch, "check", database, f"--report-path={scratch}")
        _swap(scratch / "data", place.data, database)
        last = read_record(place) or Record(line_of(place, settings).name, DEFAULT_BOLT, DEFAULT_HTTP)
        embedding, model = embedding_of(place, settings), model_of(place, settings)
        write_record(place, dataclasses.replace(last, embedding=embedding, database_model=model))


@contextmanager
def _standing_still(home: Home, settings: ServerSettings, progress: Progress) -> Iterator[list[str]]:
    """The home without a server and nobody who could start one; the command that runs Java with its jars."""
    with locked(home, settings.patience):
        launch = read_launch(home)
        if launch is not None and find(home, launch) is not None:
            raise ServerError(
                f"The server of {home.root} runs.", "Stop it first (`qcg server stop`), and start it again afterwards."
            )
        java, options = launch_files(home, line_of(home, settings), settings, progress)
        yield [str(java.program), f"@{options}", ADMINISTRATION, "database"]


def _run(home: Home, java: list[str], configuration: Path, *arguments: str) -> None:
    environment = {**java_environment(), "NEO4J_HOME": str(configuration.parent), "NEO4J_CONF": str(configuration)}
    found = subprocess.run(  # noqa: S603 - our own command
        [*java, *arguments], env=environment, cwd=home.root, capture_output=True, text=True, check=False, umask=0o077
    )
    if found.returncode:
        lines = [line.strip() for line in (found.stderr + found.stdout).splitlines()]
        told = list[str]()
        for line in lines:
            if line and not line.startswith(_SILENCED) and not any(line in other for other in told):
                told.append(f"  {line[:300]}")
        raise ServerError(
            "\n".join([f"Neo4j's {arguments[0]} failed.", *told[-5:]]),
            "Nothing has changed. A dump can be loaded by the line that made it, and by a newer one.",
        )


@contextmanager
def _folder_beside(file: Path) -> Iterator[Path]:
    """A folder that goes away, on the same disk as the file, so that this one appears whole or not at all."""
    try:
        with tempfile.TemporaryDirectory(dir=file.absolute().parent, prefix=".qcg-") as folder:
            yield Path(folder)
    except OSError as error:
        raise ServerError(f"{file} cannot be written: {error.strerror or error}.", "Name another file.") from None


def _swap(fresh: Path, data: Path, database: str) -> None:
    """Put the fresh folders into the place of those that are there; what is there goes when all are in place."""
    places = (f"databases/{database}", f"transactions/{database}")
    for name in places:
        before = data / f"{name}.before"
        shutil.rmtree(before, ignore_errors=True)
        if (data / name).exists():
            (data / name).rename(before)
        (data / name).parent.mkdir(parents=True, exist_ok=True)
        (fresh / name).rename(data / name)
    for name in places:
        shutil.rmtree(data / f"{name}.before", ignore_errors=True)
