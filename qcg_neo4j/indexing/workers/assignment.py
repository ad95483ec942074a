"""What a worker needs: where the graph is, what embeds, who replies; and the store and budget that it shares.

Secrets are in an assignment, and in no printed form. Of store and budget workers have proxies; the run answers them.
"""

from __future__ import annotations

import time
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, closing, contextmanager
from dataclasses import dataclass, field
from operator import attrgetter
from pathlib import Path
from typing import Any, NamedTuple
from uuid import uuid4

from filelock import FileLock, Timeout

from qcg_neo4j.core.errors import InputError, QcgError
from qcg_neo4j.database.address import Address
from qcg_neo4j.database.embedder import DatabaseEmbedder
from qcg_neo4j.database.graph import Graph
from qcg_neo4j.models.embedding.embedder import Embedder
from qcg_neo4j.models.llm import Budget, Endpoint, LanguageModelSettings, LiveModel
from qcg_neo4j.models.prompts import Task, task
from qcg_neo4j.models.replies import Asked, Recording, ReplySource, ReplyStore, StoredReplies

Ask = Callable[..., Any]  # asks the run to call something with values; returns or raises what comes of it
_PAUSE = 0.02  # seconds until what another one holds is asked for again


class Named(NamedTuple):
    """A request by what identifies it."""

    task_name: str
    key: str
    prompt: str

    @property
    def task(self) -> Task:
        """What is asked for."""
        return task(self.task_name)


class _Remote:
    """An object of the run: its methods take a request, and then plain values."""

    def __init__(self, ask: Ask, path: str = "") -> None:
        self._ask, self._path = ask, path

    def __getattr__(self, method: str) -> Any:
        return lambda asked, *values: self._ask(f"{self._path}{method}", _named(asked), *values)


class SharedStore(_Remote):
    """The store of replies of the run, for a source of replies that a worker has."""

    def __init__(self, ask: Ask, path: Path) -> None:
        super().__init__(ask)
        self.path = path
        self.journal, self.batches = _Journal(ask, "journal."), _Remote(ask, "batches.")

    @contextmanager
    def asking(self, asked: Asked) -> Iterator[None]:
        """Hold a request, so that no other thread or process asks for the same at the same time."""
        named = _named(asked)
        while not self._ask("acquire", named):
            time.sleep(_PAUSE)
        try:
            yield
        finally:
            self._ask("release", named)


class _Journal(_Remote):
    def lost(self) -> int:
        """The run reports them."""
        return 0


def _named(asked: Asked) -> Named:
    return Named(asked.task.name, asked.key, asked.prompt)


class SharedBudget(Budget):
    """The budget of the run, which all workers pay from."""

    def __init__(self, settings: LanguageModelSettings, ask: Ask) -> None:
        super().__init__(settings)
        self._ask = ask

    def hold(self, price: float) -> bool:
        """Set aside a price; False while it does not fit, but calls of any worker may leave enough."""
        return bool(self._ask("hold", price))

    def release(self, held: float, spent: float) -> None:
        """Give back what was set aside, and take what was spent of it."""
        self._ask("pay", held, spent)


class RunResources:
    """Answers what workers ask of the run's store and budget, and knows what each item holds of them."""

    def __init__(self, source: ReplySource | None) -> None:
        self._store: ReplyStore | None = getattr(source, "store", None)
        self._budget: Budget | None = source.endpoint.budget if isinstance(source, LiveModel) else None
        self._locks: dict[int, dict[str, FileLock]] = defaultdict(dict)
        self._held: dict[int, list[float]] = defaultdict(list)

    def answer(self, item: int, method: str, values: Sequence[Any]) -> Any:
        """What comes of a call for an item; an error is an answer as well."""
        try:
            match method:
                case "hold":
                    return self._hold(item, *values)
                case "pay":
                    return self._pay(item, *values)
                case "acquire":
                    return self._acquire(item, *values)
                case "release":
                    return self._locks[item].pop(values[0].key).release()
            return attrgetter(method)(self._store)(*values)
        except QcgError as error:
            return error

    def free(self, item: int) -> int:
        """Free what the worker held that has died at the item; calls under way may have cost all that was set aside.

        How many calls were under way; what came for them is lost.
        """
        for lock in self._locks.pop(item, {}).values():
            lock.release()
        for price in list(self._held[item]):
            self._pay(item, price, price)
        return self._store.journal.lost() if self._store else 0

    def close(self) -> None:
        """Free what workers held that have not ended."""
        for item in {*self._locks, *self._held}:
            self.free(item)

    def _hold(self, item: int, price: float) -> bool:
        assert self._budget is not None  # noqa: S101 - only who pays from one asks
        is_held = self._budget.hold(price)
        if is_held:
            self._held[item].append(price)
        return is_held

    def _pay(self, item: int, held: float, spent: float) -> None:
        assert self._budget is not None  # noqa: S101 - it was held of it
        self._held[item].remove(held)
        self._budget.release(held, spent)

    def _acquire(self, item: int, asked: Named) -> bool:
        assert self._store is not None  # noqa: S101 - only who has none asks
        lock = self._store.journal.lock(asked.key)
        try:
            lock.acquire(timeout=0)
        except Timeout:
            return False
        self._locks[item][asked.key] = lock
        return True


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
