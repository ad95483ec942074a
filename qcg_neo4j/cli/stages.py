"""Stages that ask about the graph: ``qcg generate``, ``qcg extract``, ``qcg report``; the workers of stages."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass, replace
from functools import partial, wraps
from typing import Any

import click

from qcg_neo4j.cli.command import Decorator, Function, command, option, several
from qcg_neo4j.cli.models import embedder_of, embedding_option
from qcg_neo4j.cli.options import Connect, Typed, connection_options, json_option, settings_options
from qcg_neo4j.cli.paid_runs import BY_TOKENIZER, MODEL, REPLIES, PaidRun, incomplete, paying_options, show_costs
from qcg_neo4j.cli.terminal import notices, print_json, print_table
from qcg_neo4j.core.errors import InputError, number_of
from qcg_neo4j.core.progress import Progress
from qcg_neo4j.core.settings import Settings
from qcg_neo4j.indexing.extract import ExtractSettings, estimate_extraction, extract_graph
from qcg_neo4j.indexing.generate import GenerateSettings, estimate_generation, generate_queries
from qcg_neo4j.indexing.report import ReportSettings, estimate_reports, write_reports
from qcg_neo4j.indexing.stage import Payer, Workers
from qcg_neo4j.models.embedding.embedder import EmbeddingSettings
from qcg_neo4j.models.embedding.windows import token_counter
from qcg_neo4j.models.llm import Estimate, still_waiting
from qcg_neo4j.models.replies import Submitting

_NAMES = {"unknown": "batches of unknown atoms", "answers": "ANSWERED_BY"}  # of figures that need other words


@dataclass(frozen=True)
class WantedWorkers:
    """Where workers run, and how many; none without an address."""

    address: str | None = None
    count: int | None = None

    def __post_init__(self) -> None:
        if self.address is not None:
            from qcg_neo4j.indexing.workers.session import checked_address

            checked_address(self.address)
        elif self.count is not None:
            raise InputError("--worker-count says how many, but not where.", "Give --workers ray as well.")

    @contextmanager
    def started(self) -> Iterator[Workers | None]:
        """The workers while the block lasts; None where none are wanted."""
        if self.address is None:
            yield None
            return
        from qcg_neo4j.indexing.workers import RayWorkers

        def tell(what: str) -> None:
            notices().print(f"Note: {what}", soft_wrap=True)

        with RayWorkers(self.address, self.count, tell=tell) as workers:
            notices().print(f"Workers: {workers.count} by {self.address}", style="dim")
            yield workers


def workers_options(command: Function) -> Function:
    """Add ``--workers`` and ``--worker-count``; the command receives `WantedWorkers` as ``workers``."""

    @wraps(command)
    def run(*args: Any, workers: str | None, worker_count: int | None, **rest: Any) -> Any:
        return command(*args, workers=WantedWorkers(workers, worker_count), **rest)

    return several(
        option(
            "--workers",
            metavar="ray[://HOST:PORT]",
            envvar="QCG_WORKERS",
            group="Workers",
            help="run in parts by Ray, on this machine or on a cluster",
        ),
        option(
            "--worker-count",
            type=click.IntRange(min=1),
            metavar="N",
            envvar="QCG_WORKER_COUNT",
            group="Workers",
            help="number of workers [one per processor of Ray]",
        ),
    )(run)


@dataclass(frozen=True)
class Figures:
    """What is printed of a stage's report, first how many things were asked about; ``if_any``: only what is not zero.

    ``wanted`` is what each of these things was asked for.
    """

    title: str
    always: tuple[str, ...]
    if_any: tuple[str, ...] = ()
    wanted: str = "reply"

    def rows(self, report: Any) -> Iterator[tuple[str, int]]:
        """The figures with their names."""
        for name in (*self.always, *(name for name in self.if_any if getattr(report, name))):
            yield _NAMES.get(name, name.replace("_", " ")), getattr(report, name)
        yield "without reply", len(report.missing)


@dataclass(frozen=True)
class PaidStage:
    """A stage that asks about parts of the graph: its settings, the graph, who replies in this call, and on what."""

    settings: Any
    embedding: EmbeddingSettings
    connect: Connect
    paid: PaidRun
    workers: WantedWorkers

    def __post_init__(self) -> None:
        if self.paid.batch and self.workers.address:
            raise InputError("--batch asks for all at once, and --workers side by side.", "Give one of them.")

    def run(
        self,
        description: str,
        task: str | None,
        expected: Callable[..., Estimate],
        work: Callable[..., Any],
        of: Figures,
    ) -> Any:
        """Run the stage with its estimate before; print its report and costs, and return it. None after ``--estimate``.

        Raises:
            WaitingError: replies are in batches that have not ended.
            MissingReplyError: replies are missing.
        """
        settings, paid = self.settings, self.paid
        with paid.replies(settings.source, task) as (source, store), self.connect() as graph:
            embedder = embedder_of(graph, self.embedding)
            estimate = None
            if settings.source == MODEL and source is not None and store:
                estimate = expected(graph, settings, Payer(source, store, paid.prices, token_counter(embedder)))

            def run(progress: Progress) -> Any:
                with self.workers.started() as workers:
                    more = {"workers": workers} if workers else {}
                    return work(graph, embedder, settings, source, progress=progress, **more)

            report = paid.spend(description, estimate, BY_TOKENIZER, run, settings.source)
        if report is None:
            return None
        if paid.as_json:
            print_json({**asdict(report), "estimate": asdict(estimate) if estimate else None})
        else:
            print_table(of.title, ("what", "number"), of.rows(report))
            if estimate:
                show_costs(report.usage, estimate, paid.prices)
        if isinstance(source, Submitting) and source.waiting:
            raise still_waiting(source.waiting)
        if report.missing:
            asked = of.always[0]
            lacking = f"{getattr(report, asked):,} {asked} have no {of.wanted}"
            raise incomplete(f"{len(report.missing):,} of {lacking}", report.missing)
        return report


def paid_stage(kind: type[Settings], table: str, *typed: Typed, in_parts: bool = True) -> Decorator:
    """Add the options of a stage and of its source of replies; the command receives a `PaidStage` as ``stage``.

    ``in_parts`` says that workers can share the stage among them.
    """

    def decorate(command: Function) -> Function:
        @wraps(command)
        def run(*args: Any, connect: Connect, embedding: EmbeddingSettings, paid: PaidRun, **rest: Any) -> Any:
            settings, workers = rest.pop(table), rest.pop("workers", WantedWorkers())
            if paid.files:
                settings = replace(settings, source=REPLIES)
            return command(*args, stage=PaidStage(settings, embedding, connect, paid, workers), **rest)

        return several(
            settings_options(kind, table, *typed),
            paying_options,
            embedding_option,
            connection_options,
            *((workers_options,) if in_parts else ()),
            json_option,
        )(run)

    return decorate


@command()
@option("--baselines", is_flag=True, help="also make the chunk vectors of the methods d2q and d2q--")
@paid_stage(
    GenerateSettings,
    "generate",
    Typed("source", "SOURCE", "model, replies or sentences"),
    Typed("pairs_per_chunk", "N", "question-answer pairs per chunk"),
    Typed("kept_share", "SHARE", "share of a chunk's pairs that is kept"),
)
def generate(stage: PaidStage, baselines: bool) -> None:
    """Write question-answer pairs for each chunk; the most similar become Query nodes.

    Replies are stored as they arrive; an interrupted run continues where it stopped.
    """
    always = ("chunks", "written", "unchanged", "kept", "filtered_out", "empty", "duplicates")
    work = partial(generate_queries, with_baselines=baselines)
    stage.run("Generating", "generate/pairs", estimate_generation, work, Figures("Queries", always, ("left_out",)))


@command()
@paid_stage(
    ExtractSettings,
    "extract",
    Typed("source", "SOURCE", "model, replies or spacy"),
    Typed("domain", "FILE", "TOML file that describes the texts"),
    Typed("gleaning_rounds", "N", "times the model is asked what it missed"),
    Typed("atoms", "KIND", "facts, or granular as in LP-RAG"),
    Typed("claims", meaning="also extract claims about the entities"),
)
def extract(stage: PaidStage) -> None:
    """Extract the entities of each chunk, the relations between them, and atomic facts.

    Replies are stored as they arrive; an interrupted run continues where it stopped.
    """
    always = ("chunks", "written", "unchanged", "entities", "relations", "atoms")
    mended = ("repaired", "duplicates", "dropped", "self_loops", "without_ttr", "clamped", "left_out")
    figures = Figures("Graph", always, ("claims", "described", *mended))
    report = stage.run("Extracting", None, estimate_extraction, extract_graph, figures)
    if report and report.undescribed:
        number = len(report.undescribed)
        lacking = number_of(number, "entity has no summary of its", "entities have no summary of their")
        raise incomplete(f"{lacking} descriptions", report.undescribed)


@command()
@paid_stage(
    ReportSettings,
    "report",
    Typed("source", "SOURCE", "model, replies or extractive"),
    Typed("minimum_size", "N", "entities that a community needs for a report"),
)
def report(stage: PaidStage) -> None:
    """Write a report on every community, from the smallest to the largest.

    Replies are stored as they arrive; an interrupted run continues where it stopped.
    """
    always = ("communities", "written", "unchanged")
    figures = Figures("Reports", always, ("replaced", "left_out", "wrong_citations", "cut"), wanted="report")
    stage.run("Reporting", "report/community", estimate_reports, write_reports, figures)
