"""Workers by Ray: a free one takes the next item; Ray restarts one that dies, and its item goes on where it was."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import ExitStack, contextmanager, suppress
from functools import cache
from importlib.metadata import version
from typing import Any, Self, TypeVar

from qcg_neo4j.core.errors import InputError, QcgError, WorkerError, number_of
from qcg_neo4j.core.progress import Progress
from qcg_neo4j.database.graph import Graph
from qcg_neo4j.indexing.stage import Work
from qcg_neo4j.indexing.workers.assignment import RunResources, assignment
from qcg_neo4j.indexing.workers.session import LOCAL, SAME, checked_address, said, session
from qcg_neo4j.indexing.workers.worker import BEGIN, Mail, Mailbox, Outcome, Question, Worker
from qcg_neo4j.models.embedding.embedder import Embedder
from qcg_neo4j.models.replies import Recording, ReplySource

_DEATHS = 3  # of workers, one after the other at the same item, that end a run
_LONGEST_STOP = _LONGEST_START = 300.0  # seconds
_LOOK = 10.0  # seconds from one look at how many processors there are to the next
_LONGEST_WAIT = 1.0  # seconds until it is looked whether it is time to stop
_HEAD = "node:__internal_head__"  # where the process between workers and run is, which all of them need

I = TypeVar("I")  # noqa: E741 - an item
T = TypeVar("T")


class RayWorkers:
    """Processes that Ray runs; use it in a ``with`` block, and give it to stages as ``workers``.

    ``address`` is "ray", for processes on this machine that end with the block, or "ray://HOST:PORT" of a cluster, on
    whose machines this package is installed, which reach database and models. ``count`` is how many there are, by
    default as many as Ray has processors. ``tell`` is called with a sentence when one has died.
    """

    def __init__(
        self, address: str = LOCAL, count: int | None = None, *, tell: Callable[[str], None] = lambda _: None
    ) -> None:
        """Check what is given; nothing is started yet.

        Raises:
            InputError: the address is none, or the number is not positive.
        """
        self._address, self._wanted, self._tell = checked_address(address), count, tell
        if count is not None and count < 1:
            raise InputError(f"There are {count} workers, and at least 1 is needed.")
        self._opened = ExitStack()
        self._ray: Any = None
        self._is_ours = False
        self._workers: list[Any] = []
        self._mailbox: Any = None

    def __enter__(self) -> Self:
        """Start Ray, or connect to it.

        Raises:
            MissingPackageError: Ray is not installed.
            WorkerError: nothing answers at the address, Ray does not start, or it has not so many processors.
        """
        with ExitStack() as opened:
            self._ray, self._is_ours = opened.enter_context(session(self._address, self._wanted))
            opened.push(self._killed)
            self._start()
            self._opened = opened.pop_all()
        return self

    def _start(self) -> None:
        most = max(1, int(self._ray.cluster_resources().get("CPU", 1)))
        number = self._wanted or most
        if number > most:
            raise WorkerError(
                f"Ray has {most} processors, too few for {number} workers.", "Give a lower --worker-count."
            )
        kind = self._ray.remote(num_cpus=1, max_restarts=-1, max_task_retries=_DEATHS - 1)(Worker)
        self._workers = [kind.remote() for _ in range(number)]
        # Each thread of a worker that asks something is one of the calls that it has at once.
        options = {"num_cpus": 0, "resources": {_HEAD: 0.001}, "max_concurrency": 1_000_000}
        self._mailbox = self._ray.remote(**options)(Mailbox).remote()
        try:
            answers = [worker.version.remote() for worker in self._workers]
            versions = set(self._ray.get(answers, timeout=_LONGEST_START))
        except Exception as error:
            raise WorkerError(f"A worker does not start: {said(error)}", SAME) from None
        if versions != {version("qcg-neo4j")}:
            raise WorkerError(f"Workers have qcg-neo4j {', '.join(sorted(versions))}.", SAME)

    def __exit__(self, *_: object) -> None:
        self._opened.close()

    def _killed(self, *_: object) -> None:
        actors, self._workers = [*self._workers, self._mailbox], []
        for actor in actors:
            with suppress(Exception):  # it has gone before
                self._ray.kill(actor)

    @property
    def count(self) -> int:
        """How many there are."""
        return len(self._workers)

    def run(
        self,
        graph: Graph,
        embedder: Embedder,
        source: ReplySource | None,
        work: Work[I, T],
        items: Iterable[I],
        progress: Progress,
    ) -> Iterator[T]:
        """Do the work with each item; see `qcg_neo4j.indexing.stage.Workers`."""
        if not self._workers:
            raise WorkerError("The workers are not there.", "Use them inside their `with` block.")
        own = assignment(graph, embedder, source, is_here=self._is_ours)
        recording = cache(lambda: self._ray.put(source) if isinstance(source, Recording) else None)

        def start(worker: Any, number: int, item: I) -> Any:
            return worker.run.remote(own, recording(), self._mailbox, work, number, item)

        run = _Run(self._ray, self._workers, self._mailbox, own.id, start, RunResources(source), progress, self._tell)
        try:
            yield from run.results(items)
        finally:
            run.stop()


def _lost() -> tuple[type[BaseException], ...]:
    """What a client of Ray raises without its cluster: its own error, or that of its transport where it has one."""
    grpc = sys.modules.get("grpc")  # a local Ray needs none
    return (ConnectionError,) if grpc is None else (ConnectionError, grpc.RpcError)


class _Run:
    """The items of a run: ``start`` gives a worker the item of a number, and returns what refers to its outcome."""

    def __init__(
        self,
        ray: Any,
        workers: Iterable[Any],
        mailbox: Any,
        name: str,
        start: Callable[[Any, int, Any], Any],
        resources: RunResources,
        progress: Progress,
        tell: Callable[[str], None],
    ) -> None:
        self._ray, self._mailbox, self._name, self._start = ray, mailbox, name, start
        self._resources, self._progress, self._tell = resources, progress, tell
        self._free = list(workers)
        self._count = len(self._free)
        self._looked = self._complete = time.monotonic()  # when there was room for all workers, as far as is known
        self._under_way: dict[Any, tuple[Any, int]] = {}  # by the reference: the worker, and the number of the item
        self._mail: Any = None  # what refers to what the mailbox has
        self._questions: dict[int, Question] = {}
        self._answers: dict[int, Any] = {}
        self._begun: set[int] = set()
        self._done: dict[int, int] = {}  # things that are done, by the number of the item
        self._is_over = False

    def results(self, items: Iterable[Any]) -> Iterator[Any]:
        """What came of each item.

        Raises:
            QcgError: that of a worker.
            WorkerError: workers die again and again.
        """
        waiting = enumerate(items)
        while True:
            while self._free and (following := next(waiting, None)):
                worker = self._free.pop()
                with self._connected():
                    self._under_way[self._start(worker, *following)] = worker, following[0]
            if not self._under_way:
                return
            yield from self._step()

    def stop(self) -> None:
        """End what is under way: each worker keeps what its calls bring, but is not waited for any longer than that."""
        self._is_over = True
        until = time.monotonic() + _LONGEST_STOP
        try:
            with suppress(WorkerError), self._connected():  # what ended the run is told
                self._mailbox.end.remote(self._name)
            while self._under_way and time.monotonic() < until:
                with suppress(QcgError):
                    for _ in self._step():
                        pass
            if self._mail is not None:  # or it would take what is asked in the next run
                with suppress(WorkerError):
                    self._take()
        finally:
            self._resources.close()

    def _step(self) -> Iterator[Any]:
        """Wait for something to come: questions are answered, results are given back."""
        with self._connected():
            if self._mail is None:
                self._mail = self._mailbox.collect.remote()
            ready, _ = self._ray.wait([*self._under_way, self._mail], num_returns=1, timeout=_LONGEST_WAIT)
        for reference in ready:
            if reference in self._under_way:
                yield from self._ended(reference, *self._under_way.pop(reference))
            else:
                self._take()
        with self._connected():
            self._answer()
            self._check_room()

    def _check_room(self) -> None:
        """Ray starts the workers of a machine that is gone where another has room; it waits for such a one for ever."""
        now = time.monotonic()
        if self._is_over or now < self._looked + _LOOK:
            return
        self._looked, processors = now, int(self._ray.cluster_resources().get("CPU", 0))
        if processors >= self._count:
            self._complete = now
        elif now > self._complete + _LONGEST_START:
            raise WorkerError(
                f"Ray has {processors} processors left for {self._count} workers: a machine is gone.",
                "Bring it back, or give a lower --worker-count. What is done is kept.",
            )

    @contextmanager
    def _connected(self) -> Iterator[None]:
        """What a client of Ray raises without its cluster becomes ours."""
        try:
            yield
        except _lost() as error:
            self._under_way.clear()  # nothing more comes of it
            raise WorkerError(f"The connection to Ray has ended: {said(error)}", SAME) from None

    def _take(self) -> None:
        """Take what the mailbox has."""
        reference, self._mail = self._mail, None
        try:
            with self._connected():
                mail: Mail = self._ray.get(reference)
        except self._ray.exceptions.RayActorError as error:
            self._under_way.clear()  # what asks there gets no answer
            raise WorkerError(f"The process between workers and run has ended: {said(error)}", SAME) from None
        self._questions.update(mail.questions)
        numbers = {number for _, number in self._under_way.values()}
        done = {item: done for (run, item), done in mail.done.items() if run == self._name and item in numbers}
        if done:
            self._report(done)

    def _answer(self) -> None:
        """Answer what was asked. Who asked what cannot be answered learns that, too, or it would wait for ever."""
        for number in list(self._questions):
            self._answers[number] = WorkerError("The run has ended before it answered.")
            self._answers[number] = self._answered(self._questions.pop(number))
        if self._answers:
            self._mailbox.answer.remote(self._answers)
            self._answers = {}

    def _answered(self, question: Question) -> Any:
        if question.run != self._name:
            return WorkerError("That run has ended.")
        if question.method != BEGIN:
            return self._resources.answer(question.item, question.method, question.values)
        if question.item in self._begun:
            self._died(question.item)
        return self._begun.add(question.item)

    def _died(self, item: int) -> None:
        """A worker has died at an item, which another one begins again."""
        lost = self._resources.free(item)
        calls = number_of(lost, "call was", "calls were")
        paid = f" {calls} under way in it, and may be paid twice." if lost else ""
        if not self._is_over:
            self._tell(f"A worker died. Another one goes on where it was.{paid}")

    def _ended(self, reference: Any, worker: Any, number: int) -> Iterator[Any]:
        try:
            with self._connected():
                outcome: Outcome = self._ray.get(reference)
        except self._ray.exceptions.RayError as error:
            failed = self._ray.exceptions.RayTaskError  # as of a package that the worker has not
            if isinstance(error, failed) or not isinstance(error, self._ray.exceptions.RayActorError):
                raise WorkerError(f"A worker failed: {said(error)}", SAME) from error
            raise WorkerError(
                f"{_DEATHS} workers died one after the other at the same part of the work: {said(error)}",
                "They may lack memory: take fewer with --worker-count. What is done is kept.",
            ) from None
        self._free.append(worker)
        if outcome.error is not None:
            raise outcome.error
        self._report({number: outcome.done})
        yield outcome.result

    def _report(self, done: Mapping[int, int]) -> None:
        """Report how many things are done, by the numbers of the items."""
        self._done.update(done)
        if not self._is_over:
            self._progress(sum(self._done.values()), None)
