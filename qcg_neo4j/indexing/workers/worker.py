"""A worker: a process that keeps its connection and its models open, and does one item after the other."""

from __future__ import annotations

import os
from contextlib import ExitStack
from dataclasses import dataclass
from importlib.metadata import version
from typing import Any

from qcg_neo4j.core.errors import QcgError
from qcg_neo4j.indexing.stage import Work
from qcg_neo4j.indexing.workers.errand import Errand
from qcg_neo4j.indexing.workers.post import Mail, Post, StoppedError
from qcg_neo4j.models.replies import Recording


@dataclass(frozen=True)
class Outcome:
    """What came of an item: its result, or the error that ended it; how many things were done."""

    result: Any = None
    error: QcgError | None = None
    done: int = 0


class Worker:
    """The methods that Ray calls, each in a thread of its own: `run`, while it runs the others."""

    def __init__(self) -> None:
        self._post = Post()
        self._opened = ExitStack()
        self._errand: str | None = None
        self._with: Any = None

    def hello(self) -> tuple[int, str]:
        """The number of the process, and the version of this package there."""
        return os.getpid(), version("qcg-neo4j")

    def run(self, errand: Errand, recording: Recording | None, work: Work[Any, Any], item: int, what: Any) -> Outcome:
        """Do the work with what the item of that number is."""
        post = self._post
        post.errand, post.item = errand.id, item
        try:
            post.progress(0, None)
            self._open(errand)
            graph, embedder, source = self._with
            with graph.write_in(errand.turn):
                result = work(graph, embedder, source if recording is None else recording, what, post.progress)
            return Outcome(result, done=post.done)
        except StoppedError:
            self._close()
            return Outcome()
        except QcgError as error:
            self._close()
            return Outcome(error=error)

    def mail(self, errand: str) -> Mail:
        """What the worker has to say of an errand; waits a moment for it."""
        return self._post.collect(errand)

    def answer(self, answers: dict[int, Any]) -> None:
        """What was answered to its letters."""
        self._post.answer(answers)

    def stop(self, errand: str) -> None:
        """End what is done for the errand at its next step; calls under way are waited for, and kept."""
        self._post.over = errand

    def _open(self, errand: Errand) -> None:
        """Open what the errand names, where it is another one than before."""
        if self._errand != errand.id:
            self._close()
            self._with = self._opened.enter_context(errand.opened(self._post))
            self._errand = errand.id

    def _close(self) -> None:
        self._errand, opened, self._opened = None, self._opened, ExitStack()
        opened.close()
