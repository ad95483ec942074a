"""The needs of a worker: where the graph is, what embeds, who replies. Secrets are in it, and in no printed form."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack, closing, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from uuid import uuid4

from qcg_neo4j.core.errors import InputError
from qcg_neo4j.database.address import Address
from qcg_neo4j.database.embedder import DatabaseEmbedder
from qcg_neo4j.database.graph import Graph
from qcg_neo4j.indexing.workers.shared import Ask, SharedBudget, SharedStore
from qcg_neo4j.models.embedding.embedder import Embedder
from qcg_neo4j.models.llm import Budget, Endpoint, LanguageModelSettings, LiveModel
from qcg_neo4j.models.replies import Recording, ReplySource, ReplyStore, StoredReplies


@dataclass(frozen=True)
class Model:
    """Who replies besides recordings: a live model, or with no ``settings`` what is in the store of the run.

    A worker of the same machine (``is_here``) opens the file of the store itself, which is twice as fast.
    """

    settings: LanguageModelSettings | None = field(repr=False)  # an address may hold a password
    api_key: str | None = field(repr=False)
    store: Path
    is_here: bool

    @contextmanager
    def opened(self, ask: Ask) -> Iterator[ReplySource]:
        """The source that this worker asks."""
        with ExitStack() as opened:
            store: Any = opened.enter_context(ReplyStore(self.store)) if self.is_here else SharedStore(ask, self.store)
            if self.settings is None:
                yield StoredReplies(store)
                return
            budget = Budget(self.settings) if self.settings.max_cost is None else SharedBudget(self.settings, ask)
            yield opened.enter_context(closing(LiveModel(self.settings, store, self.api_key, budget)))


@dataclass(frozen=True)
class Assignment:
    """What a worker needs to know for a stage."""

    address: Address
    lease: str = field(repr=False)
    embedder: Embedder = field(repr=False)
    model: Model | None
    id: str = field(default_factory=lambda: uuid4().hex)

    @contextmanager
    def opened(self, ask: Ask) -> Iterator[tuple[Graph, Embedder, ReplySource | None]]:
        """The worker's own connection, embedder and model."""
        with ExitStack() as opened:
            graph = opened.enter_context(Graph.join(self.address))
            embedder = self.embedder.of(graph) if isinstance(self.embedder, DatabaseEmbedder) else self.embedder
            yield graph, embedder, opened.enter_context(self.model.opened(ask)) if self.model else None


def assignment(graph: Graph, embedder: Embedder, source: ReplySource | None, *, is_here: bool) -> Assignment:
    """The assignment of a stage; ``is_here`` says that the workers are on this machine.

    Raises:
        InputError: workers cannot ask such a source.
    """
    return Assignment(graph.address, graph.lease, embedder, _model(source, is_here=is_here))


def _model(source: ReplySource | None, *, is_here: bool) -> Model | None:
    if source is None or isinstance(source, Recording):
        return None
    if isinstance(source, StoredReplies):
        return Model(None, None, source.store.path.absolute(), is_here)
    if isinstance(source, LiveModel) and isinstance(source.endpoint, Endpoint):
        return Model(source.settings, source.api_key, source.store.path.absolute(), is_here)
    raise InputError(
        f"Workers cannot ask {source.name}.", "They ask an endpoint, or take recorded replies; batches need none."
    )
