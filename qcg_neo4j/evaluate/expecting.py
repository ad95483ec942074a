"""What asking a judge will cost: prompts are counted, replies expected from earlier ones."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from qcg_neo4j.language_model import Estimate, LanguageModelSettings, estimate
from qcg_neo4j.replies import ReplySource, ReplyStore, Request

_ENOUGH = 20  # replies of the same model whose own mean is trusted more
BYTES_PER_TOKEN = 4


def count_tokens(text: str) -> int:
    """About how many tokens a text has: nobody but the judge knows its tokenizer, and none is needed otherwise."""
    return len(text.encode()) // BYTES_PER_TOKEN + 1


def expect(
    requests: Iterable[Request],
    source: ReplySource,
    language_model: LanguageModelSettings,
    store: ReplyStore,
    reply_tokens: Mapping[str, float],
) -> Estimate:
    """Calls, tokens and cost still to pay; ``reply_tokens`` is the length of a reply to each task, if none is known."""
    expected, words = {}, []
    for task, assumed in reply_tokens.items():
        spent = [tokens for _, tokens in store.spent(task, language_model.model or "")]
        known = len(spent) >= _ENOUGH
        tokens = min(sum(spent) / len(spent) if known else assumed, language_model.max_output_tokens)
        expected[task] = tokens
        words.append(f"{tokens:.0f} a reply to {task}{f', mean of {len(spent)} earlier ones' if known else ''}")
    return estimate(
        requests,
        source,
        language_model,
        count_tokens,
        lambda request: expected[request.task.name],
        "; ".join(words),
    )
