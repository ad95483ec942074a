"""A model that is asked in batches: at half the price, and hours later; nothing lost or paid twice in between."""

from __future__ import annotations

import time
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from dataclasses import replace

from qcg_neo4j.core.errors import LanguageModelError, WaitingError
from qcg_neo4j.core.records import Usage
from qcg_neo4j.models.llm.endpoint import Endpoint
from qcg_neo4j.models.llm.live import LiveModel
from qcg_neo4j.models.llm.settings import ANY, LanguageModelSettings
from qcg_neo4j.models.llm.submissions import Submissions, identity
from qcg_neo4j.models.replies import Failure, Reply, ReplyStore, Request, Result

_PAUSE, _LONGEST_PAUSE = 0.5, 60.0  # seconds between two looks at a batch


def batch_prices(settings: LanguageModelSettings) -> LanguageModelSettings:
    """The settings with what tokens cost in a batch."""

    def of_batch(price: float | None) -> float | None:
        return None if price is None else price * settings.batch_price

    return replace(settings, input_price=of_batch(settings.input_price), output_price=of_batch(settings.output_price))


def still_waiting(batches: Iterable[str]) -> WaitingError:
    """The error that ends a run whose replies have not come."""
    return WaitingError(
        f"Replies have not come yet: {'; '.join(batches)}.",
        "Run the same with --batch to collect them; nothing of it is paid twice. `qcg status` shows what is under way.",
    )


class BatchModel:
    """Submits what the store does not hold, and collects what an earlier run has submitted.

    The first request of a run is asked at once, so that a wrong key, model or parameter shows now and not tomorrow.
    Without ``wait`` a request whose batch is under way is a failure that says so; ``waiting`` names those batches.
    """

    def __init__(
        self, live: LiveModel, store: ReplyStore, *, wait: bool = False, told: Callable[[str], None] = lambda _: None
    ) -> None:
        """``told`` hears, in words, what becomes of batches."""
        self.name, self.settings = live.name, live.settings
        self.waiting: tuple[str, ...] = ()
        self._live, self._store, self._wait = live, store, wait
        if not isinstance(live.endpoint, Endpoint) or live.endpoint.provider.name != ANY:
            raise LanguageModelError(f"{self.name} takes no batches here.", "They need an OpenAI-compatible endpoint.")
        self._submissions = Submissions(live.endpoint, store, told)
        self._has_asked = False

    def close(self) -> None:
        """Close all connections."""
        self._submissions.close()
        self._live.close()

    def known(self, request: Request) -> Reply | None:
        """The reply that this model gave before."""
        return self._live.known(request)

    def waits(self, request: Request) -> str | None:
        """Why a request that is in a batch is not asked again."""
        batch = self._store.batches.holding(request, self.name)
        return f"waits for batch {batch}" if batch else None

    def replies(self, requests: Iterable[Request]) -> Iterator[Result]:
        """One result per request: known ones at once, then what batches bring; equal requests are asked once.

        Raises:
            LanguageModelError: the endpoint fails for good; what came before is stored, what was submitted is noted.
        """
        asked = yield from self._given(requests)
        pause = _PAUSE
        while asked:
            self._submissions.collect(asked)
            asked = yield from self._given(asked)
            self._ask_first(asked)
            self._submissions.submit([request for request in asked if not self._result(request)])
            asked = yield from self._given(asked)
            if not self._wait:
                for request in asked:
                    yield self._not_yet(request)
                return
            if asked:
                time.sleep(pause)
                pause = min(2 * pause, _LONGEST_PAUSE)

    def _given(self, requests: Iterable[Request]) -> Generator[Result, None, list[Request]]:
        """Give the results that are there; returns the requests that have none."""
        others = []
        for request in requests:
            result = self._result(request)
            if result:
                self._submissions.paid.pop(identity(request), None)
                yield result
            else:
                others.append(request)
        return others

    def _result(self, request: Request) -> Result | None:
        """What the store holds or this run was told; with what it cost, as long as that has not been given."""
        name = identity(request)
        paid = self._submissions.paid.get(name, Usage())
        known = self.known(request)
        if known:
            return replace(known, usage=paid)
        if name in self._submissions.failed:
            reason, unusable = self._submissions.failed[name]
            return Failure(request, reason, paid, unusable)
        refusal = self._store.journal.refusal(request, self.name)
        if refusal:
            return Failure(request, f"{refusal} (refused before, so not asked again)")
        return None

    def _not_yet(self, request: Request) -> Failure:
        batch = self._store.batches.holding(request, self.name)
        if batch and str(batch) not in self.waiting:
            self.waiting += (str(batch),)
        return Failure(request, self.waits(request) or "its batch has just ended; run the same again")

    def _ask_first(self, asked: Sequence[Request]) -> None:
        """Ask one request of a run at once: the endpoint may refuse it, or a parameter of it."""
        first = next((request for request in asked if not self.waits(request)), None)
        if first is None or self._has_asked:
            return
        self._has_asked = True
        for result in self._live.replies([first]):
            self._submissions.paid[identity(first)] = result.usage
            if isinstance(result, Failure):
                self._submissions.failed[identity(first)] = (result.reason, result.unusable)
