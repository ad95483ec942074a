"""A result as Markdown for people and as CSV for programs; the Markdown begins with the command that makes it."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from statistics import median
from typing import Any

from qcg_neo4j.evaluate.metrics import MEASURES
from qcg_neo4j.evaluate.result import TOKENS, Difference, Figure, Result, Row
from qcg_neo4j.evaluate.state import some

WITH_INTERVAL = ("recall@5", "MRR")  # the columns that show their interval; all intervals are in the CSV
COMPARED = ("recall@5", "MRR")
MOST_ROWS = 40  # systems that the Markdown shows
_NAMED = 5  # systems that a remark names


def as_markdown(result: Result) -> str:
    """The whole page: command, head, figures, differences to the baseline, settings, remarks."""
    shown = replace(result, rows=best_rows(result.rows))
    parts = [
        "# Retrieval",
        f"    {result.command}" if result.command else "",
        result.note,
        "\n".join(_head(result)),
        markdown_table(*figure_table(shown)),
        _comparison(shown),
        "## Settings\n\n" + markdown_table(("system", "method", "settings"), _settings(shown.rows)),
        "## How to read this\n\n" + "\n".join(f"- {line}" for line in remarks(result)),
    ]
    return "\n\n".join(part for part in parts if part) + "\n"


def best_rows(rows: tuple[Row, ...]) -> tuple[Row, ...]:
    """All rows as they come; of more than `MOST_ROWS` the best by recall@5 and MRR."""
    if len(rows) <= MOST_ROWS:
        return rows
    return tuple(
        sorted(rows, key=lambda row: [row.figures[name].mean for name in WITH_INTERVAL], reverse=True)[:MOST_ROWS]
    )


def figure_table(result: Result, intervals: Sequence[str] = WITH_INTERVAL) -> tuple[list[str], list[list[str]]]:
    """The main table: its columns and its rows, as a person reads them (measures in percent, times in ms)."""
    timed = any(row.latency for row in result.rows)
    columns = ["system", *MEASURES, TOKENS, *(["ms (median)", "ms (p95)"] if timed else [])]
    return columns, [_cells(row, timed, intervals) for row in result.rows]


def _cells(row: Row, timed: bool, intervals: Sequence[str]) -> list[str]:
    measures = [percent(row.figures[name], name in intervals) for name in MEASURES]
    cells = [row.name, *measures, f"{row.figures[TOKENS].mean:,.0f}"]
    if not timed:
        return cells
    latency = row.latency
    return [*cells, *((f"{1000 * value:.1f}" for value in (latency.median, latency.p95)) if latency else ("", ""))]


def percent(figure: Figure | Difference, interval: bool = True, sign: str = "") -> str:
    """A share in percent, with its interval: ``84.3 (81.5 to 87.0)``."""
    shown = f"{100 * figure.mean:{sign}.1f}"
    return f"{shown} ({100 * figure.low:{sign}.1f} to {100 * figure.high:{sign}.1f})" if interval else shown


def _comparison(result: Result) -> str:
    rows = [row for row in result.rows if row.differences]
    if not rows:
        return ""
    columns = ["system", *(column for name in COMPARED for column in (name, f"p ({name})"))]
    body = [[row.name, *(cell for name in COMPARED for cell in _difference(row.differences[name]))] for row in rows]
    return f"## Against {result.baseline}\n\n" + markdown_table(columns, body)


def _difference(difference: Difference) -> tuple[str, str]:
    return percent(difference, sign="+"), f"{difference.p_holm:.4f}"


def _settings(rows: Iterable[Row]) -> Iterator[list[str]]:
    for row in rows:
        yield [row.name, row.method, plain(row.settings)]


def plain(values: Mapping[str, Any]) -> str:
    """Settings or figures in one line; what is itself a structure is left out."""
    scalars = {name: value for name, value in values.items() if isinstance(value, str | int | float)}
    return ", ".join(f"{name} {_scalar(value)}" for name, value in scalars.items())


def _scalar(value: str | float) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    return f"{value:.4g}" if isinstance(value, float) else str(value)


def _head(result: Result) -> Iterator[str]:
    left_out = f" ({result.without_evidence:,} without are left out)" if result.without_evidence else ""
    yield f"- {result.questions:,} questions with evidence{left_out}."
    yield f"- Embedding model: {result.graph['model']}, {result.graph['dimension']} dimensions."
    for name, stage in result.graph["stages"].items():
        if stage["settings"] is None:
            continue
        yield f"- {name}: {plain(stage['settings'])}."
    build = result.graph["stages"].get("build", {}).get("figures") or {}
    if build:
        yield f"- Figures of the build: {plain(build)}."


def remarks(result: Result) -> Iterator[str]:
    """What a reader must know: how it was measured, and what was odd about this run."""
    settings = result.settings
    yield (
        f"Documents are ranked by their first passage among at least {settings['depth']} passages; the measures are "
        "those of `ir_measures`, means over the questions, in percent. Tokens are those of the passages that the "
        "system as set would return."
    )
    if len(result.rows) > MOST_ROWS:
        yield f"Of {len(result.rows):,} systems the best {MOST_ROWS} by recall@5 are shown; `table.csv` has all."
    yield (
        f"In parentheses: 95 % bootstrap percentile intervals ({settings['resamples']:,} resamples, seed "
        f"{settings['seed']}). p: two-sided paired sign-flip test, corrected over the systems of the table (Holm)."
    )
    if any(row.latency for row in result.rows):
        yield (
            "Times are those of a retrieval with the system's own settings, warm, one at a time, with the question's "
            f"vector given: round trip to the database and reading its rows.{_embedding(result.embedding_seconds)}"
        )
    yield from oddities(result)


def _embedding(seconds: Sequence[float]) -> str:
    if not seconds:
        return ""
    return f" Embedding one question takes {1000 * median(seconds):.1f} ms more (median of {len(seconds)})."


def oddities(result: Result) -> Iterator[str]:
    """What was odd about this run, a sentence each."""
    for name, reason in result.graph["stale"].items():
        yield f"The stage {name} is {reason}."
    if result.missing:
        yield (
            f"{len(result.missing):,} documents that the questions name are not in the graph and count as not found: "
            f"{some(result.missing)}."
        )
    for name, reason in result.left_out.items():
        yield f"{name} is left out: {reason}"
    yield from _worst("Nothing was found", result, lambda row: row.nothing_found / result.questions)
    yield from _worst(
        "A ranking used up its --depth before it had 25 documents", result, lambda row: row.cut / result.questions
    )
    yield from _worst(
        "The system as set gave other passages than its deep ranking begins with (an index's candidates depend on how "
        "many passages are wanted)",
        result,
        lambda row: 0 if row.same is None else 1 - row.same,
    )


def _worst(what: str, result: Result, share: Callable[[Row], float]) -> Iterator[str]:
    """A sentence about the systems in which something happened, those in which it happened most by name."""
    found = sorted((row for row in result.rows if share(row) > 0), key=share, reverse=True)
    named = [f"{row.name} {100 * share(row):.1f} %" for row in found[:_NAMED]]
    more = f" and {len(found) - _NAMED:,} more systems with fewer" if len(found) > _NAMED else ""
    if found:
        yield f"{what}, in so many of the questions: {', '.join(named)}{more}."


def markdown_table(columns: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A Markdown table; all columns but those of words stand to the right."""
    words = ("system", "against", "measure", "method", "settings", "table")
    lines = [columns, ["---" if column in words else "---:" for column in columns], *rows]
    return "\n".join(f"| {' | '.join(map(_cell, line))} |" for line in lines)


def _cell(text: str) -> str:
    return " ".join(text.split()).replace("|", "\\|")  # either would end the cell


def as_csv(result: Result) -> str:
    """A row per system: every measure with its interval (shares, not percent), difference and p; seconds."""
    stream = io.StringIO()
    rows = [_record(row) for row in result.rows]
    columns = list(dict.fromkeys(column for row in rows for column in row))
    writer = csv.DictWriter(stream, columns, lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    return stream.getvalue()


def _record(row: Row) -> dict[str, Any]:
    record: dict[str, Any] = {"system": row.name, "method": row.method, "settings": json.dumps(dict(row.settings))}
    for name, figure in row.figures.items():
        record |= {name: _number(figure.mean), f"{name} low": _number(figure.low), f"{name} high": _number(figure.high)}
    if row.latency:
        record |= {"median seconds": _number(row.latency.median), "p95 seconds": _number(row.latency.p95)}
    for name, difference in row.differences.items():
        for part in ("mean", "low", "high", "p", "p_holm"):
            label = "difference" if part == "mean" else f"difference {part}" if part in ("low", "high") else part
            record[f"{name} {label}"] = _number(getattr(difference, part))
    return record


def _number(value: float) -> str:
    return f"{value:.6g}"
