"""A stage that writes to the graph: what it reads, asks and writes, alone or in parts that workers share."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import chain, pairwise
from typing import Any, ClassVar, Generic, Protocol, TypeVar

from qcg_neo4j.core.errors import GraphError, InputError
from qcg_neo4j.core.progress import Progress, silent
from qcg_neo4j.core.records import MissingReply, Usage, content_id
from qcg_neo4j.core.settings import Settings
from qcg_neo4j.database import stages
from qcg_neo4j.database.conversion import Changes
from qcg_neo4j.database.graph import Graph
from qcg_neo4j.database.model import check_model
from qcg_neo4j.models.embedding.embedder import Embedder
from qcg_neo4j.models.embedding.windows import TokenCounter
from qcg_neo4j.models.llm import LanguageModelSettings
from qcg_neo4j.models.replies import Failure, ReplySource, ReplyStore, Request, replies_about

_LAST = "\uffff"  # behind every id
_PER_WORKER = 4  # parts for each worker, so that none waits long for the slowest
_CHUNKS_AT_ONCE = 200

T = TypeVar("T")
Part = TypeVar("Part")
Item = TypeVar("Item")
Made = TypeVar("Made")
Report = TypeVar("Report")
# What a worker does with a part; it reports how many things of the part are done.
Work = Callable[[Graph, Embedder, ReplySource | None, Part, Progress], T]


@dataclass(frozen=True)
class Span:
    """The ids behind ``after``, up to and with ``until``."""

    after: str = ""
    until: str = _LAST


WHOLE = Span()


@dataclass(frozen=True)
class StoredChunk:
    """A chunk of the graph; ``marks`` (its row) identify what the stages' results of it were made from."""

    id: str
    text: str
    marks: Mapping[str, Any]


@dataclass
class Tally:
    """What a run, or a part of one, has done: counts by name, missing replies, cost, changes.

    ``entities`` are the ids of the entities that chunks state.
    """

    counts: Counter[str] = field(default_factory=Counter)
    missing: list[MissingReply] = field(default_factory=list)
    usage: Usage = field(default_factory=Usage)
    changes: Changes = field(default_factory=Changes)
    entities: set[str] = field(default_factory=set)

    def add(self, other: Tally) -> None:
        """Add what another part has done."""
        self.counts.update(other.counts)
        self.missing += other.missing
        self.usage += other.usage
        self.changes += other.changes
        self.entities |= other.entities


@dataclass(frozen=True)
class Payer:
    """Who is asked and paid: the model, the store of its replies, its settings with the prices; what counts tokens."""

    source: ReplySource
    store: ReplyStore
    settings: LanguageModelSettings
    count: TokenCounter


class Workers(Protocol):
    """Processes, perhaps on other machines, that run parts of a stage side by side."""

    @property
    def count(self) -> int:
        """The number of workers."""

    def run(
        self,
        graph: Graph,
        embedder: Embedder,
        source: ReplySource | None,
        work: Work[Part, T],
        items: Iterable[Part],
        progress: Progress,
    ) -> Iterator[T]:
        """Do the work with each part, each worker with its own connection and models; results as they come.

        The caller holds the graph's writer lock, in which the workers write. What a worker did not finish is done
        again, so the work must be one that resumes.

        Raises:
            QcgError: what a worker raised, once the others have kept what is under way; or workers die repeatedly.
        """


class Stage(Generic[Part, Item, Made]):
    """One run of a stage, or of a part of it: items are read, asked about, and what is made of them is written.

    A subclass says what an item is (`items`), what is asked about it (`request`), what is made of the reply (`make`)
    and how that is written (`write`). `own` replaces the replies where no model is asked. Everything else, also
    resuming, missing replies, progress and figures, is here. ``more`` are the arguments that a worker's copy needs
    besides.
    """

    name: ClassVar[str]
    without_model: ClassVar[str] = ""  # the setting ``source`` with which nothing is asked
    at_once: ClassVar[int]  # written in one transaction, unless `is_enough` looks at sizes

    def __init__(
        self,
        graph: Graph,
        embedder: Embedder,
        settings: Any,
        source: ReplySource | None = None,
        progress: Progress = silent,
        **more: Any,
    ) -> None:
        self.graph, self.embedder, self.settings = graph, embedder, settings
        self.source, self.progress, self.more = source, progress, more
        self.done, self.total = Tally(), 0
        self._ticks, self._made_from = 0, dict[str, int]()
        if self.asks and source is None:
            raise InputError(f"source={settings.source} requires a language model or recorded replies.")
        check_model(graph, embedder.name, embedder.dimension, embedder.prefixes)

    @property
    def asks(self) -> bool:
        """Whether replies are needed."""
        return bool(self.settings.source != self.without_model)

    def items(self, part: Part) -> Iterator[Item]:
        """What a part consists of."""
        raise NotImplementedError

    def request(self, item: Item) -> Request:
        """What is asked about an item."""
        raise NotImplementedError

    def own(self, part: Part) -> Iterator[tuple[Item, Any, str]]:
        """Each item with what replaces a reply, and the name of its writer, where no model is asked."""
        raise NotImplementedError

    def item_id(self, item: Item) -> str:
        """The id under which a missing reply is reported."""
        return str(getattr(item, "id"))  # noqa: B009 - items of most stages have one

    def make(self, item: Item, value: Any, writer: str) -> Iterable[Made]:
        """What is to write of an item; nothing where the graph holds it already."""
        raise NotImplementedError

    def write(self, several: list[Made]) -> None:
        """Write what was made in one transaction."""
        raise NotImplementedError

    def is_enough(self, several: Sequence[Made]) -> bool:
        """Whether a batch is full."""
        return len(several) >= self.at_once

    def part(self, part: Part) -> Tally:
        """Go through the items of a part; `done` is what was done so far.

        What is made is written as soon as there is enough for a transaction. The rest is written also when the source
        of the replies fails, such as an endpoint that is gone: what was paid for is used.
        """
        waiting: list[Made] = []
        try:
            for found in self.replied(part) if self.asks else self.own(part):
                for made in self.make(*found):
                    waiting.append(made)
                    if self.is_enough(waiting):
                        full, waiting = waiting, []  # what fails here is not written once more below
                        self.write(full)
                self.tick()
        finally:
            if waiting:
                self.write(waiting)
        return self.done

    def share(self, whole: Part, parts: Callable[[Workers], Iterable[Part]], workers: Workers | None) -> None:
        """Go through the whole here, or have workers go through its parts."""
        if workers is None:
            self.part(whole)
            return
        before = self._ticks

        def tell(done: int, _: int | None) -> None:
            self._ticks = before + done
            self.progress(self._ticks, self.total or None)

        work = partial(_part, type(self), self.settings, self.more)
        for done in workers.run(self.graph, self.embedder, self.source, work, parts(workers), tell):
            self.done.add(done)

    def tick(self) -> None:
        """Report that one more item is done."""
        self._ticks += 1
        self.progress(self._ticks, self.total or None)

    def replied(self, part: Part) -> Iterator[tuple[Item, Any, str]]:
        """Each item of a part that has a reply, with the reply's value and who wrote it."""
        assert self.source is not None  # noqa: S101 - checked at the beginning
        for item, result in replies_about(self.source, self.items(part), self.request):
            self.done.usage += result.usage
            if isinstance(result, Failure):
                self.done.missing.append(MissingReply(self.item_id(item), result.reason))
                self.tick()
            else:
                yield item, result.value, result.model

    def count_chunks(self) -> None:
        """Set ``total`` to the number of chunks, each text once.

        Raises:
            GraphError: there are none.
        """
        self.total = int(self.graph.rows("index/count_chunks")[0]["chunks"])
        if not self.total:
            raise GraphError("The graph holds no chunks.", "Load documents first: `qcg load FILE`.")

    def begin(self) -> str:
        """Record that the stage begins; the cursor of an interrupted run of the same settings and state, else ''."""
        self._made_from = stages.basis(stages.recorded(self.graph), self.name)
        return stages.begin(self.graph, self.name, self.settings, self._made_from)

    def finish(self, report: Report, figures: Mapping[str, Any] | None = None) -> Report:
        """Record that the stage has come to its end, with the figures of its report; gives the report back."""
        given = stages.counts(report) if figures is None else figures
        stages.finish(self.graph, self.name, self.settings, self._made_from, given)
        return report

    @property
    def missing(self) -> tuple[MissingReply, ...]:
        """The items without a reply, by what people call them."""
        return called(self.graph, self.done.missing)


def called(graph: Graph, missing: Sequence[MissingReply]) -> tuple[MissingReply, ...]:
    """The items with what people call them, in that order."""
    ids = [item.id for item in missing]
    places = {row["id"]: row["place"] for row in graph.rows("stage/places", ids=ids)} if ids else {}
    named = [replace(item, place=places.get(item.id)) for item in missing]
    return tuple(sorted(named, key=lambda item: (item.place or "", item.id)))


def _part(
    kind: type[Stage[Part, Any, Any]],
    settings: Settings,
    more: Mapping[str, Any],
    graph: Graph,
    embedder: Embedder,
    source: ReplySource | None,
    part: Part,
    progress: Progress,
) -> Tally:
    """What a worker does."""
    return kind(graph, embedder, settings, source, progress, **more).part(part)


def stored_chunks(graph: Graph, path: str, span: Span = WHOLE) -> Iterator[StoredChunk]:
    """The chunks of a span by id, with the marks that the statement reads."""
    for row in chain.from_iterable(graph.pages(path, _CHUNKS_AT_ONCE, span.after, until=span.until)):
        yield StoredChunk(row["id"], row["text"], row)


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
    """The shard of an id, out of ``number``; in every run the same."""
    return int(content_id(name)[:8], 16) % number
