"""The other side of the post: answers what workers ask of the run's store of replies and of its budget."""

from __future__ import annotations

from collections import defaultdict
from typing import Any, NamedTuple

from filelock import FileLock, Timeout

from qcg_neo4j.core.errors import QcgError
from qcg_neo4j.indexing.workers.post import Letter
from qcg_neo4j.models.llm import Budget, LiveModel
from qcg_neo4j.models.prompts import Task, task
from qcg_neo4j.models.replies import ReplySource, ReplyStore, StoredReplies

_OF_STORE = ("find_paid", "find_any", "put")
_OF_JOURNAL = ("send", "take_back", "deliver", "delivered", "settle")


class Named(NamedTuple):
    """A request by what identifies it."""

    task: Task
    key: str
    prompt: str


class Desk:
    """Answers messages of workers, and releases what a dead worker held."""

    def __init__(self, source: ReplySource | None) -> None:
        self._store: ReplyStore | None = getattr(source, "store", None)
        assert source is None or self._store is None or isinstance(source, LiveModel | StoredReplies)  # noqa: S101
        self._budget: Budget | None = source.endpoint.budget if isinstance(source, LiveModel) else None
        self._locks: dict[object, dict[str, FileLock]] = defaultdict(dict)
        self._held: dict[object, list[float]] = defaultdict(list)

    def answers(self, worker: object, letters: list[Letter]) -> dict[int, Any]:
        """The answers to a worker's letters by their numbers; an error is one as well."""
        return {letter.number: self._answer(worker, letter) for letter in letters}

    def left(self, worker: object) -> int:
        """The worker is no more: what it held is free, and calls under way may have cost all that was set aside.

        How many calls were under way; what came for them is lost.
        """
        for lock in self._locks.pop(worker, {}).values():
            lock.release()
        for price in self._held.pop(worker, []):
            assert self._budget is not None  # noqa: S101 - it was held of it
            self._budget.release(price, price)
        return self._store.journal.lost() if self._store else 0

    def _answer(self, worker: object, letter: Letter) -> Any:
        try:
            if letter.method in ("hold", "pay"):
                return self._paid(worker, letter.method, *letter.values)
            name, key, prompt, *values = letter.values
            return self._asked(worker, letter.method, Named(task(name), key, prompt), values)
        except QcgError as error:
            return error

    def _paid(self, worker: object, method: str, price: float, spent: float = 0.0) -> bool:
        assert self._budget is not None  # noqa: S101 - only who pays from one writes
        if method == "pay":
            self._held[worker].remove(price)
            self._budget.release(price, spent)
            return True
        if self._budget.hold(price):
            self._held[worker].append(price)
            return True
        return False

    def _asked(self, worker: object, method: str, asked: Named, values: list[Any]) -> Any:
        store = self._store
        assert store is not None  # noqa: S101 - only who has none before itself writes
        if method in _OF_STORE:
            return getattr(store, method)(asked, *values)
        if method in _OF_JOURNAL:
            return getattr(store.journal, method)(asked, *values)
        if method == "holding":
            return store.batches.holding(asked, *values)
        if method == "release":
            return self._locks[worker].pop(asked.key).release()
        return self._acquired(worker, store.journal.lock(asked.key), asked.key)

    def _acquired(self, worker: object, lock: FileLock, key: str) -> bool:
        if key in self._locks[worker]:  # by another thread of the worker
            return False
        try:
            lock.acquire(timeout=0)
        except Timeout:
            return False
        self._locks[worker][key] = lock
        return True
