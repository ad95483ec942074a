"""The search for what is near: exact, by the vector index, or by GDS kNN, widened until enough is found.

A graph that has grown a little is searched for what is new alone, and for what it comes near to.
"""

from __future__ import annotations

import logging
import time
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, wait
from contextvars import copy_context
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from qcg_neo4j.core.errors import GraphError, MissingPackageError, MissingPluginError
from qcg_neo4j.core.progress import Progress
from qcg_neo4j.database import stages
from qcg_neo4j.database.connection import Call
from qcg_neo4j.database.conversion import Rows
from qcg_neo4j.database.graph import Graph
from qcg_neo4j.database.model import recorded_model
from qcg_neo4j.database.projection import project_as, projection
from qcg_neo4j.database.schema import await_indexes
from qcg_neo4j.indexing.build.nearest import (
    Near,
    Wanted,
    all_are_compared,
    among_near_lists,
    has_lists,
    has_room,
    nearest,
    read_vectors,
)

if TYPE_CHECKING:
    from qcg_neo4j.indexing.build.settings import AtomSettings, BuildSettings, SynonymSettings

SLICE = 250  # nodes per transaction of the index strategy: some seconds of work that an interruption may lose
AT_ONCE = 4  # slices that are searched for at the same time, each by one of the server's threads
MOST_DOUBLINGS = 4
SOON = 20_000  # vectors up to which all are compared anew, since that takes some seconds
LITTLE = 10  # a graph has grown a little while at most one vector in so many is new
EXACT, INVERTED = "exact", "ivf"
SECONDS = 1.0  # from one look at how far GDS is to the next
_INSTALL = "Install it with: pip install 'qcg-neo4j[faiss]'"
LOG = logging.getLogger(__name__)
NEAR = "NEAR"  # what GDS calls the pairs of its projection


@dataclass(frozen=True)
class Kind:
    """What is searched among: its stage, its name in messages, columns and `projected`, the paths of its statements.

    Of a kind that has ``join_added``, ``join`` only notes what is near, and what is lost leaves no trace.
    """

    stage: str
    nodes: str
    size: str
    before: str
    slice: str
    vectors: str
    by_index: str
    join: str
    label: str  # of the nodes that are compared, in the projected graph
    by_gds: str
    recall: str
    waiting: str  # what is new
    displaced: str | None = None  # what something new came near to
    join_added: str | None = None  # in the place of ``join``, for what is new
    wanted: str = "neighbours"
    figures: tuple[str, ...] = ("recall", "sample")  # what the statement of recall measures
    complete_with: tuple[str, ...] = ("neighbours",)  # the parameters of ``waiting``
    clear: str | None = None  # before a search that begins anew


@dataclass(frozen=True)
class Search:
    """A search in a graph; ``limits`` are the parameters that say what is near, ``least`` is the narrowest width."""

    graph: Graph
    kind: Kind
    settings: AtomSettings | BuildSettings | SynonymSettings
    limits: Mapping[str, Any]
    progress: Progress
    least: int = 1
    most_candidates: Callable[[int], Mapping[str, Any]] = lambda _: {}
    cutoff: float = 0.0  # least similarity that GDS keeps
    grows: bool = True  # what is new may be searched for alone

    def run(self, strategies: Sequence[str], total: int, cursor: str) -> dict[str, Any]:
        """Search with growing effort until the recall floor is reached: the figures of the strategy that did.

        Raises:
            GraphError: the floor is not reached.
        """
        kind, settings, best = self.kind, self.settings, 0.0
        for strategy in strategies:
            for doublings in range(1 if strategy == EXACT else MOST_DOUBLINGS):
                if kind.clear and not cursor:
                    self.graph.run(kind.clear)
                if strategy == "gds":
                    self._by_gds(max(settings.gds_top_k, self.least) << doublings)
                else:
                    self._joined(self._found(strategy, doublings, cursor), total, cursor)
                recall = self.graph.rows(kind.recall, sample=settings.recall_sample, **self.limits)[0]
                if recall["recall"] >= settings.recall_floor:
                    return {"strategy": strategy, **{name: recall[name] for name in kind.figures}, "added": 0}
                best, cursor = max(best, recall["recall"]), ""
        raise GraphError(
            f"Only {best:.3f} of the true {kind.wanted} were found; the floor is {settings.recall_floor}.",
            "Set another strategy, more candidates or gds_top_k, or a lower recall_floor.",
        )

    def waiting(self, last: stages.StageRecord, total: int) -> list[str] | None:
        """Ids of what is new, or has lost one of what was near; None where all have to be searched for.

        That is where there are few in all, or many of these, where a strategy was chosen that compares all, or where
        something is gone and nothing tells what it was near to.
        """
        strategy = self.settings.strategy
        if not self.grows or strategy not in ("auto", "index") or (strategy == "auto" and total <= SOON):
            return None
        room = total // LITTLE - last.figures.get("added", 0)
        complete = {name: self.limits[name] for name in self.kind.complete_with}
        ids = [row["id"] for row in self.graph.rows(self.kind.waiting, max(room, 0) + 1, **complete)]
        lost = self.kind.join_added and total - len(ids) < last.figures[self.kind.nodes]
        return None if lost or len(ids) > room else ids

    def add(self, waiting: Sequence[str], total: int, figures: Mapping[str, Any]) -> dict[str, Any]:
        """Search by the index for what is new, and again for what that is near to; the recall is that of the last run.

        What one transaction writes is complete, its figures too: after an interruption fewer are waiting.
        """
        graph, kind, searched, added = self.graph, self.kind, total - len(waiting), figures.get("added", 0)
        model = recorded_model(graph) or {"widening": 1.0}
        candidates = round((max(self.settings.candidates, self.least) << MOST_DOUBLINGS) * model["widening"])
        for start in range(0, len(waiting), SLICE):
            new = waiting[start : start + SLICE]
            near = graph.rows(kind.displaced, ids=new, candidates=candidates) if kind.displaced else []
            ids = [*new, *(row["id"] for row in near)]
            found = self._near(ids, candidates)
            join = Call(kind.join_added, {"found": found}) if kind.join_added else self._join(found)
            done = start + len(new)
            kept = {**figures, kind.nodes: searched + done, "added": added + done}
            graph.write(join, stages.note_figures(kind.stage, kept), stages=(kind.stage,))
            self.progress(done, len(waiting))
        return {name: figures[name] for name in ("strategy", *kind.figures)} | {"added": added + len(waiting)}

    def _joined(self, slices: Iterator[tuple[list[str], Rows]], total: int, cursor: str) -> None:
        """Write slice after slice what was found for it."""
        done = self.graph.rows(self.kind.before, cursor=cursor)[0][self.kind.nodes]
        self.progress(done, total)
        touched = () if self.kind.join_added else (self.kind.stage,)
        for ids, found in slices:
            self.graph.write(self._join(found, ids[-1]), stages=touched)
            done += len(ids)
            self.progress(done, total)

    def _join(self, found: Rows, cursor: str = "") -> Call:
        return Call(self.kind.join, {"found": found, "cursor": cursor})

    def _found(self, strategy: str, doublings: int, cursor: str) -> Iterator[tuple[list[str], Rows]]:
        """Slice after slice, its ids and what is near, as far as it was looked for."""
        if strategy == "index":
            return self._found_by_index(max(self.settings.candidates, self.least) << doublings, cursor)
        if strategy == EXACT:
            return self._found_here(1.0, cursor)
        # Half of what may be missed, and less each time, for the recall is checked by another sample.
        return self._found_here(1 - (1 - self.settings.recall_floor) / (2 << doublings), cursor)

    def _found_here(self, share: float, cursor: str) -> Iterator[tuple[list[str], Rows]]:
        wanted = Wanted(self.limits["neighbours"], float(self.limits.get("similarity", -np.inf)), share)
        ids, vectors = read_vectors(self.graph, self.kind.vectors, self.kind.label)
        candidates = among_near_lists(vectors, wanted, self.settings.random_seed)
        for some, found in nearest(ids, vectors, wanted, candidates, cursor):
            yield some, [{"id": name, "nearest": self._told(near)} for name, near in zip(some, found, strict=True)]

    def _told(self, near: Near) -> list[Any]:
        return [name if self.kind.join_added else {"id": name, "score": score} for name, score in near]

    def _found_by_index(self, candidates: int, cursor: str) -> Iterator[tuple[list[str], Rows]]:
        """Slice after slice, its ids and what is near; some of the next ones are being searched for meanwhile."""
        searches: deque[tuple[list[str], Future[Rows]]] = deque()
        pool = ThreadPoolExecutor(AT_ONCE)
        try:
            ids = self._slice(cursor)
            while ids or searches:
                if ids:
                    searches.append((ids, pool.submit(copy_context().run, self._near, ids, candidates)))
                    ids = self._slice(ids[-1])
                if len(searches) > AT_ONCE or not ids:
                    searched, search = searches.popleft()
                    yield searched, search.result()
        finally:
            pool.shutdown(cancel_futures=True)

    def _near(self, ids: Sequence[str], candidates: int) -> Rows:
        given = {"candidates": candidates, **self.limits, **self.most_candidates(candidates)}
        return self.graph.rows(self.kind.by_index, ids=ids, **given)

    def _slice(self, after: str) -> list[str]:
        ids: list[str] = self.graph.rows(self.kind.slice, after=after, slice=SLICE)[0]["ids"]
        return ids

    def _by_gds(self, top_k: int) -> None:
        chosen = {"top_k": top_k, "random_seed": self.settings.random_seed, "similarity_cutoff": self.cutoff}
        with projection(self.graph, f"qcg_{self.kind.nodes}_vectors") as name, ThreadPoolExecutor(1) as pool:
            project_as(self.graph, name, self.kind.nodes)
            near = {"projection": name, "relationship_type": NEAR}
            search = pool.submit(self.graph.run, "build/knn", **near, node_label=self.kind.label, **chosen)
            while not wait([search], timeout=SECONDS).done:
                for row in self.graph.rows("build/knn_progress"):
                    self.progress(round(row["percent"]), 100)
            search.result()
            self.graph.run(self.kind.by_gds, **near, **self.limits)


def brought_up_to_date(
    search: Search, count: Callable[[], Mapping[str, Any]], join_all: Callable[[], None] = lambda: None
) -> dict[str, Any]:
    """What the report of a stage holds: the figures of the last time if nothing has changed, else those of a search.

    ``join_all`` joins what only noted what is near, after all was searched; ``count`` says what is joined at the end.

    Raises:
        GraphError: there is nothing to join yet, or not all of it.
    """
    graph, kind, settings = search.graph, search.kind, search.settings
    known = stages.recorded(graph)
    if stages.is_current(known, kind.stage, settings):
        return {"changed": False, **known[kind.stage].figures}
    size = _size(graph, kind)
    start = time.perf_counter()
    made_from, last, total = stages.basis(known, kind.stage), known[kind.stage], size[kind.nodes]
    waiting = search.waiting(last, total) if stages.was_made_with(known, kind.stage, settings) else None
    if waiting is None:
        strategies = possible_strategies(graph, settings.strategy, total)  # refused before the stage begins
        cursor = stages.begin(graph, kind.stage, settings, made_from)
        await_indexes(graph)
        found = search.run(strategies, total, cursor)
        join_all()
    else:
        await_indexes(graph)
        found = search.add(waiting, total, last.figures)
    sizes = {name: number for name, number in size.items() if name != "without_embedding"}
    figures = {**sizes, **found, **count(), "seconds": round(time.perf_counter() - start, 1)}
    stages.finish(graph, kind.stage, settings, made_from, figures)
    return {"changed": True, **figures}


def _size(graph: Graph, kind: Kind) -> Mapping[str, Any]:
    size, again = graph.rows(kind.size)[0], f"`{stages.COMMANDS[stages.MADE_FROM[kind.stage][0]]}`"
    if not size[kind.nodes]:
        raise GraphError(f"The graph has no {kind.nodes} to join.", f"Make them first: {again}.")
    if size["without_embedding"]:
        raise GraphError(
            f"{size['without_embedding']:,} {kind.nodes} have no embedding.", f"Run {again} again; it was interrupted."
        )
    return size


def possible_strategies(graph: Graph, strategy: str, total: int) -> list[str]:
    """Strategies to try in order: the chosen one, or for ``auto`` the ones that the size allows.

    Search in this process comes first, exact where that is soon, else by lists where faiss is installed, for as many
    vectors as there is memory for. Of the others kNN by descent comes last: both took the same time for 10,000
    queries, with more of them it finds fewer of the true neighbours, and it begins again when interrupted.

    Raises:
        MissingPluginError: the strategy is ``gds`` and the server has no Graph Data Science.
        MissingPackageError: the strategy is ``ivf`` and faiss is not installed.
    """
    has_gds = bool(graph.rows("schema/gds"))
    if strategy == "gds" and not has_gds:
        raise MissingPluginError(
            "The server has no Graph Data Science.", "Install it, or use `--strategy index`, which needs no plug-in."
        )
    if strategy == INVERTED and not has_lists():
        raise MissingPackageError("--strategy ivf needs faiss, which is not installed.", _INSTALL)
    if strategy != "auto":
        return [strategy]
    elsewhere = ["index", *(["gds"] if has_gds else [])]
    model = recorded_model(graph)
    if not model or not has_room(total, model["dimension"]):
        return elsewhere
    if all_are_compared(total, model["dimension"]):
        return [EXACT, *elsewhere]
    if has_lists():
        return [INVERTED, *elsewhere]
    LOG.warning("%s vectors are joined by the vector index; faiss is faster. %s", f"{total:,}", _INSTALL)
    return elsewhere
