"""How a command was called, for the head of what it writes."""

from __future__ import annotations

import shlex

import click

COMMAND = "qcg.command"  # where the context keeps it


class RememberingCommand(click.Command):
    """A command that remembers how it was called."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Keep the whole command line, then parse it."""
        ctx.meta[COMMAND] = shlex.join([*ctx.command_path.split(), *args])
        return super().parse_args(ctx, args)
