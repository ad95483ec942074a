"""Win rates as Markdown for people and as CSV for programs."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict
from typing import Any

from qcg_neo4j.evaluation.pairwise.result import Comparison, PairwiseResult
from qcg_neo4j.evaluation.table import NONE, Page, Table, counted, not_by_all, shown

CONTROL = "directness"
_FAR_FROM_HALF = 10  # percent by which the answer shown first may win or lose before it is remarked on


def as_markdown(result: PairwiseResult) -> str:
    """The whole page: command, head, a table for each criterion, remarks."""
    settings = result.settings
    head = (
        f"{result.questions:,} questions, answered by {', '.join(result.systems)}.",
        f"Judge: {', '.join(result.judges) or NONE}; {settings['replicates']} verdicts in each order.",
    )
    tables = [rate_table(result.of(name), name.capitalize()).without(["criterion"]) for name in result.criteria]
    return Page("Answers side by side", result.command, head, tables, remarks(result)).markdown()


def rate_table(comparisons: Sequence[Comparison], title: str = "") -> Table:
    """The columns and rows of comparisons, as a person reads them."""
    columns = ["criterion", "system", "against", "win rate", "effect", "p", "p (Holm)", "verdicts", "ties"]
    return Table([*columns, "failed", "unparsable", "shown first"], list(map(_cells, comparisons)), title)


def _cells(comparison: Comparison) -> list[str]:
    rate, counts = comparison.rate, comparison.counts
    figures = [NONE] * 4
    if rate:
        figures = [shown(rate, digits=1), f"{rate.effect:+.2f}", f"{rate.p:.4f}", f"{rate.p_holm:.4f}"]
    given = counts.wins + counts.losses + counts.ties
    numbers = [f"{number:,}" for number in (given, counts.ties, counts.failed, counts.unparsable)]
    first = NONE if comparison.shown_first is None else f"{comparison.shown_first:.1f}"
    return [comparison.criterion, comparison.first, comparison.second, *figures, *numbers, first]


def remarks(result: PairwiseResult) -> Iterator[str]:
    """What a reader must know."""
    settings = result.settings
    yield (
        "Win rate: mean score of the system over the questions, in percent; a win is 100, a tie 50, a loss 0, averaged "
        "over both orders and the repetitions in each. In parentheses: 95 % bootstrap percentile intervals over the "
        f"questions ({settings['resamples']:,} resamples, seed {settings['seed']})."
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
    failed = sum(comparison.counts.failed for comparison in result.comparisons)
    unparsable = sum(comparison.counts.unparsable for comparison in result.comparisons)
    if failed or unparsable:
        asked = sum(comparison.counts.asked for comparison in result.comparisons)
        yield (
            f"Of {asked:,} verdicts {failed:,} failed and {unparsable:,} were unparsable. The same command asks for "
            "these alone."
        )
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
