"""What a run will cost, before anything is spent."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from qcg_neo4j.core.records import Usage
from qcg_neo4j.models.embedding.windows import TokenCounter
from qcg_neo4j.models.llm.settings import LanguageModelSettings
from qcg_neo4j.models.replies import ReplySource, Request, Submitting

_TOKENS_PER_MESSAGE = 4  # role and delimiters of a chat template


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
