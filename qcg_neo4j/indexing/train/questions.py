"""The first part of the stage: questions that a predictor learns from, each with the atoms that answer it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from qcg_neo4j.core.errors import GraphError, InputError
from qcg_neo4j.core.progress import Progress, silent
from qcg_neo4j.core.records import MissingReply, Usage, content_id
from qcg_neo4j.database import stages
from qcg_neo4j.database.connection import Call
from qcg_neo4j.database.graph import Graph
from qcg_neo4j.indexing.train.batches import TASK, Batch, drawn_batches, recorded_batches
from qcg_neo4j.indexing.train.settings import QUERIES, QuestionSettings
from qcg_neo4j.models.embedding.embedder import Embedder
from qcg_neo4j.models.embedding.windows import TokenCounter
from qcg_neo4j.models.llm import Estimate, LanguageModelSettings, estimate
from qcg_neo4j.models.replies import Failure, Reply, ReplySource, ReplyStore, replies_about

STAGE = "questions"
QUESTION_TOKENS = 24  # a question as JSON: mean over 6,692 recorded ones of LiHua-World, in tokens of MiniLM
AT_ONCE = 500  # questions embedded and written in one transaction
_ENOUGH = 20  # replies of the same model whose own mean is trusted more
_CHUNKS_AT_ONCE = 50
_LONGEST = 20_000  # characters of a question; a longer one has no end
Row = dict[str, Any]


@dataclass(frozen=True)
class QuestionReport:
    """What became of batches and questions; ``unknown`` are recorded batches whose atoms the graph does not hold.

    Of the source "queries" the batches are chunks, and ``written`` counts all of their queries.
    """

    batches: int = 0
    unknown: int = 0
    written: int = 0
    unchanged: int = 0
    removed: int = 0
    questions: int = 0
    answers: int = 0
    missing: tuple[MissingReply, ...] = ()
    usage: Usage = field(default_factory=Usage)


def find_batches(graph: Graph, settings: QuestionSettings, files: Sequence[Path] = ()) -> tuple[list[Batch], int]:
    """The batches to ask about: those that a recording brings along, else drawn ones; and how many are unknown.

    Raises:
        GraphError: the graph holds no atoms, or they are not joined.
    """
    size = graph.rows("train/size")[0]
    if not size["atoms"]:
        raise GraphError("The graph holds no atoms to ask about.", "Make them first: `qcg extract`.")
    batches, unknown = recorded_batches(graph, files)
    if batches or unknown:
        return batches, unknown
    stale = stages.staleness(stages.recorded(graph), "atoms")
    if stale:
        raise GraphError(f"The graph of the atoms is not up to date ({stale}).", "Run `qcg build atoms` first.")
    return drawn_batches(graph, settings.random_seed), 0


@stages.writes("train questions")
def write_questions(
    graph: Graph,
    embedder: Embedder,
    settings: QuestionSettings,
    source: ReplySource | None = None,
    *,
    files: Sequence[Path] = (),
    progress: Progress = silent,
) -> QuestionReport:
    """Write the synthetic questions; ``files`` are the recordings that may bring their batches along.

    What is there already is neither asked, embedded nor written again; what no batch has any more is removed.

    Raises:
        GraphError: there are no atoms (or no queries), or the graph was made with another embedding model.
        LanguageModelError: the endpoint failed for good; what came before is written.
    """
    if settings.source == QUERIES:
        return _from_queries(graph, settings, progress)
    if source is None:
        raise InputError(f"The source {settings.source!r} needs something that replies.")
    return _Run(graph, embedder, settings, source, files, progress).run()


def estimate_questions(
    graph: Graph,
    settings: QuestionSettings,
    source: ReplySource,
    language_model: LanguageModelSettings,
    store: ReplyStore,
    count: TokenCounter,
) -> Estimate:
    """Calls, tokens and cost that are still to pay for; reads the graph, calls nobody."""
    spent = store.spent(TASK, language_model.model or "")
    asked = sum(len(reply["questions"]) for reply, _ in spent)
    known = len(spent) >= _ENOUGH and asked > 0
    each = sum(tokens for _, tokens in spent) / asked if known else float(QUESTION_TOKENS)
    basis = f"mean of {len(spent)} earlier replies of {language_model.model}" if known else "mean of recorded questions"
    requests = (batch.request(settings.per_batch) for batch in find_batches(graph, settings)[0])
    assumption = f"{settings.per_batch} questions a batch, {each:.0f} output tokens a question ({basis})"
    return estimate(requests, source, language_model, count, lambda _: each * settings.per_batch, assumption)


class _Run:
    """One run over batches; gathers the figures of its report."""

    def __init__(
        self,
        graph: Graph,
        embedder: Embedder,
        settings: QuestionSettings,
        source: ReplySource,
        files: Sequence[Path],
        progress: Progress,
    ) -> None:
        self._graph, self._embedder, self._settings = graph, embedder, settings
        self._source, self._progress = source, progress
        graph.check_model(embedder.name, embedder.dimension, embedder.prefixes)
        self._batches, self._unknown = find_batches(graph, settings, files)
        self._held = {row["id"]: row["atoms"] for row in graph.rows("train/held")}
        self._wanted: set[str] = set()
        self._missing: list[MissingReply] = []
        self._written, self._usage = 0, Usage()

    def run(self) -> QuestionReport:
        """Ask about all batches."""
        made_from = stages.basis(stages.recorded(self._graph), STAGE)
        stages.begin(self._graph, STAGE, self._settings, made_from)
        rows = (row for batch, reply in self._replies() for row in self._rows(batch, reply))
        stages.write_as_they_come(rows, self._write, lambda waiting: len(waiting) >= AT_ONCE)
        removed = sorted(self._held.keys() - self._wanted)
        for start in range(0, len(removed), AT_ONCE):
            call = Call("train/remove", {"ids": removed[start : start + AT_ONCE]})
            self._graph.write(call, stages=(STAGE,))
        figures = {"batches": len(self._batches), "unknown": self._unknown, "written": self._written}
        counts = {"unchanged": len(self._wanted) - self._written, "removed": len(removed)}
        return _finish(
            self._graph,
            self._settings,
            made_from,
            QuestionReport(**figures, **counts, missing=tuple(self._missing), usage=self._usage),
        )

    def _replies(self) -> Iterator[tuple[Batch, Reply]]:
        found = replies_about(self._source, self._batches, lambda batch: batch.request(self._settings.per_batch))
        for done, (batch, result) in enumerate(found, start=1):
            self._usage += result.usage
            self._progress(done, len(self._batches))
            if isinstance(result, Failure):
                self._missing.append(MissingReply(result.request.key, result.reason))
            else:
                yield batch, result

    def _rows(self, batch: Batch, reply: Reply) -> Iterator[Row]:
        """What is to write of a reply; questions that are there with all their atoms are not."""
        texts = dict.fromkeys(" ".join(text.split()) for text in reply.value["questions"])
        for text in [text for text in texts if 0 < len(text) <= _LONGEST][: self._settings.per_batch]:
            name = content_id(reply.request.key, text, reply.model)
            if name in self._wanted:
                continue
            self._wanted.add(name)
            if self._held.get(name) != len(set(batch.ids)):
                row = {"id": name, "text": text, "batch": reply.request.key, "source": reply.model}
                yield {**row, "atoms": list(batch.ids)}

    def _write(self, rows: list[Row]) -> None:
        if rows:
            vectors = self._embedder.embed_questions([row["text"] for row in rows])
            with_vectors = [{**row, "embedding": vector} for row, vector in zip(rows, vectors, strict=True)]
            self._graph.write_batches("train/questions", with_vectors, batch_size=AT_ONCE, stages=(STAGE,))
            self._written += len(rows)


def _from_queries(graph: Graph, settings: QuestionSettings, progress: Progress) -> QuestionReport:
    """The queries of the chunks become questions, each answered by the atoms of its chunk that are nearest to it."""
    size = graph.rows("train/size")[0]
    for kind, command in (("queries", "qcg generate"), ("atoms", "qcg extract")):
        if not size[kind]:
            raise GraphError(f"The graph holds no {kind} to learn from.", f"Make them first: `{command}`.")
    made_from = stages.basis(stages.recorded(graph), STAGE)
    cursor = stages.begin(graph, STAGE, settings, made_from)
    removed = graph.write(Call("train/remove_others"), stages=(STAGE,)).changes.nodes_deleted
    done, written = graph.rows("train/before", cursor=cursor)[0]["chunks"], 0
    progress(done, size["chunks"])
    while True:
        call = Call("train/from_queries", {"after": cursor, "slice": _CHUNKS_AT_ONCE})
        row = graph.write(call, stages=(STAGE,)).rows[0][0]
        if row["last"] is None:
            break
        cursor, done, written = row["last"], done + row["chunks"], written + row["questions"]
        progress(done, size["chunks"])
    return _finish(graph, settings, made_from, QuestionReport(size["chunks"], written=written, removed=removed))


def _finish(
    graph: Graph, settings: QuestionSettings, made_from: dict[str, int], report: QuestionReport
) -> QuestionReport:
    size = graph.rows("train/size")[0]
    done = QuestionReport(**{**vars(report), "questions": size["questions"], "answers": size["answers"]})
    stages.finish(graph, STAGE, settings, made_from, stages.counts(done))
    return done
