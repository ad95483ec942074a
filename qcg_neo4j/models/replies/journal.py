"""What a store notes before anything is sent: calls and batches under way, so that a killed run finds them again."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any
from uuid import uuid4

from qcg_neo4j.models.prompts import Task, task, tasks
from qcg_neo4j.models.replies.exchange import Asked, Request

if TYPE_CHECKING:
    from filelock import FileLock

# What identifies a request, in each table that knows one.
REQUEST = "task TEXT NOT NULL, key TEXT NOT NULL, model TEXT NOT NULL, prompt TEXT NOT NULL"
TABLES = (
    f"""
CREATE TABLE IF NOT EXISTS call (
    {REQUEST},
    turn INTEGER NOT NULL,
    sent_at TEXT NOT NULL,
    delivered TEXT,
    PRIMARY KEY (task, key, model, prompt, turn)
)
""",
    f"""
CREATE TABLE IF NOT EXISTS refused (
    {REQUEST},
    reason TEXT NOT NULL,
    PRIMARY KEY (task, key, model, prompt)
)
""",
    """
CREATE TABLE IF NOT EXISTS batch (
    name TEXT PRIMARY KEY,
    endpoint TEXT NOT NULL,
    model TEXT NOT NULL,
    prepared_at TEXT NOT NULL,
    requests INTEGER NOT NULL,
    file TEXT,
    id TEXT,
    state TEXT NOT NULL,
    done INTEGER NOT NULL DEFAULT 0
)
""",
    f"""
CREATE TABLE IF NOT EXISTS batched (
    {REQUEST},
    batch TEXT NOT NULL,
    number INTEGER NOT NULL,
    turn INTEGER NOT NULL,
    PRIMARY KEY (task, key, model, prompt)
)
""",
)
_ONE = "task = ? AND key = ? AND model = ? AND prompt = ?"
SETTLE = f"DELETE FROM call WHERE {_ONE}"  # noqa: S608 - no value is in it
_NOTE = "INSERT OR REPLACE INTO call VALUES (?, ?, ?, ?, ?, ?, ?)"
_TAKE_BACK = f"{SETTLE} AND turn = ? AND delivered IS NULL"
_DELIVERED = f"SELECT delivered FROM call WHERE {_ONE} AND delivered IS NOT NULL ORDER BY turn"  # noqa: S608 - as above
_UNDER_WAY = "SELECT task, key, model, prompt, turn FROM call WHERE delivered IS NULL"
_REFUSE = "INSERT OR REPLACE INTO refused VALUES (?, ?, ?, ?, ?)"
_REFUSAL = f"SELECT reason FROM refused WHERE {_ONE}"  # noqa: S608 - as above
PREPARED = "not submitted yet"
_COLUMNS = "name, endpoint, model, prepared_at, requests, file, id, state, done"
_ALL = f"SELECT {_COLUMNS} FROM batch ORDER BY prepared_at, name"  # noqa: S608 - no value is in it
_HOLDING = f"""
SELECT {_COLUMNS} FROM batch WHERE name =
(SELECT batch FROM batched WHERE {_ONE})
"""  # noqa: S608 - no value is in it
_PREPARE = "INSERT INTO batch (name, endpoint, model, prepared_at, requests, state) VALUES (?, ?, ?, ?, ?, ?)"
_JOIN = "INSERT INTO batched VALUES (?, ?, ?, ?, ?, ?, ?)"
_NOTE_BATCH = "UPDATE batch SET file = coalesce(?, file), id = coalesce(?, id), state = ?, done = ? WHERE name = ?"
_TASKS = "SELECT DISTINCT task FROM batched WHERE batch = ?"
_MEMBERS = "SELECT number, task, key, prompt, turn FROM batched WHERE batch = ?"
_LOCKS = 256  # how many requests of several processes can be told apart while they are under way

Execute = Callable[..., list[Any]]
Transaction = Callable[[], AbstractContextManager[Any]]


class Journal:
    """The calls of a store that are not settled: sent, and perhaps delivered, but not yet a reply.

    A delivery is what came, whether it can be used or not; the next run goes on from it.
    """

    def __init__(self, execute: Execute, sync: Callable[[], None], folder: Path) -> None:
        """``execute`` runs a statement of the store, ``sync`` waits for its disk, ``folder`` is where the locks are."""
        self._execute, self._sync, self._folder = execute, sync, folder

    def send(self, request: Request, model: str, turn: int) -> None:
        """A call is about to be made."""
        self._execute(_NOTE, *_one(request, model), turn, _now(), None)

    def take_back(self, request: Request, model: str, turn: int) -> None:
        """The call brought nothing."""
        self._execute(_TAKE_BACK, *_one(request, model), turn)

    def deliver(self, request: Asked, model: str, turn: int, came: dict[str, Any]) -> None:
        """Keep what came, before anything else is done with it."""
        self._execute(_NOTE, *_one(request, model), turn, _now(), json.dumps(came))
        self._sync()

    def delivered(self, request: Asked, model: str) -> list[dict[str, Any]]:
        """What came for a request that is not settled, turn by turn."""
        return [json.loads(row[0]) for row in self._execute(_DELIVERED, *_one(request, model))]

    def settle(self, request: Asked, model: str) -> None:
        """The request has its result."""
        self._execute(SETTLE, *_one(request, model))

    def refuse(self, request: Asked, model: str, reason: str) -> None:
        """Keep why a model refuses a text, so that it is asked again only when one of both changes."""
        self._execute(_REFUSE, *_one(request, model), reason)

    def refusal(self, request: Asked, model: str) -> str | None:
        """Why a model has refused this request; None where it has not."""
        rows = self._execute(_REFUSAL, *_one(request, model))
        return str(rows[0][0]) if rows else None

    def lost(self) -> int:
        """How many calls were under way when a run was killed; each is counted once."""
        return sum(map(self._forget, self._execute(_UNDER_WAY)))

    def lock(self, key: str) -> FileLock:
        """The lock of the process that requests the key."""
        return _lock(self._folder, f"{int(key[:8], 16) % _LOCKS:03d}", 0.02)

    def _forget(self, row: tuple[Any, ...]) -> bool:
        from filelock import Timeout

        try:
            with self.lock(row[1]).acquire(timeout=0):
                self._execute(_TAKE_BACK, *row)
                return True
        except Timeout:
            return False  # another process is waiting for this reply


@dataclass(frozen=True)
class Batch:
    """A batch under way; ``file`` and ``id`` are the endpoint's names, None until known."""

    name: str
    endpoint: str
    model: str
    prepared_at: str
    requests: int
    file: str | None
    id: str | None
    state: str
    done: int

    def __str__(self) -> str:
        all_of_them = f"{self.requests:,} request{'s' * (self.requests != 1)}"
        counted = f"{self.done:,} of {all_of_them} done" if self.done else all_of_them
        return f"{self.id or self.name} ({self.state}, {counted})"


@dataclass(frozen=True)
class Member:
    """What identifies a request of a batch, and the how manieth time it is asked, from 0."""

    task: Task
    key: str
    prompt: str
    turn: int


class Batches:
    """The batches under way and the requests in them; a request is in one at most."""

    def __init__(self, execute: Execute, transaction: Transaction, folder: Path) -> None:
        """``execute`` and ``transaction`` are those of the store's database; ``folder`` is where its locks are."""
        self._execute, self._transaction, self._folder = execute, transaction, folder

    def lock(self) -> FileLock:
        """Held by the process that submits or collects."""
        return _lock(self._folder, "batches", 0.05)

    def under_way(self) -> list[Batch]:
        """All batches, the oldest first."""
        return [Batch(*row) for row in self._execute(_ALL)]

    def holding(self, request: Asked, model: str) -> Batch | None:
        """The batch that a request is in."""
        rows = self._execute(_HOLDING, *_one(request, model))
        return Batch(*rows[0]) if rows else None

    def prepare(self, endpoint: str, model: str, asked: Sequence[tuple[int, Request, int]]) -> Batch:
        """Note a batch of requests, each with its number and its turn, before anything of it is sent."""
        name, now = f"qcg-{uuid4().hex}", _now()
        rows = [(*_one(request, model), name, number, turn) for number, request, turn in asked]
        with self._transaction() as database:
            database.execute(_PREPARE, (name, endpoint, model, now, len(rows), PREPARED))
            database.executemany(_JOIN, rows)
        return Batch(name, endpoint, model, now, len(rows), None, None, PREPARED, 0)

    def note(
        self, batch: Batch, state: str, done: int = 0, *, file: str | None = None, known_as: str | None = None
    ) -> Batch:
        """Store the endpoint's state of a batch, under the endpoint's id."""
        self._execute(_NOTE_BATCH, file, known_as, state, done, batch.name)
        return replace(batch, file=file or batch.file, id=known_as or batch.id, state=state, done=done)

    def tasks(self, batch: Batch) -> set[str]:
        """The names of the tasks of its requests."""
        return {name for (name,) in self._execute(_TASKS, batch.name)}

    def members(self, batch: Batch) -> dict[int, Member]:
        """The requests of a batch by number; those of tasks that this version does not know are left out."""
        rows = self._execute(_MEMBERS, batch.name)
        known = set(tasks())
        return {number: Member(task(name), *rest) for number, name, *rest in rows if name in known}

    def forget(self, batch: Batch) -> None:
        """The batch is over: what has no reply may be asked again."""
        with self._transaction() as database:
            database.execute("DELETE FROM batched WHERE batch = ?", (batch.name,))
            database.execute("DELETE FROM batch WHERE name = ?", (batch.name,))


def _now() -> str:
    return datetime.now(UTC).isoformat()


def _one(request: Asked, model: str) -> tuple[str, str, str, str]:
    return request.task.name, request.key, model, request.prompt


def _lock(folder: Path, name: str, seconds: float) -> FileLock:
    """A lock that is tried every so many seconds. The operating system releases it when the process dies."""
    from filelock import FileLock

    folder.mkdir(mode=0o700, exist_ok=True)
    return FileLock(folder / f"{name}.lock", mode=0o600, poll_interval=seconds)
