"""A connected graph: a corpus of a database, the turn to write to it, and the model that embeds questions for it."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import replace
from importlib.metadata import version
from pathlib import Path
from threading import Lock
from typing import Self

import neo4j
import numpy as np
from numpy.typing import NDArray

from qcg_neo4j.core.errors import UnreachableError
from qcg_neo4j.core.filters import Where
from qcg_neo4j.database.address import Address, find_address
from qcg_neo4j.database.connection import RETRY_SECONDS, Connection, translated
from qcg_neo4j.database.embedder import DatabaseEmbedder, find_database_embedder, open_question_embedder
from qcg_neo4j.database.model import check_form, check_model, prefixes_of, recorded_model
from qcg_neo4j.database.permission import Restriction
from qcg_neo4j.database.schema import check_constraints, check_corpus, corpus_is_there, create_schema
from qcg_neo4j.database.writer import WriterLock
from qcg_neo4j.models.embedding.embedder import Embedder, EmbeddingSettings
from qcg_neo4j.models.embedding.windows import embed_whole


class Graph(Connection):
    """A corpus of a database. Use `Graph.connect`; close it, or use it in a ``with`` block.

    ``embedder`` embeds questions. It is opened when one comes, by ``open_embedder`` or by the recorded name.
    """

    def __init__(self, driver: neo4j.Driver, address: Address) -> None:
        super().__init__(driver, address)
        self.embedder: Embedder | None = None
        self.open_embedder: Callable[[], Embedder] | None = None
        self.is_worker = False  # one of several that write in the same turn
        self._opening = Lock()  # several threads may ask at the same time
        self._model_checked = False
        self._lock = WriterLock(self)
        self.before_writing = self._lock.check

    @classmethod
    def connect(  # noqa: PLR0913 - all that a connection may be told
        cls,
        uri: str | None = None,
        user: str | None = None,
        password: str | None = None,
        database: str | None = None,
        *,
        home: Path | None = None,
        corpus: str | None = None,
        create: bool = False,
        read_only: bool = False,
        any_version: bool = False,
        own_labels: bool = False,
        where: Where | None = None,
    ) -> Self:
        """Connect, and create the schema where it is missing; with ``read_only`` nothing is written, now or later.

        Without arguments: the ``NEO4J_*`` environment, else the running embedded server (of ``home``), and there the
        default corpus. One of another name must be there; with ``create`` it may be new, made by what is written.
        With ``own_labels`` the nodes of a new corpus have no label that nodes of other applications may have.
        With ``where`` only documents that this filter permits are ever told of: evidence, listings and errors know no
        others, what cannot be restricted is refused, and nothing is written.
        With ``any_version`` a graph that another version made is connected as well, so that it can be deleted.

        Raises:
            InputError: ``corpus`` is no name of one, or the filter cannot be read.
            UnreachableError: no address, or no server there.
            AuthenticationError: wrong user or password.
            GraphError: no such database or corpus, or the graph was made by another version.
        """
        found = find_address(uri, user, password, database, home, corpus)
        address = replace(found, own_labels=own_labels, read_only=read_only or where is not None)
        graph = cls._at(address, lambda graph: graph._prepare(create, any_version))
        graph.restriction = None if where is None else Restriction(graph, where)
        return graph

    @classmethod
    def join(cls, address: Address) -> Self:
        """Connect as a worker of a process that is connected by this address and has prepared the graph.

        Raises:
            The errors of `connect`.
        """
        graph = cls._at(address, lambda _: None)
        graph.is_worker = True
        return graph

    @classmethod
    def _at(cls, address: Address, prepare: Callable[[Self], None]) -> Self:
        with translated(address):
            driver = neo4j.GraphDatabase.driver(
                address.uri,
                auth=(address.user, address.password),
                user_agent=f"qcg-neo4j/{version('qcg-neo4j')}",
                connection_timeout=10,
                max_transaction_retry_time=RETRY_SECONDS,
                notifications_min_severity="OFF",
            )
        try:
            with translated(address):
                graph = cls(driver, address)
            graph._check_home()
            prepare(graph)
        except BaseException:
            driver.close()
            raise
        return graph

    def _check_home(self) -> None:
        """Refuse another server than that of the home, as one that has taken its port since."""
        if self.address.data is None:
            return
        found = self.rows("schema/data_folder")
        if not found or Path(found[0]["folder"]) != self.address.data:
            raise UnreachableError(
                f"The server at {self.address.uri} is not that of the home {self.address.data.parent}.",
                "`qcg server stop` and `qcg server start` give the home's server a port of its own.",
            )

    def _prepare(self, create: bool, any_version: bool) -> None:
        if create and not self.address.read_only and not corpus_is_there(self):
            return  # the schema is made when something is written
        check_corpus(self)
        if not any_version:
            check_form(self)
        if found := recorded_model(self):
            self.address = replace(self.address, own_labels=bool(found["own_labels"]))
        if not self.address.read_only:
            create_schema(self)

    def writing(self, work: str) -> AbstractContextManager[None]:
        """Around what writes: one writer at a time; waits for another, for ``patience`` seconds.

        ``work`` says to others what is done. ``tell`` is called with a sentence when the wait begins.

        Raises:
            GraphError: another one still writes then; says who, where and since when. Or the connection is read-only.
        """
        self.check_may_write(f"`{work}`")
        if not self.has_schema:
            create_schema(self)
        check_constraints(self)
        return self._lock.held(work)

    @property
    def lease(self) -> str:
        """The mark of the lease of who is within `writing`, by which workers may `write_in` it."""
        return self._lock.token()

    def write_in(self, lease: str) -> AbstractContextManager[None]:
        """Around what a worker writes, in the lease of another process."""
        return self._lock.shared(lease)

    def embed_question(self, question: str) -> NDArray[np.float32]:
        """The embedding of a question, of shape (dimension,) and unit length, by the graph's own model.

        A question longer than the model reads is the mean of its windows.
        """
        return self._whole(question, as_passage=False)

    def embed_passage(self, text: str) -> NDArray[np.float32]:
        """The embedding of a text as that of a question, but as if it were in the graph."""
        return self._whole(text, as_passage=True)

    def _whole(self, text: str, *, as_passage: bool) -> NDArray[np.float32]:
        embedder = self.question_embedder()
        if isinstance(embedder, DatabaseEmbedder):
            return embedder.embed_whole(text, as_passage=as_passage)  # the same rule, without the tokenizer here
        return embed_whole(text, embedder, as_passage=as_passage)

    def embeds(self) -> bool:
        """Whether the database itself embeds, by the graph's own model; what was opened before stays in use."""
        if self.embedder is None and self.open_embedder is None and (recorded := recorded_model(self)):
            own = prefixes_of(recorded)
            settings = EmbeddingSettings(question_prefix=own.question, passage_prefix=own.passage)
            found = find_database_embedder(self, settings)
            if found and found.name == recorded["model"]:
                self.embedder = found
        return isinstance(self.embedder, DatabaseEmbedder)

    def question_embedder(self) -> Embedder:
        """The embedder of questions, by the graph's own model; it is opened on first use."""
        with self._opening:
            if self.embedder is None:
                self.embedder = self.open_embedder() if self.open_embedder else open_question_embedder(self)
            if not self._model_checked:
                check_model(self, self.embedder.name, self.embedder.dimension, self.embedder.prefixes)
                self._model_checked = True
            return self.embedder
