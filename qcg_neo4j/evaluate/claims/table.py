"""Numbers of claims and clusters as Markdown for people and as CSV for programs."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from typing import Any

from qcg_neo4j.evaluate.claims.result import CLAIMS, MEASURES, ClaimsResult, Contrast, Mean, SystemRow
from qcg_neo4j.evaluate.state import some
from qcg_neo4j.evaluate.table import markdown_table


def as_markdown(result: ClaimsResult) -> str:
    """The whole page: command, head, figures, differences, remarks."""
    parts = [
        "# Claims of answers",
        f"    {result.command}" if result.command else "",
        f"- {result.questions:,} questions.\n- Claims listed by {', '.join(result.models) or 'nobody'}.",
        markdown_table(*figure_table(result, intervals=MEASURES)),
        _differences(result.contrasts),
        "## How to read this\n\n" + "\n".join(f"- {line}" for line in remarks(result)),
    ]
    return "\n\n".join(part for part in parts if part) + "\n"


def figure_table(result: ClaimsResult, intervals: Sequence[str] = (CLAIMS,)) -> tuple[list[str], list[list[str]]]:
    """The main table: its columns and rows, as a person reads them."""
    columns = ["system", *MEASURES, "duplicates", "no claims", "failed", "unparsable"]
    return columns, [_cells(row, intervals) for row in result.rows]


def _cells(row: SystemRow, intervals: Sequence[str]) -> list[str]:
    numbers = (row.duplicates, row.empty, row.failed, row.unparsable)
    means = [_mean(row.figures[name], name in intervals) for name in MEASURES]
    return [row.system, *means, *(f"{number:,}" for number in numbers)]


def _mean(found: Mean, interval: bool = True, sign: str = "") -> str:
    shown = f"{found.mean:{sign}.2f}"
    return f"{shown} ({found.low:{sign}.2f} to {found.high:{sign}.2f})" if interval else shown


def _differences(contrasts: Sequence[Contrast]) -> str:
    if not contrasts:
        return ""
    columns = ("measure", "system", "against", "difference", "effect", "p", "p (Holm)")
    rows = [
        [
            *(item.measure, item.first, item.second, _mean(item.difference, sign="+")),
            *(f"{item.effect:+.2f}", f"{item.p:.4f}", f"{item.p_holm:.4f}"),
        ]
        for item in contrasts
    ]
    return "## Differences\n\n" + markdown_table(columns, rows)


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
    if result.left_out:
        number = len(result.left_out)
        yield f"{number:,} questions have not been answered by every system and take no part: {some(result.left_out)}."
    failed, unparsable = (sum(getattr(row, name) for row in result.rows) for name in ("failed", "unparsable"))
    if failed or unparsable:
        yield (
            f"The claims of {failed + unparsable:,} answers are not known ({failed:,} requests failed, {unparsable:,} "
            f"replies were unparsable), so that {len(result.unknown):,} questions take no part: "
            f"{some(result.unknown)}. The same command asks for these alone."
        )


def as_csv(result: ClaimsResult) -> str:
    """A row per system and measure, then a row per difference: every figure and every count."""
    rows = [_of_system(row, name) for row in result.rows for name in MEASURES]
    rows += [_of_contrast(contrast) for contrast in result.contrasts]
    stream = io.StringIO()
    writer = csv.DictWriter(stream, list(dict.fromkeys(name for row in rows for name in row)), lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    return stream.getvalue()


def _of_system(row: SystemRow, measure: str) -> dict[str, Any]:
    counts = {name: getattr(row, name) for name in ("duplicates", "empty", "failed", "unparsable")}
    return {"measure": measure, "system": row.system, "against": "", **_numbers(row.figures[measure]), **counts}


def _of_contrast(contrast: Contrast) -> dict[str, Any]:
    named = {"measure": contrast.measure, "system": contrast.first, "against": contrast.second}
    tests = {name: f"{getattr(contrast, name):.6g}" for name in ("effect", "p", "p_holm")}
    return {**named, **_numbers(contrast.difference), **tests}


def _numbers(mean: Mean) -> dict[str, str]:
    return {name: f"{value:.6g}" for name, value in asdict(mean).items()}
