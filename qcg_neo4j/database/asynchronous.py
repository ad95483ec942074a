"""A graph for programs on an event loop: the driver's own asynchronous calls, the same bodies, the same errors."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn, Self, TypeVar

import neo4j

from qcg_neo4j.core.errors import GraphError
from qcg_neo4j.database.address import Address
from qcg_neo4j.database.bridge import awaited, bridged
from qcg_neo4j.database.changes import Rows
from qcg_neo4j.database.connection import Call, session_options
from qcg_neo4j.database.conversion import from_cypher
from qcg_neo4j.database.graph import Graph, driver_options

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from qcg_neo4j.models.embedding.embedder import Embedder

T = TypeVar("T")


class AsyncGraph:
    """A corpus of a database, asked on an event loop, many questions at once; made and changed it is with `Graph`.

    Use `AsyncGraph.connect`; close it, or use it in an ``async with`` block.
    """

    def __init__(self, driver: neo4j.AsyncDriver, graph: Graph) -> None:
        self.driver = driver
        self.address = graph.address
        self._graph = graph

    @classmethod
    async def connect(
        cls,
        uri: str | None = None,
        user: str | None = None,
        password: str | None = None,
        database: str | None = None,
        *,
        home: Path | None = None,
        corpus: str | None = None,
        read_only: bool = False,
    ) -> Self:
        """Connect as `Graph.connect` does, which creates the schema where it is missing.

        Raises:
            MissingPackageError: greenlet is not installed.
            GraphError: as for `Graph.connect`.
        """

        def address() -> Address:
            given = (uri, user, password, database)
            with Graph.connect(*given, home=home, corpus=corpus, read_only=read_only) as graph:
                return graph.address

        found = await asyncio.to_thread(address)
        driver = neo4j.AsyncGraphDatabase.driver(found.uri, **driver_options(found))
        try:
            return cls(driver, await bridged(lambda: _Bridged(driver, found)))
        except BaseException:
            await driver.close()
            raise

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    async def close(self) -> None:
        """Close all connections."""
        await self.driver.close()

    @property
    def embedder(self) -> Embedder | None:
        """The model that embeds questions; it is opened when a question comes, unless set before."""
        return self._graph.embedder

    @embedder.setter
    def embedder(self, embedder: Embedder | None) -> None:
        self._graph.embedder = embedder

    async def ask(self, work: Callable[[Graph], T]) -> T:
        """The result of what reads a graph: of any function that takes one."""
        return await bridged(lambda: work(self._graph))

    async def rows(self, call: Call | str, most: int | None = None, /, **parameters: Any) -> Rows:
        """The rows of a reading statement, as `Graph.rows` gives them."""
        return await self.ask(lambda graph: graph.rows(call, most, **parameters))

    async def embed_question(self, question: str) -> NDArray[np.float32]:
        """The embedding of a question, by the database or in a thread."""
        return await self.ask(lambda graph: graph.embed_question(question))


class _Bridged(Graph):
    """The graph that bodies see on a loop: what a `Graph` sends by its driver, this one has awaited."""

    def __init__(self, driver: neo4j.AsyncDriver, address: Address) -> None:
        self._awaited = driver
        super().__init__(driver, address)  # type: ignore[arg-type] # all that calls it is overridden below

    def _server(self) -> neo4j.ServerInfo:
        return awaited(self._awaited.get_server_info())

    def _found(self, query: neo4j.Query, values: dict[str, Any]) -> list[neo4j.Record]:
        routing = neo4j.RoutingControl.READ
        database = self.address.database
        return awaited(self._awaited.execute_query(query, values, routing_=routing, database_=database)).records

    def _first(self, path: str, text: Any, values: dict[str, Any], most: int) -> Rows:
        async def work(transaction: neo4j.AsyncManagedTransaction) -> Rows:
            result = await transaction.run(text, values)
            return [from_cypher(record) for record in await result.fetch(most)]

        async def rows() -> Rows:
            async with self._opened() as session:
                return await session.execute_read(self._named(work, path))

        return awaited(rows())

    def _run_once(self, query: neo4j.Query, values: dict[str, Any]) -> Rows:
        async def rows() -> Rows:
            async with self._opened() as session:
                return [from_cypher(record) async for record in await session.run(query, values)]

        return awaited(rows())

    def _opened(self) -> neo4j.AsyncSession:
        bookmarks = self._awaited.execute_query_bookmark_manager
        return self._awaited.session(**session_options(self.address), bookmark_manager=bookmarks)

    def _session(self, path: str) -> NoReturn:
        raise GraphError(f"{path} writes, and an AsyncGraph is only asked.", "Write with a Graph, in a thread.")
