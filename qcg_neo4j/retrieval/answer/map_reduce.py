"""Map-reduce over windows (GraphRAG paper, §3.1.6): points with scores from each, one answer from the best."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from qcg_neo4j.core.errors import MissingReplyError
from qcg_neo4j.core.records import Usage
from qcg_neo4j.models.embedding.windows import TokenCounter
from qcg_neo4j.models.prompts import KnownCitations, cited, plain, task
from qcg_neo4j.models.replies import Failure, Reply, ReplySource, Request
from qcg_neo4j.retrieval.answer.items import Item, first_that_fit, item, shown
from qcg_neo4j.retrieval.answer.records import PartialAnswer

MAP, REDUCE = "answer/map", "answer/reduce"
NOTHING = "The texts say nothing about this question."


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


def map_windows(question: str, windows: Sequence[Sequence[Item]], source: ReplySource) -> Mapped:
    """Ask about every window, several at a time; points that do not help (score 0) are dropped.

    Raises:
        MissingReplyError: no window got a reply.
    """
    asked: dict[str, list[int]] = {}
    requests = [_request(MAP, question, window) for window in windows]
    for place, request in enumerate(requests):
        asked.setdefault(request.key, []).append(place)
    points: dict[int, list[PartialAnswer]] = {}
    failures: list[str] = []
    usage = Usage()
    for result in source.replies(requests):
        usage += result.usage
        place = asked[result.request.key].pop()
        if isinstance(result, Failure):
            failures.append(result.reason)
        else:
            points[place] = _points(question, result, windows[place], place)
    if failures and not points:
        raise MissingReplyError(f"None of the {len(windows)} windows got a reply: {failures[0]}.")
    partial = sorted((one for place in sorted(points) for one in points[place]), key=lambda one: -one.score)
    empty = sum(not found for found in points.values())
    return Mapped(tuple(partial), empty, tuple(failures), usage)


def reduce_points(
    question: str, partial: Sequence[PartialAnswer], window_tokens: int, source: ReplySource, count: TokenCounter
) -> Reduced:
    """One answer from the most helpful partial answers that fit into a window; none is asked for without any.

    Raises:
        MissingReplyError: there is no reply.
    """
    items = [
        item("point", str(place), f"score {one.score:g}", plain(one.text), count) for place, one in enumerate(partial)
    ]
    kept = first_that_fit(items, window_tokens)
    if not kept:
        return Reduced(NOTHING, (), "", 0, Usage())
    result = next(iter(source.replies([_request(REDUCE, question, kept)])))
    if isinstance(result, Failure):
        raise MissingReplyError(f"There is no reply to {REDUCE}: {result.reason}.")
    known = KnownCitations(len(kept))
    text = "".join(known.of([str(result.value["answer"]).strip()]))
    used = [partial[int(one.id)] for one in cited(text, kept)]
    citations = tuple(dict.fromkeys(name for one in used for name in one.citations))
    return Reduced(text, citations, result.model, len(items) - len(kept), result.usage, known.notes)


def _request(name: str, question: str, items: Sequence[Item]) -> Request:
    text = shown(items)
    return Request(task(name), f"{question}\n{text}", {"question": question, "items": text})


def _points(question: str, reply: Reply, window: Sequence[Item], place: int) -> list[PartialAnswer]:
    return [
        PartialAnswer(
            point["description"].strip(),
            float(point["score"]),
            question,
            tuple(one.id for one in cited(point["description"], window)),
            place,
        )
        for point in reply.value["points"]
        if point["score"] > 0 and point["description"].strip()
    ]
