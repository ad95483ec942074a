"""A graph for programs on an event loop: each question runs in a thread of a bounded pool, on one shared driver."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextvars import copy_context
from threading import Event
from typing import Any, NoReturn, Self, TypeVar

import numpy as np
from numpy.typing import NDArray

from qcg_neo4j.core.errors import GraphError
from qcg_neo4j.database.connection import CANCELLED, Call
from qcg_neo4j.database.conversion import Rows
from qcg_neo4j.database.graph import Graph
from qcg_neo4j.models.embedding.embedder import Embedder

T = TypeVar("T")
THREADS = 32  # questions that are asked at the same time; the driver keeps up to 100 connections
SECONDS = 300.0  # that a statement may take


class AsyncGraph:
    """A corpus of a database, asked on an event loop, many questions at once; made and changed it is with `Graph`.

    Use `AsyncGraph.connect`; close it, or use it in an ``async with`` block.
    """

    def __init__(self, graph: Graph, threads: int = THREADS) -> None:
        self._graph = graph
        self._pool = ThreadPoolExecutor(threads, thread_name_prefix="qcg question")

    @classmethod
    async def connect(
        cls,
        uri: str | None = None,
        user: str | None = None,
        password: str | None = None,
        database: str | None = None,
        *,
        seconds: float | None = SECONDS,
        threads: int = THREADS,
        **more: Any,
    ) -> Self:
        """Connect as `Graph.connect` does, whose further arguments are taken as well.

        ``threads`` questions run at the same time; the others wait. A statement takes at most ``seconds`` (None: as
        long as the server lets it), also that of a question that was cancelled.

        Raises:
            GraphError: as for `Graph.connect`.
        """
        graph = await asyncio.to_thread(_Asked.connect, uri, user, password, database, **more)
        graph.time_limit = seconds
        return cls(graph, threads)

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    async def close(self) -> None:
        """Close all connections, after the statements that still run."""
        await asyncio.to_thread(self._pool.shutdown)
        await asyncio.to_thread(self._graph.close)

    @property
    def embedder(self) -> Embedder | None:
        """The model that embeds questions; it is opened when a question comes, unless set before."""
        return self._graph.embedder

    @embedder.setter
    def embedder(self, embedder: Embedder | None) -> None:
        self._graph.embedder = embedder

    async def ask(self, work: Callable[[Graph], T]) -> T:
        """The result of what reads a graph, which runs in a thread: of any function that takes a graph.

        Cancelled, the function ends with `asyncio.CancelledError` at its next statement.
        """
        cancelled = Event()

        def asked() -> T:
            CANCELLED.set(cancelled)
            return work(self._graph)

        try:
            return await asyncio.get_running_loop().run_in_executor(self._pool, copy_context().run, asked)
        except asyncio.CancelledError:
            cancelled.set()
            raise

    async def rows(self, call: Call | str, most: int | None = None, /, **parameters: Any) -> Rows:
        """The rows of a reading statement, as `Graph.rows` gives them."""
        return await self.ask(lambda graph: graph.rows(call, most, **parameters))

    async def embed_question(self, question: str) -> NDArray[np.float32]:
        """The embedding of a question, by the database or on this machine."""
        return await self.ask(lambda graph: graph.embed_question(question))


class _Asked(Graph):
    """A graph that is only asked."""

    def write(self, *calls: Call, **_: Any) -> NoReturn:
        """Refuse to write."""
        name = ", ".join(call.path for call in calls)
        raise GraphError(f"{name} writes, and an AsyncGraph is only asked.", "Write with a Graph, in a thread.")
