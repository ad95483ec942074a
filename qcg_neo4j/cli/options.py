"""Options of the command line, made from the declarations of the settings, and the connection options."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import Field, fields
from functools import wraps
from pathlib import Path
from typing import Any, TypeVar, get_type_hints

import click

from qcg_neo4j.cli.advice import remember
from qcg_neo4j.core.errors import SettingsError
from qcg_neo4j.core.settings import (
    Settings,
    check_table,
    default_of,
    from_mapping,
    nearest,
    read_settings_file,
    setting_type,
)
from qcg_neo4j.database.corpora import DEFAULT

F = TypeVar("F", bound=Callable[..., Any])
Connect = Callable[..., Any]  # what it is given goes to `Graph.connect`
# The tables of a settings file: one per verb that has settings, and those that several verbs share.
SECTIONS = (
    *(
        "server",
        "index",
        "load",
        "adopt",
        "generate",
        "extract",
        "resolve",
        "build",
        "communities",
        "report",
        "synonyms",
        "atoms",
    ),
    *("questions", "link_predictor", "retrieve", "around", "mcp"),
    *("evaluate", "evaluate_questions", "evaluate_pairwise", "evaluate_claims", "evaluate_answers"),
    *("embedding", "language_model", "judge"),
)


def settings_options(
    kind: type[Settings], section: str, *, shared: bool = False, hidden: bool = False
) -> Callable[[F], F]:
    """Add one option per setting; the command receives the checked value under the section's name.

    A setting comes from the option, else from ``QCG_<SECTION>_<NAME>``, else from the table ``[section]`` of the
    file given with ``--settings``, else it keeps its default. Options of a ``shared`` section carry its name:
    ``--embedding-batch-size``. Those of a ``hidden`` one can be given, and are not in the help.
    """
    hints = get_type_hints(kind)

    def decorate(command: F) -> F:
        @wraps(command)
        def run(*args: Any, **values: Any) -> Any:
            given = {name: values.pop(f"{section}__{name}") for name in hints if f"{section}__{name}" in values}
            values[section] = from_mapping(kind, _merged(kind, section, given), section)
            return command(*args, **values)

        for declared in reversed(fields(kind)):
            run = _option(declared, hints[declared.name], section, shared=shared, hidden=hidden)(run)
        return run  # type: ignore[return-value] # click changes the signature

    return decorate


def _merged(kind: type[Settings], section: str, given: Mapping[str, Any]) -> dict[str, Any]:
    from_file = _section(section)
    names = [declared.name for declared in fields(kind)]
    for name in from_file:
        if name not in names:
            raise SettingsError(
                f"[{section}] of the settings file: there is no setting {name!r}.", nearest(name, names)
            )
    return {**from_file, **{name: value for name, value in given.items() if value is not None}}


def _section(section: str) -> dict[str, Any]:
    context = click.get_current_context(silent=True)
    table: Any = (context.meta.get("qcg.settings") if context else None) or {}
    for part in section.split("."):
        table = table.get(part, {})
        check_table(table, f"{part} of the settings file", f"[{section}]")
    profile = context.meta.get("qcg.profile", {}) if context else {}
    return {**profile.get(section, {}), **table}


def file_section(section: str) -> dict[str, Any]:
    """The table of that name in the settings file of this call, over that of its profile; empty without both."""
    return _section(section)


def _option(declared: Field[Any], hint: Any, section: str, *, shared: bool, hidden: bool) -> Callable[[F], F]:
    name = declared.name.replace("_", "-")
    prefix = section.replace("_", "-").replace(".", "-")
    if shared:
        name = declared.metadata["option"] or (prefix if prefix.endswith(f"-{name}") else f"{prefix}-{name}")
    variable = name if shared else f"{prefix}-{name}"
    kind = setting_type(hint)
    flag = f"--{name}/--no-{name}" if kind is bool else f"--{name}"
    choices = declared.metadata.get("choices")
    return click.option(
        flag,
        f"{section}__{declared.name}",
        type=click.Choice(choices) if choices else kind,
        default=None,  # so that a value from the settings file can be told from the default
        envvar=f"QCG_{variable.replace('-', '_').upper()}",
        help=_help(declared),
        hidden=hidden,
    )


def _help(declared: Field[Any]) -> str:
    default, source = default_of(declared), declared.metadata.get("source")
    shown = (
        ""
        if default is None or default == ""
        else f"default: {str(default).lower() if isinstance(default, bool) else default}"
    )
    note = "; ".join(part for part in (shown, source) if part)
    return f"{declared.metadata['help']}{f' [{note}]' if note else ''}"


def _read_settings(context: click.Context, _: click.Parameter, path: Path | None) -> None:
    settings = read_settings_file(path) if path else {}
    for section in settings:
        if section not in SECTIONS:
            raise SettingsError(f"{path}: there is no table [{section}].", nearest(section, list(SECTIONS)))
    context.meta["qcg.settings"] = settings


def settings_file_option(command: F) -> F:
    """Add ``--settings FILE``: a TOML file with a table per section."""
    return click.option(
        "--settings",
        type=click.Path(path_type=Path),
        envvar="QCG_SETTINGS",
        is_eager=True,
        expose_value=False,
        callback=_read_settings,
        help="A TOML file of settings, one table per verb.",
    )(command)


def place_option(name: str, **more: Any) -> Callable[[F], F]:
    """An option that says where the graph is; commands that a message advises get it as well."""
    return click.option(name, callback=remember, **more)


def corpus_option(command: F) -> F:
    """Add ``--corpus`` for what needs no connection; the command receives ``corpus``."""
    return place_option(
        "--corpus", default=DEFAULT, envvar="QCG_CORPUS", show_default=True, help="The corpus that it is for."
    )(command)


def connection_options(command: F) -> F:
    """Add the options that say where the database is; the command receives ``connect``, which opens the graph.

    The password comes from NEO4J_PASSWORD or from the embedded server's own file, never from an argument that
    other users of the machine could read.
    """

    @wraps(command)
    def run(*args: Any, uri: str | None, user: str | None, database: str | None, **rest: Any) -> Any:
        given = {name: rest.pop(name) for name in ("home", "corpus", "read_only")}

        def connect(**how: Any) -> Any:
            from qcg_neo4j.database.graph import Graph

            graph = Graph.connect(uri, user, None, database, **given, **how)
            graph.patience, graph.tell = None, _tell  # a person sees for whom the command waits, and can end it
            return graph

        return command(*args, connect=connect, **rest)

    for option in (
        click.option("--read-only", is_flag=True, envvar="QCG_READ_ONLY", help="Refuse what writes; QCG_READ_ONLY."),
        place_option("--corpus", help="Which of the database's corpora; QCG_CORPUS.", show_default="the default one"),
        place_option("--home", type=click.Path(path_type=Path), help="Home of an embedded server; QCG_HOME."),
        place_option(
            "--database", help="Name of the database; NEO4J_DATABASE.", show_default="the user's home database"
        ),
        place_option("--user", help="Name of the user; NEO4J_USERNAME."),
        place_option("--uri", help="Address of the server; NEO4J_URI, else the embedded server."),
    ):
        run = option(run)
    return run  # type: ignore[return-value] # click changes the signature


def _tell(sentence: str) -> None:
    from qcg_neo4j.cli.terminal import notices

    notices().print(sentence, style="yellow", markup=False)


def json_option(command: F) -> F:
    """Add ``--json``: the result on standard output for programs."""
    return click.option("--json", "as_json", is_flag=True, help="Print the result as JSON.")(command)


__all__ = [
    "Connect",
    "connection_options",
    "corpus_option",
    "file_section",
    "json_option",
    "place_option",
    "settings_file_option",
    "settings_options",
]
