"""Commands that a message advises, with the options by which this one reached its graph: pasted, they reach it too."""

from __future__ import annotations

import re
import shlex
from typing import Any

import click
from click.core import ParameterSource

_GIVEN = "qcg.connection"  # where the context keeps them
_COMMAND = re.compile(r"`qcg ([^`]+)`")


def remember(context: click.Context, parameter: click.Parameter, value: Any) -> Any:
    """Callback of an option that says where the graph is; what the environment says is there next time, too."""
    if context.get_parameter_source(parameter.name or "") is ParameterSource.COMMANDLINE:
        context.meta.setdefault(_GIVEN, {})[parameter.opts[-1]] = str(value)
    return value


def advice(text: str) -> str:
    """The text, in which each command between backticks has the options that this one was given and that it takes."""
    context = click.get_current_context(silent=True)
    if context is None or _GIVEN not in context.meta:
        return text
    root, given = context.find_root(), context.meta[_GIVEN]
    return _COMMAND.sub(lambda found: f"`{_completed(root, found[1], given)}`", text)


def _completed(root: click.Context, words: str, given: dict[str, str]) -> str:
    """The command with these options behind its verbs."""
    command, verbs, rest = root.command, ["qcg"], words.split(" ")
    while rest and isinstance(command, click.Group) and (found := command.get_command(root, rest[0])):
        command = found
        verbs.append(rest.pop(0))
    known = {name for parameter in command.params for name in parameter.opts}
    options = [f"{name} {shlex.quote(value)}" for name, value in given.items() if name in known and name not in rest]
    return " ".join([*verbs, *options, *rest])
