"""The store of everything that a language model was paid for: one SQLite file, written reply by reply."""

from __future__ import annotations

import json
import os
import sqlite3
import threading
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Self

from qcg_neo4j.core.errors import InputError
from qcg_neo4j.core.records import Usage
from qcg_neo4j.models.replies import journal
from qcg_neo4j.models.replies.exchange import Asked, RecordedReply, Reply, Request, Result, known_or_missing

_TABLE = f"""
CREATE TABLE IF NOT EXISTS reply (
    {journal.REQUEST},
    reply TEXT NOT NULL,
    input_tokens INTEGER NOT NULL DEFAULT 0,
    output_tokens INTEGER NOT NULL DEFAULT 0,
    stored_at TEXT NOT NULL,
    PRIMARY KEY (task, key, model, prompt)
)
"""
_COLUMNS = ["task", "key", "model", "prompt", "reply", "input_tokens", "output_tokens", "stored_at"]
_ANOTHER = "Give another file, or move this one away."
# An imported line that does not say which prompt it replies to fits every prompt of its model.
_FIND = """
SELECT reply, CAST(input_tokens AS INTEGER), CAST(output_tokens AS INTEGER) FROM reply
WHERE task = ? AND key = ? AND model = ? AND prompt IN (?, '')
ORDER BY prompt DESC LIMIT 1
"""
_ANY = "SELECT reply, model FROM reply WHERE task = ? AND key = ? ORDER BY stored_at DESC, rowid DESC LIMIT 1"
_PUT = "INSERT OR IGNORE INTO reply VALUES (?, ?, ?, ?, ?, ?, ?, ?)"
_ALL = "SELECT task, key, model, prompt, reply FROM reply WHERE ? IN ('', task) ORDER BY task, rowid"
_ENOUGH = 20  # replies of the same model whose mean is trusted more than a guess
_SPENT = """
SELECT reply, CAST(output_tokens AS INTEGER) FROM reply WHERE task = ? AND model = ? AND output_tokens > 0 LIMIT 1000
"""


class ReplyStore:
    """Replies on disk, found by task, key, model and prompt. Several threads and processes may use one file.

    Each reply is committed when it arrives, so that a killed process loses the calls under way and no more; the
    ``journal`` knows them. Only its owner may read the file.
    """

    def __init__(self, path: Path) -> None:
        """Open the file, and create it where it is missing.

        Raises:
            InputError: the place cannot be written, or the file is no such store.
        """
        self.path = path
        self._lock = threading.Lock()
        try:
            path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
            os.close(os.open(path, os.O_CREAT | os.O_RDWR, 0o600))
            path.chmod(0o600)
        except OSError as error:
            raise InputError(
                f"The reply store {path} cannot be written: {error.strerror}.", "Give a file with --store."
            ) from None
        with self._told():
            self._database = sqlite3.connect(path, timeout=60, check_same_thread=False, isolation_level=None)
        try:
            self._check_owner()
            self._execute("PRAGMA journal_mode = WAL")
            # A commit is then safe from a kill at once, and waits for no disk; `_sync` makes it safe from power loss.
            self._execute("PRAGMA synchronous = NORMAL")
            self._execute(_TABLE)
            for table in journal.TABLES:
                self._execute(table)
        except BaseException:
            self._database.close()
            raise
        locks = path.with_name(f"{path.name}.locks")
        self.journal = journal.Journal(self._execute, self._sync, locks)
        self.batches = journal.Batches(self._execute, self._transaction, locks)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Close the file."""
        self._database.close()

    def find_paid(self, request: Request, model: str) -> tuple[dict[str, Any], Usage] | None:
        """The stored reply of that model to exactly this prompt, and what was paid for it: nothing where imported."""
        rows = self._execute(_FIND, request.task.name, request.key, model, request.prompt)
        return (self._read(rows[0][0]), Usage(1, rows[0][1], rows[0][2])) if rows else None

    def find_any(self, request: Request) -> tuple[dict[str, Any], str] | None:
        """The newest stored reply to this task and key with its model, whatever the model and the prompt."""
        found = self._execute(_ANY, request.task.name, request.key)
        return (self._read(found[0][0]), str(found[0][1])) if found else None

    def put(self, request: Asked, model: str, reply: dict[str, Any], usage: Usage) -> None:
        """Keep a reply, which settles its calls; what is there already stays."""
        recorded = RecordedReply(request.task.name, request.key, reply, model, request.prompt)
        with self._transaction() as database:
            database.execute(_PUT, _row(recorded, usage))
            database.execute(journal.SETTLE, (request.task.name, request.key, model, request.prompt))

    def add(self, lines: Iterable[RecordedReply]) -> int:
        """Keep recorded replies, all or none of them; returns how many are new."""
        recorded = list(lines)
        with self._transaction() as database:
            before = database.total_changes
            database.executemany(_PUT, (_row(line, Usage()) for line in recorded))
            return database.total_changes - before

    def export(self, task: str = "") -> Iterator[RecordedReply]:
        """All replies, or those of one task, in the order in which they came."""
        for name, key, model, prompt, reply in self._execute(_ALL, task):
            yield RecordedReply(name, key, self._read(reply), model, prompt)

    def mean_tokens(
        self, task: str, model: str, parts: Callable[[dict[str, Any]], int] = lambda _: 1
    ) -> tuple[float, int] | None:
        """Output tokens of a model per part of its replies, and from how many replies; None where these are too few."""
        spent = [(self._read(reply), tokens) for reply, tokens in self._execute(_SPENT, task, model)]
        number = sum(parts(reply) for reply, _ in spent)
        enough = len(spent) >= _ENOUGH and number > 0
        return (sum(tokens for _, tokens in spent) / number, len(spent)) if enough else None

    @contextmanager
    def asking(self, request: Request) -> Iterator[None]:
        """Hold a request, so that no other thread or process asks for the same at the same time.

        The operating system lets go when the process dies, so a killed run blocks nobody.
        """
        with self.journal.lock(request.key):
            yield

    @contextmanager
    def _transaction(self) -> Iterator[sqlite3.Connection]:
        with self._lock, self._told():
            self._database.execute("BEGIN IMMEDIATE")
            try:
                yield self._database
            except BaseException:
                self._database.execute("ROLLBACK")
                raise
            self._database.execute("COMMIT")

    def _execute(self, statement: str, *parameters: Any) -> list[Any]:
        with self._lock, self._told():
            return self._database.execute(statement, parameters).fetchall()

    @contextmanager
    def _told(self) -> Iterator[None]:
        try:
            yield
        except sqlite3.Error as error:
            raise InputError(f"{self.path} cannot be used as a reply store: {error}.", _ANOTHER) from None

    def _sync(self) -> None:
        """Wait until the disk holds what was committed; other threads commit meanwhile."""
        with suppress(FileNotFoundError):  # what was committed is in the file itself, which SQLite has synced
            log = os.open(f"{self.path}-wal", os.O_RDWR)
            try:
                os.fsync(log)
            finally:
                os.close(log)

    def _check_owner(self) -> None:
        """Refuse a database of something else before anything is written into it."""
        tables = {row[0] for row in self._execute("SELECT name FROM sqlite_schema WHERE type = 'table'")}
        columns = [row[1] for row in self._execute("PRAGMA table_info(reply)")]
        if tables and columns != _COLUMNS:
            raise InputError(f"{self.path} cannot be used as a reply store: it holds something else.", _ANOTHER)

    def _read(self, stored: Any) -> dict[str, Any]:
        try:
            reply = json.loads(stored)
        except (TypeError, ValueError, RecursionError):
            reply = None
        if not isinstance(reply, dict):
            raise InputError(f"{self.path} cannot be used as a reply store: it holds what is no reply.", _ANOTHER)
        return reply


def _row(line: RecordedReply, usage: Usage) -> tuple[Any, ...]:
    reply = json.dumps(line.reply, ensure_ascii=False)
    tokens = (usage.input_tokens, usage.output_tokens)
    return (line.task, line.key, line.model, line.prompt, reply, *tokens, datetime.now(UTC).isoformat())


class StoredReplies:
    """A source that replies from the store alone, from whichever model: for imported recordings."""

    def __init__(self, store: ReplyStore) -> None:
        self.name = store.path.name
        self.store = store

    def known(self, request: Request) -> Reply | None:
        """The newest stored reply."""
        found = self.store.find_any(request)
        return Reply(request, *found) if found else None

    def replies(self, requests: Iterable[Request]) -> Iterator[Result]:
        """One result per request; a missing key is a failure that names task and key."""
        return known_or_missing(self, requests)
