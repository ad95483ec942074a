"""A connected graph: statements by their path, parameters checked before the server sees them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from importlib.metadata import version
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self, TypeVar

import neo4j
from neo4j import exceptions

from qcg_neo4j.errors import GraphError, MissingPluginError, ModelMismatchError
from qcg_neo4j.graph.address import Address, find_address
from qcg_neo4j.graph.conversion import from_cypher, to_cypher
from qcg_neo4j.graph.translation import check_plugin, translate
from qcg_neo4j.statements import paths, statement

if TYPE_CHECKING:
    import numpy as np
    from graphdatascience import GraphDataScience
    from numpy.typing import NDArray

    from qcg_neo4j.embedding import Embedder

Rows = list[dict[str, Any]]
_CHUNKS_AT_ONCE = 500  # whose words are made in one transaction
T = TypeVar("T")
Work = Callable[[neo4j.ManagedTransaction], T]


@dataclass(frozen=True)
class Call:
    """A statement by its path, with its parameters (Python's names).

    ``by_procedure`` finds the same rows faster, on a server that has the plug-in.
    """

    path: str
    parameters: Mapping[str, Any] = field(default_factory=dict)
    by_procedure: Call | None = None


@dataclass(frozen=True)
class Changes:
    """What statements changed, as the server counts it, and in how many transactions."""

    nodes_created: int = 0
    nodes_deleted: int = 0
    relationships_created: int = 0
    relationships_deleted: int = 0
    properties_set: int = 0
    transactions: int = 0

    def __add__(self, other: Changes) -> Changes:
        return Changes(*(getattr(self, name) + getattr(other, name) for name in self.__dataclass_fields__))

    @property
    def structure(self) -> int:
        """How many nodes and relationships came or went."""
        return self.nodes_created + self.nodes_deleted + self.relationships_created + self.relationships_deleted


@dataclass(frozen=True)
class ServerFacts:
    """What the server is: its version and edition, the versions of GDS and of our plug-in (None without them)."""

    version: str
    edition: str
    gds_version: str | None
    plugin_version: str | None


class Graph:
    """One database that holds one corpus. Use `Graph.connect`; close it, or use it in a ``with`` block."""

    def __init__(self, driver: neo4j.Driver, address: Address) -> None:
        self.driver = driver
        self.address = address
        self.embedder: Embedder | None = None  # opened when a question comes, unless set before
        self.open_embedder: Callable[[], Embedder] | None = None  # else it is opened by the recorded name
        self.time_limit: float | None = None  # seconds that a transaction may take; None for the server's own
        self._model_checked = False
        self._procedures: bool | None = None
        # Servers from 2025.10 speak Bolt 6, which carries vectors packed; older ones take lists.
        self._vectors = driver.get_server_info().protocol_version >= (6, 0)

    @classmethod
    def connect(
        cls,
        uri: str | None = None,
        user: str | None = None,
        password: str | None = None,
        database: str | None = None,
        *,
        home: Path | None = None,
    ) -> Self:
        """Connect, and create the schema where it is missing.

        Without arguments: the ``NEO4J_*`` environment, else the running embedded server (of ``home``).

        Raises:
            UnreachableError: no address, or no server there.
            AuthenticationError: wrong user or password.
            GraphError: no such database, or the server is too old.
        """
        address = find_address(uri, user, password, database, home)
        with _translated(address.uri):
            driver = neo4j.GraphDatabase.driver(
                address.uri,
                auth=(address.user, address.password),
                user_agent="qcg-neo4j",
                connection_timeout=10,
                max_transaction_retry_time=15,
                notifications_min_severity="OFF",
            )
        try:
            with _translated(address.uri):
                graph = cls(driver, address)
            graph.create_schema()
        except BaseException:
            driver.close()
            raise
        return graph

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Close all connections."""
        self.driver.close()

    # Reading and writing

    def rows(self, path: str, **parameters: Any) -> Rows:
        """The rows of a reading statement; repeated by the driver when the server asks for it."""
        text, values = self._prepared(path, parameters)
        query = neo4j.Query(text, metadata={"statement": path}, timeout=self.time_limit)
        with _translated(self.address.uri, path):
            # Sends the beginning of the transaction together with the statement: one round trip.
            found = self.driver.execute_query(
                query, values, routing_=neo4j.RoutingControl.READ, database_=self.address.database
            )
        return [from_cypher(record) for record in found.records]

    def rows_of(self, call: Call) -> Rows:
        """The rows of a call, by the plug-in's procedure where there is one for it and the server has it."""
        if call.by_procedure is not None and self.has_procedures():
            call = call.by_procedure
        return self.rows(call.path, **call.parameters)

    def first_rows(self, path: str, most: int, **parameters: Any) -> Rows:
        """At most so many rows of a reading statement; of the others none is sent."""
        text, values = self._prepared(path, parameters)

        def work(transaction: neo4j.ManagedTransaction) -> Rows:
            return [from_cypher(record) for record in transaction.run(text, values).fetch(most)]

        with self._session(path) as session:
            return session.execute_read(self._named(work, path))

    def write(
        self,
        path: str,
        rows: Iterable[Mapping[str, Any]],
        *,
        batch_size: int = 500,
        stages: Sequence[str] = (),
        **parameters: Any,
    ) -> Changes:
        """Run a writing statement over ``$rows`` in batches, each a transaction of its own.

        ``stages`` are the stages whose revision rises with a batch that makes or removes nodes or relationships.
        """
        changes = Changes()
        iterator = iter(rows)
        while batch := list(islice(iterator, batch_size)):
            changes += self._together([Call(path, {"rows": batch, **parameters})], stages)[1]
        return changes

    def write_together(self, calls: Sequence[Call], stages: Sequence[str] = ()) -> list[Rows]:
        """Run several statements in one transaction, repeated as a whole; the rows of each."""
        return self._together(calls, stages)[0]

    def change_together(self, calls: Sequence[Call], stages: Sequence[str] = ()) -> Changes:
        """Like `write_together`, for those who want to know what changed."""
        return self._together(calls, stages)[1]

    def run(self, path: str, **parameters: Any) -> Rows:
        """Run a statement that commits by itself (``CALL { … } IN TRANSACTIONS``, schema, projections)."""
        text, values = self._prepared(path, parameters)
        with self._session(path) as session:
            query = neo4j.Query(text, metadata={"statement": path}, timeout=self.time_limit)
            return [from_cypher(record) for record in session.run(query, values)]

    def _together(self, calls: Sequence[Call], stages: Sequence[str]) -> tuple[list[Rows], Changes]:
        prepared = [self._prepared(call.path, call.parameters) for call in calls]
        touch, touched = self._prepared("stage/touch", {"stages": list(stages)})

        def work(transaction: neo4j.ManagedTransaction) -> tuple[list[Rows], Changes]:
            results, changes = [], Changes(transactions=1)
            for text, values in prepared:
                result = transaction.run(text, values)
                results.append([from_cypher(record) for record in result])
                changes += _changes(result.consume().counters)
            if stages and changes.structure:
                transaction.run(touch, touched).consume()
            return results, changes

        name = ", ".join(dict.fromkeys(call.path for call in calls))
        with self._session(name) as session:
            return session.execute_write(self._named(work, name))

    def _named(self, work: Work[T], path: str) -> Work[T]:
        """The work with its limit of time, and its statement's path for `SHOW TRANSACTIONS` and the logs."""
        return neo4j.unit_of_work(metadata={"statement": path}, timeout=self.time_limit)(work)

    def _prepared(self, path: str, parameters: Mapping[str, Any]) -> tuple[Any, dict[str, Any]]:
        found = statement(path)
        values = to_cypher(parameters, vectors=self._vectors)
        found.check(values)
        return found.text, values

    @contextmanager
    def _session(self, path: str) -> Iterator[neo4j.Session]:
        # On a cluster, what is written here must be seen by the reads of `rows`: they share their bookmarks.
        bookmarks = self.driver.execute_query_bookmark_manager
        with (
            _translated(self.address.uri, path),
            self.driver.session(database=self.address.database, bookmark_manager=bookmarks) as session,
        ):
            yield session

    # Schema, model and plug-ins

    def create_schema(self) -> None:
        """Create the constraints and indexes that are missing; those over vectors wait for `use_model`."""
        present = self._index_names()
        self._add_words(present)
        for path in _schema("schema/index/"):
            if path.rpartition("/")[2] not in present:
                self.run(path)

    def use_model(self, name: str, dimension: int) -> None:
        """Record the embedding model in the graph, or refuse another one; create the vector indexes.

        Raises:
            ModelMismatchError: the graph was made with another model or dimension.
        """
        corpus = self.write_together([Call("schema/use_model", {"model": name, "dimension": dimension})])[0][0]
        _check_model(corpus, name, dimension)
        present = self._index_names()
        for path in _schema("schema/vector_index/"):
            if path.rpartition("/")[2] not in present:
                self.run(path, dimension=dimension)

    def _index_names(self) -> set[str]:
        return {row["name"] for row in self.rows("schema/present")}

    def _add_words(self, present: set[str]) -> None:
        """Give the chunks of an older graph, which lacks the indexes of words, the words that those are of."""
        if "chunk_words" not in present:
            self.run("schema/words")
            self.run("schema/drop_chunk_text")
        if "chunk_expanded_words" not in present:
            while rows := self.rows("schema/unexpanded", limit=_CHUNKS_AT_ONCE):
                self.run("schema/expanded_words", chunk_ids=[row["id"] for row in rows])

    def check_model(self, name: str, dimension: int) -> None:
        """Refuse to search with vectors of another model than the graph's.

        Raises:
            GraphError: the graph holds no documents yet.
            ModelMismatchError: the graph was made with another model or dimension.
        """
        corpus = self.rows("schema/model")
        if not corpus:
            raise GraphError("The graph is empty.", "Load documents first: `qcg load FILE`.")
        _check_model(corpus[0], name, dimension)

    def embed_question(self, question: str) -> NDArray[np.float32]:
        """The embedding of a question, of shape (dimension,) and unit length, by the graph's own model.

        A question longer than the model reads is the mean of its windows.
        """
        from qcg_neo4j.embedding import embed_whole
        from qcg_neo4j.graph.database_embedder import DatabaseEmbedder

        embedder = self.question_embedder()
        if isinstance(embedder, DatabaseEmbedder):
            return embedder.embed_question(question)  # the same rule, without the tokenizer on this side
        return embed_whole(question, embedder)

    def embeds(self) -> bool:
        """Whether the database itself embeds, by the graph's own model; what was opened before stays in use."""
        from qcg_neo4j.embedding import EmbeddingSettings
        from qcg_neo4j.graph.database_embedder import DatabaseEmbedder, find_database_embedder

        if self.embedder is None and self.open_embedder is None:
            recorded = self.rows("schema/model")
            found = find_database_embedder(self, EmbeddingSettings())
            if found and recorded and found.name == recorded[0]["model"]:
                self.embedder = found
        return isinstance(self.embedder, DatabaseEmbedder)

    def question_embedder(self) -> Embedder:
        """The embedder of questions, by the graph's own model; it is opened on first use."""
        from qcg_neo4j.graph.embedder import open_question_embedder

        if self.embedder is None:
            self.embedder = self.open_embedder() if self.open_embedder else open_question_embedder(self)
        if not self._model_checked:
            self.check_model(self.embedder.name, self.embedder.dimension)
            self._model_checked = True
        return self.embedder

    def await_indexes(self, seconds: int = 300) -> None:
        """Wait until every index is online."""
        self.run("schema/await_indexes", seconds=seconds)

    def facts(self) -> ServerFacts:
        """The versions of the server and of Graph Data Science."""
        kernel = self.rows("schema/server")[0]
        gds = self.rows("schema/gds")
        gds_version = self._gds_version() if gds else None
        return ServerFacts(kernel["version"], kernel["edition"], gds_version, self.plugin_version())

    def plugin_version(self) -> str | None:
        """The version of the server's plug-in `qcg`; None without it."""
        try:
            return str(self.rows("schema/plugin_version")[0]["version"])
        except MissingPluginError:
            return None

    def need_procedures(self) -> None:
        """Refuse to go on where the server lacks the procedures of this package; asks the server once.

        Raises:
            MissingPluginError: the plug-in is missing, or of another version than the package.
        """
        if not self.has_procedures():
            check_plugin(self.plugin_version(), version("qcg-neo4j"))

    def has_procedures(self) -> bool:
        """Whether the server has the plug-in in the version of this package; asks the server once."""
        if self._procedures is None:
            self._procedures = self.plugin_version() == version("qcg-neo4j")
        return self._procedures

    def _gds_version(self) -> str:
        return str(self.rows("schema/gds_version")[0]["version"])

    def data_science(self) -> GraphDataScience:
        """The `graphdatascience` client on this connection."""
        from graphdatascience import GraphDataScience

        return GraphDataScience(self.driver, database=self.address.database)


def _schema(prefix: str) -> list[str]:
    return [path for path in paths() if path.startswith(prefix)]


def _check_model(corpus: Mapping[str, Any], name: str, dimension: int) -> None:
    recorded = (corpus["model"], corpus["dimension"])
    if recorded != (name, dimension):
        raise ModelMismatchError(
            f"The graph was made with the embedding model {recorded[0]!r} ({recorded[1]} dimensions), "
            f"but {name!r} ({dimension} dimensions) is in use.",
            f"Use `--embedding-model {recorded[0]}`, or load the documents into another database.",
        )


def _changes(counters: neo4j.SummaryCounters) -> Changes:
    return Changes(
        counters.nodes_created,
        counters.nodes_deleted,
        counters.relationships_created,
        counters.relationships_deleted,
        counters.properties_set,
    )


@contextmanager
def _translated(uri: str, path: str = "") -> Iterator[None]:
    try:
        yield
    except (exceptions.DriverError, exceptions.Neo4jError, ValueError) as error:
        raise translate(error, uri, path) from error
