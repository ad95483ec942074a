"""An actor between a run and its workers: it holds what they ask until the process that started them answers.

That process need not be part of the cluster, so nobody there can call it: it collects, and brings answers.
"""

from __future__ import annotations

import asyncio
import itertools
from collections.abc import Mapping
from contextlib import suppress
from typing import Any, NamedTuple

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
