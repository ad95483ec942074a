"""The stage: level by level from the lowest, windows packed, reports written, embedded and stored."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

from qcg_neo4j.core.progress import Progress, silent
from qcg_neo4j.core.records import MissingReply, Usage
from qcg_neo4j.core.settings import Settings, setting
from qcg_neo4j.database import stages
from qcg_neo4j.database.connection import Call
from qcg_neo4j.database.graph import Graph
from qcg_neo4j.database.model import use_model
from qcg_neo4j.database.schema import await_indexes
from qcg_neo4j.indexing.report.text import CommunityReport, extract_report, read_report
from qcg_neo4j.indexing.report.window import Material, Window, material, pack
from qcg_neo4j.indexing.stage import Payer, Stage, Workers, slices
from qcg_neo4j.models.embedding.embedder import Embedder
from qcg_neo4j.models.embedding.windows import token_counter
from qcg_neo4j.models.llm import Estimate, estimate
from qcg_neo4j.models.prompts import DEMONSTRATION, task
from qcg_neo4j.models.replies import ReplySource, Request

MODEL, REPLIES, EXTRACTIVE = "model", "replies", "extractive"
STAGE = "report"
COMMUNITY = "report/community"
REPORT_TOKENS = 700  # five to ten findings of a sentence and a paragraph
_AT_ONCE = 100  # communities read, embedded and written together
_NO_REPORT_BELOW = "a community below has no report yet"


@dataclass(frozen=True)
class ReportSettings(Settings):
    """Who writes reports on communities, and from how much."""

    source: str = setting(
        MODEL,
        "Source of the reports: a language model, recorded replies, or extractive (quotes, no model).",
        choices=(MODEL, REPLIES, EXTRACTIVE),
    )
    window_tokens: int = setting(
        8000, "Maximum tokens of the records behind a report.", source="GraphRAG paper, §4.1.3", minimum=100
    )
    demonstration: bool = setting(False, DEMONSTRATION)
    minimum_size: int = setting(2, "Minimum number of entities of a community with a report.", minimum=1)


@dataclass(frozen=True)
class ReportReport:
    """What the stage did: communities by what became of them, and what it cost.

    ``replaced`` counts communities whose records their reports stood for in windows above, ``left_out`` records that
    fitted into no window, ``wrong_citations`` numbers that models cited and no window held, ``cut`` findings and ends
    of texts beyond what a report may hold.
    """

    communities: int = 0
    written: int = 0
    unchanged: int = 0
    missing: tuple[MissingReply, ...] = ()
    replaced: int = 0
    left_out: int = 0
    wrong_citations: int = 0
    cut: int = 0
    usage: Usage = field(default_factory=Usage)


@dataclass(frozen=True)
class PackedCommunity:
    """A community whose report is to be written; ``mark`` identifies what it is made from."""

    material: Material
    window: Window
    mark: str


Written = tuple[PackedCommunity, CommunityReport, str]


@stages.writes("report")
def write_reports(
    graph: Graph,
    embedder: Embedder,
    settings: ReportSettings,
    source: ReplySource | None = None,
    *,
    workers: Workers | None = None,
    progress: Progress = silent,
) -> ReportReport:
    """Write a report on every community; communities with unchanged records are skipped.

    With ``workers`` they share the communities of each level among them.

    A community waits for the reports below it: without one of them it is not asked for, so that nothing is paid twice.

    Raises:
        GraphError: there are no communities, or they are older than the entities.
        LanguageModelError: the endpoint failed for good; what came before is written.
    """
    stage = _Reports(graph, embedder, settings, source, progress)
    use_model(graph, embedder.name, embedder.dimension, embedder.prefixes)
    every = levels(graph, settings)
    stage.total = sum(map(len, every))
    stage.begin()
    graph.write(Call("report/remove", {"minimum_size": settings.minimum_size}), stages=(STAGE,))
    for ids in every:
        stage.more = {"without": frozenset(missing.id for missing in stage.done.missing)}
        stage.share(ids, partial(slices, ids), workers)
    await_indexes(graph)
    done = stage.done
    return stage.finish(ReportReport(stage.total, missing=stage.missing, usage=done.usage, **done.counts))


def levels(graph: Graph, settings: ReportSettings) -> list[list[str]]:
    """The ids of the communities that get a report, level by level, the lowest first; none where all are too small.

    Raises:
        GraphError: there are no communities, or they are older than the entities.
    """
    stages.check_current(stages.recorded(graph), "communities", "The communities are")
    return [row["ids"] for row in graph.rows("report/waiting", minimum_size=settings.minimum_size)]


def materials(graph: Graph, ids: Sequence[str]) -> Iterator[Material]:
    """What the reports on these communities are written from, read in batches that fit into memory."""
    for start in range(0, len(ids), _AT_ONCE):
        yield from map(material, graph.rows("report/material", ids=ids[start : start + _AT_ONCE]))


def estimate_reports(graph: Graph, settings: ReportSettings, payer: Payer) -> Estimate:
    """Calls, tokens and cost still to pay; reads the graph, makes no call.

    Reports below that are not written yet are taken to be as long as those of the same model, else `REPORT_TOKENS`.
    """
    mean, known = payer.store.mean_tokens(COMMUNITY, payer.settings.model or "") or (float(REPORT_TOKENS), 0)
    placeholder = "report " * round(mean)

    def requests() -> Iterator[Request]:
        for ids in levels(graph, settings):
            for one in materials(graph, ids):
                children = (child if child.report else replace(child, report=placeholder) for child in one.children)
                filled = replace(one, children=tuple(children))
                yield _request(pack(filled, settings.window_tokens, payer.count), settings)

    basis = f"mean of earlier replies of {payer.settings.model}" if known else "a report's usual length"
    return estimate(requests(), payer.source, payer.settings, payer.count, lambda _: mean, basis)


def _request(window: Window, settings: ReportSettings) -> Request:
    return Request(task(COMMUNITY), window.text, {"records": window.text}, settings.demonstration)


class _Reports(Stage[Sequence[str], PackedCommunity, Written]):
    """Communities of a level, the window of each, and the report on it; those ``without`` have none."""

    name = STAGE
    without_model = EXTRACTIVE
    at_once = _AT_ONCE

    def __init__(self, *given: Any, **more: Any) -> None:
        super().__init__(*given, **more)
        self._writer = self.source.name if self.source else EXTRACTIVE
        self._count = token_counter(self.embedder)

    def items(self, part: Sequence[str]) -> Iterator[PackedCommunity]:
        """The communities that have no report from the same window by the same writer."""
        for one in materials(self.graph, part):
            if any(child.id in self.more["without"] for child in one.children):
                self.done.missing.append(MissingReply(one.id, _NO_REPORT_BELOW))
                self.tick()
                continue
            window = pack(one, self.settings.window_tokens, self._count)
            self.done.counts.update(replaced=len(window.replaced), left_out=window.left_out)
            mark = stages.mark_of(self._writer, window.text, *([True] if self.settings.demonstration else []))
            if one.mark != mark:
                yield PackedCommunity(one, window, mark)
                continue
            self.done.counts["unchanged"] += 1
            self.tick()

    def request(self, item: PackedCommunity) -> Request:
        return _request(item.window, self.settings)

    def item_id(self, item: PackedCommunity) -> str:
        return item.material.id

    def own(self, part: Sequence[str]) -> Iterator[tuple[PackedCommunity, CommunityReport, str]]:
        whole = self.graph.rows("report/whole")[0]["weight"]
        for job in self.items(part):
            yield job, extract_report(job.material, job.window, whole), EXTRACTIVE

    def make(self, item: PackedCommunity, value: Any, writer: str) -> Iterator[Written]:
        yield item, read_report(value, item.window) if self.asks else value, writer

    def write(self, several: list[Written]) -> None:
        vectors = self.embedder.embed([f"{written.title}\n{written.summary}" for _, written, _ in several])
        rows = [
            {
                "id": job.material.id,
                "title": written.title,
                "summary": written.summary,
                "rating": written.rating,
                "rating_explanation": written.rating_explanation,
                "findings": [" ".join(finding).strip() for finding in written.findings],
                "report": written.text,
                "tokens": self._count(written.text),
                "records": [f"{number} {record.id}" for number, record in written.records.items()],
                "source": model,
                "mark": job.mark,
                "embedding": vector,
            }
            for (job, written, model), vector in zip(several, vectors, strict=True)
        ]
        self.graph.write(Call("report/reports", {"rows": rows}), Call("stage/touch", {"stages": [STAGE]}))
        self.done.counts["written"] += len(rows)
        for name in ("wrong_citations", "cut"):
            self.done.counts[name] += sum(getattr(written, name) for _, written, _ in several)
