"""Answers of several systems side by side, as a judge sees them (GraphRAG, sections 3.3 and 4.1).

Answers in; win rates as Markdown and a picture for people, and as CSV for programs.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from qcg_neo4j.core.errors import MissingReplyError, number_of
from qcg_neo4j.core.progress import Progress, silent
from qcg_neo4j.evaluation.folder import checked_folder, write_picture, write_texts
from qcg_neo4j.evaluation.judge import replies_to
from qcg_neo4j.evaluation.page import (
    NONE,
    Page,
    Table,
    as_csv,
    counted,
    in_parentheses,
    label,
    missing_verdicts,
    not_by_all,
    shown,
)
from qcg_neo4j.evaluation.pairwise.result import Comparison, PairwiseResult, result_of
from qcg_neo4j.evaluation.pairwise.verdicts import CRITERIA, TASK, pairs, request, trials, verdict_of
from qcg_neo4j.evaluation.questions import Answers
from qcg_neo4j.evaluation.settings import PairwiseSettings
from qcg_neo4j.models.replies import ReplySource, Request

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from numpy.typing import NDArray

TABLE, NUMBERS, PICTURE, VERDICTS = "pairwise.md", "pairwise.csv", "pairwise.png", "verdicts.jsonl"
REPLY_TOKENS = {TASK: 110.0}  # a verdict with two to four sentences of reasons
CONTROL = "directness"
SPARE = ("p", "ties", "shown first", "verdicts", "unparsable", "failed", "effect")
COLOURS = "PuOr"  # from orange below 50 … purple above, which people with any colour vision can tell apart
_SIGNIFICANT = 0.05
_LONGEST_LABEL = 24
_FAR_FROM_HALF = 10  # percent by which the answer shown first may win or lose before it is remarked on


def compare_pairwise(
    answers: Answers,
    source: ReplySource,
    output: Path,
    settings: PairwiseSettings | None = None,
    *,
    criteria: Sequence[str] = (),
    baseline: str | None = None,
    command: str = "",
    progress: Progress = silent,
) -> PairwiseResult:
    """Let a judge compare the answers, and write ``pairwise.md``, ``.csv`` and ``.png``, and ``verdicts.jsonl``.

    ``criteria`` are all when none is named; with a ``baseline`` the others are compared with it alone. Verdicts are
    kept where ``source`` keeps its replies, so that the same call goes on after an interruption.

    Raises:
        InputError: there is nothing to compare, or the folder cannot be written.
        LanguageModelError: the endpoint failed for good; what came before is stored.
        MissingReplyError: there is not a single verdict.
    """
    settings = settings or PairwiseSettings()
    compared, chosen = pairs(answers.systems, baseline), _chosen(criteria)
    wanted = list(trials(answers, compared, chosen, settings.replicates))
    folder = checked_folder(output)
    found = replies_to([request(trial, answers) for trial in wanted], source, progress)
    verdicts = [verdict_of(trial, result) for trial, result in zip(wanted, found.results, strict=True)]
    if all(verdict.failed for verdict in verdicts):
        raise MissingReplyError(f"The judge gave no verdict. First error: {verdicts[0].failed}")
    result = result_of(answers, compared, chosen, verdicts, found, settings, command)
    lines = "".join(verdict.line() for verdict in verdicts)
    numbers = as_csv([record(comparison) for comparison in result.comparisons])
    write_texts(folder, {VERDICTS: lines, NUMBERS: numbers, TABLE: as_markdown(result)})
    plot(result, folder / PICTURE)
    return result


def pairwise_requests(
    answers: Answers, settings: PairwiseSettings, *, criteria: Sequence[str] = (), baseline: str | None = None
) -> Iterator[Request]:
    """What a judge is asked about these answers."""
    wanted = trials(answers, pairs(answers.systems, baseline), _chosen(criteria), settings.replicates)
    return (request(trial, answers) for trial in wanted)


def _chosen(criteria: Sequence[str]) -> list[str]:
    return [name for name in CRITERIA if not criteria or name in criteria]


def as_markdown(result: PairwiseResult) -> str:
    """The whole page: command, head, a table for each criterion, remarks."""
    settings = result.settings
    head = (
        f"{number_of(result.questions, 'question')}, answered by {', '.join(result.systems)}.",
        f"Judge: {', '.join(result.judges) or NONE}; {number_of(settings['replicates'], 'verdict')} in each order.",
    )
    tables = [rate_table(result.of(name), name.capitalize()).without(["criterion"]) for name in result.criteria]
    return Page("Answers side by side", result.command, head, tables, remarks(result)).markdown()


def rate_table(comparisons: Sequence[Comparison], title: str = "") -> Table:
    """The columns and rows of comparisons, as a person reads them."""
    columns = ["criterion", "system", "against", "win rate", "effect", "p", "p (Holm)", "verdicts", "ties"]
    columns += ["failed", "unparsable", "shown first"]
    return Table(columns, list(map(_cells, comparisons)), title, SPARE)


def _cells(comparison: Comparison) -> list[str]:
    rate, counts = comparison.rate, comparison.counts
    figures = [NONE] * 4
    if rate:
        figures = [shown(rate, digits=1), f"{rate.effect:+.2f}", f"{rate.p:.4f}", f"{rate.p_holm:.4f}"]
    numbers = [f"{number:,}" for number in (counts.given, counts.ties, counts.failed, counts.unparsable)]
    first = NONE if comparison.shown_first is None else f"{comparison.shown_first:.1f}"
    return [comparison.criterion, comparison.first, comparison.second, *figures, *numbers, first]


def remarks(result: PairwiseResult) -> Iterator[str]:
    """What a reader must know."""
    yield (
        "Win rate: mean score of the system over the questions, in percent; a win is 100, a tie 50, a loss 0, averaged "
        f"over both orders and the repetitions in each. {in_parentheses(result.settings)}"
    )
    yield (
        "p: Wilcoxon's signed-rank test of the scores of both systems, question by question, two-sided; corrected over "
        "the pairs of a criterion (Holm). Effect: rank-biserial correlation, from -1 to +1, positive where the system "
        "wins. `normality` in the CSV: p of Shapiro and Wilk's test of the differences."
    )
    yield (
        "Failed: the endpoint gave no reply. Unparsable: it gave none of the form asked for, twice. Both are left out "
        "of the rates. Shown first: mean score of the first answer; without position bias it is 50."
    )
    if CONTROL in result.criteria:
        yield (
            f"{CONTROL.capitalize()} is the control: what covers more is less direct, so that no system is expected to "
            "win by all criteria."
        )
    yield from oddities(result)


def oddities(result: PairwiseResult) -> Iterator[str]:
    """What was odd about this run, a sentence each."""
    yield from not_by_all(result.left_out)
    yield from missing_verdicts([comparison.counts for comparison in result.comparisons])
    incomplete = [(found, f"{found.left_out:,}") for found in result.comparisons if found.left_out]
    yield from _named("Questions without a verdict in one of the orders are left out", incomplete)
    partial = [
        (found, f"{found.shown_first:.1f}")
        for found in result.comparisons
        if found.shown_first is not None and abs(found.shown_first - 50) > _FAR_FROM_HALF
    ]
    yield from _named(
        "The judge looks at the place, which cancels out between the orders; the answer shown first scores", partial
    )


def _named(what: str, found: Sequence[tuple[Comparison, str]]) -> Iterator[str]:
    """A sentence about some of the comparisons, each with its figure."""
    named = [f"{item.first} against {item.second} ({item.criterion}) {figure}" for item, figure in found]
    if named:
        yield f"{what}: {counted(named)}."


def record(comparison: Comparison) -> dict[str, Any]:
    """A row of the CSV: criterion and pair, every figure and every count."""
    rate = comparison.rate
    figures = asdict(rate) if rate else dict.fromkeys(("mean", "low", "high", "effect", "p", "p_holm", "normality"))
    return {
        "criterion": comparison.criterion,
        "system": comparison.first,
        "against": comparison.second,
        **{"win rate" if name == "mean" else name: value for name, value in figures.items()},
        "shown first": comparison.shown_first,
        "questions": comparison.questions,
        "left out": comparison.left_out,
        **asdict(comparison.counts),
        "win or tie": comparison.counts.not_lost,
    }


def plot(result: PairwiseResult, path: Path) -> None:
    """Write the picture (PNG): win rates of rows over columns in percent, a panel for each criterion."""
    from matplotlib.figure import Figure

    columns = min(2, len(result.criteria))
    rows = -(-len(result.criteria) // columns)
    side = 2.2 + 0.62 * len(result.systems)  # inches: labels, and a cell for each system
    figure = Figure(figsize=(columns * side + 0.6, rows * side + 0.9), layout="constrained")
    panels = np.atleast_1d(figure.subplots(rows, columns)).ravel()
    for axes, criterion in zip(panels, result.criteria, strict=False):
        _draw(axes, result, criterion)
    for axes in panels[len(result.criteria) :]:
        axes.set_axis_off()
    questions = number_of(result.questions, "question")
    title = f"Win rate of row over column in percent, {questions} (* p < {_SIGNIFICANT} after Holm)"
    figure.suptitle(title, x=0.01, ha="left", fontsize=9)
    write_picture(path, figure)


def _draw(axes: Axes, result: PairwiseResult, criterion: str) -> None:
    labels = [label(name, _LONGEST_LABEL) for name in result.systems]
    rates, marks = matrix(result, criterion)
    axes.imshow(np.ma.masked_invalid(rates), cmap=COLOURS, vmin=0, vmax=100)
    axes.set_xticks(range(len(labels)), labels, rotation=45, ha="right", rotation_mode="anchor")
    axes.set_yticks(range(len(labels)), labels)
    axes.set_title(criterion, fontsize=10)
    axes.tick_params(length=0)
    axes.spines[:].set_visible(False)
    for row, column in zip(*np.nonzero(np.isfinite(rates)), strict=True):
        value = rates[row, column]
        colour = "white" if abs(value - 50) > 32 else "black"
        text = f"{value:.0f}{'*' if marks[row, column] else ''}"
        axes.text(column, row, text, ha="center", va="center", color=colour, fontsize=9)


def matrix(result: PairwiseResult, criterion: str) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
    """Win rates of rows over columns (systems, systems), NaN where none is known, and which of them are significant."""
    rates = np.full((len(result.systems),) * 2, np.nan)
    marks = np.zeros(rates.shape, dtype=bool)
    for comparison in result.of(criterion):
        if comparison.rate:
            first, second = result.systems.index(comparison.first), result.systems.index(comparison.second)
            rates[first, second], rates[second, first] = comparison.rate.mean, 100 - comparison.rate.mean
            marks[first, second] = marks[second, first] = comparison.rate.p_holm < _SIGNIFICANT
    return rates, marks
