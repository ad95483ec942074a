"""Figures of answers as Markdown for people and as CSV for programs."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterator, Sequence
from typing import Any

from qcg_neo4j.evaluate.answering.judging import SCORED
from qcg_neo4j.evaluate.answering.result import SHARES, AnswersResult, Counts, Row
from qcg_neo4j.evaluate.result import Difference, Figure
from qcg_neo4j.evaluate.state import some
from qcg_neo4j.evaluate.table import markdown_table, percent, plain

COMPARED = ("judged", "ACC", "F1", *SCORED)
_NONE = "–"
_NAMED = 5


def as_markdown(result: AnswersResult) -> str:
    """The whole page: command, head, figures, differences, repetitions, costs, verdicts, settings, remarks."""
    titled = {
        f"Against {result.baseline}": _comparison(result),
        "Repetitions": _replicates(result),
        "What an answer takes": cost_table(result),
        "Verdicts": _verdicts(result),
        "Settings": (
            ["system", "method", "settings"],
            [[row.name, row.method, plain(row.settings)] for row in _set(result)],
        ),
    }
    parts = [
        "# Answers",
        f"    {result.command}" if result.command else "",
        result.note,
        "\n".join(_head(result)),
        markdown_table(*figure_table(result)),
        *(f"## {title}\n\n{markdown_table(*table)}" for title, table in titled.items() if table[1]),
        "## How to read this\n\n" + "\n".join(f"- {line}" for line in remarks(result)),
    ]
    return "\n\n".join(part for part in parts if part) + "\n"


def figure_table(result: AnswersResult, *, intervals: bool = True) -> tuple[list[str], list[list[str]]]:
    """The main table: shares in percent, scores from 1 to 5."""
    measures = result.measures
    rows = [[row.name, *(_figure(row, name, intervals) for name in measures)] for row in result.rows]
    return ["system", *measures], rows


def _figure(row: Row, name: str, interval: bool) -> str:
    figure = row.figures.get(name)
    return _shown(figure, name, interval) if figure else _NONE


def _shown(figure: Figure | Difference, name: str, interval: bool = True, sign: str = "") -> str:
    if name in SHARES:
        return percent(figure, interval, sign)
    shown = f"{figure.mean:{sign}.2f}"
    return f"{shown} ({figure.low:{sign}.2f} to {figure.high:{sign}.2f})" if interval else shown


def _comparison(result: AnswersResult) -> tuple[list[str], list[list[str]]]:
    names = [name for name in COMPARED if name in result.measures]
    rows = [row for row in result.rows if row.differences]
    columns = ["system", *(column for name in names for column in (name, f"p ({name})"))]
    return columns, [[row.name, *(cell for name in names for cell in _difference(row, name))] for row in rows]


def _difference(row: Row, name: str) -> tuple[str, str]:
    found = row.differences.get(name)
    return (_shown(found, name, sign="+"), f"{found.p_holm:.4f}") if found else (_NONE, _NONE)


def _replicates(result: AnswersResult) -> tuple[list[str], list[list[str]]]:
    names = [name for name in ("exact match", *COMPARED) if name in result.measures]
    several = result.settings["replicates"] > 1
    rows = [[row.name, *(_means(row, name) for name in names)] for row in result.rows] if several else []
    return ["system", *names], rows


def _means(row: Row, name: str) -> str:
    scale, digits = (100, 1) if name in SHARES else (1, 2)
    return ", ".join(f"{scale * mean:.{digits}f}" for mean in row.replicates.get(name, ())) or _NONE


def cost_table(result: AnswersResult) -> tuple[list[str], list[list[str]]]:
    """What an answer of each system takes: calls, tokens, seconds."""
    columns = ["system", "calls", "input tokens", "output tokens", "context tokens", "s (median)", "s (p95)"]
    return columns, [[row.name, *_cost(row)] for row in result.rows if row.cost]


def _cost(row: Row) -> list[str]:
    cost = row.cost
    if cost is None:
        return []
    seconds = [_NONE if value is None else f"{value:.2f}" for value in (cost.median_seconds, cost.p95_seconds)]
    tokens = [f"{value:,.0f}" for value in (cost.input_tokens, cost.output_tokens, cost.context_tokens)]
    return [f"{cost.calls:.1f}", *tokens, *seconds]


def _verdicts(result: AnswersResult) -> tuple[list[str], list[list[str]]]:
    rows = [
        [row.name, task, *(f"{number:,}" for number in (counts.asked, counts.failed, counts.unparsable))]
        for row in result.rows
        for task, counts in row.verdicts.items()
    ]
    return ["system", "task", "asked", "failed", "unparsable"], rows


def _set(result: AnswersResult) -> list[Row]:
    return [row for row in result.rows if row.method]


def _head(result: AnswersResult) -> Iterator[str]:
    null = f", {result.null_questions:,} of them null questions" if result.null_questions else ""
    what = "each answered and judged" if result.answerer else "each answer judged"
    repeated = f", {what} {result.settings['replicates']} times" if result.answerer or result.judges else ""
    yield f"- {result.questions:,} questions{null}{repeated}."
    style = f", style {result.style}" if result.style else ""
    yield f"- Answers by {result.answerer or 'whoever wrote the files'}{style}."
    yield f"- Judge: {', '.join(result.judges) or _NONE}."
    if result.graph:
        yield f"- Embedding model of the graph: {result.graph['model']}, {result.graph['dimension']} dimensions."
        for name, stage in result.graph["stages"].items():
            if stage["settings"] is not None:
                yield f"- {name}: {plain(stage['settings'])}."


def remarks(result: AnswersResult) -> Iterator[str]:
    """What a reader must know: how it was measured, and what was odd about this run."""
    settings = result.settings
    yield (
        "Shares are in percent, scores from 1 to 5; means over the questions, of the mean over a question's "
        "repetitions. In parentheses: 95 % bootstrap percentile intervals over the questions "
        f"({settings['resamples']:,} resamples, seed {settings['seed']}). p: two-sided paired sign-flip test, "
        "corrected over the systems of the table (Holm)."
    )
    yield (
        "Exact match and F1 compare words after SQuAD's normalization. Judged: a judge found the answer right; to a "
        "null question, which the collection does not answer, the right answer is a refusal, and the other measures "
        "leave such questions out. Refused: share of the null and of the other questions that were refused, "
        f"{'as the judge says' if 'judged' in result.measures else 'by the usual words of a refusal'}."
    )
    if "ACC" in result.measures:
        weight = settings["accuracy_weight"]
        yield (
            f"ACC = {weight:g} · FC + {1 - weight:g} · SS: FC is the F1 of an answer's statements against the "
            f"reference's, SS = (1 + cosine)/2 of answer and reference by {result.embedding}."
        )
    if any(row.cost for row in result.rows):
        yield (
            "Calls, tokens and seconds are means of one answer with what finding its passages took, as first paid for; "
            "seconds run from the embedded question to the answer, while other calls are under way."
        )
    yield from oddities(result)


def oddities(result: AnswersResult) -> Iterator[str]:
    """What was odd about this run, a sentence each."""
    if result.graph:
        for name, reason in result.graph["stale"].items():
            yield f"The stage {name} is {reason}."
    if result.without_reference:
        yield f"{result.without_reference:,} questions have no reference answer and take no part."
    if result.left_out:
        number = len(result.left_out)
        yield f"{number:,} questions have not been answered by every system and take no part: {some(result.left_out)}."
    if result.settings["replicates"] == 1:
        yield "Each question was answered once: the intervals do not say how much answers vary from time to time."
    if result.missing:
        named = "; ".join(f"{name} ({reason})" for name, reason in result.missing[:_NAMED])
        more = f" and {len(result.missing) - _NAMED:,} more" if len(result.missing) > _NAMED else ""
        yield (
            f"{len(result.missing):,} answers were not written and take no part: {named}{more}. The same command asks "
            "for these alone."
        )
    yield from _missing_verdicts(result)


def _missing_verdicts(result: AnswersResult) -> Iterator[str]:
    counts = [counts for row in result.rows for counts in row.verdicts.values()]
    failed, unparsable = _total(counts, "failed"), _total(counts, "unparsable")
    if failed or unparsable:
        yield (
            f"Of {_total(counts, 'asked'):,} verdicts {failed:,} failed and {unparsable:,} were unparsable; they "
            "are left out of the figures. The same command asks for these alone."
        )


def _total(counts: Sequence[Counts], name: str) -> int:
    return sum(getattr(item, name) for item in counts)


def as_csv(result: AnswersResult) -> str:
    """A row per system: every measure with its interval (shares, not percent), difference and p; costs and counts."""
    stream = io.StringIO()
    rows = [_record(row) for row in result.rows]
    columns = list(dict.fromkeys(column for row in rows for column in row))
    writer = csv.DictWriter(stream, columns, lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    return stream.getvalue()


def _record(row: Row) -> dict[str, Any]:
    record: dict[str, Any] = {"system": row.name, "method": row.method, "settings": json.dumps(dict(row.settings))}
    record |= {"answers": row.answers, "not written": row.without}
    for name, figure in row.figures.items():
        record |= {name: _number(figure.mean), f"{name} low": _number(figure.low), f"{name} high": _number(figure.high)}
        record[f"{name} questions"] = row.questions[name]
        record[f"{name} repetitions"] = " ".join(map(_number, row.replicates[name]))
    for name, difference in row.differences.items():
        for part in ("mean", "low", "high", "p", "p_holm"):
            record[f"{name} difference {part}"] = _number(getattr(difference, part))
    for task, counts in row.verdicts.items():
        record |= {
            f"{task} asked": counts.asked,
            f"{task} failed": counts.failed,
            f"{task} unparsable": counts.unparsable,
        }
    for name, value in vars(row.cost).items() if row.cost else ():
        record[name.replace("_", " ")] = "" if value is None else _number(value)
    return record


def _number(value: float) -> str:
    return f"{value:.6g}"


__all__ = ["as_csv", "as_markdown", "cost_table", "figure_table", "oddities"]
