"""Transactions that write different documents, at the same time: the server makes the next while it commits one."""

from __future__ import annotations

from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from contextvars import copy_context
from types import TracebackType

from qcg_neo4j.database.graph import Graph
from qcg_neo4j.indexing.load.transactions import Part

AT_ONCE = 3  # more wait for each other: every transaction raises the stage's revision before its commit


class SideBySide:
    """Writes parts; who leaves the block finds all written that was begun.

    Two that have a document or a text in common are written one after the other, in the order in which they came: of
    chunks with the same text the later has to find the earlier. So is all that removes or moves chunks.
    """

    def __init__(self, graph: Graph) -> None:
        self._graph = graph
        self._pool = ThreadPoolExecutor(AT_ONCE, "qcg load")
        self._under_way: dict[Future[None], frozenset[str]] = {}

    def __enter__(self) -> SideBySide:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        try:
            if kind is None:
                self.settle()
        finally:
            self._pool.shutdown(cancel_futures=True)

    def write(self, part: Part) -> None:
        """Begin to write a part; raises the error of one before it that could not be written."""
        if not part.only_adds:
            self.settle()
            part.write(self._graph)
            return
        touched = part.touched()
        self.settle(touched)
        while len(self._under_way) >= AT_ONCE:
            self._end(next(iter(wait(self._under_way, return_when=FIRST_COMPLETED).done)))
        self._under_way[self._pool.submit(copy_context().run, part.write, self._graph)] = touched

    def settle(self, touched: frozenset[str] | None = None) -> None:
        """Wait for the writes that touch one of these documents or texts, or for all."""
        for future, others in list(self._under_way.items()):
            if touched is None or touched & others:
                self._end(future)

    def _end(self, future: Future[None]) -> None:
        del self._under_way[future]
        future.result()
