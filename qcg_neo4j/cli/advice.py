"""Commands that a message advises, with the options by which this one reached its graph: pasted, they reach it too."""

from __future__ import annotations

import re
import shlex

import click

GIVEN = "qcg.connection"  # where the context keeps them
_COMMAND = re.compile(r"`qcg ([^`]+)`")


def advice(text: str) -> str:
    """The text, in which each command between backticks has the options that this one was given and that it takes."""
    context = click.get_current_context(silent=True)
    if context is None or GIVEN not in context.meta:
        return text
    root, given = context.find_root(), context.meta[GIVEN]
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
