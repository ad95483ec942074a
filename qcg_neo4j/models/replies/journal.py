"""A journal of requests and replies: a killed run loses only the calls under way, and they are reported."""

from __future__ import annotations

import json
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from qcg_neo4j.models.replies.exchange import Asked, Request

if TYPE_CHECKING:
    from filelock import FileLock

TABLE = """
CREATE TABLE IF NOT EXISTS call (
    task TEXT NOT NULL,
    key TEXT NOT NULL,
    model TEXT NOT NULL,
    prompt TEXT NOT NULL,
    turn INTEGER NOT NULL,
    sent_at TEXT NOT NULL,
    delivered TEXT,
    PRIMARY KEY (task, key, model, prompt, turn)
)
"""
REFUSED_TABLE = """
CREATE TABLE IF NOT EXISTS refused (
    task TEXT NOT NULL,
    key TEXT NOT NULL,
    model TEXT NOT NULL,
    prompt TEXT NOT NULL,
    reason TEXT NOT NULL,
    PRIMARY KEY (task, key, model, prompt)
)
"""
_ONE = "task = ? AND key = ? AND model = ? AND prompt = ?"
SETTLE = f"DELETE FROM call WHERE {_ONE}"  # noqa: S608 - no value is in it
_NOTE = "INSERT OR REPLACE INTO call VALUES (?, ?, ?, ?, ?, ?, ?)"
_TAKE_BACK = f"{SETTLE} AND turn = ? AND delivered IS NULL"
_DELIVERED = f"SELECT delivered FROM call WHERE {_ONE} AND delivered IS NOT NULL ORDER BY turn"  # noqa: S608 - as above
_UNDER_WAY = "SELECT task, key, model, prompt, turn FROM call WHERE delivered IS NULL"
_REFUSE = "INSERT OR REPLACE INTO refused VALUES (?, ?, ?, ?, ?)"
_REFUSAL = f"SELECT reason FROM refused WHERE {_ONE}"  # noqa: S608 - as above
_LOCKS = 256  # how many requests of several processes can be told apart while they are under way

Execute = Callable[..., list[Any]]


class Journal:
    """The calls of a store that are not settled: sent, and perhaps delivered, but not yet a reply.

    A delivery is what came, whether it can be used or not; the next run goes on from it.
    """

    def __init__(self, execute: Execute, sync: Callable[[], None], folder: Path) -> None:
        """``execute`` runs a statement of the store's database; ``sync`` waits until the disk holds what is committed.

        ``folder`` is where the locks are.
        """
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
        rows = self._execute(_UNDER_WAY)
        return sum(self._forget(row) for row in rows)

    def lock(self, key: str) -> FileLock:
        """The lock of the process that requests the key. The operating system releases it when the process dies."""
        from filelock import FileLock

        self._folder.mkdir(mode=0o700, exist_ok=True)
        return FileLock(self._folder / f"{int(key[:8], 16) % _LOCKS:03d}.lock", mode=0o600, poll_interval=0.02)

    def _forget(self, row: tuple[Any, ...]) -> bool:
        from filelock import Timeout

        try:
            with self.lock(row[1]).acquire(timeout=0):
                self._execute(_TAKE_BACK, *row)
                return True
        except Timeout:
            return False  # another process is waiting for this reply


def _now() -> str:
    return datetime.now(UTC).isoformat()


def _one(request: Asked, model: str) -> tuple[str, str, str, str]:
    return request.task.name, request.key, model, request.prompt
