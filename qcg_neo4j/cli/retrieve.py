"""``qcg retrieve``: the evidence for a question, and how evidence looks on a terminal."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

import click
import numpy as np
from rich.console import Group
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from qcg_neo4j.cli.command import command, option
from qcg_neo4j.cli.method_options import ChosenMethod, method_options
from qcg_neo4j.cli.models import embedding_option, use_for_questions
from qcg_neo4j.cli.options import Connect, connection_options, json_option
from qcg_neo4j.cli.terminal import notices, print_json, print_notes, results, searching
from qcg_neo4j.core.errors import InputError, number_of
from qcg_neo4j.core.records import Evidence, Passage, Report
from qcg_neo4j.database.connection import Call
from qcg_neo4j.database.conversion import camel
from qcg_neo4j.database.corpora import DEFAULT, translated
from qcg_neo4j.database.graph import Graph
from qcg_neo4j.database.model import model_name
from qcg_neo4j.database.permission import permission
from qcg_neo4j.database.statements import statement
from qcg_neo4j.indexing.report.window import without_citations
from qcg_neo4j.models.embedding.embedder import EmbeddingSettings
from qcg_neo4j.retrieval.around.wrapper import Around
from qcg_neo4j.retrieval.evidence import with_language_told
from qcg_neo4j.retrieval.layers import Layers
from qcg_neo4j.retrieval.method import Method, Vector, checked_question
from qcg_neo4j.retrieval.reasons import (
    CHARACTERS,
    KINDS,
    amount,
    excerpt,
    nearness,
    reasons,
    shortened,
    telling,
    way,
    with_nearest,
)

SHOWN_ATOMS = 5


def print_evidence(evidence: Evidence, model: str | None = None, *, full: bool = False) -> None:
    """Print passages, best first: score, document, the text around the best hit, and what led to it, a line each.

    ``model`` is what the graph is embedded by; ``full`` prints the whole text of each passage.
    """
    console = results()
    console.print(Text(evidence.question, style="bold"))
    places = {passage.id: number for number, passage in enumerate(evidence.passages, start=1)}
    table = Table.grid(padding=(0, 2, 0, 0), pad_edge=False)
    for justify in ("right", "right", "left"):
        table.add_column(justify=justify, vertical="top")
    for passage in evidence.passages:
        if table.row_count:
            table.add_row()
        table.add_row(
            str(places[passage.id]), f"{passage.score:.3g}", _evidence(passage, places, evidence.question, full=full)
        )
    console.print(Padding(table, (1, 0, 1, 0)) if evidence.passages else "No passage was found.")
    _print_more(evidence)
    _print_legend(evidence, model)
    console.print(
        f"{evidence.method}, {number_of(len(evidence.passages), 'passage')}, {1000 * evidence.seconds:.0f} ms",
        style="dim",
    )


def _print_more(evidence: Evidence) -> None:
    console = results()
    print_reports(evidence.reports)
    if evidence.subgraph:
        triples = evidence.subgraph.triples
        added = sum(triple.added for triple in triples)
        console.print(f"Subgraph: {number_of(len(triples), 'triple')}, {added} of them added by paths.")
    if evidence.atoms:
        console.print(f"Facts: {len(evidence.atoms)}, best first.")
        for atom in evidence.atoms[:SHOWN_ATOMS]:
            console.print(f"  {atom.score:8.3g}  {shortened(atom.text)}", no_wrap=True, overflow="ellipsis")
    for number, thought in enumerate(evidence.thoughts, start=1):
        console.print(f"Step {number}: {thought}")
    print_notes(evidence.notes)


def _print_legend(evidence: Evidence, model: str | None) -> None:
    """What the words and numbers mean, and how near the nearest of what was found is to the question."""
    if shown := [reason for passage in evidence.passages for reason in reasons(passage)]:
        kinds = [f"{kind}: {meaning}" for kind, meaning in KINDS.items() if any(one.kind == kind for one in shown)]
        number = (
            "+ is what a line adds to the score"
            if any(one.adds for one in shown)
            else "A line's number is its cosine with the question"
        )
        results().print(f"{number}. {'; '.join(kinds)}.", style="dim")
    if near := nearness(evidence, model):
        text = Text("Nearest to the question by meaning: ")
        text.append(f"{near.similarity:.2f}", style="bold")
        text.append(f", a {near.kind} (1 is the same, 0 has nothing to do with it)")
        text.append(f": {near.word}." if near.word else ".", style="bold")
        results().print(text)


def print_reports(reports: Sequence[Report], cited: Sequence[str] | None = None) -> None:
    """Print reports on communities, only the ``cited`` where given: the beginning of each and who wrote it."""
    for report in reports:
        if cited is not None and report.id not in cited:
            continue
        near = "" if report.similarity is None else f" ({report.similarity:.2f})"
        author = "extractive, no language model wrote it" if report.source == "extractive" else f"by {report.source}"
        text = Text(f"Report C{report.level} {report.title}{near}, rated {report.rating:g}, {author}\n", style="bold")
        text.append(shortened(without_citations(report.summary)), style="not bold")
        results().print(text)


def _evidence(passage: Passage, places: Mapping[str, int], question: str, *, full: bool) -> Group:
    every = reasons(passage)
    shown = every if any(reason.adds for reason in every) else telling(passage)
    lines = Table.grid(padding=(0, 1, 0, 0), pad_edge=False)
    lines.add_column(justify="right", no_wrap=True, min_width=5)
    lines.add_column(no_wrap=True, min_width=max(map(len, KINDS)))
    lines.add_column()
    for reason in shown:
        text = Text(way(reason, passage, places), no_wrap=True, overflow="ellipsis")
        lines.add_row(amount(reason), reason.kind, text, style="cyan")
    if len(every) > len(shown):
        lines.add_row("", "", f"… and {len(every) - len(shown)} more", style="dim")
    head = Text(f"{', '.join(map(str, passage.documents))}, {passage.place or f'chunk {passage.index}'}", style="bold")
    part = excerpt(passage, question, None if full else CHARACTERS)
    body = Text(part.text, overflow="fold")
    body.stylize("bold", part.first, part.last)  # the nearest sentence
    return Group(head, body, lines)


def browser_script(call: Call, corpus: str = DEFAULT) -> tuple[str, str]:
    """The ``:param`` lines and the statement for a corpus, to paste into Neo4j Browser one after the other.

    Pasted together they run too, but Browser shows no result for several commands at once.
    """
    values = {camel(name): value for name, value in call.parameters.items()}
    lines = [f":param {name} => {_literal(value)};" for name, value in values.items()]
    return "\n".join(lines), translated(statement(call.path).text, corpus).strip()


def _literal(value: Any) -> str:
    """A value as Cypher writes it; for plain values that is JSON, but for the keys of maps."""
    if isinstance(value, np.ndarray):
        return "[" + ", ".join(f"{number:.7g}" for number in value.tolist()) + "]"
    if isinstance(value, Mapping):
        return "{" + ", ".join(f"`{key}`: {_literal(item)}" for key, item in value.items()) + "}"
    if isinstance(value, list | tuple):
        return "[" + ", ".join(map(_literal, value)) + "]"
    return json.dumps(value, ensure_ascii=False)


@command()
@click.argument("question")
@method_options()
@embedding_option
@connection_options
@json_option
@option("--full", is_flag=True, help="print whole passages, not the part around the hit")
@option("--cypher", is_flag=True, help="print the statement for Neo4j Browser")
def retrieve(
    connect: Connect,
    question: str,
    chosen: ChosenMethod,
    full: bool,
    cypher: bool,
    embedding: EmbeddingSettings,
    as_json: bool,
) -> None:
    """Find the passages that answer QUESTION, and show how each was found."""
    question = checked_question(question)
    if cypher and as_json:
        raise InputError("--cypher prints text for Browser, and --json prints JSON.", "Give one of them.")
    with chosen.open() as method, connect() as graph:
        use_for_questions(graph, embedding)
        # Beforehand, so that the time of the evidence is not that of loading a model.
        vector = graph.embed_question(question) if method.needs_vector else None
        if cypher:
            _print_statement(graph, method, question, vector)
            return
        with searching():
            found = method.retrieve(graph, question, vector)
        evidence, model = with_language_told(graph, found), model_name(graph)
    if as_json:
        print_json(with_nearest(evidence, model))
    else:
        print_evidence(evidence, model, full=full)


def _print_statement(graph: Graph, method: Method, question: str, vector: Vector | None) -> None:
    if isinstance(method, Around):
        raise InputError(
            f"--cypher prints the statement of a method alone, which finds other passages than {method.name}.",
            "Leave --then and the settings of [around] out.",
        )
    permitted = permission(graph, method.settings.where)
    names = [method.names(graph, question, vector, permitted)] if isinstance(method, Layers) else []
    call = permitted.applied(method.call(question, vector, *names))
    parameters, statement_text = browser_script(call, graph.corpus)
    notices().print("In Browser, paste and run the :param lines first, then the statement.")
    click.echo(f"{parameters}\n\n{statement_text}")
