"""How evidence looks on a terminal: passages, each with a line for every way that led to it, best first."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from rich.console import Group
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from qcg_neo4j.cli.terminal import print_notes, results
from qcg_neo4j.core.records import Evidence, Passage, Report, Step
from qcg_neo4j.database.connection import Call
from qcg_neo4j.database.conversion import camel
from qcg_neo4j.database.corpora import DEFAULT, translated
from qcg_neo4j.database.statements import statement
from qcg_neo4j.indexing.report.citations import without_citations

SHOWN_LINES = 3  # of a method whose lines do not add up; of one whose lines do, all are shown
SHOWN_ATOMS = 5
SHOWN_CHARACTERS = 400
# What the nodes of a path are called on the terminal, and what that means.
KINDS = {
    "Query": ("query", "a question written for the passage"),
    "Atom": ("fact", "a single statement of the passage"),
    "RELATED_TO": ("triple", "a relation that it states"),
    "Entity": ("entity", "somebody or something that it names"),
    "Window": ("window", "a piece of its text"),
    "Community": ("report", "a report on a community of entities"),
    "Words": ("words", "those of the question that it has, as a share of the passage that has most"),
    "Dates": ("date", "a day of the question that it is about"),
    "Chunk": ("text", "the passage's own"),
}
_OF_LAYER = {
    "words": "Words",
    "expandedWords": "Words",
    "dates": "Dates",
    "Entity": "Entity",
}  # the others are called by their nodes


@dataclass(frozen=True)
class Way:
    """A line below a passage: how much the way counts, what was found, and how it leads here."""

    value: float | None
    adds: bool
    kind: str
    text: str

    @property
    def number(self) -> str:
        """What it adds to the score, with its sign, or how near it is to the question."""
        return "" if self.value is None else f"{self.value:+.2f}" if self.adds else f"{self.value:.2f}"


def print_evidence(evidence: Evidence, *, full: bool = False) -> None:
    """Print passages, best first: score, document, the text around the best hit, and what led to it, a line each.

    ``full`` prints the whole text of each passage.
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
    _print_legend(evidence)
    console.print(
        f"{evidence.method}, {len(evidence.passages)} passages, {1000 * evidence.seconds:.0f} ms", style="dim"
    )


def _print_more(evidence: Evidence) -> None:
    console = results()
    print_reports(evidence.reports)
    if evidence.subgraph:
        triples = evidence.subgraph.triples
        added = sum(triple.added for triple in triples)
        console.print(f"Subgraph: {len(triples)} triples, {added} of them added by paths.")
    if evidence.atoms:
        console.print(f"Facts: {len(evidence.atoms)}, best first.")
        for atom in evidence.atoms[:SHOWN_ATOMS]:
            console.print(f"  {atom.score:8.3g}  {_short(atom.text)}", markup=False, no_wrap=True, overflow="ellipsis")
    for number, thought in enumerate(evidence.thoughts, start=1):
        console.print(f"Step {number}: {thought}", markup=False)
    print_notes(evidence.notes)


def _print_legend(evidence: Evidence) -> None:
    """What the words and numbers mean, and how near the nearest of what was found is to the question."""
    ways = [way for passage in evidence.passages for way in ways_to(passage, {})]
    if not ways:
        return
    kinds = [f"{word}: {meaning}" for word, meaning in KINDS.values() if any(way.kind == word for way in ways)]
    number = (
        "+ is what a line adds to the score"
        if any(way.adds for way in ways)
        else "A line's number is its cosine with the question"
    )
    results().print(f"{number}. {'; '.join(kinds)}.", style="dim", markup=False)
    if found := nearest(evidence):
        near = f"{found.similarity or 0:.2f}, a {KINDS[found.label][0]}"
        results().print(f"Nearest to the question by meaning: {near} (1 is the same, 0 has nothing to do with it).")


def nearest(evidence: Evidence) -> Step | None:
    """Of all that was made from the texts, what led to a passage and is nearest to the question by its meaning."""
    made = ("Query", "Atom", "RELATED_TO", "Window")
    steps = [step for passage in evidence.passages for path in passage.paths for step in path if step.label in made]
    return max(steps, key=lambda step: step.similarity or 0.0, default=None)


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


def _evidence(passage: Passage, places: Mapping[str, int], question: str, *, full: bool) -> Group:
    ways = ways_to(passage, places)
    shown = [way for way in ways if way.adds] or ways[:SHOWN_LINES]
    lines = Table.grid(padding=(0, 1, 0, 0), pad_edge=False)
    lines.add_column(justify="right", no_wrap=True, min_width=5)
    lines.add_column(no_wrap=True, min_width=max(len(word) for word, _ in KINDS.values()))
    lines.add_column()
    for way in shown:
        lines.add_row(way.number, way.kind, Text(way.text, no_wrap=True, overflow="ellipsis"), style="cyan")
    if len(ways) > len(shown):
        lines.add_row("", "", f"… and {len(ways) - len(shown)} more", style="dim")
    head = Text(f"{', '.join(map(str, passage.documents))}, {passage.place or f'chunk {passage.index}'}", style="bold")
    return Group(head, excerpt(passage, question, full=full), lines)


def excerpt(passage: Passage, question: str, *, full: bool = False) -> Text:
    """The text of a passage around the sentence nearest to what was found, which is bold; all of it with ``full``.

    The nearest sentence has the most words of the best query, fact or triple that led here, and of the question.
    """
    flat = re.sub(r"\s+", " ", passage.text).strip()
    first, last = _sentence(flat, _wanted(passage) | set(_words(question)))
    begin, end = 0, len(flat)
    if not full and len(flat) > SHOWN_CHARACTERS:
        room = max(0, SHOWN_CHARACTERS - (last - first)) // 2
        begin = min(max(0, first - room), len(flat) - SHOWN_CHARACTERS)
        end = begin + SHOWN_CHARACTERS
    text = Text(f"{'…' if begin else ''}{flat[begin:end]}{'…' if end < len(flat) else ''}", overflow="fold")
    shift = begin - (1 if begin else 0)
    text.stylize("bold", max(0, first - shift), max(0, min(last, end) - shift))
    return text


def _wanted(passage: Passage) -> set[str]:
    """The words of the best query, fact or triple that led to a passage."""
    steps = [path[-1] for path in passage.paths if path[-1].label in ("Query", "Atom", "RELATED_TO")]
    best = max(steps, key=lambda step: step.similarity or 0.0, default=None)
    return set(_words(best.text)) if best else set()


def _sentence(text: str, wanted: set[str]) -> tuple[int, int]:
    """Where the sentence with the most of the wanted words begins and ends; nothing where none has two of them."""
    found = [(match.start(), match.end()) for match in re.finditer(r"\S.*?(?:[.!?](?=\s|$)|[。！？]|$)", text)]
    hits = [len(wanted & set(_words(text[first:last]))) for first, last in found]
    best = max(range(len(found)), key=lambda place: hits[place], default=None)
    return found[best] if best is not None and hits[best] > 1 else (0, 0)


def _words(text: str) -> list[str]:
    return [word for word in re.findall(r"\w+", text.lower()) if len(word) > 2]


def ways_to(passage: Passage, places: Mapping[str, int]) -> list[Way]:
    """The ways to a passage, best first, one for each thing found; ``places`` are the numbers of passages by id."""
    best: dict[tuple[str, str], Way] = {}
    for way, last in sorted(_ways(passage, places), key=lambda item: -(item[0].value or 0.0)):
        best.setdefault((last.id, last.text), way)
    return list(best.values())


def _ways(passage: Passage, places: Mapping[str, int]) -> Iterator[tuple[Way, Step]]:
    for path in passage.paths:
        last = path[-1]
        adds = last.weight is not None and last.relationship in ("HIT", "FROM_CHUNK")
        label = _OF_LAYER.get(last.layer or "", last.label)
        kind = KINDS.get(label, (label.lower(), ""))[0]
        before = " ← ".join(_before(step, places) for step in reversed(path[:-1]))
        text = _own(last, passage)
        way = Way(last.weight if adds else last.similarity, adds, kind, f"{text}  ← {before}" if before else text)
        yield way, last


def _own(step: Step, passage: Passage) -> str:
    """What was found; a passage's text is no evidence for itself, and stands above already."""
    return "the passage itself" if step.id == passage.id and step.text == passage.text else _short(step.text)


def _before(step: Step, places: Mapping[str, int]) -> str:
    if step.label == "Chunk":
        return f"passage {places[step.id]}" if step.id in places else f"passage “{_short(step.text)}”"
    near = "" if step.similarity is None else f" ({step.similarity:.2f})"
    return f"{_short(step.text)}{near}"


def _short(text: str) -> str:
    flat = re.sub(r"\s+", " ", text).strip()
    return flat if len(flat) <= SHOWN_CHARACTERS else flat[: SHOWN_CHARACTERS - 1] + "…"


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
