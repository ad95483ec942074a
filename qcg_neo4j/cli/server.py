"""``qcg server``: a Neo4j server of your own."""

from __future__ import annotations

import os
import signal
import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from dataclasses import asdict
from pathlib import Path
from typing import Any

import click
from rich.filesize import decimal
from rich.table import Table

from qcg_neo4j import server as home_server
from qcg_neo4j.cli.command import Group, option, several
from qcg_neo4j.cli.models import given_home
from qcg_neo4j.cli.options import Typed, corpus_option, json_option, place_option, settings_options
from qcg_neo4j.cli.terminal import advice, notices, print_json, results, starting
from qcg_neo4j.core.errors import ServerError
from qcg_neo4j.database.graph import Graph
from qcg_neo4j.interfaces.browser import GuideRoute, write_files
from qcg_neo4j.models.embedding.known_models import DEFAULT_MODEL
from qcg_neo4j.server import ServerAddress, ServerSettings, Status, default_home, log_file
from qcg_neo4j.server.control import check_stopped
from qcg_neo4j.server.lines import LINES
from qcg_neo4j.server.machine import DEFAULT_BOLT, DEFAULT_HTTP
from qcg_neo4j.server.settings import DEFAULT_LINE

PAUSE_SECONDS = 0.3
home_option = place_option(
    "--home",
    type=click.Path(file_okay=False, path_type=Path),
    metavar="FOLDER",
    envvar="QCG_HOME",
    default=default_home,
    help="folder of the server [in the user's data folder]",
)
_line = Typed("line", "LINE", f"line of Neo4j: {' or '.join(LINES)} [the home's, else {DEFAULT_LINE}]")
_heap = Typed("heap", "SIZE", "heap, such as 2g [a quarter of the memory]")
_embedding = (
    Typed("embedding", "", "let the database embed [as before, else yes]", ("--embedding/--no-embedding",)),
    Typed("database_model", "MODEL", f"model that the database embeds with [as before, else {DEFAULT_MODEL}]"),
    Typed("cache", "FOLDER", "folder of downloads, shared by all homes"),
)
start_options = several(
    home_option,
    settings_options(
        ServerSettings,
        "server",
        _line,
        _heap,
        Typed("page_cache", "SIZE", "page cache, such as 512m [the store's size]"),
        Typed("bolt_port", "PORT", f"port of Bolt [the last, {DEFAULT_BOLT} or a free one]"),
        Typed("http_port", "PORT", f"port of Browser [the last, {DEFAULT_HTTP} or a free one]"),
        *_embedding,
    ),
)
archive_options = several(
    home_option,
    settings_options(ServerSettings, "server", _line, _heap, *_embedding),
    option("--replace", is_flag=True, help="overwrite what is there"),
    click.argument("file", type=click.Path(dir_okay=False, path_type=Path)),
)


@click.group(cls=Group)
def server() -> None:
    """Run a Neo4j server of your own, with Graph Data Science and Browser."""


@server.command()
@start_options
@json_option
def start(home: Path, server: ServerSettings, as_json: bool) -> None:
    """Start the server and wait until it answers; a running server stays as it is."""
    address = started(home, server)
    if as_json:
        print_json(asdict(home_server.status(home)))
    else:
        _print_address(home, address)


@server.command()
@home_option
@option("--patience", type=click.FloatRange(min=1), metavar="SECONDS", default=180.0, help="longest wait [180]")
def stop(home: Path, patience: float) -> None:
    """Stop the server and wait until all is written."""
    with notices().status("Stopping Neo4j"):
        stopped = home_server.stop(home, patience)
    results().print("The server has stopped." if stopped else "No server was running.")


@server.command()
@home_option
@json_option
def status(home: Path, as_json: bool) -> None:
    """Show address, user, where the password is, versions, memory and size of the data."""
    found = home_server.status(home)
    if as_json:
        print_json(asdict(found))
    else:
        _print_facts(f"Neo4j: {found.state}", _facts(found))


@server.command()
@home_option
@option("-n", "--lines", type=click.IntRange(min=0), metavar="N", default=50, help="last N lines [50]")
@option("-f", "--follow", is_flag=True, help="print new lines until Ctrl-C")
def logs(home: Path, lines: int, follow: bool) -> None:
    """Print the log of the server's last start."""
    path = log_file(home)
    if not path.is_file():
        raise ServerError(f"There is no log in {home}.", "Start a server there with `qcg server start`.")
    with path.open(encoding="utf-8", errors="replace") as log:
        last = deque(log, maxlen=lines)
    for line in last:
        click.echo(line.rstrip("\n"))
    if follow:
        with suppress(KeyboardInterrupt):
            _follow(path)


@server.command()
@archive_options
def backup(home: Path, server: ServerSettings, file: Path, replace: bool) -> None:
    """Write the graph of a stopped server into FILE, a dump of Neo4j."""
    with starting("Writing the backup") as progress:
        size = home_server.backup(home, file, server, replace=replace, progress=progress)
    results().print(f"{file} has {decimal(size)}.")


@server.command()
@archive_options
def restore(home: Path, server: ServerSettings, file: Path, replace: bool) -> None:
    """Load the dump FILE into the home; it is checked first."""
    with starting("Restoring") as progress:
        home_server.restore(home, file, server, replace=replace, progress=progress)
    results().print(advice(f"The graph of {file} is in {home}; `qcg server start` starts its server."), soft_wrap=True)


@server.command(name="open")
@home_option
@option("--guide/--no-guide", "with_guide", default=True, help="serve guide, style and favourites (default)")
@corpus_option
def open_browser(home: Path, with_guide: bool, corpus: str) -> None:
    """Open Browser with the guide, and print its address and login.

    Guide, style and favourites are served until Ctrl-C; --no-guide returns at once.
    """
    if (address := home_server.running(home)) is None:
        raise ServerError(f"No server runs in {home}.", "Start one with `qcg server start`.")
    if not with_guide:
        _print_address(home, address)
        click.launch(browser_uri(address))
        return
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    with suppress(KeyboardInterrupt), GuideRoute(corpus) as route:
        _print_address(home, address, route.guide)
        click.launch(browser_uri(address, route.guide))
        notices().print("Guide, style and favourites are served until Ctrl-C.")
        while True:
            time.sleep(PAUSE_SECONDS)


@server.command()
@start_options
def run(home: Path, server: ServerSettings) -> None:
    """Run the server until Ctrl-C, showing its log; then stop it cleanly. A server that dies is an error."""
    signal.signal(signal.SIGTERM, signal.default_int_handler)  # a supervisor's way to say Ctrl-C
    try:
        _print_address(home, started(home, server))
        _follow(log_file(home), lambda: home_server.running(home) is not None)
        check_stopped(home, server.patience)
    except KeyboardInterrupt:
        with notices().status("Stopping Neo4j"):
            home_server.stop(home, server.patience)
    results().print("The server has stopped.")


@server.command()
@click.argument("folder", type=click.Path(file_okay=False, path_type=Path))
@option("--line", type=click.Choice([*LINES]), metavar="LINE", default=DEFAULT_LINE, help=f"its Neo4j [{DEFAULT_LINE}]")
@option(
    "--database-model", "model", metavar="MODEL", default=DEFAULT_MODEL, help=f"model to embed with [{DEFAULT_MODEL}]"
)
def plugins(folder: Path, line: str, model: str) -> None:
    """Copy our plug-ins into FOLDER, the plug-in folder of another server.

    Restart that server afterwards.
    """
    with starting("Copying") as progress:
        jars = home_server.put_embedding(folder, line, home_server.default_cache(), progress, model)
    for jar in jars:
        results().print(str(jar))


@server.command()
@click.argument("folder", type=click.Path(file_okay=False, path_type=Path))
@option("--address", metavar="URL", required=True, help="address of FOLDER, such as https://example.org/qcg")
@corpus_option
def guide(folder: Path, address: str, corpus: str) -> None:
    """Write guide, style and favourites into FOLDER for a web server.

    The web server must send `Access-Control-Allow-Origin: *`, and the database must allow its host in
    browser.remote_content_hostname_whitelist. Then: `:play ADDRESS/guide.html`.
    """
    for file in write_files(folder, address.rstrip("/"), corpus):
        results().print(str(file))


def started(home: Path, settings: ServerSettings) -> ServerAddress:
    """Start the home's server where it does not run, and show what that takes."""
    with starting("Starting Neo4j") as progress:
        return home_server.start(home, settings, progress)


def say_if_it_wants_memory(graph: Graph) -> None:
    """After much was written to the home's own server: that it takes more memory when it is started again."""
    home = given_home() or default_home()
    found = home_server.running(home)
    if found is not None and found.uri == graph.address.uri and home_server.wants_memory(home):
        notices().print(
            advice(
                "The graph has outgrown the memory that its server took. Start it again to give it more: "
                "`qcg server stop`, `qcg server start`."
            ),
            style="yellow",
            soft_wrap=True,
        )


def browser_uri(address: ServerAddress, guide: str | None = None) -> str:
    """Where Browser is, with the connection filled in, and the address of a guide that it is to show."""
    shown = f"&cmd=play&arg={guide}" if guide else ""
    return f"{address.http_uri}/browser/?connectURL={address.user}@{address.uri.removeprefix('bolt://')}{shown}"


def _print_address(home: Path, address: ServerAddress, guide: str | None = None) -> None:
    found = home_server.status(home)
    facts = (
        ("Browser", browser_uri(address, guide)),
        ("Bolt", address.uri),
        ("User", address.user),
        ("Password", _password(found)),
        ("Java", found.java or ""),
    )
    _print_facts("Neo4j is running", facts)


def _facts(found: Status) -> Iterator[tuple[str, Any]]:
    yield "Home", found.home
    yield "Line", found.line
    yield "Neo4j", found.neo4j
    yield "Graph Data Science", found.graph_data_science
    yield "Plug-in qcg", found.plugin
    if found.embedding is not None:
        yield "Embedding", f"in the database, by {found.embedding_model}" if found.embedding else "not installed"
    yield "Java", found.java
    yield "Browser", found.http_uri and f"{found.http_uri}/browser/"
    yield "Bolt", found.uri
    yield "User", found.user if found.line else None
    yield "Password", _password(found) if found.password_file else None
    yield "Process", found.pid
    yield "Up for", None if found.uptime is None else f"{found.uptime:,.0f} s"
    yield "Memory", None if found.memory is None else f"{decimal(found.memory)} (heap up to {found.heap})"
    yield "Data", decimal(found.data) if found.line else None
    yield "Disk", "no space is left: make room, stop the server and start it again" if found.full else None
    for home in found.others:
        yield "Also running", f"{home} (--home or QCG_HOME chooses it)"


def _password(found: Status) -> str:
    refused = found.password_accepted is False
    return f"in {found.password_file}{' (the server does not accept it: write the new one there)' if refused else ''}"


def _print_facts(title: str, facts: Iterable[tuple[str, Any]]) -> None:
    table = Table(title=title, title_justify="left", show_header=False, box=None, pad_edge=False)
    table.add_column(style="bold", no_wrap=True)
    table.add_column(overflow="fold")
    for name, value in facts:
        if value is not None:
            table.add_row(name, str(value))
    results().print(table)


def _follow(path: Path, alive: Callable[[], bool] = lambda: True) -> None:
    with path.open(encoding="utf-8", errors="replace") as log:
        log.seek(0, os.SEEK_END)
        while alive():
            if os.fstat(log.fileno()).st_size < os.lseek(log.fileno(), 0, os.SEEK_CUR):  # another start has emptied it
                log.seek(0)
            while line := log.readline():
                click.echo(line, nl=False)
            time.sleep(PAUSE_SECONDS)
