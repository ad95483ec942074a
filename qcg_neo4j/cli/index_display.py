"""What a person sees of an index run: the plan, a line per stage, the estimate before and the bill after."""

from __future__ import annotations

import os
import shlex
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

import click

from qcg_neo4j.cli.paid_runs import BY_TOKENIZER, show_costs, show_estimate
from qcg_neo4j.cli.terminal import advice, notices, print_json, progress_bar, results
from qcg_neo4j.core.errors import InputError, number_of
from qcg_neo4j.core.records import Rejected
from qcg_neo4j.database.graph import Graph
from qcg_neo4j.database.permission import width_in_words
from qcg_neo4j.indexing.extract import missing_for_spacy
from qcg_neo4j.indexing.load import LoadReport
from qcg_neo4j.indexing.run import IndexEstimate, IndexReport, Payer, Plan, Step, Told, estimate_index
from qcg_neo4j.indexing.run.plan import StageSettings
from qcg_neo4j.indexing.run.stage import NOTHING
from qcg_neo4j.models.embedding.embedder import Embedder

_SHOWN = 10  # files left out that are named; --json has more
_UNKNOWN_ENDING = "unknown ending"
_DONE: Mapping[str, Callable[[Any], str]] = {
    "generate": lambda made: (
        f"{number_of(made.kept, 'query', 'queries')} of {number_of(made.chunks, 'chunk')}, "
        f"{number_of(made.written, 'chunk')} written"
    ),
    "extract": lambda made: (
        f"{number_of(made.entities, 'entity', 'entities')}, {number_of(made.relations, 'relation')}, "
        f"{number_of(made.atoms, 'fact')}, {number_of(made.written, 'chunk')} written"
    ),
    "build": lambda made: f"{number_of(made.relationships, 'pair')} of similar queries, recall {made.recall:.3f}",
    "synonyms": lambda made: (
        f"{number_of(made.relationships, 'pair')} of names that mean the same, recall {made.recall:.3f}"
    ),
    "communities": lambda made: (
        f"{number_of(made.communities, 'community', 'communities')} of entities, levels: {made.levels}"
    ),
    "atoms": lambda made: f"{number_of(made.relationships, 'pair')} of similar facts, recall {made.recall:.3f}",
    "indexes": lambda made: f"vector indexes bring {width_in_words(made.widening)}",
    "report": lambda made: f"{number_of(made.communities, 'report')}, {made.written:,} written",
}


class IndexDisplay:
    """Prints the progress of a run, or its result as JSON."""

    def __init__(self, graph: Graph, embedder: Embedder, payer: Payer | None, as_json: bool) -> None:
        self._graph, self._embedder, self._payer, self._as_json = graph, embedder, payer, as_json
        self._plan: Plan | None = None
        self._estimate: IndexEstimate | None = None
        self.told = Told(progress_bar, self._note, self._loaded, self._before_paying, self._step)

    def finish(self, report: IndexReport, *, is_done: bool = True) -> None:
        """The bill, or everything as JSON; what comes next where the run is done."""
        if self._as_json:
            notes = self._plan.notes if self._plan else ()
            estimate = asdict(self._estimate) if self._estimate else None
            print_json({**asdict(report), "notes": notes, "estimate": estimate})
            return
        if report.moved_from:
            folder = os.path.commonpath([Path(file).parent for file in report.moved_from])
            number = len(report.moved_from)
            gone = number_of(
                number, f"file of {folder} is gone, and its text", f"files of {folder} are gone, and their text"
            )
            moved = advice(
                f"Note: {gone} is here too: moved, and both go on answering. "
                f"`qcg index {shlex.quote(folder)} --remove-all` removes what is gone there."
            )
            notices().print(moved, style="yellow", soft_wrap=True)
        if self._estimate and self._payer:
            show_costs(report.usage, self._estimate.total, self._payer.settings)
        if not is_done or report.load.is_all_left_out:
            return
        ask = 'qcg answer "…"' if self._payer else 'qcg retrieve "…"'
        results().print(advice(f"Done in {report.seconds:.1f} s. Ask: `{ask}`"), soft_wrap=True)

    def _note(self, plan: Plan) -> None:
        self._plan = plan
        for note in plan.notes:
            _say_once(note)

    def _loaded(self, loaded: LoadReport, removed: int) -> None:
        show_left_out(loaded.rejections)
        what = (
            f"{loaded.added:,} new, {loaded.changed:,} changed, {loaded.unchanged:,} as they were, {removed:,} removed"
        )
        self._line("load", what + (f", {loaded.rejected:,} left out" if loaded.rejected else ""))

    def _before_paying(self, plan: Plan) -> None:
        if self._payer and plan.model:
            self._estimate = estimate_index(self._graph, self._embedder, plan, self._payer)
            if self._estimate.total.usage.calls:
                show_estimate(self._estimate.total, BY_TOKENIZER)

    def _step(self, step: Step) -> None:
        if step.passed_over is None:
            missing = len(getattr(step.report, "missing", ()))
            lacking = f", {missing:,} without a reply" if missing else ""
            self._line(step.stage, _DONE[step.stage](step.report) + lacking)
            for note in getattr(step.report, "notes", ()):
                notices().print(f"Note: {note}", style="yellow", soft_wrap=True)
        elif step.passed_over != NOTHING:
            self._line(step.stage, step.passed_over)

    def _line(self, stage: str, what: str) -> None:
        if not self._as_json:
            results().print(f"{stage:<12} {what}", soft_wrap=True)


def _say_once(line: str, style: str | None = None) -> None:
    """A notice that a command which follows changes does not repeat."""
    told: set[str] = click.get_current_context().meta.setdefault(__name__, set())
    if line not in told:
        told.add(line)
        notices().print(line, style=style, soft_wrap=True)


def refuse_if_nothing_was_read(loaded: LoadReport) -> None:
    """End a command that was given nothing but what it cannot read.

    Raises:
        InputError: all was left out.
    """
    if loaded.is_all_left_out:
        raise InputError("Nothing was loaded: all that was given was left out.")


def show_left_out(rejections: Iterable[Rejected]) -> None:
    """Print what was left out; files of an unknown ending, or without the same package, by number alone."""
    alike: dict[str, list[Rejected]] = defaultdict(list)
    others: list[Rejected] = []
    for item in rejections:
        kind = item.remedy or (_UNKNOWN_ENDING if item.reason.startswith(_UNKNOWN_ENDING) else "")
        (alike[kind] if kind else others).append(item)
    told = [f"Left out: {item}" for item in others[:_SHOWN]]
    if len(others) > _SHOWN:
        told.append(f"… and {len(others) - _SHOWN:,} more; --json names them.")
    told += [f"Left out: {_by_ending(items)}" for items in alike.values()]
    for line in told:
        _say_once(line, "yellow")


def _by_ending(alike: list[Rejected]) -> str:
    numbers = Counter(Path(item.source).suffix.lower() or "none" for item in alike)
    endings = ", ".join(f"{ending} {number:,}" for ending, number in numbers.most_common(8))
    what = number_of(len(alike), "file")
    remedy = alike[0].remedy
    return f"{what} ({endings}): {alike[0].reason} {remedy}" if remedy else f"{what} of unknown ending ({endings})"


def show_estimates(estimate: IndexEstimate, as_json: bool) -> None:
    """Say what each stage will cost, and all together."""
    if as_json:
        print_json(asdict(estimate))
        return
    for name, expected in estimate.stages.items():
        show_estimate(expected, BY_TOKENIZER, what=name)
    show_estimate(estimate.total, BY_TOKENIZER, what="Together")


def show_work(
    documents: int, left_out: Sequence[Rejected], letters: int, chunks: int, stages: StageSettings, as_json: bool
) -> None:
    """Say what a run without a language model will do."""
    if as_json:
        named = [asdict(item) for item in left_out]
        print_json({"documents": documents, "left_out": named, "characters": letters, "chunks": chunks, "cost": 0})
        return
    show_left_out(left_out)
    lacking = missing_for_spacy(stages.extract.spacy_model)
    found = f"there are no entities: {lacking}" if lacking else "spaCy finds the names"
    for line in (
        f"{number_of(documents, 'document')} with {number_of(letters, 'character')}, "
        f"about {number_of(chunks, 'chunk')}.",
        f"No language model writes: the sentences become queries and facts, {found}, and reports are extracts.",
        "It costs nothing. No server was started, and nothing was written.",
    ):
        results().print(line, soft_wrap=True)
