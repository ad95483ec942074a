"""What calls cost: expected before anything is spent, and limited.

A call is made only if its most expensive reply stays within the limit.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field

from qcg_neo4j.core.records import Usage
from qcg_neo4j.models.embedding.windows import TokenCounter
from qcg_neo4j.models.llm.settings import LanguageModelSettings
from qcg_neo4j.models.prompts import Message
from qcg_neo4j.models.refusals import PermanentError
from qcg_neo4j.models.replies import ReplySource, Request, Submitting

_TOKENS_PER_MESSAGE = 4  # role and delimiters of a chat template
_MOST_PER_MESSAGE = 16  # more than any chat template adds
_LOOK_SECONDS = 0.05  # calls of another process may end as well


@dataclass(frozen=True)
class Estimate:
    """Calls still to pay with their tokens; ``known`` requests are free. ``cost`` is None without prices."""

    requests: int
    known: int
    usage: Usage
    cost: float | None
    assumption: str


def estimate(
    requests: Iterable[Request],
    source: ReplySource,
    settings: LanguageModelSettings,
    count: TokenCounter,
    output_tokens: Callable[[Request], float],
    assumption: str,
) -> Estimate:
    """Count the calls still to pay, and the tokens of their real prompts with the given tokenizer.

    ``output_tokens`` expects the length of a reply; ``assumption`` says in words what it rests on.
    """
    seen: set[tuple[str, str]] = set()
    known, calls, inputs, outputs = 0, 0, 0, 0.0
    for request in requests:
        if (request.key, request.prompt) in seen or _is_paid(source, request):
            known += 1
            continue
        seen.add((request.key, request.prompt))
        calls += 1
        inputs += sum(count(message["content"]) + _TOKENS_PER_MESSAGE for message in request.messages())
        outputs += output_tokens(request)
    usage = Usage(calls, inputs, round(outputs))
    return Estimate(known + calls, known, usage, cost(usage, settings), assumption)


def _is_paid(source: ReplySource, request: Request) -> bool:
    return source.known(request) is not None or (isinstance(source, Submitting) and source.waits(request) is not None)


def cost(usage: Usage, settings: LanguageModelSettings) -> float | None:
    """What the tokens cost at the given prices; None where a price is missing."""
    if settings.input_price is None or settings.output_price is None:
        return None
    return (usage.input_tokens * settings.input_price + usage.output_tokens * settings.output_price) / 1e6


class SpentError(PermanentError):
    """A further call could cost more than is allowed."""


@dataclass
class _Purse:
    """What is spent and set aside of a limit."""

    limit: float | None
    spent: float = 0.0
    reserved: list[float] = field(default_factory=list)
    changed: threading.Condition = field(default_factory=threading.Condition)


class Budget:
    """What all calls of a run may cost together, at the prices of ``settings``; without ``max_cost`` anything."""

    def __init__(self, settings: LanguageModelSettings, other: Budget | None = None) -> None:
        """With ``other``, the calls of two models, each at its prices, stay within the limit of that one together."""
        self._settings = settings
        self._purse: _Purse = other._purse if other else _Purse(settings.max_cost)

    @property
    def spent(self) -> float:
        """What has been paid."""
        return self._purse.spent

    def reserve(self, messages: Sequence[Message], output_tokens: int) -> Usage:
        """Set aside the most that a call can cost; waits while calls under way may leave enough, as `hold` says."""
        most = _most(messages, output_tokens)
        with self._purse.changed:
            while not self.hold(self._price(most)):
                self._purse.changed.wait(_LOOK_SECONDS)
        return most

    def hold(self, price: float) -> bool:
        """Set aside a price; False while it does not fit; `SpentError` where nothing under way may leave enough."""
        with self._purse.changed:
            if self._passes(price):
                if not self._purse.reserved:
                    raise self._too_much(price)
                return False
            self._purse.reserved.append(price)
            return True

    def take(self, messages: Sequence[Message], output_tokens: int) -> None:
        """Spend at once the most that a request of a batch can cost; `SpentError` where it does not fit."""
        price = self._price(_most(messages, output_tokens)) * self._settings.batch_price
        with self._purse.changed:
            if self._passes(price):
                raise self._too_much(price)
            self._purse.spent += price

    def settle(self, reserved: Usage, paid: Usage | None) -> None:
        """The call is over; None without a reply. Unreported tokens count as the maximum."""
        self.release(self._price(reserved), self._price(reserved if paid and paid.untold else paid or Usage()))

    def release(self, held: float, spent: float) -> None:
        """Give back what `hold` set aside, and take what was spent of it."""
        with self._purse.changed:
            self._purse.reserved.remove(held)
            self._purse.spent += spent
            self._purse.changed.notify_all()

    def _price(self, usage: Usage) -> float:
        return cost(usage, self._settings) or 0.0

    def _passes(self, price: float) -> bool:
        purse = self._purse
        return purse.limit is not None and purse.spent + sum(purse.reserved) + price > purse.limit

    def _too_much(self, price: float) -> SpentError:
        return SpentError(
            f"A further call could pass --max-cost {self._purse.limit:g}: {self.spent:.4f} is spent, and it may cost "
            f"up to {price:.4f}.",
            "What was paid for is stored and used: run the same again with a higher --max-cost to go on.",
        )


def _most(messages: Sequence[Message], output_tokens: int) -> Usage:
    """The most that a call can use: no tokenizer makes more tokens than there are bytes."""
    return Usage(1, sum(len(message["content"].encode()) + _MOST_PER_MESSAGE for message in messages), output_tokens)
