"""Start and stop the server of a home; every step under the home's lock, so that two at once do not collide."""

from __future__ import annotations

import os
import shlex
import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from threading import current_thread, main_thread

from qcg_neo4j.core.errors import ServerError
from qcg_neo4j.core.progress import Progress, silent
from qcg_neo4j.server.artefacts import fetch
from qcg_neo4j.server.configuration import ensure_password, write_configuration, write_java_options
from qcg_neo4j.server.embedding import database_model, embedding_artefacts, embedding_jar, wants_embedding
from qcg_neo4j.server.home import (
    Home,
    Launch,
    Record,
    check_room,
    default_cache,
    forget_launch,
    read_launch,
    read_record,
    record_of,
    write_launch,
    write_record,
)
from qcg_neo4j.server.lines import LINES, VECTORS, Java, Line, find_java, known_line, read_lock
from qcg_neo4j.server.machine import (
    DEFAULT_BOLT,
    DEFAULT_HTTP,
    Ports,
    default_heap,
    default_page_cache,
    has_outgrown,
    store_size,
)
from qcg_neo4j.server.process import (
    ServerAddress,
    address_of,
    await_ready,
    end,
    find,
    home_argument,
    reason,
    running,
    spawn,
)
from qcg_neo4j.server.settings import DEFAULT_LINE, ServerSettings

ATTEMPTS = 3  # to find ports that nobody takes before the server has them
TAKEN = "PortBindException"  # how the server's log says that


def start(home: Path, settings: ServerSettings | None = None, progress: Progress = silent) -> ServerAddress:
    """Start the home's server where it does not run, and wait until it answers; returns where it is reached.

    Args:
        home: its folder, made where it is missing.
        settings: line, memory, ports; a server that already runs keeps its own.
        progress: told the bytes of downloads, done and in all, only where something has to be downloaded.

    Raises:
        ServerError: something is missing or wrong, or the server did not come up; says the reason.
    """
    settings, place = settings or ServerSettings(), Home(home)
    place.prepare()
    with locked(place, settings.patience):
        line = line_of(place, settings)
        launch = read_launch(place)
        if launch is None or find(place, launch) is None:
            _launch(place, line, settings, progress)
            return address_of(place)
        _check_model(place, settings)
        if not launch.ready:
            _finish(place, lambda: launch, settings.patience)  # whoever started it has gone away meanwhile
        return address_of(place)


def wants_memory(home: Path) -> bool:
    """Whether the home's server would take much more memory if it were started again, as its store has grown."""
    place = Home(home)
    launch = read_launch(place) if running(home) else None
    return launch is not None and launch.store is not None and has_outgrown(launch.store, store_size(place.data))


def stop(home: Path, patience: float = 180.0) -> bool:
    """Ask the home's server to stop and wait until it has; False when none was running.

    Raises:
        ServerError: it has not stopped after ``patience`` seconds; it is left alone.
    """
    place = Home(home)
    if not place.run.is_dir():
        return False
    with locked(place, patience):
        launch = read_launch(place)
        stopped = launch is not None and end(place, launch, patience)
        forget_launch(place)
        return stopped


def check_stopped(home: Path, patience: float) -> None:
    """Refuse an end of the home's server without a stop; waits for a stop that is under way.

    Raises:
        ServerError: the server has died; with the log's reason.
    """
    place = Home(home)
    with locked(place, patience):
        launch = read_launch(place)  # a stop forgets it, and another start has a process
        if launch is not None and find(place, launch) is None:
            raise ServerError(f"The server has died.\n{reason(place)}", f"The whole log is {place.log}.")


@contextmanager
def locked(home: Home, patience: float) -> Iterator[None]:
    """A lock on starting and stopping the home's server."""
    import filelock

    try:
        with filelock.FileLock(home.lock_file, timeout=patience):
            yield
    except filelock.Timeout:
        raise ServerError(
            f"Another start or stop of {home.root} is under way since {patience:.0f} seconds.", "Try again later."
        ) from None


def line_of(home: Home, settings: ServerSettings) -> Line:
    """The line of a home; for a new one that of the settings."""
    record = read_record(home)
    if record is None:
        if settings.line is None and home.has_data():  # a newer line would change the data for good
            raise ServerError(
                f"The home {home.root} has data, but no home.json that says by which line of Neo4j.",
                f"`qcg server start --line LINE` names it ({', '.join(LINES)}); `qcg server logs` shows the version.",
            )
        return LINES[settings.line or DEFAULT_LINE]
    if settings.line is not None and settings.line != record.line:
        raise ServerError(
            f"The home {home.root} is of the line {record.line}, not {settings.line}.",
            f"Leave --line out, or choose another --home for {settings.line}.",
        )
    return known_line(record.line, home.root)


def launch_files(home: Home, line: Line, settings: ServerSettings, progress: Progress) -> tuple[Java, Path]:
    """The Java of a home and the file of its options, with all jars there; what is missing is downloaded."""
    java = find_java(line, settings.java_home or os.environ.get("JAVA_HOME"))
    cache = Path(settings.cache).expanduser() if settings.cache else default_cache()
    plugin = embedding_jar() if wants_embedding(embedding_of(home, settings)) else None
    model = database_model(model_of(home, settings))
    jars = (*read_lock(line.name), *(embedding_artefacts(line.name, model) if plugin else ()))
    vectors = (f"--add-modules={VECTORS}",) if java.has_vectors else ()
    options = (*vectors, *model.options, *shlex.split(settings.java_options or ""))
    files = fetch(jars, cache, progress)
    heap = settings.heap or default_heap(store_size(home.data))
    return java, write_java_options(home, heap, files, [plugin] if plugin else [], options)


def embedding_of(home: Home, settings: ServerSettings) -> bool | None:
    """Whether the database embeds: as chosen, or as chosen before."""
    last = read_record(home)
    return settings.embedding if settings.embedding is not None or last is None else last.embedding


def model_of(home: Home, settings: ServerSettings) -> str | None:
    """The database's model as chosen, or as chosen before; a folder with its whole path."""
    last = read_record(home)
    chosen = settings.database_model or (last.database_model if last else None)
    is_folder = chosen is not None and database_model(chosen).artefact is None
    return str(Path(chosen).expanduser().resolve()) if chosen and is_folder else chosen


def _check_model(home: Home, settings: ServerSettings) -> None:
    """Refuse another model than the one that a running server embeds by."""
    last = read_record(home)
    runs, wanted = database_model(last.database_model if last else None), database_model(model_of(home, settings))
    if settings.database_model and runs != wanted:
        raise ServerError(
            f"The server of {home.root} runs and embeds with {runs.name!r}, not {wanted.name!r}.",
            "Stop it first (`qcg server stop`).",
        )


def _launch(home: Home, line: Line, settings: ServerSettings, progress: Progress) -> None:
    check_room(home.data)
    java, options = launch_files(home, line, settings, progress)
    for attempt in range(1, ATTEMPTS + 1):
        try:
            _launch_once(home, line, settings, java, options)
        except ServerError as error:
            # Another program has taken a port since: the next attempt sees that, and takes another.
            if TAKEN not in error.problem or attempt == ATTEMPTS:
                raise
        else:
            return


def _launch_once(home: Home, line: Line, settings: ServerSettings, java: Java, options: Path) -> None:
    last = read_record(home)
    last_bolt, last_http = (last.bolt_port, last.http_port) if last else (None, None)
    with Ports() as ports:
        record = Record(
            line.name,
            ports.take("Bolt", settings.bolt_port, last_bolt, DEFAULT_BOLT),
            ports.take("HTTP", settings.http_port, last_http, DEFAULT_HTTP),
            embedding_of(home, settings),
            model_of(home, settings),
        )
        store = store_size(home.data)
        page_cache = settings.page_cache or default_page_cache(store)
        write_configuration(home, page_cache, record.bolt_port, record.http_port)
        ensure_password(home)
        write_record(home, record)
        heap, is_chosen = settings.heap or default_heap(store), settings.heap or settings.page_cache
        places = (home_argument(home), f"--config-dir={home.configuration}", "--console-mode")
        told = f"{java.version}, computes with vectors: {java.program}" if java.has_vectors else java.version

        def launched() -> Launch:
            process = spawn([str(java.program), f"@{options}", line.main_class, *places], home)
            held = None if is_chosen else store
            launch = Launch(process.pid, process.create_time(), told, heap, store=held)
            write_launch(home, launch)
            return launch

        _finish(home, launched, settings.patience)


def _finish(home: Home, launched: Callable[[], Launch], patience: float) -> None:
    launch = None
    try:
        with _interrupts_wait():  # else a server could be left that nobody knows
            launch = launched()
        await_ready(home, launch, record_of(home), patience)
    except BaseException:  # an interrupt as well: what is half up must not stay
        if launch is not None:
            end(home, launch, patience)
            forget_launch(home)
        raise
    write_launch(home, replace(launch, ready=True))


@contextmanager
def _interrupts_wait() -> Iterator[None]:
    """Ctrl-C within the block takes effect at its end; it reaches the main thread alone."""
    if current_thread() is not main_thread():
        yield
        return
    came: list[int] = []
    handler = signal.signal(signal.SIGINT, lambda number, _: came.append(number))
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, handler)
        for number in came[:1]:
            signal.raise_signal(number)
