"""Commands whose help fits a screen."""

from __future__ import annotations

import inspect
import shlex
import textwrap
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import click

from qcg_neo4j.cli.tables import RETRIEVE, assigned, method_tables, read_tables
from qcg_neo4j.core.addresses import shown_addresses
from qcg_neo4j.core.errors import InputError, printable
from qcg_neo4j.core.json_lines import has_half
from qcg_neo4j.core.settings import Settings

Function = Callable[..., Any]  # of a command
Decorator = Callable[[Function], Function]
# Where the context keeps how the command was called, what `--set` assigns, the tables of the settings file, and those
# of the profile.
COMMAND, ASSIGNED, FILE, PROFILE = "qcg.command", "qcg.assigned", "qcg.file", "qcg.profile"
WIDTH = 80
_MOST_LEFT = 34  # columns of an option's name
_SET = "assignments"
TABLES = "qcg_tables"  # where a function keeps the tables of its settings
# Options that several commands share, a line each group, and the word of `qcg help` that explains them.
GROUPS = {"Database": "database", "Model": "models", "Costs": "models", "Workers": "workers"}
_FIRST = ("--llm", "--judge", "--embedding", "--replies")  # of their group


class Option(click.Option):
    """An option; options of a ``group`` share a line of the help, and ``see`` is the command with the details."""

    def __init__(self, *arguments: Any, group: str = "", see: str = "", **more: Any) -> None:
        super().__init__(*arguments, **more)
        self.group, self.see = group, see


def shown(one: click.Option) -> str:
    """The names of an option and its metavariable, as the help shows them."""
    names = ", ".join(sorted(one.opts, key=len)) + "".join(f"/{name}" for name in one.secondary_opts)
    return names if one.is_flag else f"{names} {one.metavar or (one.name or '').upper()}"


def options_of(command: click.Command, group: str = "") -> list[click.Option]:
    """The options of a command that belong to a group; without one, its own."""
    found = [one for one in command.params if isinstance(one, click.Option) and not one.hidden]
    return [one for one in found if getattr(one, "group", "") == group]


def option(*names: str, **more: Any) -> Decorator:
    """Add an `Option` to a command."""
    return click.option(*names, cls=Option, **more)


def several(*options: Decorator) -> Decorator:
    """Add options to a command, in the order of its help."""

    def decorate(command: Function) -> Function:
        for add in reversed(options):
            command = add(command)
        return command

    return decorate


class Command(click.Command):
    """A command that knows the tables of its settings, remembers how it was called, and explains itself on a screen."""

    def __init__(self, *arguments: Any, **more: Any) -> None:
        super().__init__(*arguments, **more)
        self.tables: Mapping[str, type[Settings]] = getattr(self.callback, TABLES, {})
        if self.tables:
            place = next((at for at, one in enumerate(self.params) if one.name == "as_json"), len(self.params))
            setting = Option(
                ["-s", "--set", _SET],
                metavar="KEY=VALUE",
                multiple=True,
                help="any other setting; repeatable",
                see="qcg settings",
                shell_complete=self._settings_to_complete,
            )
            self.params[place:place] = [setting, _FILE_OPTION]

    def _settings_to_complete(self, context: click.Context, _: click.Parameter, beginning: str) -> list[str]:
        """The settings that `--set` may assign, for completion; a key of the command's own table may stand alone."""
        known = self.known(context.params.get("method_name"))
        names = [f"{key}=" for key in next(iter(known.values())).__dataclass_fields__]
        names += [f"{table.rpartition('.')[2]}.{key}=" for table in known for key in known[table].__dataclass_fields__]
        return [name for name in names if name.startswith(beginning)]

    def known(self, method: str | None) -> Mapping[str, type[Settings]]:
        """The tables of its settings, its own first; where it takes a method, the one of that method."""
        named = {f"{RETRIEVE}.{method}": method_tables()[f"{RETRIEVE}.{method}"]} if method else {}
        return {**named, **{name: kind for name, kind in self.tables.items() if name != RETRIEVE}}

    def invoke(self, ctx: click.Context) -> Any:
        """Read what ``--set`` assigns, then run."""
        found: dict[str, dict[str, Any]] = {}
        for text in ctx.params.pop(_SET, ()):
            table, key, value = assigned(text, self.known(ctx.params.get("method_name")))
            found.setdefault(table, {})[key] = value
        ctx.meta[ASSIGNED] = found
        for name, value in ctx.params.items():
            if isinstance(value, str) and has_half(value):
                raise InputError(f"{name} is {value!r}, which holds bytes that are no text.", "Give it in UTF-8.")
        return super().invoke(ctx)

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Keep the command line without secrets, then parse it."""
        ctx.meta[COMMAND] = printable(shlex.join([*ctx.command_path.split(), *map(shown_addresses, args)]))
        return super().parse_args(ctx, args)

    def get_help(self, ctx: click.Context) -> str:
        """The help, at most `WIDTH` wide."""
        return "\n".join([*head(self, ctx), *_own_options(self, ctx.command_path), *_shared_options(self)])


def command(**more: Any) -> Callable[[Function], Command]:
    """Make a `Command` of a function."""
    return click.command(cls=Command, **more)


def _keep_tables(context: click.Context, _: click.Parameter, path: Path | None) -> None:
    context.meta[FILE] = read_tables(path) if path else {}


_FILE_OPTION = Option(
    ["--settings"],
    type=click.Path(path_type=Path),
    metavar="FILE",
    envvar="QCG_SETTINGS",
    is_eager=True,
    expose_value=False,
    callback=_keep_tables,
    help="TOML file of settings",
)


class Group(click.Group):
    """A group whose help has a line for each command."""

    command_class = Command

    def get_help(self, ctx: click.Context) -> str:
        """The help, at most `WIDTH` wide."""
        names = self.list_commands(ctx)
        width = max(map(len, names)) + 2
        shown = {name: self.get_command(ctx, name) for name in names}
        lines = [f"  {name:<{width}}{first_line(found, WIDTH - width - 2)}" for name, found in shown.items() if found]
        return "\n".join([*head(self, ctx), *lines])


def head(command: click.Command, ctx: click.Context) -> Iterator[str]:
    """How a command is called, and what it does."""
    yield f"Usage: {' '.join([ctx.command_path, *command.collect_usage_pieces(ctx)])}"
    for paragraph in inspect.cleandoc(command.help or "").split("\n\n"):
        yield from textwrap.wrap(" ".join(paragraph.split()), WIDTH, initial_indent="  ", subsequent_indent="  ")


def first_line(command: click.Command, width: int) -> str:
    """The first sentence of what a command does, cut where it does not fit."""
    sentence = inspect.cleandoc(command.help or "").partition(".\n")[0].partition(". ")[0]
    return textwrap.shorten(" ".join(sentence.split()).rstrip("."), width, placeholder=" …")


def _own_options(command: click.Command, path: str) -> Iterator[str]:
    found = options_of(command)
    left = [f"      {shown(one)}" if shown(one).startswith("--") else f"  {shown(one)}" for one in found]
    column = min(max(map(len, left), default=0), _MOST_LEFT) + 2
    for name, one in zip(left, found, strict=True):
        text = textwrap.wrap(one.help or "", WIDTH - column, break_on_hyphens=False) or [""]
        first = name.ljust(column) if len(name) <= column - 2 else f"{name}  "
        if len(first) + len(text[0]) > WIDTH:
            yield name
            first = " " * column
        line = f"{first}{text[0]}".rstrip()
        see = getattr(one, "see", "")
        see = f"{see} {path.partition(' ')[2]}" if one.name == _SET else see
        yield _beside(line, see) if see and len(text) == 1 else line
        yield from (" " * column + line for line in text[1:])


def _shared_options(command: click.Command) -> Iterator[str]:
    """A line or two for each group, with the command that explains it."""
    for group, topic in GROUPS.items():
        found = options_of(command, group)
        found.sort(key=lambda one: _FIRST.index(one.opts[0]) if one.opts[0] in _FIRST else len(_FIRST))
        names = [one.opts[-1] if group == "Database" else shown(one) for one in found]
        lines = textwrap.wrap(" ".join(name.replace(" ", "\0") for name in names), WIDTH - 10)
        for number, line in enumerate(lines):
            text = f"{'' if number else group:<10}{line}".replace("\0", " ")
            yield _beside(text, f"qcg help {topic}") if number == len(lines) - 1 else text


def _beside(line: str, see: str) -> str:
    """The line, with the command that tells more at its right end where there is room."""
    for shown in (f"see: {see}", see):
        room = WIDTH - len(line) - len(shown)
        if room > 1:
            return f"{line}{' ' * room}{shown}"
    return line
