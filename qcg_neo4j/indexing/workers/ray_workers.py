"""Workers by Ray: a free one takes the next item; one that dies is replaced, and its item goes on where it was."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack, suppress
from dataclasses import dataclass
from importlib.metadata import version
from typing import Any, Self, TypeVar

from qcg_neo4j.core.errors import InputError, QcgError, WorkerError
from qcg_neo4j.core.progress import Progress
from qcg_neo4j.database.graph import Graph
from qcg_neo4j.indexing.stage import Work
from qcg_neo4j.indexing.workers.desk import Desk
from qcg_neo4j.indexing.workers.errand import errand
from qcg_neo4j.indexing.workers.session import LOCAL, SAME, checked_address, said, session
from qcg_neo4j.indexing.workers.worker import Outcome, Worker
from qcg_neo4j.models.embedding.embedder import Embedder
from qcg_neo4j.models.replies import Recording, ReplySource

_DEATHS = 3  # of workers, one after the other at the same item, that end a run
_LONGEST_STOP = 300.0  # seconds
_THREADS = 4  # of a worker: what it does, and what it is told and asked meanwhile

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
        self._is_ours = False
        self._ray: Any = None
        self._workers: list[Any] = []

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
        self._workers = [self._new() for _ in range(number)]
        try:
            versions = {there for _, there in self._met()}
        except Exception as error:
            raise WorkerError(f"A worker does not start: {said(error)}", SAME) from None
        if versions != {version("qcg-neo4j")}:
            raise WorkerError(f"Workers have qcg-neo4j {', '.join(sorted(versions))}.", SAME)

    def __exit__(self, *_: object) -> None:
        self._opened.close()

    def _killed(self, *_: object) -> None:
        workers, self._workers = self._workers, []
        for worker in workers:
            with suppress(Exception):  # it has gone before
                self._ray.kill(worker)

    @property
    def count(self) -> int:
        """How many there are."""
        return len(self._workers)

    def processes(self) -> list[int]:
        """The numbers of the processes, each on its machine."""
        return [process for process, _ in self._met()]

    def _met(self) -> list[tuple[int, str]]:
        return list(self._ray.get([worker.hello.remote() for worker in self._workers]))

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
        own = errand(graph, embedder, source, is_here=self._is_ours)
        recording = self._ray.put(source) if isinstance(source, Recording) else None

        def start(worker: Any, number: int, item: I) -> Any:
            return worker.run.remote(own, recording, work, number, item)

        run = _Distribution(self._ray, self._workers, own.id, start, self._replaced, Desk(source), progress)
        try:
            yield from run.results(items)
        finally:
            run.stop()

    def _new(self) -> Any:
        return self._ray.remote(num_cpus=1, max_concurrency=_THREADS, max_restarts=0)(Worker).remote()

    def _replaced(self, worker: Any, lost: int) -> Any:
        calls = "1 call was" if lost == 1 else f"{lost:,} calls were"
        paid = f" {calls} under way in it, and may be paid twice." if lost else ""
        self._tell(f"A worker died. Another one goes on where it was.{paid}")
        self._workers.remove(worker)
        self._workers.append(self._new())
        return self._workers[-1]


@dataclass(frozen=True)
class _Assignment:
    """What a worker does: the item with its number."""

    worker: Any
    number: int
    item: Any


class _Distribution:
    """The items of an errand: which are under way, and where.

    ``start`` gives a worker the item of a number, ``replaced`` a new worker for one that died with so many calls under
    way.
    """

    def __init__(
        self,
        ray: Any,
        workers: list[Any],
        errand: str,
        start: Callable[[Any, int, Any], Any],
        replaced: Callable[[Any, int], Any],
        desk: Desk,
        progress: Progress,
    ) -> None:
        self._ray, self._errand, self._desk, self._progress = ray, errand, desk, progress
        self._start, self._replaced = start, replaced
        self._free = list(workers)
        self._jobs: dict[Any, _Assignment] = {}
        self._mail: dict[Any, Any] = {}  # the worker by what it is asked for its mail
        self._again: list[tuple[int, Any]] = []
        self._deaths: Counter[int] = Counter()
        self._done: Counter[int] = Counter()  # things that are done, by the number of the item
        self._stopping = False

    def results(self, items: Iterable[Any]) -> Iterator[Any]:
        """What came of each item.

        Raises:
            QcgError: that of a worker.
            WorkerError: workers die again and again.
        """
        waiting = enumerate(items)
        while True:
            while self._free and (following := self._again.pop() if self._again else next(waiting, None)):
                self._begin(*following)
            if not self._jobs:
                return
            yield from self._step()

    def stop(self) -> None:
        """End what is under way: each worker keeps what its calls bring, but is not waited for any longer than that."""
        self._stopping = True
        for job in self._jobs.values():
            job.worker.stop.remote(self._errand)
        until = time.monotonic() + _LONGEST_STOP
        while self._jobs and time.monotonic() < until:
            with suppress(QcgError):
                for _ in self._step():
                    pass

    def _begin(self, number: int, item: Any) -> None:
        worker = self._free.pop()
        self._jobs[self._start(worker, number, item)] = _Assignment(worker, number, item)
        self._ask(worker)

    def _ask(self, worker: Any) -> None:
        if worker not in self._mail.values():
            self._mail[worker.mail.remote(self._errand)] = worker

    def _step(self) -> Iterator[Any]:
        """Wait for something to come: mail is answered, results are given back."""
        ready, _ = self._ray.wait([*self._jobs, *self._mail], num_returns=1, timeout=1.0)
        for reference in ready:
            if reference in self._mail:
                self._answer(self._mail.pop(reference), reference)
            elif job := self._jobs.pop(reference, None):
                yield from self._ended(job, reference)

    def _answer(self, worker: Any, reference: Any) -> None:
        try:
            mail = self._ray.get(reference)
        except self._ray.exceptions.RayActorError:
            return  # its job ends by the same error
        if mail.letters:
            worker.answer.remote(self._desk.answers(worker, mail.letters))
        numbers = [job.number for job in self._jobs.values() if job.worker is worker]
        if numbers:
            self._ask(worker)
        if mail.item in numbers:
            self._tell(mail.item, mail.done)

    def _ended(self, job: _Assignment, reference: Any) -> Iterator[Any]:
        try:
            outcome: Outcome = self._ray.get(reference)
        except self._ray.exceptions.RayActorError as error:
            self._died(job, error)
            return
        except self._ray.exceptions.RayError as error:  # as of a package that the worker has not
            raise WorkerError(f"A worker failed: {said(error)}", SAME) from error
        self._free.append(job.worker)
        if outcome.error is not None:
            raise outcome.error
        self._tell(job.number, outcome.done)
        yield outcome.result

    def _tell(self, number: int, done: int) -> None:
        self._done[number] = done
        if not self._stopping:
            self._progress(self._done.total(), None)

    def _died(self, job: _Assignment, error: Exception) -> None:
        lost = self._desk.left(job.worker)
        if self._stopping:
            return
        self._done[job.number] = 0
        self._deaths[job.number] += 1
        if self._deaths[job.number] == _DEATHS:
            raise WorkerError(
                f"{_DEATHS} workers died one after the other at the same part of the work: {said(error)}",
                "They may lack memory: take fewer with --worker-count. What is done is kept.",
            )
        self._free.append(self._replaced(job.worker, lost))
        self._again.append((job.number, job.item))
