"""One description for an entity that many chunks describe, each in its own words."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import chain
from typing import Any

from qcg_neo4j.core.records import MissingReply
from qcg_neo4j.database.connection import Call
from qcg_neo4j.database.graph import Graph
from qcg_neo4j.indexing.stage import Span, Tally, write_as_they_come
from qcg_neo4j.models.prompts import task
from qcg_neo4j.models.replies import Failure, ReplySource, Request, replies_about

DESCRIBE = "extract/describe"
_WORDS = 120  # about as much as an embedding model reads
_LONGEST = 24_000  # characters of descriptions that are shown; the most frequent come first
_PAGE = 200  # entities read and written at once


def describe(graph: Graph, source: ReplySource, span: Span) -> Tally:
    """Have the descriptions summarized that are too long together, where they have changed since the last time.

    Of the entities of a span; what is ``missing`` is named by the entity.
    """
    done = Tally()

    def write(rows: list[dict[str, Any]]) -> None:
        if rows:
            done.changes += graph.write(Call("extract/summaries", {"rows": rows}), stages=("extract",)).changes
            done.counts["described"] += len(rows)

    write_as_they_come(_summaries(graph, source, span, done), write, lambda rows: len(rows) >= _PAGE)
    return done


def _summaries(graph: Graph, source: ReplySource, span: Span, done: Tally) -> Iterator[dict[str, Any]]:
    every = chain.from_iterable(graph.pages("extract/undescribed", _PAGE, span.after, until=span.until))
    for row, result in replies_about(source, every, _request):
        done.usage += result.usage
        if isinstance(result, Failure):
            done.missing.append(MissingReply(row["name"], result.reason))
        elif summary := " ".join(result.value["description"].split()):
            yield {"id": row["id"], "summary": summary, "of": row["descriptions"]}


def _request(row: dict[str, Any]) -> Request:
    shown = "\n".join(_shown(row["descriptions"]))
    variables = {"name": row["name"], "descriptions": shown, "words": str(_WORDS)}
    return Request(task(DESCRIBE), f"{row['name']}\n{shown}", variables)


def _shown(descriptions: Sequence[str]) -> Iterator[str]:
    left = _LONGEST
    for description in descriptions:
        left -= len(description) + 1
        if left < 0:
            return
        yield description
