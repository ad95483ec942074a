"""A stage in parts: which ids belong to a part, what its run has counted, and who runs parts side by side."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Protocol, TypeVar

from qcg_neo4j.core.progress import Progress
from qcg_neo4j.core.records import MissingReply, Usage, content_id
from qcg_neo4j.database.changes import Changes
from qcg_neo4j.database.graph import Graph
from qcg_neo4j.models.embedding.embedder import Embedder
from qcg_neo4j.models.replies import ReplySource

_LAST = "\uffff"  # behind every id
_PER_WORKER = 4  # parts for each worker, so that none waits long for the slowest

I = TypeVar("I")  # noqa: E741 - an item
T = TypeVar("T")
# What a worker does with an item of its part; it tells how many things of it are done.
Work = Callable[[Graph, Embedder, ReplySource | None, I, Progress], T]


@dataclass(frozen=True)
class Span:
    """The ids behind ``after``, up to and with ``until``."""

    after: str = ""
    until: str = _LAST


WHOLE = Span()


@dataclass
class Tally:
    """What a run, or a part of one, has done: numbers by their names, what has no reply, the cost, the changes.

    ``entities`` are the ids of those that chunks state.
    """

    counts: Counter[str] = field(default_factory=Counter)
    missing: list[MissingReply] = field(default_factory=list)
    usage: Usage = field(default_factory=Usage)
    changes: Changes = field(default_factory=Changes)
    entities: set[str] = field(default_factory=set)

    def add(self, other: Tally) -> None:
        """Take over what another one has counted."""
        self.counts.update(other.counts)
        self.missing += other.missing
        self.usage += other.usage
        self.changes += other.changes
        self.entities |= other.entities


class Workers(Protocol):
    """Processes, perhaps on other machines, that run parts of a stage side by side."""

    @property
    def count(self) -> int:
        """How many there are."""

    def run(
        self,
        graph: Graph,
        embedder: Embedder,
        source: ReplySource | None,
        work: Work[I, T],
        items: Iterable[I],
        progress: Progress,
    ) -> Iterator[T]:
        """Do the work with each item, each worker with its own connection and models; results as they come.

        Called by whoever holds the graph's turn to write, in which the workers write. What a worker did not finish
        is done again, so the work must be one that goes on where it was.

        Raises:
            QcgError: what a worker raised, once the others have kept what is under way; or workers die again and again.
        """


def spans(workers: Workers) -> list[Span]:
    """All ids in parts of about the same size: they are hashes, in hexadecimal digits."""
    number = workers.count * _PER_WORKER
    bounds = [f"{place * 16**8 // number:08x}" for place in range(1, number)]
    return [Span(*both) for both in pairwise(["", *bounds, _LAST])]


def slices(ids: Sequence[str], workers: Workers) -> list[Sequence[str]]:
    """The ids in parts of about the same size, none of them empty."""
    number = workers.count * _PER_WORKER
    return [part for start in range(number) if (part := ids[start::number])]


def shard(name: str, number: int) -> int:
    """Which of so many shards an id belongs to, in every run the same."""
    return int(content_id(name)[:8], 16) % number


def total(tallies: Iterable[Tally]) -> Tally:
    """What all of them have counted."""
    whole = Tally()
    for tally in tallies:
        whole.add(tally)
    return whole
