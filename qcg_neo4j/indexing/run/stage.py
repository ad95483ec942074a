"""A run: load, remove what vanished, then every stage that has something to do; and what that will cost."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from qcg_neo4j.core.progress import Bars, no_bars
from qcg_neo4j.core.records import MissingReply, Rejected, SourceDocument, Usage, content_id
from qcg_neo4j.core.settings import Settings
from qcg_neo4j.database import stages
from qcg_neo4j.database.graph import Graph
from qcg_neo4j.database.schema import language_of
from qcg_neo4j.indexing.build import BUILD_PARTS
from qcg_neo4j.indexing.extract import estimate_extraction, extract_graph
from qcg_neo4j.indexing.extract.readers import writer
from qcg_neo4j.indexing.generate import estimate_generation, generate_queries
from qcg_neo4j.indexing.load import Chunker, LoadReport, delete_documents, load_documents, read_documents, source_of
from qcg_neo4j.indexing.load.transactions import pieces
from qcg_neo4j.indexing.report import estimate_reports, write_reports
from qcg_neo4j.indexing.report.stage import REPORT_TOKENS
from qcg_neo4j.indexing.run.plan import IndexSettings, Plan, StageSettings, make_plan
from qcg_neo4j.indexing.run.vanished import Lines, holds_nothing, moved_from, vanished_documents
from qcg_neo4j.indexing.stage import Payer, StoredChunk
from qcg_neo4j.models.embedding.embedder import Embedder
from qcg_neo4j.models.llm import Estimate, cost
from qcg_neo4j.models.replies import ReplySource, Submitting

UP_TO_DATE, NOTHING, WAITING = "up to date", "nothing to do it with", "waits for batches"
_PARTS = {part.stage: part for part in BUILD_PARTS.values()}
_WRITTEN: Mapping[str, Callable[..., Any]] = {
    "generate": generate_queries,
    "extract": extract_graph,
    "report": write_reports,
}
# The kind of nodes that each stage needs.
_NEEDS = {
    "generate": "Chunk",
    "extract": "Chunk",
    "report": "Community",
    **{name: part.kind for name, part in _PARTS.items()},
}
STEPS = tuple(name for name in stages.MADE_FROM if name in _NEEDS)
# Before there are communities nobody knows how many there will be. The sample's 75 chunks have 68, whose reports are
# asked for with 1,230 tokens each.
_REPORTS_PER_CHUNK = 0.9
_TOKENS_PER_REPORT = 1230
_AT_ONCE = 5000  # texts that are looked for together, by their hashes


@dataclass(frozen=True)
class Indexed(Settings):
    """What a graph remembers of its last run: the absolute paths."""

    paths: tuple[str, ...] = ()


@dataclass(frozen=True)
class Step:
    """A stage of a run: what it did (its own report), or why it did nothing."""

    stage: str
    report: Any = None
    passed_over: str | None = None


@dataclass(frozen=True)
class IndexReport:
    """What a run did: documents, those removed since their files had vanished, each stage, and what was paid.

    ``moved_from`` are files elsewhere that are gone, and whose documents go on answering beside these.
    """

    load: LoadReport
    removed: int
    steps: tuple[Step, ...]
    usage: Usage = field(default_factory=Usage)
    seconds: float = 0.0
    moved_from: tuple[str, ...] = ()

    @property
    def missing(self) -> tuple[MissingReply, ...]:
        """What has no reply of the language model; the next run asks for it again."""
        kinds = ("missing", "undescribed")
        return tuple(item for step in self.steps for kind in kinds for item in getattr(step.report, kind, ()))


@dataclass(frozen=True)
class Told:
    """Receives the progress of a run.

    First the plan, then what was loaded and how much removed, the plan again before anything is paid, and each step.
    """

    bars: Bars = no_bars
    plan: Callable[[Plan], None] = lambda _: None
    loaded: Callable[[LoadReport, int], None] = lambda _, __: None
    before_paying: Callable[[Plan], None] = lambda _: None
    step: Callable[[Step], None] = lambda _: None


def index_files(
    graph: Graph,
    embedder: Embedder,
    paths: Sequence[str | Path],
    replies: ReplySource | None = None,
    settings: IndexSettings = IndexSettings(),
    stage_settings: StageSettings = StageSettings(),
    *,
    remove_all: bool = False,
    told: Told = Told(),
) -> IndexReport:
    """Bring the graph in line with files and folders: load, generate, extract, build, report; only what changed.

    ``replies`` is the language model; without it sentences, spaCy and extracts take its place. A document whose
    file, or line in a file of JSON Lines, is certainly gone is removed, unless ``settings.keep``; ``remove_all`` says
    that many may be.

    Raises:
        InputError: a path does not exist, most files have vanished, or nobody would replace what a model wrote.
        LanguageModelError: the endpoint failed for good; what came before is written.
    """
    start, absolute = time.monotonic(), [source_of(Path(path)) for path in paths]
    if isinstance(replies, Submitting):
        replies.waiting = ()  # what an earlier run waited for may have come
    plan = make_plan(graph, settings, stage_settings, replies)
    gone = [] if settings.keep else vanished_documents(graph, absolute, all_of_them=remove_all)
    present = [path for path in absolute if not (remove_all and holds_nothing(path))]
    lines = Lines()
    load = plan.stages.load
    documents = read_documents(present, load.largest_document, id_prefix=load.id_prefix, follow_links=load.follow_links)
    told.plan(plan)  # not before what is given is known to be there
    stages.finish(graph, stages.INDEX, Indexed(tuple(map(str, absolute))), {}, {"left_out": dict(plan.left_out)})
    with told.bars("load") as progress:
        loaded = load_documents(graph, embedder, lines.noted(documents), plan.stages.load, progress)
    if not settings.keep:
        gone = [name for name in gone if name not in lines.seen]  # files can come back, and other files list the same
        gone += lines.vanished(graph, present, all_of_them=remove_all)
    with told.bars("remove") as progress:
        removed = delete_documents(graph, gone, ignore_missing=True, progress=progress).documents
    told.loaded(loaded, removed)
    plan = replace(plan, reader=writer(plan.stages.extract, language_of(graph)))  # loading settles the language
    told.before_paying(plan)
    steps = [_step(graph, embedder, plan, replies if plan.model else None, name, told) for name in STEPS]
    usage = sum((getattr(step.report, "usage", Usage()) for step in steps), Usage())
    moved = moved_from(graph, absolute) if loaded.added else ()
    return IndexReport(loaded, removed, tuple(steps), usage, round(time.monotonic() - start, 1), moved)


def _step(graph: Graph, embedder: Embedder, plan: Plan, replies: ReplySource | None, name: str, told: Told) -> Step:
    # Of a part what follows would be made, and paid, and then anew of all.
    waits = isinstance(replies, Submitting) and replies.waiting and (name == "report" or name not in _WRITTEN)
    step = Step(name, passed_over=WAITING if waits else _passed_over(graph, plan, name))
    if step.passed_over is None:
        chosen = getattr(plan.stages, name)
        with told.bars(name) as progress:
            if name in _PARTS:
                report = _PARTS[name].run(graph, chosen, progress)
            else:
                report = _WRITTEN[name](graph, embedder, chosen, replies, progress=progress)
        step = Step(name, report)
    told.step(step)
    return step


def _passed_over(graph: Graph, plan: Plan, name: str) -> str | None:
    if name in plan.left_out:
        return plan.left_out[name]
    counts = {row["kind"]: row["number"] for row in graph.rows("inspect/counts")}
    if not counts[_NEEDS[name]]:
        if name == "communities":
            graph.run("build/communities/sweep")  # those of entities that went with the last documents
        return NOTHING
    return UP_TO_DATE if plan.is_done(stages.recorded(graph), name) else None


@dataclass(frozen=True)
class IndexEstimate:
    """The estimated cost of each stage, if known, and their sum."""

    stages: Mapping[str, Estimate]
    total: Estimate


def estimate_index(
    graph: Graph, embedder: Embedder, plan: Plan, payer: Payer, documents: Iterable[SourceDocument | Rejected] = ()
) -> IndexEstimate:
    """Calls, tokens and cost still to pay; reads the graph, makes no call.

    ``documents`` are to be loaded; what the graph holds of an older version of theirs is counted as well.
    """
    texts = _new(graph, _chunks(documents, embedder, plan))
    found = {
        "generate": estimate_generation(graph, plan.stages.generate, payer, texts),
        "extract": estimate_extraction(graph, plan.stages.extract, payer, texts),
    }
    if "report" not in plan.left_out:
        known = stages.recorded(graph)
        settled = not found["extract"].usage.calls and not stages.staleness(known, "communities")
        reports = estimate_reports(graph, plan.stages.report, payer) if settled else _guess(found["generate"], payer)
        found["report"] = reports
    usage = sum((each.usage for each in found.values()), Usage())
    requests, of_store = (sum(getattr(each, name) for each in found.values()) for name in ("requests", "known"))
    total = Estimate(requests, of_store, usage, cost(usage, payer.settings), "the sum of the stages")
    return IndexEstimate(found, total)


def _chunks(documents: Iterable[SourceDocument | Rejected], embedder: Embedder, plan: Plan) -> Iterator[StoredChunk]:
    load = plan.stages.load
    chunker = Chunker(embedder.tokenizer, load.chunk_tokens, load.overlap_tokens, load.section_tokens)
    for document in documents:
        if isinstance(document, SourceDocument):
            for chunk in chunker.chunks(document):
                yield StoredChunk(chunk.id, chunk.text, {})


def _new(graph: Graph, chunks: Iterable[StoredChunk]) -> list[StoredChunk]:
    """Each text once that the graph does not hold: nobody is asked twice about the same."""
    given: dict[str, StoredChunk] = {}
    for chunk in chunks:
        given.setdefault(content_id(chunk.text), chunk)
    for hashes in pieces(list(given), _AT_ONCE):
        for row in graph.rows("adopt/rivals", hashes=hashes, ids=[]):
            given.pop(row["value"], None)  # several chunks of the graph may have the same text
    return list(given.values())


def _guess(generated: Estimate, payer: Payer) -> Estimate:
    number = round(_REPORTS_PER_CHUNK * generated.requests)
    usage = Usage(number, number * _TOKENS_PER_REPORT, number * REPORT_TOKENS)
    basis = f"a guess: {_REPORTS_PER_CHUNK} communities a chunk, as in the sample; they are found after the extraction"
    return Estimate(number, 0, usage, cost(usage, payer.settings), basis)
