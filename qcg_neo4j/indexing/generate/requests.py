"""The chunks of the graph, what is asked about them, and what that will cost."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import chain

from qcg_neo4j.database.graph import Graph
from qcg_neo4j.indexing.generate.settings import GenerateSettings
from qcg_neo4j.indexing.stage import WHOLE, Span, StoredChunk, stored_chunks
from qcg_neo4j.models.embedding.windows import TokenCounter
from qcg_neo4j.models.llm import Estimate, LanguageModelSettings, estimate
from qcg_neo4j.models.prompts import task
from qcg_neo4j.models.replies import ReplySource, ReplyStore, Request

TASK = "generate/pairs"
TOKENS_PER_PAIR = 37  # a pair as JSON: mean over 9,950 recorded pairs of LiHua-World, in tokens of MiniLM


def chunks(graph: Graph, span: Span = WHOLE) -> Iterator[StoredChunk]:
    """The chunks of a span, with the marks of what their queries and their baseline vectors were made from."""
    return stored_chunks(graph, "generate/chunks", span)


def request(chunk: StoredChunk, settings: GenerateSettings) -> Request:
    """What is asked about a chunk."""
    variables = {"text": chunk.text, "count": str(settings.pairs_per_chunk)}
    return Request(task(TASK), chunk.text, variables, settings.demonstration)


def estimate_generation(
    graph: Graph,
    settings: GenerateSettings,
    source: ReplySource,
    language_model: LanguageModelSettings,
    store: ReplyStore,
    count: TokenCounter,
    texts: Iterable[StoredChunk] = (),
) -> Estimate:
    """Calls, tokens and cost still to pay; reads the graph, makes no call.

    ``texts`` are chunks that the graph will hold besides.
    """
    per_pair, basis = _tokens_per_pair(store, language_model.model or "")
    expected = min(per_pair * settings.pairs_per_chunk, float(language_model.max_output_tokens))
    assumption = f"{settings.pairs_per_chunk} pairs a chunk, {per_pair:.0f} output tokens a pair ({basis})"
    requests = (request(chunk, settings) for chunk in chain(chunks(graph), texts))
    return estimate(requests, source, language_model, count, lambda _: expected, assumption)


def _tokens_per_pair(store: ReplyStore, model: str) -> tuple[float, str]:
    each, known = store.mean_tokens(TASK, model, lambda reply: len(reply["pairs"])) or (TOKENS_PER_PAIR, 0)
    return each, f"mean of {known} earlier replies of {model}" if known else "mean of recorded pairs"
