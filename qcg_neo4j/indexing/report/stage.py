"""The stage: level by level from the lowest, windows packed, reports written, embedded and stored."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property, partial
from typing import Any

from qcg_neo4j.core.errors import GraphError, InputError
from qcg_neo4j.core.progress import Progress, silent
from qcg_neo4j.core.records import MissingReply, Usage
from qcg_neo4j.database import stages
from qcg_neo4j.database.connection import Call
from qcg_neo4j.database.graph import Graph
from qcg_neo4j.indexing.parts import Tally, Workers, slices, total
from qcg_neo4j.indexing.report.extractive import extract_report
from qcg_neo4j.indexing.report.material import Material, material
from qcg_neo4j.indexing.report.settings import EXTRACTIVE, ReportSettings
from qcg_neo4j.indexing.report.text import CommunityReport, read_report
from qcg_neo4j.indexing.report.window import Window, pack
from qcg_neo4j.models.embedding.embedder import Embedder
from qcg_neo4j.models.embedding.windows import TokenCounter, token_counter
from qcg_neo4j.models.prompts import task
from qcg_neo4j.models.replies import Failure, ReplySource, Request, replies_about

STAGE = "report"
COMMUNITY = "report/community"
_AT_ONCE = 100  # communities read, embedded and written together
_NO_REPORT_BELOW = "a community below has no report yet"


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
class Job:
    """A community whose report is to be written; ``mark`` identifies what it is made from."""

    material: Material
    window: Window
    mark: str

    @cached_property
    def request(self) -> Request:
        """What a language model is asked."""
        return Request(task(COMMUNITY), self.window.text, {"records": self.window.text})


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
    """Write a report on every community; those whose records have not changed are left alone.

    With ``workers`` they share the communities of each level among them.

    A community waits for the reports below it: without one of them it is not asked for, so that nothing is paid twice.

    Raises:
        GraphError: there are no communities, or they are older than the entities.
        LanguageModelError: the endpoint failed for good; what came before is written.
    """
    if settings.source != EXTRACTIVE and source is None:
        raise InputError(f"The source {settings.source!r} needs something that replies.")
    return _Run(graph, embedder, settings, source, frozenset(), progress).run(workers)


def levels(graph: Graph, settings: ReportSettings) -> list[list[str]]:
    """The ids of the communities that get a report, level by level, the lowest first.

    Raises:
        GraphError: there are none, or they are older than the entities.
    """
    known = stages.recorded(graph)
    stale = stages.staleness(known, "communities")
    rows = graph.rows("report/waiting", minimum_size=settings.minimum_size)
    if stale or not rows:
        raise GraphError(
            f"The communities are not up to date ({stale})." if stale else "The graph has no communities that large.",
            "Run `qcg build communities` first." if stale else "Use a lower --minimum-size.",
        )
    return [row["ids"] for row in rows]


def materials(graph: Graph, ids: Sequence[str]) -> Iterator[list[Material]]:
    """What the reports of these communities are written from, so many at once as fit into memory."""
    for start in range(0, len(ids), _AT_ONCE):
        yield [material(row) for row in graph.rows("report/material", ids=ids[start : start + _AT_ONCE])]


def _part(
    settings: ReportSettings,
    without: frozenset[str],
    graph: Graph,
    embedder: Embedder,
    source: ReplySource | None,
    ids: Sequence[str],
    progress: Progress,
) -> Tally:
    """What a worker does: some communities of a level, where those of ``without`` have no report."""
    return _Run(graph, embedder, settings, source, without, progress).part(ids)


class _Run:
    """One run of the stage, or of a part of it; ``without`` are communities that have no report."""

    def __init__(
        self,
        graph: Graph,
        embedder: Embedder,
        settings: ReportSettings,
        source: ReplySource | None,
        without: frozenset[str],
        progress: Progress,
    ) -> None:
        self._graph, self._embedder, self._settings = graph, embedder, settings
        self._source, self._without, self._progress = source, without, progress
        self._writer = source.name if source else EXTRACTIVE
        graph.check_model(embedder.name, embedder.dimension, embedder.prefixes)
        self._count = token_counter(embedder)
        self._done = Tally()
        self._ticks = 0

    def run(self, workers: Workers | None) -> ReportReport:
        """Go through all levels."""
        graph, embedder, settings = self._graph, self._embedder, self._settings
        graph.use_model(embedder.name, embedder.dimension, embedder.prefixes)
        every = levels(graph, settings)
        number = sum(map(len, every))
        made_from = stages.basis(stages.recorded(graph), STAGE)
        stages.begin(graph, STAGE, settings, made_from)
        graph.write(Call("report/remove", {"minimum_size": settings.minimum_size}), stages=(STAGE,))
        whole, before = Tally(), 0
        for ids in every:
            self._without = frozenset(missing.id for missing in whole.missing)
            whole.add(self._level(ids, workers, partial(self._tell, before, number)))
            before += len(ids)
        graph.await_indexes()
        missing = tuple(sorted(whole.missing, key=lambda item: item.id))
        report = ReportReport(number, missing=missing, usage=whole.usage, **whole.counts)
        stages.finish(graph, STAGE, settings, made_from, stages.counts(report))
        return report

    def _level(self, ids: Sequence[str], workers: Workers | None, progress: Progress) -> Tally:
        who = (self._graph, self._embedder, self._source)
        work = partial(_part, self._settings, self._without)
        if workers is None:
            return work(*who, ids, progress)
        return total(workers.run(*who, work, slices(ids, workers), progress))

    def _tell(self, before: int, number: int, done: int, _: int | None) -> None:
        self._progress(before + done, number)

    def part(self, ids: Sequence[str]) -> Tally:
        """Go through some communities of a level."""
        jobs = (job for several in materials(self._graph, ids) for job in self._jobs(several))
        reports = self._reports(self._todo(jobs))
        stages.write_as_they_come(reports, self._store, lambda done: len(done) >= _AT_ONCE)
        return self._done

    def _jobs(self, several: Iterable[Material]) -> list[Job]:
        jobs = []
        for one in several:
            if any(child.id in self._without for child in one.children):
                self._done.missing.append(MissingReply(one.id, _NO_REPORT_BELOW))
                self._tick()
                continue
            window = pack(one, self._settings.window_tokens, self._count)
            self._done.counts.update(replaced=len(window.replaced), left_out=window.left_out)
            jobs.append(Job(one, window, _mark(window, self._writer)))
        return jobs

    def _todo(self, jobs: Iterable[Job]) -> Iterator[Job]:
        for job in jobs:
            if job.material.mark != job.mark:
                yield job
                continue
            self._done.counts["unchanged"] += 1
            self._tick()

    def _reports(self, jobs: Iterable[Job]) -> Iterator[tuple[Job, CommunityReport, str]]:
        if self._settings.source == EXTRACTIVE:
            whole = self._graph.rows("report/whole")[0]["weight"]
            for job in jobs:
                yield job, extract_report(job.material, job.window, whole), EXTRACTIVE
            return
        assert self._source is not None  # noqa: S101 - `report` has checked it
        for job, result in replies_about(self._source, jobs, lambda job: job.request):
            self._done.usage += result.usage
            if isinstance(result, Failure):
                self._done.missing.append(MissingReply(job.material.id, result.reason))
                self._tick()
            else:
                yield job, read_report(result.value, job.window), result.model

    def _store(self, done: Sequence[tuple[Job, CommunityReport, str]]) -> None:
        if not done:
            return
        vectors = self._embedder.embed([f"{written.title}\n{written.summary}" for _, written, _ in done])
        rows = [
            {**_row(job, written, self._count), "source": model, "embedding": vector}
            for (job, written, model), vector in zip(done, vectors, strict=True)
        ]
        self._graph.write(Call("report/reports", {"rows": rows}), Call("stage/touch", {"stages": [STAGE]}))
        self._done.counts["written"] += len(rows)
        for name in ("wrong_citations", "cut"):
            self._done.counts[name] += sum(getattr(written, name) for _, written, _ in done)
        self._tick(len(rows))

    def _tick(self, number: int = 1) -> None:
        self._ticks += number
        self._progress(self._ticks, None)


def _row(job: Job, written: CommunityReport, count: TokenCounter) -> dict[str, Any]:
    return {
        "id": job.material.id,
        "title": written.title,
        "summary": written.summary,
        "rating": written.rating,
        "rating_explanation": written.rating_explanation,
        "findings": [" ".join(finding).strip() for finding in written.findings],
        "report": written.text,
        "tokens": count(written.text),
        "records": [f"{number} {record.id}" for number, record in written.records.items()],
        "mark": job.mark,
    }


def _mark(window: Window, writer: str) -> str:
    """Identifies what a report is made from, and by whom."""
    return hashlib.sha256(json.dumps([writer, window.text]).encode()).hexdigest()[:32]
