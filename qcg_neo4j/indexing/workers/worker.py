"""What runs elsewhere: workers, which do one item after the other, and the mailbox between them and their run.

The process that started a run need not be part of the cluster, so nobody there can call it: the mailbox holds what
workers ask until that process collects it and brings answers.
"""

from __future__ import annotations

import asyncio
import itertools
import time
from collections.abc import Mapping
from contextlib import ExitStack, suppress
from dataclasses import dataclass
from importlib.metadata import version
from typing import Any, NamedTuple

from qcg_neo4j.core.errors import QcgError
from qcg_neo4j.indexing.stage import Work
from qcg_neo4j.indexing.workers.assignment import Assignment
from qcg_neo4j.models.replies import Recording

BEGIN = "begin"  # what is asked first about an item, so that the run learns when a worker has died at it
_LONGEST = 0.25  # seconds that a collection waits for a question


class Question(NamedTuple):
    """What a run is asked about its item of that number: what is to be called, with which values."""

    run: str
    item: int
    method: str
    values: tuple[Any, ...]


class Mail(NamedTuple):
    """Questions by their numbers; how many things are done, by run and number of the item."""

    questions: Mapping[int, Question]
    done: Mapping[tuple[str, int], int]


class Mailbox:
    """The methods that Ray calls, all in one loop."""

    def __init__(self) -> None:
        self._questions: dict[int, Question] = {}
        self._answers: dict[int, asyncio.Future[Any]] = {}
        self._done: dict[tuple[str, int], int] = {}
        self._numbers = itertools.count()
        self._asked = asyncio.Event()
        self._over: set[str] = set()

    async def ask(self, question: Question) -> Any:
        """A worker's question; the answer may be an error."""
        number = next(self._numbers)
        self._questions[number] = question
        self._answers[number] = asyncio.get_running_loop().create_future()
        self._asked.set()
        return await self._answers[number]

    async def report(self, run: str, item: int, done: int) -> bool:
        """Note how many things of an item are done; whether the run is over."""
        self._done[run, item] = done
        return run in self._over

    async def collect(self) -> Mail:
        """What came since it was collected last, as soon as there is a question, or after a short time."""
        with suppress(TimeoutError):
            await asyncio.wait_for(self._asked.wait(), _LONGEST)
        self._asked.clear()
        mail, self._questions, self._done = Mail(self._questions, self._done), {}, {}
        return mail

    async def answer(self, answers: Mapping[int, Any]) -> None:
        """Bring answers, by the numbers of the questions."""
        for number, found in answers.items():
            answer = self._answers.pop(number)
            if not answer.done():  # the worker that asked has died
                answer.set_result(found)

    async def end(self, run: str) -> None:
        """The run is over; the next `report` of each of its workers returns that."""
        self._over.add(run)


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
