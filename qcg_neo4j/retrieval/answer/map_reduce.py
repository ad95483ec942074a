"""Map-reduce over windows (GraphRAG paper, §3.1.6): an answer with a score from each, one answer from the best."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from qcg_neo4j.core.errors import MissingReplyError
from qcg_neo4j.core.records import Usage
from qcg_neo4j.models.embedding.windows import TokenCounter
from qcg_neo4j.models.prompts import plain, task
from qcg_neo4j.models.replies import Failure, Reply, ReplySource, Request
from qcg_neo4j.retrieval import GraphragDriftSettings, GraphragGlobalSettings
from qcg_neo4j.retrieval.answer import form
from qcg_neo4j.retrieval.answer.items import Item, cited_ids, first_that_fit, item, shown, written
from qcg_neo4j.retrieval.answer.records import PartialAnswer
from qcg_neo4j.retrieval.graphrag import CollectionSettings
from qcg_neo4j.retrieval.model_steps import whole_reply

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
    asked: dict[str, list[int]] = {}
    requests = [request_of(MAP, question, window, settings) for window in windows]
    for place, request in enumerate(requests):
        asked.setdefault(request.key, []).append(place)
    found: dict[int, PartialAnswer] = {}
    failures: list[str] = []
    usage = Usage()
    for result in source.replies(requests):
        usage += result.usage
        place = asked[result.request.key].pop()
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
    rules = form.variables("items", settings.style, form.LONG, general_knowledge=settings.general_knowledge)
    return Request(task(name), f"{question}\n{text}", {"question": question, "items": text, **rules})


def _partial(question: str, reply: Reply, window: Sequence[Item], place: int) -> PartialAnswer:
    text = reply.value["answer"].strip()
    score = float(reply.value["score"]) if text else 0.0
    return PartialAnswer(text, score, question, cited_ids(text, window), place)
