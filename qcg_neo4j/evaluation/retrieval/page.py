"""A result as files: Markdown and a picture for people, CSV for programs, figures by groups of questions."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, replace
from pathlib import Path
from statistics import median
from typing import Any

import numpy as np

from qcg_neo4j.core.errors import number_of
from qcg_neo4j.evaluation.figures import Matrix
from qcg_neo4j.evaluation.page import (
    MOST_SYSTEMS,
    NONE,
    Page,
    Table,
    comparison_table,
    counted,
    figure_columns,
    percent,
    plain,
    plot_intervals,
    settings_table,
    some,
)
from qcg_neo4j.evaluation.questions import Question
from qcg_neo4j.evaluation.retrieval.result import MEASURES, TOKENS, RetrievalResult, RetrievalRow
from qcg_neo4j.evaluation.systems_run import made_by, outdated

COMPARED = ("recall@5", "MRR")  # the columns that show their interval, and groups; all intervals are in the CSV
DRAWN = ("recall@1", "recall@2", "recall@5", "recall@10")
SPARE = (
    *("filtered recall@2", "filtered recall@5", "hit@1", "hit@5", "hit@10", "mAP", "nDCG@10", "recall@25"),
    *("ms (p95)", "recall@2", "recall@10", "recall@1"),
)
MOST_ROWS = 40  # systems that the Markdown shows
MANY = 4  # evidence documents; questions with more are counted with these


def as_markdown(result: RetrievalResult) -> str:
    """The whole page: command, head, figures, differences to the baseline, settings, remarks."""
    rows = best_rows(result.rows)
    tables = (
        figure_table(replace(result, rows=rows)),
        comparison_table(result.baseline, rows, COMPARED, lambda found, _: percent(found, sign="+")),
        settings_table(rows),
    )
    return Page("Retrieval", result.command, _head(result), tables, remarks(result), result.note).markdown()


def best_rows(rows: tuple[RetrievalRow, ...]) -> tuple[RetrievalRow, ...]:
    """All rows as they come; of more than `MOST_ROWS` the best by recall@5 and MRR."""
    return rows if len(rows) <= MOST_ROWS else _ranked(rows)[:MOST_ROWS]


def _ranked(rows: Sequence[RetrievalRow]) -> tuple[RetrievalRow, ...]:
    return tuple(sorted(rows, key=lambda row: [row.figures[name].mean for name in COMPARED], reverse=True))


def figure_table(result: RetrievalResult, intervals: Sequence[str] = COMPARED) -> Table:
    """The main table as a person reads it: measures in percent, times in ms."""
    timed = any(row.latency for row in result.rows)
    columns = ["system", *MEASURES, TOKENS, *(["ms (median)", "ms (p95)"] if timed else [])]
    return Table(columns, [_cells(row, timed, intervals) for row in result.rows], spare=SPARE)


def _cells(row: RetrievalRow, timed: bool, intervals: Sequence[str]) -> list[str]:
    measures = [percent(row.figures[name], name in intervals) for name in MEASURES]
    times = (row.latency.median, row.latency.p95) if row.latency else ()
    shown = [f"{1000 * value:.1f}" for value in times] or ["", ""]
    return [row.name, *measures, f"{row.figures[TOKENS].mean:,.0f}", *(shown if timed else [])]


def _head(result: RetrievalResult) -> Iterator[str]:
    left_out = f" ({result.without_evidence:,} without are left out)" if result.without_evidence else ""
    yield f"{number_of(result.questions, 'question')} with evidence{left_out}."
    if result.ceilings:
        most = ", ".join(f"{100 * reach:.1f} of {name}" for name, reach in result.ceilings.items())
        yield f"Some questions have more right documents than are looked at, so that no ranking has more than {most}."
    yield f"Embedding model: {result.graph['model']}, {result.graph['dimension']} dimensions."
    yield from made_by(result.graph)
    build = result.graph["stages"].get("build", {}).get("figures") or {}
    if build:
        yield f"Figures of the build: {plain(build)}."


def remarks(result: RetrievalResult) -> Iterator[str]:
    """What a reader must know: how it was measured, and what was odd about this run."""
    settings = result.settings
    yield (
        f"Documents are ranked by their first passage among at least {settings['depth']} passages; the measures are "
        "those of `ir_measures`, means over the questions, in percent. Tokens are those of the passages that the "
        "system as set would return."
    )
    yield (
        "Filtered recall@k counts a right document with fewer than k wrong ones above it, as if the other right ones "
        "were not there: it compares with systems that rank so, and is never below recall@k."
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


def oddities(result: RetrievalResult) -> Iterator[str]:
    """What was odd about this run, a sentence each."""
    yield from outdated(result.graph)
    if result.missing:
        unknown = number_of(
            len(result.missing),
            "document that the questions name is not in the graph and counts as not found",
            "documents that the questions name are not in the graph and count as not found",
        )
        yield f"{unknown}: {some(result.missing)}."
    for name, reason in result.left_out.items():
        yield f"{name} is left out: {reason}"
    yield from _without_reply(result)
    yield from _worst("Nothing was found", result, lambda row: row.nothing_found / _answered(result, row))
    yield from _worst(
        "A ranking used up its --depth before it had 25 documents",
        result,
        lambda row: row.cut / _answered(result, row),
    )
    yield from _worst(
        "The system as set gave other passages than its deep ranking begins with (an index's candidates depend on how "
        "many passages are wanted)",
        result,
        lambda row: 0 if row.same is None else 1 - row.same,
    )


def _answered(result: RetrievalResult, row: RetrievalRow) -> int:
    return result.questions - len(row.without_reply)


def _without_reply(result: RetrievalResult) -> Iterator[str]:
    found = [row for row in result.rows if row.without_reply]
    for row in found:
        questions = [f"{question!r}" for question in row.without_reply]
        yield (
            f"{row.name} lacks a reply to {len(questions):,} of the questions, which are left out of its figures and "
            f"differences: {counted(questions, 'more, which --json names')}."
        )
    if found:
        yield f"The first reply that is not there: {found[0].first_gap} The same command asks for these alone."


def _worst(what: str, result: RetrievalResult, share: Callable[[RetrievalRow], float]) -> Iterator[str]:
    """A sentence about the systems in which something happened, those in which it happened most by name."""
    found = sorted((row for row in result.rows if share(row) > 0), key=share, reverse=True)
    if found:
        named = [f"{row.name} {100 * share(row):.1f} %" for row in found]
        yield f"{what}; share of the questions: {counted(named, 'more systems with fewer')}."


def record(row: RetrievalRow) -> dict[str, Any]:
    """A row of the CSV: every measure with its interval (shares, not percent), difference and p; seconds."""
    found: dict[str, Any] = {"system": row.name, "method": row.method, "settings": json.dumps(dict(row.settings))}
    for name, figure in row.figures.items():
        found |= figure_columns(name, figure)
    if row.latency:
        found |= {"median seconds": row.latency.median, "p95 seconds": row.latency.p95}
    for name, difference in row.differences.items():
        for part, value in asdict(difference).items():
            label = "difference" if part == "mean" else f"difference {part}" if part in ("low", "high") else part
            found[f"{name} {label}"] = value
    if row.without_reply:
        found["without reply"] = len(row.without_reply)
    return found


def plot(result: RetrievalResult, path: Path) -> None:
    """Write the picture (PNG): recall at several depths, systems by recall@5 and MRR."""
    best = f", the best {MOST_SYSTEMS} of {len(result.rows):,} systems" if len(result.rows) > MOST_SYSTEMS else ""
    plot_intervals(
        _ranked(result.rows),
        DRAWN,
        path,
        baseline=result.baseline,
        title=f"Recall of documents, {number_of(result.questions, 'question')}{best}",
        axis="recall in percent, with 95 % intervals",
    )


def breakdown(questions: Sequence[Question], values: Mapping[str, Mapping[str, Matrix]], command: str = "") -> str:
    """Where systems fail, a page of Markdown: by the type of a question, and by how many documents answer it.

    ``values`` has by system and measure a value for each question, NaN where it is not known. ``command`` is what the
    page names as its source.
    """
    parts = ["# Retrieval by groups of questions", f"    {command}" if command else ""]
    for title, names in (
        ("By type", [question.type or "without a type" for question in questions]),
        ("By number of evidence documents", [_number(len(question.evidence)) for question in questions]),
    ):
        groups = {name: [place for place, own in enumerate(names) if own == name] for name in sorted(set(names))}
        columns = ["system", *(f"{name}, {group} ({len(groups[group]):,})" for group in groups for name in COMPARED)]
        rows = [[system, *_means(found, groups.values())] for system, found in values.items()]
        parts.append(Table(columns, rows, title).markdown())
    parts.append("Means in percent; in parentheses, how many questions the group has.")
    return "\n\n".join(part for part in parts if part) + "\n"


def _number(documents: int) -> str:
    return f"{MANY} or more documents" if documents >= MANY else number_of(documents, "document")


def _means(values: Mapping[str, Matrix], groups: Iterable[list[int]]) -> Iterator[str]:
    for places in groups:
        for name in COMPARED:
            known = values[name][places]
            known = known[np.isfinite(known)]
            yield f"{100 * known.mean():.1f}" if len(known) else NONE
