"""How a worker reaches what only the process has that started it: letters that it collects, and answers."""

from __future__ import annotations

import itertools
import threading
import time
from collections.abc import Iterator
from concurrent.futures import Future
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

from qcg_neo4j.core.errors import QcgError
from qcg_neo4j.models.llm import Budget, LanguageModelSettings
from qcg_neo4j.models.replies import Asked

_COLLECTED = 0.25  # seconds after which a worker tells how far it is, also without a letter
_PAUSE = 0.02  # seconds until what another one holds is asked for again


class Letter(NamedTuple):
    """A question of a worker: what is to be called, with which values."""

    number: int
    method: str
    values: tuple[Any, ...]


@dataclass(frozen=True)
class Mail:
    """What a worker has to say: its letters, and how many things are done of the item of that number."""

    letters: list[Letter]
    item: int
    done: int


class StoppedError(Exception):
    """The run is over; what is under way is kept."""


@dataclass
class Post:
    """The worker's side. Several threads write; one thread collects and brings answers."""

    errand: str = ""  # of what is done now
    item: int = 0
    done: int = 0
    over: str = ""  # the errand that is to end
    _letters: list[Letter] = field(default_factory=list)
    _waiting: dict[int, Future[Any]] = field(default_factory=dict)
    _numbers: Iterator[int] = field(default_factory=itertools.count)
    _changed: threading.Condition = field(default_factory=threading.Condition)

    def progress(self, done: int, _: int | None) -> None:
        """Report the progress of the item.

        Raises:
            StoppedError: the run is over.
        """
        if self.over == self.errand:
            raise StoppedError
        self.done = done

    def ask(self, method: str, *values: Any) -> Any:
        """Write a letter and wait for the answer; raises what the other side raised."""
        answer: Future[Any] = Future()
        with self._changed:
            number = next(self._numbers)
            self._waiting[number] = answer
            self._letters.append(Letter(number, method, values))
            self._changed.notify()
        found = answer.result()
        if isinstance(found, QcgError):
            raise found
        return found

    def collect(self, errand: str) -> Mail:
        """All letters of an errand, at once or as soon as there is one; none after a short time.

        Who asked for those of an earlier errand may not be there any more.
        """
        letters: list[Letter] = []
        with self._changed:
            self._changed.wait_for(lambda: self._letters, _COLLECTED)
            if errand == self.errand:
                letters, self._letters = self._letters, letters
        return Mail(letters, self.item, self.done)

    def answer(self, answers: dict[int, Any]) -> None:
        """Bring the answers to letters, by their numbers."""
        for number, found in answers.items():
            self._waiting.pop(number).set_result(found)


class SharedStore:
    """The store of replies of another machine, for a source of replies; also its journal."""

    def __init__(self, post: Post, path: Path) -> None:
        self.path = path
        self.journal = self.batches = self
        self._post = post

    def __getattr__(self, method: str) -> Any:
        """What takes a request, and then plain values: `find_paid`, `put`, `send`, `deliver` …"""
        return lambda asked, *values: self._post.ask(method, *_named(asked), *values)

    def lost(self) -> int:
        """That is reported by the store."""
        return 0

    @contextmanager
    def asking(self, asked: Asked) -> Iterator[None]:
        """Hold a request, so that no other thread or process asks for the same at the same time."""
        while not self._post.ask("acquire", *_named(asked)):
            time.sleep(_PAUSE)
        try:
            yield
        finally:
            self._post.ask("release", *_named(asked))


def _named(asked: Asked) -> tuple[str, str, str]:
    return asked.task.name, asked.key, asked.prompt


class SharedBudget(Budget):
    """The budget of the run, which all workers pay from."""

    def __init__(self, settings: LanguageModelSettings, post: Post) -> None:
        super().__init__(settings)
        self._post = post

    def hold(self, price: float) -> bool:
        """Set aside a price; False while it does not fit, but calls of any worker may leave enough."""
        return bool(self._post.ask("hold", price))

    def release(self, held: float, spent: float) -> None:
        """Give back what was set aside, and take what was spent of it."""
        self._post.ask("pay", held, spent)
