"""What calls cost: expected before anything is spent, and limited.

A call is made only if its most expensive reply stays within the limit.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

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


class Budget:
    """What all calls of a run may cost together, at the prices of ``settings``; without ``max_cost`` anything."""

    def __init__(self, settings: LanguageModelSettings) -> None:
        self.spent = 0.0
        self._settings = settings
        self._reserved: list[float] = []
        self._changed = threading.Condition()

    def reserve(self, messages: Sequence[Message], output_tokens: int) -> Usage:
        """Set aside the most that a call can cost; waits while calls under way may leave enough, as `hold` says."""
        most = _most(messages, output_tokens)
        with self._changed:
            while not self.hold(self._price(most)):
                self._changed.wait(_LOOK_SECONDS)
        return most

    def hold(self, price: float) -> bool:
        """Set aside a price; False while it does not fit; `SpentError` where nothing under way may leave enough."""
        limit = self._settings.max_cost
        with self._changed:
            if limit is not None and self.spent + sum(self._reserved) + price > limit:
                if not self._reserved:
                    raise _too_much(limit, self.spent, price)
                return False
            self._reserved.append(price)
            return True

    def take(self, messages: Sequence[Message], output_tokens: int) -> None:
        """Spend at once the most that a request of a batch can cost; `SpentError` where it does not fit."""
        price, limit = self._price(_most(messages, output_tokens)) * self._settings.batch_price, self._settings.max_cost
        with self._changed:
            if limit is not None and self.spent + sum(self._reserved) + price > limit:
                raise _too_much(limit, self.spent, price)
            self.spent += price

    def settle(self, reserved: Usage, paid: Usage | None) -> None:
        """The call is over; None without a reply. Unreported tokens count as the maximum."""
        self.release(self._price(reserved), self._price(reserved if paid and paid.untold else paid or Usage()))

    def release(self, held: float, spent: float) -> None:
        """Give back what `hold` set aside, and take what was spent of it."""
        with self._changed:
            self._reserved.remove(held)
            self.spent += spent
            self._changed.notify_all()

    def _price(self, usage: Usage) -> float:
        return cost(usage, self._settings) or 0.0


def _most(messages: Sequence[Message], output_tokens: int) -> Usage:
    """The most that a call can use: no tokenizer makes more tokens than there are bytes."""
    return Usage(1, sum(len(message["content"].encode()) + _MOST_PER_MESSAGE for message in messages), output_tokens)


def _too_much(limit: float, spent: float, price: float) -> SpentError:
    return SpentError(
        f"A further call could pass --max-cost {limit:g}: {spent:.4f} is spent, and it may cost up to {price:.4f}.",
        "What was paid for is stored and used: run the same again with a higher --max-cost to go on.",
    )
