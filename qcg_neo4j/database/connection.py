"""Statements run by their path, their parameters checked before the server sees them.

Ways to run one: `Connection.rows` reads, `Connection.pages` reads a page at a time; `Connection.write` writes in one
transaction, `Connection.write_batches` many rows in transactions of their own; `Connection.run` is for what commits
by itself.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field, replace
from importlib.metadata import version
from itertools import islice
from threading import Event
from typing import Any, Protocol, Self, TypeVar

import neo4j
from neo4j import exceptions

from qcg_neo4j.core.errors import GraphError, MissingPluginError
from qcg_neo4j.core.filters import Part
from qcg_neo4j.core.telemetry import LOG, Observed, observed_statement
from qcg_neo4j.database.address import Address
from qcg_neo4j.database.conversion import Changes, Rows, Written, counted, from_cypher, to_cypher
from qcg_neo4j.database.corpora import suffix
from qcg_neo4j.database.corpora import translated as for_corpus
from qcg_neo4j.database.statements import statement
from qcg_neo4j.database.translation import check_plugin, translate

WRITE_TOO = "Connect without --read-only (QCG_READ_ONLY, read_only=True), and without a fixed filter, to write."
# Set when whoever waits on an event loop for what runs in this context has given up.
CANCELLED: ContextVar[Event | None] = ContextVar("cancelled", default=None)
APP = f"qcg-neo4j_v{version('qcg-neo4j')}"
_OWN_WORK = ("embed", "lock", "schema", "stage")  # folders of what no person asks for
RETRY_SECONDS = 15.0  # how long a transaction is tried again that the server asks for again
T = TypeVar("T")
F = TypeVar("F", bound=Callable[..., Any])


@dataclass(frozen=True)
class Call:
    """A statement by its path, or several joined to one, with its parameters (Python's names)."""

    path: str
    parameters: Mapping[str, Any] = field(default_factory=dict)


class Restricted(Protocol):
    """Restricts a connection to the documents that its filter permits."""

    part: Part

    def rows(self, call: Call, most: int | None) -> Rows:
        """The rows of a reading statement, restricted to permitted documents."""

    def evaluated(self) -> Mapping[str, Any]:
        """The row of ``retrieve/permitted`` for its filter."""


class Connection:
    """One corpus of a database at one address, and the statements that are run there."""

    def __init__(self, driver: neo4j.Driver, address: Address) -> None:
        self.driver = driver
        self.address = address
        self.time_limit: float | None = None  # seconds that a transaction may take; None for the server's own
        self.patience: float | None = 600.0  # seconds to wait until another writer has ended; None for any time
        self.tell: Callable[[str], None] = lambda _: None  # called with a sentence, as when another writer is awaited
        self.before_writing: Callable[[], None] | None = None  # refuses to go on, where that is needed
        self.restriction: Restricted | None = None  # which documents it may tell of; None for all
        self.has_schema = False  # whether constraints and indexes were made by this connection
        self.recorded: Mapping[str, Any] | None = None  # the graph's model, once it was read: see `model`
        self._procedures: bool | None = None
        # Servers from 2025.10 speak Bolt 6, which carries vectors packed; older ones take lists.
        self._vectors = driver.get_server_info().protocol_version >= (6, 0)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    @property
    def corpus(self) -> str:
        """The corpus whose nodes the statements find and make."""
        return self.address.corpus

    def beside(self, corpus: str) -> Connection:
        """Another corpus of the same database; both have the same driver, which one of them closes.

        Raises:
            GraphError: the connection sees only some documents, of its own corpus.
        """
        if self.restriction is not None and corpus != self.corpus:
            raise GraphError("This connection sees only some documents, of its own corpus.")
        return Connection(self.driver, replace(self.address, corpus=corpus))

    def own(self, name: str) -> str:
        """What an index, or a projected graph of GDS, of this name is called in this corpus."""
        return name + suffix(self.corpus)

    def close(self) -> None:
        """Close all connections."""
        self.driver.close()

    def rows(self, call: Call | str, most: int | None = None, /, **parameters: Any) -> Rows:
        """The rows of a reading statement; repeated by the driver when the server asks for it.

        ``most`` is how many rows are sent at most.
        """
        call = Call(call, parameters) if isinstance(call, str) else call
        return self.read(call, most) if self.restriction is None else self.restriction.rows(call, most)

    def read(self, call: Call, most: int | None = None) -> Rows:
        """The rows of a call, whatever the connection's restriction: for what keeps to it by itself."""
        text, values = self._prepared(call)
        with self._observed(call.path) as seen:
            if most is None:
                # The beginning of the transaction is sent together with the statement: one round trip.
                query = neo4j.Query(text, metadata=described_to_server(call.path), timeout=self.time_limit)
                routing, database = neo4j.RoutingControl.READ, self.address.database
                found = self.driver.execute_query(query, values, routing_=routing, database_=database).records
            else:
                first = self._named(lambda transaction: transaction.run(text, values).fetch(most), call.path)
                with self._session() as session:
                    found = session.execute_read(first)
            seen.rows = len(found)
        return [from_cypher(record) for record in found]

    def pages(self, path: str, limit: int, after: str = "", **parameters: Any) -> Iterator[Rows]:
        """Page after page of a reading statement: ``limit`` rows at once, those behind the id ``$after``."""
        is_last = False
        while not is_last and (page := self.rows(path, after=after, limit=limit, **parameters)):
            after, is_last = page[-1]["id"], len(page) < limit  # before the page is given away, to be taken apart
            yield page

    def write(self, *calls: Call, stages: Sequence[str] = (), always: bool = False) -> Written:
        """Run statements in one transaction, repeated as a whole.

        ``stages`` are the stages whose revision rises if nodes or relationships came or went, or ``always``.
        """
        name = ", ".join(dict.fromkeys(call.path for call in calls))
        self.check_may_write(name)
        prepared = [self._prepared(call) for call in calls]
        touch, touched = self._prepared(Call("stage/touch", {"stages": list(stages)}))

        def work(transaction: neo4j.ManagedTransaction) -> Written:
            rows, changes = [], Changes(transactions=1)
            for text, values in prepared:
                result = transaction.run(text, values)
                rows.append([from_cypher(record) for record in result])
                changes += counted(result.consume().counters)
            if stages and (always or changes.structure):
                transaction.run(touch, touched).consume()
            return Written(rows, changes)

        with self._observed(name) as seen, self._session() as session:
            written = session.execute_write(self._named(work, name))
            seen.rows = sum(map(len, written.rows))
        return written

    def write_batches(
        self,
        path: str,
        rows: Iterable[Mapping[str, Any]],
        *,
        batch_size: int = 500,
        stages: Sequence[str] = (),
        **parameters: Any,
    ) -> Changes:
        """Run a writing statement over ``$rows`` in batches, each a `write` of its own."""
        changes = Changes()
        iterator = iter(rows)
        while batch := list(islice(iterator, batch_size)):
            changes += self.write(Call(path, {"rows": batch, **parameters}), stages=stages).changes
        return changes

    def run(self, path: str, **parameters: Any) -> Rows:
        """Run a statement that commits by itself (``CALL { … } IN TRANSACTIONS``, schema, projections).

        It is run again when the server asks for it, as after a deadlock: it must be one that may run twice.
        """
        self.check_may_write(path)
        text, values = self._prepared(Call(path, parameters))
        query = neo4j.Query(text, metadata=described_to_server(path), timeout=self.time_limit)

        def once() -> Rows:
            with self._session() as session:
                return [from_cypher(record) for record in session.run(query, values)]

        with self._observed(path) as seen:
            rows = _tried_again(path, once)
            seen.rows = len(rows)
        return rows

    def plugin_version(self) -> str | None:
        """The version of the server's plug-in `qcg`; None without it."""
        return self._told_by_plugin("schema/plugin_version", "version")

    def plugin_digest(self) -> str | None:
        """What identifies the content of the server's plug-in `qcg`; None without it."""
        return self._told_by_plugin("schema/plugin_digest", "digest")

    def has_procedures(self) -> bool:
        """Whether the server has the plug-in in the version of this package; asks the server once."""
        if self._procedures is None:
            self._procedures = self.plugin_version() == version("qcg-neo4j")
        return self._procedures

    def need_procedures(self) -> None:
        """Refuse to go on where the server lacks the procedures of this package; asks the server once.

        Raises:
            MissingPluginError: the plug-in is missing, or of another version than the package.
        """
        if not self.has_procedures():
            check_plugin(self.plugin_version(), version("qcg-neo4j"))

    def check_may_write(self, what: str) -> None:
        """Refuse to write by a read-only connection, or when the turn to write is over."""
        if self.address.read_only:
            raise GraphError(f"{what} writes, and this connection is read-only.", WRITE_TOO)
        if self.before_writing is not None:
            self.before_writing()

    def _told_by_plugin(self, path: str, name: str) -> str | None:
        try:
            told: str | None = self.rows(path)[0][name]
        except MissingPluginError:
            return None
        return told

    def _named(self, work: F, path: str) -> F:
        """The work with its limit of time, and its statement's path for `SHOW TRANSACTIONS` and the logs."""
        return neo4j.unit_of_work(metadata=described_to_server(path), timeout=self.time_limit)(work)

    @contextmanager
    def _observed(self, path: str) -> Iterator[Observed]:
        """Around a statement on its way: its errors in our words, and what the log and the traces tell of it."""
        cancelled = CANCELLED.get()
        if cancelled is not None and cancelled.is_set():
            raise asyncio.CancelledError
        address = self.address
        with observed_statement(path, address.uri, address.database) as seen, translated(address, path):
            yield seen

    def _prepared(self, call: Call) -> tuple[Any, dict[str, Any]]:
        found = statement(call.path)
        values = to_cypher(call.parameters, vectors=self._vectors)
        found.check(values)
        return for_corpus(found.text, self.corpus, self.address.own_labels), values

    def _session(self) -> neo4j.Session:
        """A session; a read-only one may be with any server of a cluster, and never writes."""
        access = neo4j.READ_ACCESS if self.address.read_only else neo4j.WRITE_ACCESS
        # On a cluster, what is written here must be seen by the reads of `rows`: they share their bookmarks.
        bookmarks = self.driver.execute_query_bookmark_manager
        database = self.address.database
        return self.driver.session(database=database, default_access_mode=access, bookmark_manager=bookmarks)


def described_to_server(path: str) -> dict[str, str]:
    """What `SHOW TRANSACTIONS` and the server's query log say of a statement, in the terms that Neo4j asks of apps.

    >>> described_to_server("retrieve/qcg")["type"], described_to_server("schema/model")["type"]
    ('user-action', 'system')
    """
    folder = path.partition("/")[0]
    kind = "user-action" if folder else "user-direct"  # a person's own statement has an absolute path
    return {"app": APP, "type": "system" if folder in _OWN_WORK else kind, "statement": path}


@contextmanager
def translated(address: Address, path: str = "") -> Iterator[None]:
    """The driver's errors in the words of this package; ``path`` is the statement's."""
    try:
        yield
    except (exceptions.DriverError, exceptions.Neo4jError, ValueError) as error:
        raise translate(error, address, path) from error


def _tried_again(path: str, work: Callable[[], T]) -> T:
    """What the driver does for managed transactions: after a deadlock and the like, again, for some seconds."""
    until, pause = time.monotonic() + RETRY_SECONDS, 0.1
    while True:
        try:
            return work()
        except exceptions.TransientError as error:
            if not error.is_retryable() or time.monotonic() + pause > until:
                raise
            LOG.warning("%s is tried again: %s", path, error.code)
        time.sleep(pause)
        pause *= 2
