"""One description for an entity that many chunks describe, each in its own words."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import chain
from typing import Any

from qcg_neo4j.graph import Call, Changes, Graph
from qcg_neo4j.prompts import task
from qcg_neo4j.records import Usage
from qcg_neo4j.replies import Failure, ReplySource, Request, replies_about
from qcg_neo4j.stages import write_as_they_come

DESCRIBE = "extract/describe"
_WORDS = 120  # about as much as an embedding model reads
_LONGEST = 24_000  # characters of descriptions that are shown; the most frequent come first
_PAGE = 200  # entities read and written at once


@dataclass
class Described:
    """What has been summarized, and what not."""

    number: int = 0
    failures: list[tuple[str, str]] = field(default_factory=list)  # name of the entity, reason
    usage: Usage = field(default_factory=Usage)
    changes: Changes = field(default_factory=Changes)


def describe(graph: Graph, source: ReplySource) -> Described:
    """Have the descriptions summarized that are too long together, where they have changed since the last time."""
    done = Described()

    def write(rows: list[dict[str, Any]]) -> None:
        if rows:
            done.changes += graph.write(Call("extract/summaries", {"rows": rows}), stages=("extract",)).changes
            done.number += len(rows)

    write_as_they_come(_summaries(graph, source, done), write, lambda rows: len(rows) >= _PAGE)
    return done


def _summaries(graph: Graph, source: ReplySource, done: Described) -> Iterator[dict[str, Any]]:
    every = chain.from_iterable(graph.pages("extract/undescribed", _PAGE))
    for row, result in replies_about(source, every, _request):
        done.usage += result.usage
        if isinstance(result, Failure):
            done.failures.append((row["name"], result.reason))
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
