"""How evidence looks on a terminal: a table of passages, each with the paths that led to it."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from rich import box
from rich.markup import escape
from rich.table import Table
from rich.text import Text

from qcg_neo4j.cli.terminal import print_notes, results
from qcg_neo4j.graph import Call
from qcg_neo4j.graph.conversion import camel
from qcg_neo4j.records import Evidence, Passage, Report, Step
from qcg_neo4j.report.citations import without_citations
from qcg_neo4j.statements import statement

SHOWN_PATHS = 3
SHOWN_ATOMS = 5
SHOWN_CHARACTERS = 400


def print_evidence(evidence: Evidence) -> None:
    """Print passages, best first, with score, document, the beginning of the text, and the best paths."""
    console = results()
    table = Table(box=box.SIMPLE_HEAD, title=escape(evidence.question), title_justify="left", show_lines=True)
    for name, justify in (("#", "right"), ("score", "right"), ("document", "left"), ("evidence", "left")):
        table.add_column(name, justify=justify, overflow="fold")  # type: ignore[arg-type]
    for number, passage in enumerate(evidence.passages, start=1):
        table.add_row(str(number), f"{passage.score:.3f}", _place(passage), _evidence(passage))
    if evidence.passages:
        console.print(table)
    else:
        console.print("No passage was found.")
    print_reports(evidence.reports)
    if evidence.subgraph:
        triples = evidence.subgraph.triples
        added = sum(triple.added for triple in triples)
        console.print(f"Subgraph: {len(triples)} triples, {added} of them added by paths.")
    if evidence.atoms:
        console.print(f"Atoms: {len(evidence.atoms)}, best first.")
        for atom in evidence.atoms[:SHOWN_ATOMS]:
            console.print(f"  {atom.score:.4f} {_short(atom.text)}", markup=False)
    for number, thought in enumerate(evidence.thoughts, start=1):
        console.print(f"Step {number}: {thought}", markup=False)
    print_notes(evidence.notes)
    console.print(
        f"{evidence.method}, {len(evidence.passages)} passages, {1000 * evidence.seconds:.0f} ms", style="dim"
    )


def print_reports(reports: Sequence[Report], cited: Sequence[str] | None = None) -> None:
    """Print reports on communities, only the ``cited`` where given: the beginning of each and who wrote it."""
    for report in reports:
        if cited is not None and report.id not in cited:
            continue
        near = "" if report.similarity is None else f" ({report.similarity:.2f})"
        author = "extractive, no language model wrote it" if report.source == "extractive" else f"by {report.source}"
        text = Text(f"Report C{report.level} {report.title}{near}, rated {report.rating:g}, {author}\n", style="bold")
        text.append(_short(without_citations(report.summary)), style="not bold")
        results().print(text)


def _place(passage: Passage) -> Text:
    return Text("\n".join([*map(str, passage.documents), f"chunk {passage.index}"]))


def _evidence(passage: Passage) -> Text:
    text = Text(_short(passage.text))
    for path in passage.paths[:SHOWN_PATHS]:
        text.append("\n" + _path(path), style="cyan")
    if len(passage.paths) > SHOWN_PATHS:
        text.append(f"\n… and {len(passage.paths) - SHOWN_PATHS} more paths", style="dim")
    return text


def _short(text: str) -> str:
    flat = re.sub(r"\s+", " ", text).strip()
    return flat if len(flat) <= SHOWN_CHARACTERS else flat[: SHOWN_CHARACTERS - 1] + "…"


def _path(path: Sequence[Step]) -> str:
    return " ".join(_step(step) for step in path)


def _step(step: Step) -> str:
    arrow = "→" if step.relationship == "HIT" else f"─{step.relationship} {step.weight:.2f}→" if step.weight else "→"
    adds = f", adds {step.weight:+.2f}" if step.relationship == "HIT" and step.weight is not None else ""
    near = "" if step.similarity is None else f" ({step.similarity:.2f}{adds})"
    return f"{arrow} {_short(step.text)}{near}"


def browser_script(call: Call) -> tuple[str, str]:
    """The ``:param`` lines and the statement, to paste into Neo4j Browser one after the other.

    Pasted together they run too, but Browser shows no result for several commands at once.
    """
    values = {camel(name): value for name, value in call.parameters.items()}
    lines = [f":param {name} => {_literal(value)};" for name, value in values.items()]
    return "\n".join(lines), statement(call.path).text.strip()


def _literal(value: Any) -> str:
    """A value as Cypher writes it; for plain values that is JSON, but for the keys of maps."""
    if isinstance(value, np.ndarray):
        return "[" + ", ".join(f"{number:.7g}" for number in value.tolist()) + "]"
    if isinstance(value, Mapping):
        return "{" + ", ".join(f"`{key}`: {_literal(item)}" for key, item in value.items()) + "}"
    return json.dumps(value, ensure_ascii=False)
