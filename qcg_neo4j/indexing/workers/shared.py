"""The store of replies and the budget of a run, which workers share: proxies for them, and what answers in the run."""

from __future__ import annotations

import time
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from operator import attrgetter
from pathlib import Path
from typing import Any, NamedTuple

from filelock import FileLock, Timeout

from qcg_neo4j.core.errors import QcgError
from qcg_neo4j.models.llm import Budget, LanguageModelSettings, LiveModel
from qcg_neo4j.models.prompts import Task, task
from qcg_neo4j.models.replies import Asked, ReplySource, ReplyStore

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
