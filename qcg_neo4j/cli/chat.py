"""``qcg chat``: questions one after the other."""

from __future__ import annotations

import sys
from contextlib import ExitStack

import click

from qcg_neo4j.cli.answer import NO_MODEL, endpoint_of, place_of, print_support, style_options
from qcg_neo4j.cli.command import command
from qcg_neo4j.cli.method_options import ChosenMethod, method_options
from qcg_neo4j.cli.models import embedding_option, use_for_questions
from qcg_neo4j.cli.options import Connect, connection_options
from qcg_neo4j.cli.retrieve import print_evidence
from qcg_neo4j.cli.terminal import advice, notices, print_notes, results
from qcg_neo4j.core.errors import QcgError, printable
from qcg_neo4j.core.records import Evidence
from qcg_neo4j.database.model import model_name
from qcg_neo4j.models.embedding.embedder import EmbeddingSettings
from qcg_neo4j.retrieval.answer import Conversation

QUIT, SOURCES = "/quit", "/sources"
_HELP = f"Ask. {SOURCES} shows the evidence, {QUIT} ends."


@command()
@method_options()
@style_options
@embedding_option
@connection_options
def chat(
    connect: Connect, chosen: ChosenMethod, style: str, general_knowledge: bool, embedding: EmbeddingSettings
) -> None:
    """Ask questions one after the other.

    A question may refer to those before. Citations keep their numbers. /sources shows the evidence, /quit ends.
    Nothing is kept in the graph.
    """
    with ExitStack() as opened:
        model = opened.enter_context(endpoint_of(chosen)) if chosen.llm.is_given else None
        source = opened.enter_context(chosen.source())
        graph = opened.enter_context(connect())
        use_for_questions(graph, embedding)
        talk = Conversation(graph, chosen.made(source), model, source, style, general_knowledge)
        notices().print(_HELP if model else f"{NO_MODEL}\n{_HELP}")
        _talk(talk)


def _talk(talk: Conversation) -> None:
    """One line after the other, until there is none; a question that fails does not end the conversation."""
    last: Evidence | None = None
    while (line := _line()) not in (None, QUIT):
        if not line:
            continue
        if line == SOURCES:
            _show_sources(talk, last)
        elif line.startswith("/"):
            notices().print(f"There is no {line}. {_HELP}")
        else:
            try:
                last = _turn(talk, line)
            except QcgError as error:
                notices().print(advice(f"Error: {error}"), soft_wrap=True)


def _line() -> str | None:
    if sys.stdin.isatty():
        click.echo("> ", nl=False)
    line = sys.stdin.readline()
    return line.strip() if line else None


def _turn(talk: Conversation, question: str) -> Evidence:
    evidence = talk.search(question)
    if talk.model is None:
        print_evidence(evidence, model_name(talk.graph))
        talk.keep(question)
        return evidence
    known, writing = len(talk.numbers), talk.write(evidence)
    for piece in writing:
        sys.stdout.write(printable(piece))
        sys.stdout.flush()
    console, written = results(), writing.answer
    talk.keep(question, written.text)
    console.print("\n")
    for number, cited in list(enumerate(talk.sources, start=1))[known:]:
        console.print(f"[{number}] {place_of(cited)}", style="cyan")
    print_support(written)
    print_notes([note for note in evidence.notes if note not in written.notes])
    return evidence


def _show_sources(talk: Conversation, last: Evidence | None) -> None:
    for number, cited in enumerate(talk.sources, start=1):
        results().print(f"[{number}] {place_of(cited)}", style="cyan")
    if last is None:
        notices().print("Nothing was asked yet.")
    else:
        print_evidence(last, model_name(talk.graph))
