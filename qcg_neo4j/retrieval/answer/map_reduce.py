"""Map-reduce over windows of numbered items (GraphRAG paper, §3.1.6): an answer with a score each, then one answer."""

from __future__ import annotations

import random
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from qcg_neo4j.core.errors import MissingReplyError
from qcg_neo4j.core.records import Passage, Report, Usage
from qcg_neo4j.indexing.report.window import without_citations
from qcg_neo4j.models.embedding.windows import TokenCounter
from qcg_neo4j.models.prompts import KnownCitations, cited, in_one_line, plain, quoted, task
from qcg_neo4j.models.replies import Failure, Reply, ReplySource, Request, replies_about
from qcg_neo4j.retrieval import GraphragDriftSettings, GraphragGlobalSettings
from qcg_neo4j.retrieval.answer.records import PartialAnswer
from qcg_neo4j.retrieval.answer.writing import LONG, form_rules
from qcg_neo4j.retrieval.graphrag import CollectionSettings
from qcg_neo4j.retrieval.model_steps import whole_reply

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


def first_that_fit(items: Iterable[Item], tokens: float, least: int = 1) -> list[Item]:
    """The items, in order, that fit together; one that does not fit is passed over, but for the first ``least``."""
    kept: list[Item] = []
    left = tokens
    for one in items:
        if one.tokens <= left or len(kept) < least:
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


MAP, REDUCE = "answer/map", "answer/reduce"
NOTHING = "The texts say nothing about this question."
Windowed = GraphragGlobalSettings | GraphragDriftSettings


@dataclass(frozen=True)
class Mapped:
    """The partial answers, the most helpful first; windows that gave none or got no reply, and what it cost."""

    partial: tuple[PartialAnswer, ...]
    empty: int
    failures: tuple[str, ...]
    usage: Usage


@dataclass(frozen=True)
class Reduced:
    """An answer, the ids of the items that it cites through its partial answers, by whom, and what it cost."""

    text: str
    citations: tuple[str, ...]
    model: str
    left_out: int
    usage: Usage
    notes: tuple[str, ...] = ()


def map_windows(
    question: str, windows: Sequence[Sequence[Item]], settings: CollectionSettings, source: ReplySource
) -> Mapped:
    """Ask about every window, several at a time; answers that do not help (score 0) are dropped.

    Raises:
        MissingReplyError: no window got a reply.
    """
    found: dict[int, PartialAnswer] = {}
    failures: list[str] = []
    usage = Usage()
    places = range(len(windows))
    for place, result in replies_about(source, places, lambda at: request_of(MAP, question, windows[at], settings)):
        usage += result.usage
        if isinstance(result, Failure):
            failures.append(result.reason)
        else:
            found[place] = _partial(question, result, windows[place], place)
    if failures and not found:
        raise MissingReplyError(f"None of the {len(windows)} windows got a reply: {failures[0]}.")
    helpful = [found[place] for place in sorted(found) if found[place].score > 0]
    partial = sorted(helpful, key=lambda one: -one.score)
    return Mapped(tuple(partial), len(found) - len(helpful), tuple(failures), usage)


def reduce_answers(
    question: str,
    partial: Sequence[PartialAnswer],
    settings: Windowed,
    source: ReplySource,
    count: TokenCounter,
) -> Reduced:
    """One answer from the most helpful partial answers that fit into a window; none is asked for without any.

    Raises:
        MissingReplyError: there is no reply.
    """
    items = [
        item("answer", str(place), f"score {one.score:g}", plain(one.text), count) for place, one in enumerate(partial)
    ]
    reduced = answer_from(question, items, settings, source)
    used = [partial[int(name)] for name in reduced.citations]
    return replace(reduced, citations=tuple(dict.fromkeys(name for one in used for name in one.citations)))


def answer_from(question: str, items: Sequence[Item], settings: Windowed, source: ReplySource) -> Reduced:
    """The answer from the first items that fit into a window, with the ids of its citations.

    Raises:
        MissingReplyError: there is no reply.
    """
    kept = first_that_fit(items, settings.window_tokens)
    if not kept:
        return Reduced(NOTHING, (), "", 0, Usage())
    result = whole_reply(source, request_of(REDUCE, question, kept, settings))
    text, citations, notes = written(result, kept)
    return Reduced(text, citations, result.model, len(items) - len(kept), result.usage, notes)


def request_of(name: str, question: str, items: Sequence[Item], settings: CollectionSettings) -> Request:
    """What is asked about items: an answer with its score (`MAP`), or the last answer (`REDUCE`)."""
    text = shown(items)
    rules = form_rules("items", settings.style, LONG, general_knowledge=settings.general_knowledge)
    return Request(task(name), f"{question}\n{text}", {"question": question, "items": text, **rules})


def _partial(question: str, reply: Reply, window: Sequence[Item], place: int) -> PartialAnswer:
    text = reply.value["answer"].strip()
    score = float(reply.value["score"]) if text else 0.0
    return PartialAnswer(text, score, question, cited_ids(text, window), place)
