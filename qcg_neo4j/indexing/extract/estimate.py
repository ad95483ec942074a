"""What an extraction will cost, before anything is spent."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from itertools import chain

from qcg_neo4j.core.records import Usage
from qcg_neo4j.database.graph import Graph
from qcg_neo4j.indexing.extract.conversation import ATOMS, CLAIMS, GRAPH, Conversation, chunks, plan
from qcg_neo4j.indexing.extract.domain import read_domain
from qcg_neo4j.indexing.extract.settings import ExtractSettings
from qcg_neo4j.indexing.stage import StoredChunk
from qcg_neo4j.models.embedding.windows import TokenCounter
from qcg_neo4j.models.llm import Estimate, LanguageModelSettings, cost, estimate
from qcg_neo4j.models.replies import ReplySource, ReplyStore, Request

# A graph as JSON in tokens of MiniLM, over 2,400 recorded ones of LiHua-World and MuSiQue: these and one per token
# of the text.
FIXED_TOKENS = 500
_FOLLOWING = 150  # tokens of a reply that adds to another one


def estimate_extraction(
    graph: Graph,
    settings: ExtractSettings,
    source: ReplySource,
    language_model: LanguageModelSettings,
    store: ReplyStore,
    count: TokenCounter,
    texts: Iterable[StoredChunk] = (),
) -> Estimate:
    """Calls, tokens and cost still to pay; reads the graph, makes no call.

    ``texts`` are chunks that the graph will hold besides. What is asked after the first unknown reply of a chunk can
    only be guessed; summaries of descriptions are left out.
    """
    mean, _ = store.mean_tokens(GRAPH, language_model.model or "") or (None, 0)
    wanted = plan(settings, read_domain(settings.domain))
    following = Usage()  # calls behind the first of each chunk whose reply is not known

    def expected(request: Request) -> float:
        tokens = mean or FIXED_TOKENS + count(request.key_text)
        return min(tokens if request.task.name == GRAPH else _FOLLOWING, float(language_model.max_output_tokens))

    def requests() -> Iterator[Request]:
        nonlocal following
        seen: set[str] = set()
        for chunk in chain(chunks(graph), texts):
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

    first = estimate(requests(), source, language_model, count, expected, "")
    usage = first.usage + following
    basis = f"mean of earlier replies of {language_model.model}" if mean else "by the length of recorded graphs"
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
    done = {ATOMS: wanted.rounds + wanted.granular, CLAIMS: wanted.rounds + wanted.granular + wanted.claims}
    asked = done.get(request.task.name, len(conversation.replies))
    calls = wanted.rounds + wanted.granular + wanted.claims - asked
    if calls <= 0:
        return Usage()
    length = sum(count(message["content"]) for message in request.messages()) + round(reply)
    return Usage(calls, calls * length, calls * _FOLLOWING)
