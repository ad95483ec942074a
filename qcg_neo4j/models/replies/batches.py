"""The batches of a store that are under way, noted before anything is sent: a killed run finds each of them again."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any
from uuid import uuid4

from qcg_neo4j.models.prompts import Task, task, tasks
from qcg_neo4j.models.replies.exchange import Asked, Request
from qcg_neo4j.models.replies.journal import Execute

if TYPE_CHECKING:
    from filelock import FileLock

TABLES = (
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
    """
CREATE TABLE IF NOT EXISTS batched (
    task TEXT NOT NULL,
    key TEXT NOT NULL,
    model TEXT NOT NULL,
    prompt TEXT NOT NULL,
    batch TEXT NOT NULL,
    number INTEGER NOT NULL,
    turn INTEGER NOT NULL,
    PRIMARY KEY (task, key, model, prompt)
)
""",
)
PREPARED = "not submitted yet"
_COLUMNS = "name, endpoint, model, prepared_at, requests, file, id, state, done"
_ALL = f"SELECT {_COLUMNS} FROM batch ORDER BY prepared_at, name"  # noqa: S608 - no value is in it
_HOLDING = f"""
SELECT {_COLUMNS} FROM batch WHERE name =
(SELECT batch FROM batched WHERE task = ? AND key = ? AND model = ? AND prompt = ?)
"""  # noqa: S608 - no value is in it
_PREPARE = "INSERT INTO batch (name, endpoint, model, prepared_at, requests, state) VALUES (?, ?, ?, ?, ?, ?)"
_JOIN = "INSERT INTO batched VALUES (?, ?, ?, ?, ?, ?, ?)"
_NOTE = "UPDATE batch SET file = coalesce(?, file), id = coalesce(?, id), state = ?, done = ? WHERE name = ?"
_MEMBERS = "SELECT number, task, key, prompt, turn FROM batched WHERE batch = ?"

Transaction = Callable[[], AbstractContextManager[Any]]


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
        """Held by the process that submits or collects. The operating system releases it when the process dies."""
        from filelock import FileLock

        self._folder.mkdir(mode=0o700, exist_ok=True)
        return FileLock(self._folder / "batches.lock", mode=0o600, poll_interval=0.05)

    def under_way(self) -> list[Batch]:
        """All batches, the oldest first."""
        return [Batch(*row) for row in self._execute(_ALL)]

    def holding(self, request: Asked, model: str) -> Batch | None:
        """The batch that a request is in."""
        rows = self._execute(_HOLDING, request.task.name, request.key, model, request.prompt)
        return Batch(*rows[0]) if rows else None

    def prepare(self, endpoint: str, model: str, asked: Sequence[tuple[int, Request, int]]) -> Batch:
        """Note a batch of requests, each with its number and its turn, before anything of it is sent."""
        name, now = f"qcg-{uuid4().hex}", datetime.now(UTC).isoformat()
        rows = [
            (request.task.name, request.key, model, request.prompt, name, number, turn)
            for number, request, turn in asked
        ]
        with self._transaction() as database:
            database.execute(_PREPARE, (name, endpoint, model, now, len(rows), PREPARED))
            database.executemany(_JOIN, rows)
        return Batch(name, endpoint, model, now, len(rows), None, None, PREPARED, 0)

    def note(
        self, batch: Batch, state: str, done: int = 0, *, file: str | None = None, known_as: str | None = None
    ) -> Batch:
        """Store the endpoint's state of a batch, under the endpoint's id."""
        self._execute(_NOTE, file, known_as, state, done, batch.name)
        return replace(batch, file=file or batch.file, id=known_as or batch.id, state=state, done=done)

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
