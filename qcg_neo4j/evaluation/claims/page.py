"""Numbers of claims and clusters as Markdown for people and as CSV for programs."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict
from typing import Any

from qcg_neo4j.evaluation.claims.result import CLAIMS, MEASURES, ClaimsResult, ClaimsRow, Contrast
from qcg_neo4j.evaluation.page import Page, Table, not_by_all, shown, some

COUNTS = ("duplicates", "empty", "failed", "unparsable")


def as_markdown(result: ClaimsResult) -> str:
    """The whole page: command, head, figures, differences, remarks."""
    head = (f"{result.questions:,} questions.", f"Claims listed by {', '.join(result.models) or 'no model'}.")
    tables = (figure_table(result, intervals=MEASURES), _differences(result.contrasts))
    return Page("Claims of answers", result.command, head, tables, remarks(result)).markdown()


def figure_table(result: ClaimsResult, intervals: Sequence[str] = (CLAIMS,)) -> Table:
    """The main table as a person reads it."""
    columns = ["system", *MEASURES, "duplicates", "no claims", "failed", "unparsable"]
    return Table(columns, [_cells(row, intervals) for row in result.rows])


def _cells(row: ClaimsRow, intervals: Sequence[str]) -> list[str]:
    means = [shown(row.figures[name], name in intervals) for name in MEASURES]
    return [row.system, *means, *(f"{getattr(row, name):,}" for name in COUNTS)]


def _differences(contrasts: Sequence[Contrast]) -> Table:
    columns = ("measure", "system", "against", "difference", "effect", "p", "p (Holm)")
    rows = [
        [
            *(item.measure, item.first, item.second, shown(item.difference, sign="+")),
            *(f"{item.effect:+.2f}", f"{item.p:.4f}", f"{item.p_holm:.4f}"),
        ]
        for item in contrasts
    ]
    return Table(columns, rows, "Differences")


def remarks(result: ClaimsResult) -> Iterator[str]:
    """What a reader must know."""
    settings = result.settings
    yield (
        "Claims: mean number of distinct factual claims in an answer (comprehensiveness). Clusters: mean number of "
        "groups of claims that say nearly the same (diversity), by complete linkage: at a threshold of 0.6 two groups "
        "join if no two of their claims are farther apart than 0.6 by 1 − ROUGE-L."
    )
    yield (
        "In parentheses: 95 % bootstrap percentile intervals over the questions "
        f"({settings['resamples']:,} resamples, seed {settings['seed']}). p: Wilcoxon's signed-rank test, question by "
        "question, two-sided; corrected over the pairs of systems (Holm). Effect: rank-biserial correlation, from -1 "
        "to +1."
    )
    yield from oddities(result)


def oddities(result: ClaimsResult) -> Iterator[str]:
    """What was odd about this run, a sentence each."""
    yield from not_by_all(result.left_out)
    failed, unparsable = (sum(getattr(row, name) for row in result.rows) for name in ("failed", "unparsable"))
    if failed or unparsable:
        yield (
            f"The claims of {failed + unparsable:,} answers are not known ({failed:,} requests failed, {unparsable:,} "
            f"replies were unparsable), so that {len(result.unknown):,} questions are left out: "
            f"{some(result.unknown)}. The same command asks for these alone."
        )


def records(result: ClaimsResult) -> Iterator[dict[str, Any]]:
    """The CSV: a row per system and measure, then one per difference; every figure and every count."""
    for row in result.rows:
        counts = {name: getattr(row, name) for name in COUNTS}
        for measure, figure in row.figures.items():
            yield {"measure": measure, "system": row.system, "against": "", **asdict(figure), **counts}
    for item in result.contrasts:
        tests = {"effect": item.effect, "p": item.p, "p_holm": item.p_holm}
        named = {"measure": item.measure, "system": item.first, "against": item.second}
        yield {**named, **asdict(item.difference), **tests}
