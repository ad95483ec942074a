"""A worker: a process that keeps its connection and its models open, and does one item after the other."""

from __future__ import annotations

import time
from contextlib import ExitStack
from dataclasses import dataclass
from importlib.metadata import version
from typing import Any

from qcg_neo4j.core.errors import QcgError
from qcg_neo4j.indexing.stage import Work
from qcg_neo4j.indexing.workers.assignment import Assignment
from qcg_neo4j.indexing.workers.mailbox import BEGIN, Question
from qcg_neo4j.models.replies import Recording

_INTERVAL = 0.2  # seconds after which a worker reports how far it is


@dataclass(frozen=True)
class Outcome:
    """What came of an item: its result, or the error that ended it; how many things were done."""

    result: Any = None
    error: QcgError | None = None
    done: int = 0


class Worker:
    """The methods that Ray calls, one at a time."""

    def __init__(self) -> None:
        self._opened = ExitStack()
        self._with: tuple[_Line, Any] | None = None
        self._assignment = ""

    def version(self) -> str:
        """The version of this package there."""
        return version("qcg-neo4j")

    def run(
        self,
        assignment: Assignment,
        recording: Recording | None,
        mailbox: Any,
        work: Work[Any, Any],
        number: int,
        item: Any,
    ) -> Outcome:
        """Do the work with the item of that number; with no result and no error where the run is over."""
        try:
            line, (graph, embedder, source) = self._open(assignment, mailbox, number)
            with graph.write_in(assignment.lease):
                result = work(graph, embedder, source if recording is None else recording, item, line.progress)
            return Outcome(result, done=line.done)
        except Exception as error:
            self._close()
            if isinstance(error, QcgError | _StoppedError):
                return Outcome(error=error if isinstance(error, QcgError) else None)
            raise

    def _open(self, assignment: Assignment, mailbox: Any, number: int) -> tuple[_Line, Any]:
        """Begin with the item of that number; open what the assignment names, where it is another one than before.

        It begins first: the run counts then which calls a worker before has lost, and opening the store forgets them.
        """
        if self._with is not None and self._assignment == assignment.id:
            self._with[0].begin(number)
        else:
            self._close()
            line = _Line(mailbox, assignment.id)
            line.begin(number)
            self._with = line, self._opened.enter_context(assignment.opened(line.ask))
            self._assignment = assignment.id
        return self._with

    def _close(self) -> None:
        self._with, opened, self._opened = None, self._opened, ExitStack()
        opened.close()


class _StoppedError(Exception):
    """The run is over; what is under way is kept."""


class _Line:
    """A worker's line to the mailbox, about one item at a time; several threads may ask."""

    def __init__(self, mailbox: Any, run: str) -> None:
        import ray

        self._ray, self._mailbox, self._run = ray, mailbox, run
        self._number = self.done = 0
        self._reported = 0.0

    def begin(self, number: int) -> None:
        """Begin with the item of a number."""
        self._number, self._reported = number, 0.0
        self.ask(BEGIN)
        self.progress(0, None)

    def ask(self, method: str, *values: Any) -> Any:
        """Ask the run; returns or raises what it answers."""
        found = self._ray.get(self._mailbox.ask.remote(Question(self._run, self._number, method, values)))
        if isinstance(found, QcgError):
            raise found
        return found

    def progress(self, done: int, _: int | None) -> None:
        """Report how many things of the item are done, unless it did so just now.

        Raises:
            _StoppedError: the run is over.
        """
        self.done, now = done, time.monotonic()
        if now - self._reported >= _INTERVAL:
            self._reported = now
            if self._ray.get(self._mailbox.report.remote(self._run, self._number, done)):
                raise _StoppedError
