"""The first part of the stage: questions that a predictor learns from, each with the atoms that answer it."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import chain
from pathlib import Path
from typing import Any

from qcg_neo4j.core.errors import GraphError, InputError
from qcg_neo4j.core.progress import Progress, silent
from qcg_neo4j.core.records import MissingReply, Usage, content_id
from qcg_neo4j.database import stages
from qcg_neo4j.database.connection import Call
from qcg_neo4j.database.graph import Graph
from qcg_neo4j.indexing.stage import Payer, Stage
from qcg_neo4j.indexing.train.settings import QUERIES, QuestionSettings
from qcg_neo4j.models.embedding.embedder import Embedder
from qcg_neo4j.models.llm import Estimate, estimate
from qcg_neo4j.models.prompts import task
from qcg_neo4j.models.replies import ReplySource, Request, key_of

TASK = "train/questions"
_PAGE = 1000  # atoms read at once
Row = dict[str, Any]


@dataclass(frozen=True)
class Batch:
    """Atoms that a question is to need, by their ids and texts."""

    ids: tuple[str, ...]
    texts: tuple[str, ...]

    @cached_property
    def key_text(self) -> str:
        """The text that identifies the batch."""
        return "\n".join(self.texts)

    def request(self, settings: QuestionSettings) -> Request:
        """What a language model is asked."""
        atoms = "\n".join(f"- {text}" for text in self.texts)
        return Request(
            task(TASK), self.key_text, {"atoms": atoms, "count": str(settings.per_batch)}, settings.demonstration
        )


def drawn_batches(graph: Graph, seed: int) -> list[Batch]:
    """A batch for each atom: it and some of its neighbours, their number drawn first (LP-RAG paper).

    The draw of an atom depends on nothing but the seed, its id and its neighbours, so that what is asked about the rest
    stays when the graph grows. Batches of the same atoms are one.
    """
    texts, neighbours = {}, {}
    for row in _atoms(graph):
        texts[row["id"]], neighbours[row["id"]] = row["text"], row["neighbours"]
    found: dict[tuple[str, ...], Batch] = {}
    for atom, others in neighbours.items():
        source = random.Random(content_id(str(seed), atom))  # noqa: S311 - nothing secret
        ids = tuple(sorted([atom, *source.sample(others, source.randint(0, len(others)))]))
        found.setdefault(ids, Batch(ids, tuple(texts[one] for one in ids)))
    return list(found.values())


def recorded_batches(graph: Graph, files: Sequence[Path]) -> tuple[list[Batch], int]:
    """The batches in recordings, and how many name an atom that the graph does not hold.

    Raises:
        InputError: a file cannot be read, or the atoms of a line do not fit its key.
    """
    ids = {row["text"]: row["id"] for row in _atoms(graph)}
    found: dict[str, Batch] = {}
    unknown = 0
    for texts in _recorded(files):
        batch = Batch(tuple(ids.get(text, "") for text in texts), texts)
        if "" in batch.ids:
            unknown += 1
        else:
            found[batch.key_text] = batch
    return list(found.values()), unknown


def _atoms(graph: Graph) -> Iterator[Row]:
    return chain.from_iterable(graph.pages("train/atoms", _PAGE))


def _recorded(files: Sequence[Path]) -> Iterator[tuple[str, ...]]:
    """The atoms of every line that has some; `Recording` has checked what else a line needs."""
    for path in files:
        # Only a newline ends a line: texts may hold other signs that end one.
        for number, line in enumerate(path.read_text(encoding="utf-8").split("\n"), start=1):
            fields = json.loads(line) if line.strip() else {}
            texts = fields.get("atoms")
            if fields.get("task") != TASK or texts is None:
                continue
            if not isinstance(texts, list) or key_of("\n".join(map(str, texts))) != fields["key"]:
                raise InputError(
                    f"{path}:{number}: the atoms do not fit the key {fields['key']}.",
                    "The key is the SHA-256 of the atoms joined by newlines.",
                )
            yield tuple(texts)


STAGE = "questions"
QUESTION_TOKENS = 24  # a question as JSON: mean over 6,692 recorded ones of LiHua-World, in tokens of MiniLM
AT_ONCE = 500  # questions embedded and written in one transaction
_CHUNKS_AT_ONCE = 50
_LONGEST = 20_000  # characters of a question; a longer one has no end


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
    """The batches to ask about: a recording's, else drawn ones; and how many are unknown.

    Raises:
        GraphError: the graph holds no atoms, or they are not joined.
    """
    size = graph.rows("train/size")[0]
    if not size["atoms"]:
        raise GraphError("The graph holds no atoms to ask about.", "Make them first: `qcg extract`.")
    batches, unknown = recorded_batches(graph, files)
    if batches or unknown:
        return batches, unknown
    stages.check_current(stages.recorded(graph), "atoms", "The graph of the atoms is")
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

    What is there already is neither asked, embedded nor written again; what no batch has any more is removed. The
    questions of a batch whose reply is missing stay.

    Raises:
        GraphError: there are no atoms (or no queries), or the graph was made with another embedding model.
        LanguageModelError: the endpoint failed for good; what came before is written.
    """
    if settings.source == QUERIES:
        return _from_queries(graph, settings, progress)
    stage = _Questions(graph, embedder, settings, source, progress, files=files)
    stage.begin()
    stage.part(None)
    return stage.finish(stage.report())


def estimate_questions(graph: Graph, settings: QuestionSettings, payer: Payer) -> Estimate:
    """Calls, tokens and cost still to pay; reads the graph, makes no call."""
    found = payer.store.mean_tokens(TASK, payer.settings.model or "", lambda reply: len(reply["questions"]))
    each, known = found or (float(QUESTION_TOKENS), 0)
    basis = f"mean of {known} earlier replies of {payer.settings.model}" if known else "mean of recorded questions"
    requests = (batch.request(settings) for batch in find_batches(graph, settings)[0])
    assumption = f"{settings.per_batch} questions a batch, {each:.0f} output tokens a question ({basis})"
    expected = each * settings.per_batch
    return estimate(requests, payer.source, payer.settings, payer.count, lambda _: expected, assumption)


class _Questions(Stage[None, Batch, Row]):
    """Batches of atoms, and the questions about each."""

    name = STAGE
    at_once = AT_ONCE

    def __init__(self, *given: Any, **more: Any) -> None:
        super().__init__(*given, **more)
        self._batches, self._unknown = find_batches(self.graph, self.settings, self.more["files"])
        self.total = len(self._batches)
        self._held = {row["id"]: row for row in self.graph.rows("train/held")}
        self._wanted: set[str] = set()

    def items(self, _: None) -> Iterator[Batch]:
        return iter(self._batches)

    def request(self, item: Batch) -> Request:
        return item.request(self.settings)

    def item_id(self, item: Batch) -> str:
        return self.request(item).key

    def make(self, item: Batch, value: Any, writer: str) -> Iterator[Row]:
        key = self.item_id(item)
        texts = dict.fromkeys(" ".join(text.split()) for text in value["questions"])
        for text in [text for text in texts if 0 < len(text) <= _LONGEST][: self.settings.per_batch]:
            name = content_id(key, text, writer)
            if name in self._wanted:
                continue
            self._wanted.add(name)
            if name not in self._held or self._held[name]["atoms"] != len(set(item.ids)):
                yield {"id": name, "text": text, "batch": key, "source": writer, "atoms": list(item.ids)}

    def write(self, several: list[Row]) -> None:
        vectors = self.embedder.embed_questions([row["text"] for row in several])
        rows = [{**row, "embedding": vector} for row, vector in zip(several, vectors, strict=True)]
        self.graph.write_batches("train/questions", rows, batch_size=AT_ONCE, stages=(STAGE,))
        self.done.counts["written"] += len(rows)

    def report(self) -> QuestionReport:
        """Remove the questions that no batch has any more, and count; those of a batch without a reply stay."""
        missing = {batch.id for batch in self.done.missing}
        wanted = self._wanted | {name for name, row in self._held.items() if row["batch"] in missing}
        removed = sorted(self._held.keys() - wanted)
        for start in range(0, len(removed), AT_ONCE):
            self.graph.write(Call("train/remove", {"ids": removed[start : start + AT_ONCE]}), stages=(STAGE,))
        written, size = self.done.counts["written"], self.graph.rows("train/size")[0]
        return QuestionReport(
            batches=self.total,
            unknown=self._unknown,
            written=written,
            unchanged=len(wanted) - written,
            removed=len(removed),
            questions=size["questions"],
            answers=size["answers"],
            missing=tuple(self.done.missing),
            usage=self.done.usage,
        )


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
    size = graph.rows("train/size")[0]
    made = {"batches": size["chunks"], "written": written, "removed": removed}
    report = QuestionReport(**made, questions=size["questions"], answers=size["answers"])
    stages.finish(graph, STAGE, settings, made_from, stages.counts(report))
    return report
