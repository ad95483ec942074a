"""What an extraction will cost, before anything is spent."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from qcg_neo4j.embedding import TokenCounter
from qcg_neo4j.extract.conversation import CLAIMS, GRAPH, Conversation, chunks, plan
from qcg_neo4j.extract.domain import read_domain
from qcg_neo4j.extract.settings import ExtractSettings
from qcg_neo4j.graph import Graph
from qcg_neo4j.language_model import Estimate, LanguageModelSettings, cost, estimate
from qcg_neo4j.records import Usage
from qcg_neo4j.replies import ReplySource, ReplyStore, Request

# A graph as JSON in tokens of MiniLM, over 2,400 recorded ones of LiHua-World and MuSiQue: these and one per token
# of the text.
FIXED_TOKENS = 500
_FOLLOWING = 150  # tokens of a reply that adds to another one
_ENOUGH = 20  # replies of the same model whose own mean is trusted more


def estimate_extraction(
    graph: Graph,
    settings: ExtractSettings,
    source: ReplySource,
    language_model: LanguageModelSettings,
    store: ReplyStore,
    count: TokenCounter,
) -> Estimate:
    """Calls, tokens and cost that are still to pay for; reads the graph, calls nobody.

    What is asked after the first unknown reply of a chunk can only be guessed; summaries of descriptions are left out.
    """
    mean = _mean_tokens(store, language_model.model or "")
    wanted = plan(settings, read_domain(settings.domain))
    following = Usage()

    def expected(request: Request) -> float:
        tokens = mean or FIXED_TOKENS + count(request.key_text)
        return min(tokens if request.task.name == GRAPH else _FOLLOWING, float(language_model.max_output_tokens))

    def requests() -> Iterator[Request]:
        nonlocal following
        seen: set[str] = set()
        for chunk in chunks(graph):
            conversation = Conversation(chunk, wanted)
            while request := conversation.next_request():
                yield request
                known = source.known(request)
                if known is None:
                    if chunk.text not in seen:
                        following += _following(conversation, request, count, expected(request))
                    seen.add(chunk.text)
                    break
                conversation.take(known)

    basis = f"mean of earlier replies of {language_model.model}" if mean else "by the length of recorded graphs"
    first = estimate(requests(), source, language_model, count, expected, "")
    usage = first.usage + following
    return replace(
        first,
        requests=first.requests + following.calls,
        usage=usage,
        cost=cost(usage, language_model),
        assumption=f"{basis}; {_FOLLOWING} for each of {following.calls:,} further calls about the same chunks",
    )


def _following(conversation: Conversation, request: Request, count: TokenCounter, reply: float) -> Usage:
    """The calls that will come after this one, each about as long as it and its reply together."""
    wanted = conversation.plan
    calls = wanted.rounds + wanted.claims - len(conversation.replies) if request.task.name != CLAIMS else 0
    if calls <= 0:
        return Usage()
    length = sum(count(message["content"]) for message in request.messages()) + round(reply)
    return Usage(calls, calls * length, calls * _FOLLOWING)


def _mean_tokens(store: ReplyStore, model: str) -> float | None:
    spent = [tokens for _, tokens in store.spent(GRAPH, model)]
    return sum(spent) / len(spent) if len(spent) >= _ENOUGH else None
