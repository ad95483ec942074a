"""What evaluations share that ask a language model: its replies in order, and what they will cost."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from qcg_neo4j.core.progress import Progress
from qcg_neo4j.core.records import Usage
from qcg_neo4j.models.llm import Estimate, LanguageModelSettings, estimate, still_waiting
from qcg_neo4j.models.replies import Failure, ReplySource, ReplyStore, Request, Result, Submitting, replies_about

NOTHING = "(The answer is empty.)"  # what a judge is shown instead
BYTES_PER_TOKEN = 4


@dataclass(frozen=True)
class Replies:
    """What came back for requests, in their order; who replied, and what it cost now."""

    results: tuple[Result, ...]
    models: tuple[str, ...]
    usage: Usage


def replies_to(requests: Sequence[Request], source: ReplySource, progress: Progress) -> Replies:
    """The replies to requests, which may repeat; a failure where there is no reply.

    Raises:
        WaitingError: some are in batches that have not ended; nothing is to be made of the others alone.
        LanguageModelError: the endpoint failed for good; what came before is stored.
    """
    found: dict[int, Result] = {}
    models: dict[str, None] = {}
    usage = Usage()
    about = replies_about(source, enumerate(requests), lambda placed: placed[1])
    for done, ((place, _), result) in enumerate(about, start=1):
        usage += result.usage
        if not isinstance(result, Failure):
            models[result.model] = None
        found[place] = result
        progress(done, len(requests))
    check_none_waits(source)
    return Replies(tuple(found[place] for place in range(len(requests))), tuple(models), usage)


def check_none_waits(source: ReplySource) -> None:
    """Refuse to go on without replies that are in batches which have not ended: a `WaitingError` names these."""
    if isinstance(source, Submitting) and source.waiting:
        raise still_waiting(source.waiting)


def count_tokens(text: str) -> int:
    """Estimated number of tokens of a text; the judge's tokenizer is unknown here."""
    return len(text.encode()) // BYTES_PER_TOKEN + 1


def expect(
    requests: Iterable[Request],
    source: ReplySource,
    language_model: LanguageModelSettings,
    store: ReplyStore,
    reply_tokens: Mapping[str, float],
) -> Estimate:
    """Calls, tokens and cost still to pay; makes no call.

    ``reply_tokens`` is the length of a reply to each task, for as long as the store does not know enough of them.
    """
    expected, words = {}, []
    for task, assumed in reply_tokens.items():
        mean, number = store.mean_tokens(task, language_model.model or "") or (assumed, 0)
        tokens = min(mean, language_model.max_output_tokens)
        expected[task] = tokens
        words.append(f"{tokens:.0f} a reply to {task}{f', mean of {number} earlier ones' if number else ''}")
    return estimate(
        requests,
        source,
        language_model,
        count_tokens,
        lambda request: expected[request.task.name],
        "; ".join(words),
    )
