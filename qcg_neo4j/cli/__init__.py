"""The command ``qcg``: one verb per stage; a verb's module is imported only when it is called."""

from __future__ import annotations

import signal
import socket
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from itertools import zip_longest
from threading import Event, Thread
from typing import Any

import click

from qcg_neo4j.cli.command import Group, head
from qcg_neo4j.core.errors import QcgError

START = "Start here"
# Group -> verb -> what it does in four words, in the order of the help.
GROUPS = {
    START: {
        "demo": "a sample, asked and shown",
        "index": "a folder becomes a graph",
        "retrieve": "passages for a question",
        "answer": "a written answer",
        "chat": "questions in turns",
    },
    "Documents": {
        "load": "read files into chunks",
        "documents": "list what is there",
        "adopt": "use chunks of other tools",
        "delete": "delete documents",
    },
    "Graph": {
        "generate": "questions of each chunk",
        "extract": "entities and facts",
        "resolve": "merge entities",
        "build": "join what is similar",
        "report": "reports on communities",
        "train": "the predictor of LP-RAG",
    },
    "Look": {
        "status": "contents, stale stages",
        "show": "pictures and pages",
        "cypher": "the statements",
        "bloom": "a perspective for Bloom",
    },
    "Measure": {
        "evaluate": "retrieval and answers",
        "methods": "list retrieval methods",
    },
    "Server and settings": {
        "server": "a Neo4j of your own",
        "mcp": "tools for agents",
        "replies": "replies of a model",
        "settings": "find any setting",
        "completion": "for bash, zsh, fish",
        "help": "database, models, a verb",
    },
}
VERBS = {verb: gloss for verbs in GROUPS.values() for verb, gloss in verbs.items()}
# The modules of verbs that have no module of their name.
MODULES = {
    **dict.fromkeys(("generate", "extract", "report"), "stages"),
    "resolve": "build",
    "delete": "documents",
    "bloom": "cypher",
    "methods": "settings",
    "completion": "help",
}
# Verbs whose interruption leaves nothing to continue.
BRIEF = (
    *("status", "documents", "delete", "retrieve", "answer", "chat", "show", "cypher", "bloom", "mcp", "replies"),
    *("methods", "settings", "completion", "help"),
)
INTERRUPTED = 130  # the exit code that a shell reports for a program ended by Ctrl-C
_PATIENCE = 0.5  # seconds in which most commands have ended


class Verbs(Group):
    """A group that knows its verbs by name and loads a verb's module on first use."""

    def invoke(self, ctx: click.Context) -> Any:
        """Run the verb; what an error advises reaches the same graph, Ctrl-C becomes a message and an exit code."""
        try:
            with interruption_shown():
                return super().invoke(ctx)
        except (KeyboardInterrupt, QcgError) as error:
            if not was_interrupted(error):
                if isinstance(error, QcgError):
                    from qcg_neo4j.cli.terminal import advice

                    error.problem, error.remedy = advice(error.problem), advice(error.remedy)
                raise
            go_on = (
                "" if ctx.invoked_subcommand in BRIEF else " What is done is kept: run the same command to continue."
            )
            click.echo(f"Stopped.{go_on}", err=True)
            ctx.exit(INTERRUPTED)

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """The command of the first word; of a word that is none, the verbs that were perhaps meant."""
        try:
            return super().resolve_command(ctx, args)
        except click.NoSuchCommand as error:
            raise click.NoSuchCommand(error.command_name, possibilities=VERBS, ctx=ctx) from None

    def list_commands(self, ctx: click.Context) -> list[str]:
        """The verbs in the order of the help."""
        return list(VERBS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """The command of a verb, or None."""
        if cmd_name not in VERBS:
            return None
        with _not_imported("pandas", "pyarrow"):
            command = getattr(import_module(f"qcg_neo4j.cli.{MODULES.get(cmd_name, cmd_name)}"), cmd_name)
        assert isinstance(command, click.Command)  # noqa: S101 - a verb's module defines its command
        return command

    def get_help(self, ctx: click.Context) -> str:
        """The verbs by groups, two a line, without importing them."""
        lines = [*head(self, ctx)]
        for group, verbs in GROUPS.items():
            lines.append(group)
            cells = [f"  {verb:<12}{gloss:<26}" for verb, gloss in verbs.items()]
            lines += [f"{left}{right}".rstrip() for left, right in zip_longest(cells[::2], cells[1::2], fillvalue="")]
        return "\n".join(lines)


@contextmanager
def _not_imported(*packages: str) -> Iterator[None]:
    """Hide packages that the driver imports where it finds them: no value of theirs is sent, and they take 0.25 s."""
    hidden = dict.fromkeys(name for name in packages if name not in sys.modules)
    sys.modules.update(hidden)  # type: ignore[arg-type] # None is how Python marks what is not to be found
    try:
        yield
    finally:
        for name in hidden:
            del sys.modules[name]


@click.group(cls=Verbs, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(package_name="qcg-neo4j")
def qcg(**options: Any) -> None:
    """Graph retrieval-augmented generation that lives inside Neo4j. Try `qcg demo`."""


@contextmanager
def interruption_shown() -> Iterator[None]:
    """Print a line soon after Ctrl-C, unless the block has ended by then: what is under way is finished first.

    A thread prints it, since a long calculation or a call keeps the main thread busy; after the block it is silent.
    Call it from the main thread.
    """
    signals, written = socket.socketpair()
    written.setblocking(False)  # as Python requires
    ended = Event()
    handler = signal.signal(signal.SIGINT, interrupt)
    before = signal.set_wakeup_fd(written.fileno(), warn_on_full_buffer=False)
    showing = Thread(target=_show, args=(signals, ended), name="qcg interruption", daemon=True)
    showing.start()
    try:
        yield
    finally:
        ended.set()
        signal.set_wakeup_fd(before)
        signal.signal(signal.SIGINT, handler)
        written.close()
        showing.join()


def interrupt(*_: object) -> None:
    """End a command, and a call of the driver: it gives up its connection.

    After a mere KeyboardInterrupt it would wait until the server answers, or for ever, if it was reading the answer.
    """
    from asyncio import CancelledError

    class Interrupt(KeyboardInterrupt, CancelledError):  # noqa: N818 - it is no error
        pass

    raise Interrupt


def _show(signals: socket.socket, ended: Event) -> None:
    with signals:
        while numbers := signals.recv(16):
            if signal.SIGINT in numbers and not ended.wait(_PATIENCE):
                click.echo("Stopping: what is under way is finished first.", err=True)


def was_interrupted(error: BaseException) -> bool:
    """Whether Ctrl-C is behind an error, as of what was to be put in order after it."""
    found: BaseException | None = error
    while found is not None and not isinstance(found, KeyboardInterrupt):
        found = found.__cause__ or found.__context__
    return found is not None


def main() -> None:
    """Run the command line; an expected error becomes one message and an exit code."""
    try:
        qcg()
    except QcgError as error:
        click.echo(f"Error: {error}", err=True)
        sys.exit(error.exit_code)
