"""What answers are written from, as numbered items of a window."""

from __future__ import annotations

import random
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from qcg_neo4j.core.records import Passage, Report
from qcg_neo4j.indexing.report.citations import without_citations
from qcg_neo4j.models.embedding.windows import TokenCounter
from qcg_neo4j.models.prompts import KnownCitations, cited, in_one_line, quoted
from qcg_neo4j.models.replies import Reply

_NUMBER_TOKENS = 6  # "[12] (a title)" around an item's text


@dataclass(frozen=True)
class Item:
    """Something to write from: its kind (passage, report, …), the id in the graph that a citation of it means."""

    kind: str
    id: str
    title: str
    text: str
    tokens: int


def item(kind: str, name: str, title: str, text: str, count: TokenCounter) -> Item:
    """An item with its length."""
    return Item(kind, name, title, text, count(text) + count(title) + _NUMBER_TOKENS)


def report_items(reports: Iterable[Report], count: TokenCounter) -> list[Item]:
    """Reports as items; their own citations mean nothing here and are gone."""
    return [
        item("report", report.id, report.title, without_citations(report.text).strip(), count) for report in reports
    ]


def passage_items(passages: Iterable[Passage], count: TokenCounter) -> list[Item]:
    """Passages as items."""
    return [
        item("passage", passage.id, passage.title or passage.document, passage.text.strip(), count)
        for passage in passages
    ]


def windows(items: Sequence[Item], tokens: int, seed: int) -> list[list[Item]]:
    """The items in a seeded order, cut into windows; an item longer than a window has one of its own."""
    shuffled = list(items)
    random.Random(seed).shuffle(shuffled)  # noqa: S311 - an order, no secret
    cut: list[list[Item]] = []
    left = 0
    for one in shuffled:
        if not cut or one.tokens > left:
            cut.append([])
            left = tokens
        cut[-1].append(one)
        left -= one.tokens
    return cut


def first_that_fit(items: Iterable[Item], tokens: int) -> list[Item]:
    """The items, in order, that fit together; one that does not fit is passed over, but for the very first."""
    kept: list[Item] = []
    left = tokens
    for one in items:
        if one.tokens <= left or not kept:
            kept.append(one)
            left -= one.tokens
    return kept


def shown(items: Sequence[Item]) -> str:
    """The items as a prompt shows them, numbered from 1."""
    return "\n\n".join(
        f"[{number}] ({one.kind}: {in_one_line(one.title)})\n{quoted(one.text)}"
        for number, one in enumerate(items, start=1)
    )


def written(reply: Reply, items: Sequence[Item]) -> tuple[str, tuple[str, ...], tuple[str, ...]]:
    """The answer of a reply, the ids of what it cites, and a note on citations of what was not shown."""
    known = KnownCitations(len(items))
    text = "".join(known.of([str(reply.value["answer"]).strip()]))
    return text, cited_ids(text, items), known.notes


def cited_ids(text: str, items: Sequence[Item]) -> tuple[str, ...]:
    """The ids of the items that a text cites, each once."""
    return tuple(dict.fromkeys(one.id for one in cited(text, items)))
