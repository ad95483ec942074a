"""Win rates as Markdown for people and as CSV for programs."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from typing import Any

from qcg_neo4j.evaluate.pairwise.result import Comparison, PairwiseResult
from qcg_neo4j.evaluate.state import some
from qcg_neo4j.evaluate.table import markdown_table

CONTROL = "directness"
_FAR_FROM_HALF = 10  # percent by which the answer shown first may win or lose before it is remarked on
_NAMED = 5  # comparisons that a remark names
_NONE = "–"


def as_markdown(result: PairwiseResult) -> str:
    """The whole page: command, head, a table for each criterion, remarks."""
    parts = ["# Answers side by side", f"    {result.command}" if result.command else "", "\n".join(_head(result))]
    parts += [f"## {criterion.capitalize()}\n\n" + _of_criterion(result, criterion) for criterion in result.criteria]
    parts.append("## How to read this\n\n" + "\n".join(f"- {line}" for line in remarks(result)))
    return "\n\n".join(part for part in parts if part) + "\n"


def _head(result: PairwiseResult) -> Iterator[str]:
    settings = result.settings
    yield f"- {result.questions:,} questions, answered by {', '.join(result.systems)}."
    yield f"- Judge: {', '.join(result.judges) or _NONE}; {settings['replicates']} verdicts in each order."


def _of_criterion(result: PairwiseResult, criterion: str) -> str:
    columns, rows = rate_table(result.of(criterion))
    return markdown_table(columns[1:], [row[1:] for row in rows])


def rate_table(comparisons: Sequence[Comparison]) -> tuple[list[str], list[list[str]]]:
    """The columns and rows of comparisons, as a person reads them."""
    columns = ["criterion", "system", "against", "win rate", "effect", "p", "p (Holm)", "verdicts", "ties"]
    return [*columns, "failed", "unparsable", "shown first"], [_cells(comparison) for comparison in comparisons]


def _cells(comparison: Comparison) -> list[str]:
    rate, counts = comparison.rate, comparison.counts
    figures = [_NONE] * 4
    if rate:
        mean = f"{rate.mean:.1f} ({rate.low:.1f} to {rate.high:.1f})"
        figures = [mean, f"{rate.effect:+.2f}", f"{rate.p:.4f}", f"{rate.p_holm:.4f}"]
    given = counts.wins + counts.losses + counts.ties
    numbers = [f"{number:,}" for number in (given, counts.ties, counts.failed, counts.unparsable)]
    shown_first = _NONE if comparison.shown_first is None else f"{comparison.shown_first:.1f}"
    return [comparison.criterion, comparison.first, comparison.second, *figures, *numbers, shown_first]


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
        "wins."
    )
    yield (
        "Failed: the endpoint gave no reply. Unparsable: it gave none of the form asked for, twice. Both are left out "
        "of the rates. Shown first: mean score of the answer that stood first; without a liking for the place it is 50."
    )
    if CONTROL in result.criteria:
        yield (
            f"{CONTROL.capitalize()} is the control: what covers more is less direct, so that no system is expected to "
            "win by all criteria."
        )
    yield from oddities(result)


def oddities(result: PairwiseResult) -> Iterator[str]:
    """What was odd about this run, a sentence each."""
    if result.left_out:
        number = len(result.left_out)
        yield f"{number:,} questions have not been answered by every system and take no part: {some(result.left_out)}."
    failed = sum(comparison.counts.failed for comparison in result.comparisons)
    unparsable = sum(comparison.counts.unparsable for comparison in result.comparisons)
    if failed or unparsable:
        asked = sum(comparison.counts.asked for comparison in result.comparisons)
        yield (
            f"Of {asked:,} verdicts {failed:,} failed and {unparsable:,} were unparsable. The same command asks for "
            "these alone."
        )
    incomplete = [(found, f"{found.left_out:,}") for found in result.comparisons if found.left_out]
    yield from _named("Questions without a verdict in one of the orders take no part", incomplete)
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
    named = [f"{item.first} against {item.second} ({item.criterion}) {figure}" for item, figure in found[:_NAMED]]
    more = f" and {len(found) - _NAMED:,} more" if len(found) > _NAMED else ""
    if found:
        yield f"{what}: {', '.join(named)}{more}."


def as_csv(result: PairwiseResult) -> str:
    """A row per criterion and pair: every figure and every count."""
    stream = io.StringIO()
    rows = [_record(comparison) for comparison in result.comparisons]
    columns = list(dict.fromkeys(column for row in rows for column in row))
    writer = csv.DictWriter(stream, columns, lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    return stream.getvalue()


def _record(comparison: Comparison) -> dict[str, Any]:
    rate = (
        asdict(comparison.rate) if comparison.rate else dict.fromkeys(("mean", "low", "high", "effect", "p", "p_holm"))
    )
    figures = {"win rate" if name == "mean" else name: value for name, value in rate.items()}
    numbers = {"questions": comparison.questions, "left out": comparison.left_out, **asdict(comparison.counts)}
    named = {"criterion": comparison.criterion, "system": comparison.first, "against": comparison.second}
    values = {**figures, "shown first": comparison.shown_first}
    return {**named, **{name: _number(value) for name, value in values.items()}, **numbers}


def _number(value: float | None) -> str:
    return "" if value is None else f"{value:.6g}"
