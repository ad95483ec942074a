"""What makes a function a command: its options, the database that it is given, and how its result is shown."""

from __future__ import annotations

import inspect
import signal
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import fields, replace
from pathlib import Path
from typing import Any, get_type_hints

import click

from bench.databases import empty_database, facts, own_database
from bench.figures import Result, as_markdown, columns, rows
from qcg_neo4j.cli.command import COMMAND, Command, option
from qcg_neo4j.cli.command import Option as ShownOption
from qcg_neo4j.cli.options import Typed, json_option, settings_options
from qcg_neo4j.cli.terminal import notices, print_json, print_table, results, starting
from qcg_neo4j.core.errors import InputError
from qcg_neo4j.core.settings import Settings, setting_type
from qcg_neo4j.database.graph import Graph
from qcg_neo4j.server import ServerSettings

Option = Callable[[Callable[..., Any]], Callable[..., Any]]
Measure = Callable[..., Result]

_SHOWN: tuple[Option, ...] = (
    option(
        "--output",
        type=click.Path(path_type=Path, file_okay=False),
        metavar="FOLDER",
        help="Folder in which the table is written as Markdown, with the command on top.",
    ),
    json_option,
)


def every_setting(kind: type[Settings]) -> Iterator[Typed]:
    """Each setting of the class as an option."""
    for declared in fields(kind):
        name = f"--{declared.name.replace('_', '-')}"
        is_flag = setting_type(get_type_hints(kind)[declared.name]) is bool
        names = (f"{name}/--no-{name.removeprefix('--')}",) if is_flag else (name,)
        yield Typed(declared.name, "VALUE", declared.metadata["help"], names)


_WHERE: tuple[Option, ...] = (
    settings_options(
        ServerSettings, "server", *(one for one in every_setting(ServerSettings) if one.key != "embedding")
    ),
    option(
        "--uri",
        help="Address of an EMPTY database, emptied again at the end; the password comes from NEO4J_PASSWORD. "
        "[default: a server of its own in a temporary home]",
    ),
    option("--user", help="Name of the user at --uri; NEO4J_USERNAME."),
    option("--database", help="Name of the database at --uri; NEO4J_DATABASE."),
)


class Numbers(ShownOption):
    """An option that takes whole numbers: ``10000,100000`` -> ``(10000, 100000)``."""


def numbers(name: str, default: str, meaning: str) -> Option:
    """Add an option that takes whole numbers."""
    return click.option(name, cls=Numbers, callback=_numbers, default=default, show_default=True, help=meaning)


def _numbers(_: click.Context, option: click.Parameter, text: str) -> tuple[int, ...]:
    try:
        return tuple(int(part) for part in text.split(","))
    except ValueError:
        raise click.BadParameter("must be whole numbers such as 10000,100000", param=option) from None


class Measurement(Command):
    """A command with the class of its settings."""

    settings: type[Settings]


def measurement(
    kind: type[Settings], *options: Option, database: bool = True, with_apoc: bool = False
) -> Callable[[Measure], Measurement]:
    """Make the function a command of its name that shows the result.

    It is called with an empty database, if it needs one, with ``settings``, and with the value of each option.
    """

    def decorate(measure: Measure) -> Measurement:
        name = measure.__name__

        def run(output: Path | None, as_json: bool, **values: Any) -> None:
            values["settings"] = values.pop(f"bench_{name}")
            command = click.get_current_context().meta[COMMAND]

            def show(result: Result) -> None:
                _show(replace(result, command=command), name, output, as_json)

            if database:
                _in_database(measure, values, with_apoc, show)
            else:
                show(measure(**values))

        every = (
            *options,
            settings_options(kind, f"bench_{name}", *every_setting(kind)),
            *(_WHERE if database else ()),
            *_SHOWN,
        )
        decorated: Callable[..., Any] = run
        for add in reversed(every):
            decorated = add(decorated)
        told = (inspect.getdoc(measure) or "").partition("\n\n")[0]
        command = click.command(name.replace("_", "-"), cls=Measurement, help=told, short_help=told)(decorated)
        command.settings = kind
        return command

    return decorate


def _in_database(measure: Measure, values: dict[str, Any], with_apoc: bool, show: Callable[[Result], None]) -> None:
    place = {name: values.pop(name) for name in ("uri", "user", "database", "server")}
    with _database(**place, with_apoc=with_apoc) as graph:
        show(replace(measure(graph, **values), facts=facts(graph)))  # before the server goes, which may take minutes


@contextmanager
def _database(
    uri: str | None, user: str | None, database: str | None, server: ServerSettings, with_apoc: bool
) -> Iterator[Graph]:
    signal.signal(signal.SIGTERM, signal.default_int_handler)  # so that a server of its own goes with the command
    with ExitStack() as opened:
        if uri:
            yield opened.enter_context(empty_database(uri, user, database))
            return
        with starting("Starting Neo4j") as progress:
            graph = opened.enter_context(own_database(server, progress, with_apoc=with_apoc))
        yield graph


def _show(result: Result, name: str, folder: Path | None, as_json: bool) -> None:
    if folder:
        _write(result, folder / f"{name}.md")
    if as_json:
        print_json(result.as_dict())
        return
    print_table(f"{result.title} ({result.unit})", columns(result), rows(result))
    for note in (*(f"{fact}: {value}" for fact, value in result.facts.items()), *result.notes):
        results().print(f"- {note}", markup=False)


def _write(result: Result, file: Path) -> None:
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(as_markdown(result), encoding="utf-8")
    except OSError as error:
        raise InputError(f"{file} cannot be written: {error.strerror}.") from None
    notices().print(f"Written to {file}.", markup=False)
