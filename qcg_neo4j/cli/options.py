"""Options of the command line, and the settings that they, variables and files make."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from dataclasses import fields
from functools import wraps
from pathlib import Path
from typing import Any, NamedTuple, TypeVar, get_type_hints

import click
from click.core import ParameterSource

from qcg_neo4j.cli.command import ASSIGNED, FILE, PROFILE, TABLES, Decorator, Function, option, several
from qcg_neo4j.cli.tables import from_environment, value_in_words, variable
from qcg_neo4j.cli.terminal import GIVEN, notices
from qcg_neo4j.core.addresses import shown_addresses
from qcg_neo4j.core.errors import QcgError, SettingsError
from qcg_neo4j.core.settings import Settings, by_table, default_of, from_text, setting_type
from qcg_neo4j.database.corpora import DEFAULT
from qcg_neo4j.database.graph import Graph
from qcg_neo4j.database.schema import corpora_of
from qcg_neo4j.models.llm.settings import PROVIDERS

S = TypeVar("S", bound=Settings)
PLACES = "qcg.places"  # where the context keeps which models are named with their places
WHERE = "only documents with e.g. 'published >= 2025-01-01'"  # the help of --where
Connect = Callable[..., Any]  # its arguments go to `Graph.connect`


class Typed(NamedTuple):
    """A setting that is an option: its field, its metavariable, its meaning in a few words, other names."""

    key: str
    metavar: str = ""
    meaning: str = ""
    names: tuple[str, ...] = ()
    group: str = ""


def settings_options(kind: type[Settings], table: str, *typed: Typed) -> Decorator:
    """Let a command take the settings of a table; the command receives the checked value under the table's name.

    A setting comes from its option where it is ``typed``, else from ``--set``, else from its environment variable, else
    from the file given with ``--settings``, else it keeps its default.
    """

    def decorate(command: Function) -> Function:
        @wraps(command)
        def run(*args: Any, **values: Any) -> Any:
            given = {one.key: values.pop(f"{table}__{one.key}") for one in typed}
            values[table] = table_settings(kind, table, given)
            return command(*args, **values)

        add_tables(run, {table: kind})
        return several(*(typed_option(kind, table, one) for one in typed))(run)

    return decorate


def add_tables(command: Function, tables: Mapping[str, type[Settings]]) -> None:
    """Let the command know that it has the settings of these tables; the first one given is its own."""
    setattr(command, TABLES, {**tables, **getattr(command, TABLES, {})})


def typed_option(kind: type[Settings], table: str, typed: Typed) -> Decorator:
    """Add the option of a setting; its value is checked with all the others of its table."""
    declared = next(one for one in fields(kind) if one.name == typed.key)
    name = f"--{typed.key.replace('_', '-')}"
    default = value_in_words(default_of(declared))
    choices = declared.metadata["choices"]
    more: dict[str, Any] = (
        {"is_flag": True}
        if setting_type(get_type_hints(kind)[typed.key]) is bool
        else {"type": click.Choice(choices) if choices else str, "metavar": typed.metavar}
    )
    shown = f" [{default}]" if default and "is_flag" not in more else ""
    return option(
        *(typed.names or (name,)),
        f"{table}__{typed.key}",
        default=None,  # so that other places are asked where the option is not given
        help=f"{typed.meaning}{shown}",
        group=typed.group,
        **more,
    )


def table_settings(kind: type[S], table: str, typed: Mapping[str, Any], below: Mapping[str, Any] = {}) -> S:
    """The settings of a table, from options, ``--set``, variables and the file, over those of ``below``.

    Raises:
        SettingsError: a value is not in its range.
    """
    hints = get_type_hints(kind)
    written = {key: from_text(text, hints[key]) if isinstance(text, str) else text for key, text in typed.items()}
    place, chosen = _kept(PLACES, table), _kept(ASSIGNED, table)
    if click.get_current_context().get_parameter_source(f"{table}_place") is ParameterSource.COMMANDLINE:
        chosen |= place  # an option overrides --set, a variable does not
    lower = {**_kept(PROFILE, table), **_kept(FILE, table), **below, **from_environment(table, kind)}
    values = {
        **{key: value for key, value in lower.items() if not _is_replaced(key, value, place)},
        **place,
        **chosen,
        **{key: value for key, value in written.items() if value is not None},
    }
    try:
        return kind(**values)
    except SettingsError as error:
        raise SettingsError(by_table(error.problem, kind, table), error.remedy) from None


def _is_replaced(key: str, value: Any, place: Mapping[str, Any]) -> bool:
    """Whether a place that an option names replaces a setting below it: else a key could go to another's address.

    A provider without an address of its own goes with any.
    """
    if key == "endpoint":
        return "embedder" in place or _has_address(place.get("provider"))
    return "endpoint" in place and (key == "embedder" or (key == "provider" and _has_address(value)))


def _has_address(name: Any) -> bool:
    """Whether it names a provider that is at one address for all."""
    return any(provider.name == name and provider.address is not None for provider in PROVIDERS.values())


def _kept(where: str, table: str) -> dict[str, Any]:
    return dict(click.get_current_context().meta.get(where, {}).get(table, {}))


def is_given(table: str, key: str) -> bool:
    """Whether an option, ``--set``, a variable or the file says what a setting is."""
    return bool(os.environ.get(variable(table, key))) or any(
        key in _kept(where, table) for where in (FILE, PLACES, ASSIGNED)
    )


def name_and_place(text: str) -> tuple[str, str, str]:
    """NAME, the @ and PLACE; the place may be an address with a user and password, and so an @ of its own.

    >>> name_and_place("m@https://user:secret@host/v1"), name_and_place("http://host/v1")
    (('m', '@', 'https://user:secret@host/v1'), ('', '', 'http://host/v1'))
    """
    before, mark, rest = text.partition("://")
    name, at, place = before.rpartition("@")
    return name, at, place + mark + rest


def place_of_model(table: str, text: str) -> dict[str, Any]:
    """The settings that NAME[@PLACE] means; the place is an address, a provider, or where an embedder runs.

    >>> place_of_model("llm", "qwen2.5@http://localhost:11434/v1")
    {'model': 'qwen2.5', 'endpoint': 'http://localhost:11434/v1'}
    >>> place_of_model("llm", "gpt-4o-mini@openai"), place_of_model("embedding", "e5-small-v2@local")
    ({'model': 'gpt-4o-mini', 'provider': 'openai'}, {'model': 'e5-small-v2', 'embedder': 'local'})
    """
    name, at, place = name_and_place(text)
    if "://" in place:
        chosen = {"endpoint": place}
    elif at and table == "embedding" and place in ("database", "local", "auto"):
        chosen = {"embedder": place}
    elif at and table != "embedding" and place in PROVIDERS:
        chosen = {"provider": place}
    else:
        name, chosen = text, {}
    return {"model": name, **chosen} if name else dict(chosen)


def model_option(name: str, table: str, meaning: str) -> Decorator:
    """Add an option that names a model and where it is; the variable of its name says the same."""

    def keep(context: click.Context, _: click.Parameter, text: str | None) -> None:
        if text:
            context.meta.setdefault(PLACES, {})[table] = place_of_model(table, text)

    return option(
        name,
        f"{table}_place",
        metavar="NAME[@URL]",
        envvar=f"QCG_{name.removeprefix('--')}".upper(),
        expose_value=False,
        callback=keep,
        group="Model",
        help=meaning,
    )


def place_option(name: str, **more: Any) -> Decorator:
    """An option that says where the graph is; commands that a message advises get it as well."""
    return option(name, callback=_remember, **more)


def _remember(context: click.Context, parameter: click.Parameter, value: Any) -> Any:
    # What the environment says is there next time, too.
    if context.get_parameter_source(parameter.name or "") is ParameterSource.COMMANDLINE:
        context.meta.setdefault(GIVEN, {})[parameter.opts[-1]] = shown_addresses(str(value))
    return value


# For what needs no connection.
corpus_option = place_option(
    "--corpus", metavar="NAME", default=DEFAULT, envvar="QCG_CORPUS", help=f"for this corpus [{DEFAULT}]"
)


def connection_options(command: Function) -> Function:
    """Add the options that say where the database is; the command receives ``connect``, which opens the graph.

    The password comes from NEO4J_PASSWORD or from the embedded server's own file, never from an argument that
    other users of the machine could read.
    """

    @wraps(command)
    def run(*args: Any, uri: str | None, user: str | None, database: str | None, **rest: Any) -> Any:
        given = {name: rest.pop(name) for name in ("home", "corpus", "read_only", "own_labels")}

        def connect(**how: Any) -> Any:
            graph = Graph.connect(uri, user, None, database, **given, **how)
            # A person sees what the command waits for, and can end it.
            graph.patience, graph.tell = None, lambda sentence: notices().print(sentence, style="yellow")
            return graph

        return command(*args, connect=connect, **rest)

    return several(
        place_option("--uri", metavar="URI", group="Database", help="address of the server [the home's server]"),
        place_option("--database", metavar="NAME", group="Database", help="name of the database [the user's own]"),
        place_option("--user", metavar="NAME", group="Database", help="name of the user"),
        place_option(
            "--home", type=click.Path(path_type=Path), metavar="FOLDER", group="Database", help="home of a server"
        ),
        place_option(
            "--corpus",
            metavar="NAME",
            group="Database",
            help="one of the database's corpora [the default one]",
            shell_complete=_corpora,
        ),
        option("--read-only", is_flag=True, envvar="QCG_READ_ONLY", group="Database", help="refuse whatever writes"),
        option(
            "--own-labels",
            is_flag=True,
            envvar="QCG_OWN_LABELS",
            hidden=True,  # named by the error that it is the remedy of
            help="of a new corpus: no labels that other applications have",
        ),
    )(run)


def _corpora(context: click.Context, _: click.Parameter, beginning: str) -> list[str]:
    """The corpora of the database that the command line names so far, for completion; none where nothing answers."""
    uri, user, database, home = (context.params.get(name) for name in ("uri", "user", "database", "home"))
    try:
        with Graph.connect(uri, user, None, database, home=home) as graph:
            return [name for name in corpora_of(graph) if name.startswith(beginning)]
    except QcgError:
        return []


json_option = option("--json", "as_json", is_flag=True, help="print JSON")
