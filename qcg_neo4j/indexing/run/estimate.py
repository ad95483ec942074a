"""What a run will cost, before anything is spent: of what is loaded, or of files that are still to be loaded."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from qcg_neo4j.core.records import Rejected, SourceDocument, Usage
from qcg_neo4j.database import stages
from qcg_neo4j.database.graph import Graph
from qcg_neo4j.indexing.extract import estimate_extraction
from qcg_neo4j.indexing.generate import estimate_generation
from qcg_neo4j.indexing.load import Chunker
from qcg_neo4j.indexing.report import estimate_reports
from qcg_neo4j.indexing.report.stage import REPORT_TOKENS
from qcg_neo4j.indexing.run.plan import Plan
from qcg_neo4j.indexing.stage import StoredChunk
from qcg_neo4j.models.embedding.embedder import Embedder
from qcg_neo4j.models.embedding.windows import token_counter
from qcg_neo4j.models.llm import Estimate, LanguageModelSettings, cost
from qcg_neo4j.models.replies import ReplySource, ReplyStore

# Before there are communities nobody knows how many there will be. The sample's 75 chunks have 68, whose reports are
# asked for with 1,230 tokens each.
_REPORTS_PER_CHUNK = 0.9
_TOKENS_PER_REPORT = 1230


@dataclass(frozen=True)
class IndexEstimate:
    """The estimated cost of each stage, if known, and their sum."""

    stages: Mapping[str, Estimate]
    total: Estimate


@dataclass(frozen=True)
class Payer:
    """Who is asked and paid: the model, the store of its replies, its settings with the prices."""

    source: ReplySource
    store: ReplyStore
    settings: LanguageModelSettings


def estimate_index(
    graph: Graph, embedder: Embedder, plan: Plan, payer: Payer, documents: Iterable[SourceDocument | Rejected] = ()
) -> IndexEstimate:
    """Calls, tokens and cost still to pay; reads the graph, makes no call.

    ``documents`` are to be loaded; what the graph holds of an older version of theirs is counted as well.
    """
    texts = list(_chunks(documents, embedder, plan))
    asked = (payer.source, payer.settings, payer.store, token_counter(embedder))
    found = {
        "generate": estimate_generation(graph, plan.stages.generate, *asked, texts=texts),
        "extract": estimate_extraction(graph, plan.stages.extract, *asked, texts=texts),
    }
    if "report" not in plan.left_out:
        known = stages.recorded(graph)
        settled = not found["extract"].usage.calls and not stages.staleness(known, "communities")
        reports = estimate_reports(graph, plan.stages.report, *asked) if settled else _guess(found["generate"], payer)
        found["report"] = reports
    return IndexEstimate(found, _total(found, payer))


def _total(found: Mapping[str, Estimate], payer: Payer) -> Estimate:
    usage = sum((each.usage for each in found.values()), Usage())
    requests, known = (sum(getattr(each, name) for each in found.values()) for name in ("requests", "known"))
    return Estimate(requests, known, usage, cost(usage, payer.settings), "the sum of the stages")


def _chunks(documents: Iterable[SourceDocument | Rejected], embedder: Embedder, plan: Plan) -> Iterator[StoredChunk]:
    load = plan.stages.load
    chunker = Chunker(embedder.tokenizer, load.chunk_tokens, load.overlap_tokens, load.section_tokens)
    for document in documents:
        if isinstance(document, SourceDocument):
            for chunk in chunker.chunks(document):
                yield StoredChunk(chunk.id, chunk.text, {})


def _guess(generated: Estimate, payer: Payer) -> Estimate:
    number = round(_REPORTS_PER_CHUNK * generated.usage.calls)
    usage = Usage(number, number * _TOKENS_PER_REPORT, number * REPORT_TOKENS)
    basis = f"a guess: {_REPORTS_PER_CHUNK} communities a chunk, as in the sample; they are found after the extraction"
    return Estimate(number, 0, usage, cost(usage, payer.settings), basis)
