"""``qcg completion``: what a shell needs to complete verbs, options, methods, corpora and settings."""

from __future__ import annotations

import click
from click.shell_completion import get_completion_class

from qcg_neo4j.cli.command import command

SHELLS = ("bash", "zsh", "fish")
VARIABLE = "_QCG_COMPLETE"  # which click reads


@command()
@click.argument("shell", type=click.Choice(SHELLS), metavar="SHELL")
@click.pass_context
def completion(context: click.Context, /, shell: str) -> None:
    """Print the completion script of SHELL: bash, zsh or fish.

    For bash and zsh add `eval "$(qcg completion bash)"` to the shell's start file; for fish: `qcg completion fish |
    source`.
    """
    kind = get_completion_class(shell)
    assert kind is not None  # noqa: S101 - click knows each of them
    click.echo(kind(context.find_root().command, {}, "qcg", VARIABLE).source())
