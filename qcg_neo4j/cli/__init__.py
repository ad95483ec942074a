"""The command ``qcg``: one verb per stage; a verb's module is imported only when it is called."""

from __future__ import annotations

import sys
from importlib import import_module
from typing import Any

import click

from qcg_neo4j.cli.advice import advice
from qcg_neo4j.cli.interruption import INTERRUPTED, interruption_shown, was_interrupted
from qcg_neo4j.core.errors import QcgError

# Verb -> module, in the order of the help: first a server, then the way of the data.
VERBS = {
    "server": "A Neo4j server of your own: start, stop, status, logs, open, run, guide.",
    "demo": "Start a server, load the sample, build, ask, show the evidence.",
    "status": "What the graph holds, stage by stage, and what is stale.",
    "index": "Folders into a graph that is ready to be asked: every stage, only what changed.",
    "load": "Load documents: cut into chunks, embed, write.",
    "adopt": "Adopt chunks that others keep in the database; leaves theirs as they are, can be undone.",
    "documents": "List the documents: id, title, date, chunks, source.",
    "delete": "Delete documents and what was derived from them alone, or a whole corpus.",
    "generate": "Write question-answer pairs for each chunk (Doc2Query).",
    "extract": "Write entities, relations and atomic facts of each chunk.",
    "resolve": "Merge entities of different spelling; shows them first, can be undone.",
    "build": "Join what belongs together: similar queries and more, in parts.",
    "report": "Write a report on every community of entities.",
    "train": "Learn which atoms answer a question: write questions, train a link predictor.",
    "retrieve": "Find the evidence for a question.",
    "answer": "Answer a question from its evidence.",
    "show": "Write a picture: of an answer, a document, a sample, communities.",
    "cypher": "The Cypher of a statement, to be pasted into Browser.",
    "bloom": "A perspective for Neo4j Bloom, as a file to import.",
    "mcp": "Serve the graph to agents (Model Context Protocol).",
    "evaluate": "Measure retrieval; write global questions, judge answers to them.",
    "replies": "Export and import the replies of a language model.",
}
# Verbs that leave nothing behind to go on with.
BRIEF = ("status", "documents", "delete", "retrieve", "answer", "show", "cypher", "bloom", "mcp", "replies")


class Verbs(click.Group):
    """A group that knows its verbs by name and loads a verb's module on first use."""

    def invoke(self, ctx: click.Context) -> Any:
        """Run the verb; what an error advises reaches the same graph, Ctrl-C becomes a message and an exit code."""
        try:
            return super().invoke(ctx)
        except (KeyboardInterrupt, BufferError, QcgError) as error:
            if not was_interrupted(error):
                if isinstance(error, QcgError):
                    error.problem, error.remedy = advice(error.problem), advice(error.remedy)
                raise
            go_on = "" if ctx.invoked_subcommand in BRIEF else " What is done is kept: run the same again to go on."
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
        """The verbs in the order of the data's way."""
        return list(VERBS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """The command of a verb, or None."""
        if cmd_name not in VERBS:
            return None
        command = getattr(import_module(f"qcg_neo4j.cli.{cmd_name}"), cmd_name)
        assert isinstance(command, click.Command)  # noqa: S101 - a verb's module defines its command
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """List the verbs without importing them."""
        with formatter.section("Commands"):
            formatter.write_dl(list(VERBS.items()))


@click.group(cls=Verbs, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
@click.version_option(package_name="qcg-neo4j")
def qcg(**options: Any) -> None:
    """Graph retrieval-augmented generation that lives inside Neo4j."""


def main() -> None:
    """Run the command line; an expected error becomes one message and an exit code."""
    try:
        with interruption_shown():
            qcg(auto_envvar_prefix="QCG")
    except QcgError as error:
        click.echo(f"Error: {error}", err=True)
        sys.exit(error.exit_code)
