"""What reports will cost, before anything is spent."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from qcg_neo4j.database.graph import Graph
from qcg_neo4j.indexing.report.material import Child, Material
from qcg_neo4j.indexing.report.settings import ReportSettings
from qcg_neo4j.indexing.report.stage import COMMUNITY, PackedCommunity, levels, materials
from qcg_neo4j.indexing.report.window import pack
from qcg_neo4j.models.embedding.windows import TokenCounter
from qcg_neo4j.models.llm import Estimate, LanguageModelSettings, estimate
from qcg_neo4j.models.replies import ReplySource, ReplyStore, Request

REPORT_TOKENS = 700  # five to ten findings of a sentence and a paragraph
_ENOUGH = 20  # replies of the same model whose own mean is trusted more


def estimate_reports(
    graph: Graph,
    settings: ReportSettings,
    source: ReplySource,
    language_model: LanguageModelSettings,
    store: ReplyStore,
    count: TokenCounter,
) -> Estimate:
    """Calls, tokens and cost still to pay; reads the graph, makes no call.

    Reports below that are not written yet are taken to be as long as those of the same model, else `REPORT_TOKENS`.
    """
    spent = [tokens for _, tokens in store.spent(COMMUNITY, language_model.model or "")]
    mean = sum(spent) / len(spent) if len(spent) >= _ENOUGH else float(REPORT_TOKENS)
    placeholder = "report " * round(mean)

    def requests() -> Iterator[Request]:
        for ids in levels(graph, settings):
            for several in materials(graph, ids):
                for one in several:
                    window = pack(_with_reports(one, placeholder), settings.window_tokens, count)
                    yield PackedCommunity(one, window, "", settings.demonstration).request

    basis = f"mean of earlier replies of {language_model.model}" if len(spent) >= _ENOUGH else "a report's usual length"
    return estimate(requests(), source, language_model, count, lambda _: mean, basis)


def _with_reports(material: Material, placeholder: str) -> Material:
    children = tuple(
        child if child.report else Child(child.id, child.title, placeholder, None) for child in material.children
    )
    return replace(material, children=children)
