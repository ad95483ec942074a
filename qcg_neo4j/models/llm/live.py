"""A live model as a source of replies: several calls at once, nothing paid twice."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from dataclasses import asdict
from typing import Protocol

from qcg_neo4j.core.errors import InvalidReplyError, LanguageModelError
from qcg_neo4j.core.records import Usage
from qcg_neo4j.core.telemetry import LOG
from qcg_neo4j.models.llm.attempts import ATTEMPTS, Attempt, Completion, given_up, next_attempt, read_value
from qcg_neo4j.models.llm.budget import Budget
from qcg_neo4j.models.llm.endpoint import Endpoint
from qcg_neo4j.models.llm.settings import LanguageModelSettings
from qcg_neo4j.models.prompts import Message, Task
from qcg_neo4j.models.refusals import PermanentError, RefusedError, RefusedTextError
from qcg_neo4j.models.replies import Failure, Reply, ReplyStore, Request, Result


class Completing(Protocol):
    """What a live model asks: an `Endpoint`, or a model of another package."""

    settings: LanguageModelSettings
    budget: Budget
    model: str

    def complete(self, messages: Sequence[Message], task: Task, longest: int | None = None) -> Completion:
        """Ask once.

        Raises:
            LanguageModelError: it failed.
        """

    def close(self) -> None:
        """Close all connections."""


_FAILURES_IN_A_ROW = 5  # so many requests that the endpoint failed, one after the other, end a run

_Waiting = dict[Future[Result], list[Request]]


class LiveModel:
    """Asks an endpoint for what the store does not hold, and stores what comes before it is looked at.

    ``waiting`` names the batches that hold what it was asked for. ``lost`` is how many calls of earlier runs of this
    store were under way when those were killed: what they brought, and perhaps cost, is not there.
    """

    def __init__(
        self,
        settings: LanguageModelSettings,
        store: ReplyStore,
        api_key: str | None = None,
        budget: Budget | None = None,
        *,
        endpoint: Completing | None = None,
        notice: Callable[[str], None] = LOG.warning,
    ) -> None:
        """Raises `LanguageModelError` when no endpoint or model is set; who shares a budget pays from it.

        ``endpoint`` is asked in the place of the one that ``settings`` names. ``notice`` hears of time-outs.
        """
        self.settings = settings
        self.store, self.api_key = store, api_key
        self.endpoint: Completing = endpoint or Endpoint(settings, api_key, budget, notice)
        self.name = self.endpoint.model
        self.waiting: tuple[str, ...] = ()
        self.lost = store.journal.lost()
        self._lock = threading.Lock()
        self._pools: set[ThreadPoolExecutor] = set()
        self._failed = self._unusable = 0
        self._has_replied = False
        self._gone: LanguageModelError | None = None

    def close(self) -> None:
        """Wait for the calls that are under way and keep what they bring, then close all connections.

        Whose loop over `replies` was left by an error still holds its generator: its calls are paid, too.
        """
        for pool in tuple(self._pools):
            pool.shutdown(cancel_futures=True)
        self.endpoint.close()

    def known(self, request: Request) -> Reply | None:
        """The reply that this model gave before."""
        found = self.store.find_paid(request, self.name)
        return None if found is None else Reply(request, found[0], self.name, paid=found[1])

    def waits(self, request: Request) -> str | None:
        """Why a request is not asked again: the model has refused its text, or it is in a batch."""
        refusal = self.store.journal.refusal(request, self.name)
        if refusal:
            return f"{refusal} (refused before, so not asked again)"
        batch = self.store.batches.holding(request, self.name)
        return f"waits for batch {batch} at {batch.endpoint}; --batch collects it" if batch else None

    def replies(self, requests: Iterable[Request]) -> Iterator[Result]:
        """One result per request as they come, known ones at once; equal requests are asked once.

        Raises:
            LanguageModelError: the endpoint fails for good; what came before is stored.
        """
        pool = ThreadPoolExecutor(self.settings.concurrency, thread_name_prefix="language-model")
        self._pools.add(pool)
        waiting: _Waiting = {}
        try:
            for request in requests:
                known = self.known(request)
                if known:
                    yield known
                    continue
                self._submit(pool, request, waiting)
                if len(waiting) >= 2 * self.settings.concurrency:
                    yield from self._finished(waiting)
            while waiting:
                yield from self._finished(waiting)
        finally:
            pool.shutdown(cancel_futures=True)
            self._pools.discard(pool)

    def _submit(self, pool: ThreadPoolExecutor, request: Request, waiting: _Waiting) -> None:
        for same in waiting.values():
            if (same[0].key, same[0].prompt) == (request.key, request.prompt):
                same.append(request)
                return
        waiting[pool.submit(self._reply, request)] = [request]

    def _finished(self, waiting: _Waiting) -> Iterator[Result]:
        done, _ = wait(waiting, return_when=FIRST_COMPLETED)
        for future in done:
            equal = waiting.pop(future)[1:]
            result = future.result()
            yield result
            for request in equal:
                if isinstance(result, Reply):
                    yield Reply(request, result.value, result.model, paid=result.paid)
                else:
                    yield Failure(request, result.reason, unusable=result.unusable)
        if self._gone:
            raise self._gone

    def _reply(self, request: Request) -> Result:
        """In a worker thread: the reply, from the store if another process has just got it."""
        if self._gone:
            return Failure(request, self._gone.problem)
        with self.store.asking(request):
            known = self.known(request)
            if known:
                return known
            if waits := self.waits(request):
                self._note_batch(request)
                return Failure(request, waits)
            try:
                result = self._ask(request)
            except LanguageModelError as error:
                if isinstance(error, RefusedTextError):
                    self.store.journal.refuse(request, self.name, error.problem)
                self._note_failure(error)
                return Failure(request, error.problem)
            if isinstance(result, Reply):
                self.store.put(request, self.name, dict(result.value), result.paid)
            else:
                self.store.journal.settle(request, self.name)
        self._note(result)
        return result

    def _note_batch(self, request: Request) -> None:
        batch = self.store.batches.holding(request, self.name)
        with self._lock:
            if batch and str(batch) not in self.waiting:
                self.waiting += (str(batch),)

    def _ask(self, request: Request) -> Result:
        """Ask; ask once more for what was cut off, or with the error shown where the form is not right."""
        earlier = [Completion.from_dict(came) for came in self.store.journal.delivered(request, self.name)]
        came, start = list(earlier), time.perf_counter()
        spent, paid, reason = Usage(), sum((each.usage for each in earlier), Usage()), ""
        for number in range(ATTEMPTS):
            attempt = next_attempt(request, came[:number], self.settings.max_output_tokens)
            if number == len(came):
                came.append(self._call(request, attempt, number))
                spent, paid = spent + came[number].usage, paid + came[number].usage
            try:
                value, took = read_value(request, came[number], attempt.most_tokens), time.perf_counter() - start
                return Reply(request, value, self.name, spent, paid, None if earlier else took)
            except InvalidReplyError as error:
                reason = error.problem
        return Failure(request, given_up(reason), spent, unusable=True)

    def _call(self, request: Request, attempt: Attempt, number: int) -> Completion:
        """Make a call and keep what comes."""
        if self._gone:
            raise self._gone
        journal = self.store.journal
        journal.send(request, self.name, number)
        try:
            completion = self.endpoint.complete(attempt.messages, request.task, attempt.most_tokens)
        except BaseException:
            journal.take_back(request, self.name, number)
            raise
        journal.deliver(request, self.name, number, asdict(completion))
        return completion

    def _note(self, result: Result) -> None:
        """Count the requests in a row without a usable reply; after too many, nothing more is asked."""
        most = self.settings.unusable_in_a_row
        with self._lock:
            self._failed, self._has_replied = 0, True
            self._unusable = 0 if isinstance(result, Reply) else self._unusable + 1
            if isinstance(result, Failure) and self._unusable >= most:
                self._gone = self._gone or LanguageModelError(
                    f"{self._unusable} requests in a row brought no reply that can be used. "
                    f"The last one: {result.reason}",
                    f"Try another model than {self.name}, or allow more with --set llm.unusable_in_a_row=N.",
                )

    def _note_failure(self, error: LanguageModelError) -> None:
        """Count the calls in a row that failed. A refusal is that of one text, once the model has taken another."""
        with self._lock:
            if isinstance(error, RefusedTextError) or (isinstance(error, RefusedError) and self._has_replied):
                return
            self._failed += 1
            if isinstance(error, PermanentError):
                self._gone = self._gone or error
            elif self._failed >= _FAILURES_IN_A_ROW:
                self._gone = self._gone or LanguageModelError(
                    f"{self._failed} calls in a row failed. The last one: {error.problem}",
                    error.remedy or "Nothing that was paid for is lost: run the same again later.",
                )
