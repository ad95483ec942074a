"""Figures of answers as Markdown for people and as CSV for programs."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path
from typing import Any

from qcg_neo4j.core.errors import number_of
from qcg_neo4j.evaluation.answers.earlier import Compared
from qcg_neo4j.evaluation.answers.result import SHARES, AnswersResult, AnswersRow, Cost
from qcg_neo4j.evaluation.answers.verdicts import REFUSED_WITH_ALL, REFUSED_WITHOUT, RIGHT_AND_CITED, SCORED
from qcg_neo4j.evaluation.figures import Figure
from qcg_neo4j.evaluation.page import (
    NONE,
    Page,
    Table,
    comparison_table,
    counted,
    figure_columns,
    in_parentheses,
    missing_verdicts,
    not_by_all,
    percent,
    plot_intervals,
    settings_table,
    shown,
)
from qcg_neo4j.evaluation.settings import SCALED
from qcg_neo4j.evaluation.systems_run import made_by, outdated

COMPARED = ("judged", "ACC", "F1", *SCORED)
SPARE = (
    *("FC", "SS", RIGHT_AND_CITED, REFUSED_WITHOUT, REFUSED_WITH_ALL, "refused (others)", "relevance"),
    *("faithfulness", "refused (null)", "exact match"),
)
DRAWN = ("judged", "exact match", "F1", "ACC")


def as_markdown(result: AnswersResult) -> str:
    """The whole page: command, head, figures, differences, repetitions, costs, verdicts, settings, remarks."""
    tables = (
        figure_table(result),
        comparison_table(
            result.baseline,
            result.rows,
            [name for name in COMPARED if name in result.measures],
            lambda found, name: _shown(found, name, sign="+"),
        ),
        earlier_table(result),
        _macro(result),
        _replicates(result),
        cost_table(result),
        _verdicts(result),
        settings_table(result.rows),
    )
    return Page("Answers", result.command, _head(result), tables, remarks(result), result.note).markdown()


def figure_table(result: AnswersResult, *, intervals: bool = True) -> Table:
    """The main table: shares in percent, scores from 1 to 5."""
    rows = [
        [row.name, *(_shown(row.figures.get(name), name, intervals) for name in result.measures)] for row in result.rows
    ]
    return Table(["system", *result.measures], rows, spare=SPARE)


def _shown(figure: Figure | None, name: str, interval: bool = True, sign: str = "") -> str:
    if figure is None:
        return NONE
    return percent(figure, interval, sign) if name in SHARES else shown(figure, interval, sign)


def earlier_table(result: AnswersResult) -> Table:
    """Each measure against the earlier run's."""
    columns = ["system", "measure", "questions", "earlier", "now", "difference", "p", "alike (%)"]
    rows = [[one.system, one.measure, f"{one.questions:,}", *_then_and_now(one)] for one in result.earlier]
    return Table(columns, rows, "Against the earlier run", spare=("alike (%)", "questions", "p"))


def _then_and_now(one: Compared) -> Iterator[str]:
    for mean in (one.earlier, one.now):
        yield f"{100 * mean:.1f}" if one.measure in SHARES else f"{mean:.2f}"
    yield _shown(one.difference, one.measure, sign="+")
    yield f"{one.difference.p:.4f}"
    yield f"{100 * one.alike:.1f}"


def _macro(result: AnswersResult) -> Table:
    rows = [[row.name, f"{100 * row.macro_accuracy:.1f}"] for row in result.rows if row.macro_accuracy is not None]
    return Table(["system", "judged"], rows, "Macro accuracy, over the types of questions")


def _replicates(result: AnswersResult) -> Table:
    names = [name for name in ("exact match", *COMPARED) if name in result.measures]
    several = result.replicates > 1
    rows = [[row.name, *(_means(row, name) for name in names)] for row in result.rows] if several else []
    return Table(["system", *names], rows, "Repetitions")


def _means(row: AnswersRow, name: str) -> str:
    scale, digits = (100, 1) if name in SHARES else (1, 2)
    return ", ".join(f"{scale * mean:.{digits}f}" for mean in row.replicates.get(name, ())) or NONE


def cost_table(result: AnswersResult) -> Table:
    """What an answer of each system takes: calls, tokens, seconds."""
    columns = ["system", "calls", "input tokens", "output tokens", "context tokens", "Iter", "s (median)", "s (p95)"]
    rows = [[row.name, *_cost(row.cost)] for row in result.rows if row.cost]
    return Table(columns, rows, "What an answer takes", spare=("Iter", "s (p95)", "context tokens"))


def _cost(cost: Cost) -> list[str]:
    seconds = [NONE if value is None else f"{value:.2f}" for value in (cost.median_seconds, cost.p95_seconds)]
    told = (cost.input_tokens, cost.output_tokens, cost.context_tokens)
    tokens = [NONE if value is None else f"{value:,.0f}" for value in told]
    return [f"{cost.calls:.1f}", *tokens, f"{cost.steps:.1f}", *seconds]


def _verdicts(result: AnswersResult) -> Table:
    rows = [
        [row.name, task, *(f"{number:,}" for number in (counts.asked, counts.failed, counts.unparsable))]
        for row in result.rows
        for task, counts in row.verdicts.items()
    ]
    return Table(["system", "task", "asked", "failed", "unparsable"], rows, "Verdicts")


def _head(result: AnswersResult) -> Iterator[str]:
    told = number_of(result.null_questions, "of them a null question", "of them null questions")
    null = f", {told}" if result.null_questions else ""
    judged = " and judged" if result.judges else ""
    what = f"each answered{judged}" if result.answerer else "each answer judged"
    number = result.replicates
    often = "once" if number == 1 else f"{number} times"
    repeated = f", {what} {often}" if result.answerer or result.judges else ""
    yield f"{number_of(result.questions, 'question')}{null}{repeated}."
    style = f", style {result.style}" if result.style else ""
    yield f"Answers by {result.answerer or 'the authors of the files'}{style}."
    yield f"Judge: {', '.join(result.judges) or NONE}."
    if result.graph:
        yield f"Embedding model of the graph: {result.graph['model']}, {result.graph['dimension']} dimensions."
        yield from made_by(result.graph)


def remarks(result: AnswersResult) -> Iterator[str]:
    """What a reader must know: how it was measured, and what was odd about this run."""
    settings = result.settings
    yield (
        "Shares are in percent, scores from 1 to 5; means over the questions, of the mean over a question's "
        f"repetitions. {in_parentheses(settings)} p: two-sided paired sign-flip test, corrected over the systems of "
        "the table (Holm)."
    )
    yield (
        "Exact match and F1 compare words after SQuAD's normalization. Judged: a judge found the answer right; to a "
        "null question, which the collection does not answer, the right answer is a refusal, and the other measures "
        "leave such questions out. Refused: share of the null and of the other questions that were refused, "
        f"{'as the judge says' if 'judged' in result.measures else 'by the usual words of a refusal'}."
    )
    if REFUSED_WITH_ALL in result.measures:
        yield (
            f"Refused (others) has two parts. {REFUSED_WITH_ALL}: every document of the evidence was found. "
            f"{REFUSED_WITHOUT}: one was not."
        )
    if RIGHT_AND_CITED in result.measures:
        yield f"{RIGHT_AND_CITED}: of the answers judged right, the share that cites a passage of the evidence."
    if "ACC" in result.measures:
        weight = settings["accuracy_weight"]
        likeness = "(1 + cosine)/2" if settings["accuracy_similarity"] == SCALED else "the cosine"
        yield (
            f"ACC = {weight:g} · FC + {1 - weight:g} · SS: FC is the F1 of an answer's statements against the "
            f"reference's, SS = {likeness} of answer and reference by {result.embedding}. Of a text longer "
            "than the model reads it is that of the mean of its windows; an empty answer has 0."
        )
    if result.earlier:
        yield (
            f"The earlier run is that of {result.earlier_run}: the questions are the same, model and judge may not be. "
            "Alike: share of the questions with the same value in both runs. These p are not corrected."
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
        yield from outdated(result.graph)
    if result.without_reference:
        found = number_of(
            result.without_reference,
            "question has no reference answer and is left out",
            "questions have no reference answer and are left out",
        )
        yield f"{found} of the measures that need one." if result.compared else f"{found}."
    yield from not_by_all(result.left_out)
    if result.earlier_run and not result.earlier:
        yield f"{result.earlier_run} has no measure of these systems and questions, so nothing is compared with it."
    if result.replicates == 1 or not result.answerer:  # a file has one answer to each question
        yield "Each question was answered once: the intervals do not say how much answers vary from time to time."
    if result.missing:
        named = counted([f"{name} ({reason})" for name, reason in result.missing], separator="; ")
        yield (
            f"{number_of(len(result.missing), 'answer was not written and is', 'answers were not written and are')} "
            f"left out: {named}. The same command asks for these alone."
        )
    counts = [counts for row in result.rows for counts in row.verdicts.values()]
    yield from missing_verdicts(counts, "; they are left out of the figures")


def record(row: AnswersRow) -> dict[str, Any]:
    """A row of the CSV: every measure with its interval (shares, not percent), difference and p; costs and counts."""
    found: dict[str, Any] = {"system": row.name, "method": row.method, "settings": json.dumps(dict(row.settings))}
    found |= {"answers": row.answers, "not written": row.without}
    for name, figure in row.figures.items():
        found |= figure_columns(name, figure)
        found[f"{name} questions"] = row.questions[name]
        found[f"{name} repetitions"] = " ".join(f"{mean:.6g}" for mean in row.replicates[name])
    for name, difference in row.differences.items():
        found |= {f"{name} difference {part}": value for part, value in asdict(difference).items()}
    for task, counts in row.verdicts.items():
        found |= {f"{task} {name}": number for name, number in asdict(counts).items()}
    if row.cost:
        found |= {name.replace("_", " "): value for name, value in asdict(row.cost).items()}
    return found


def is_drawn(result: AnswersResult) -> bool:
    """Whether there is a picture: one of the measures that it shows has been measured."""
    return not set(DRAWN).isdisjoint(result.measures)


def plot(result: AnswersResult, path: Path) -> None:
    """Write the picture (PNG): what share of answers is right, systems by the first of the measures."""
    first = next((name for name in DRAWN if name in result.measures), DRAWN[0])
    rows = sorted(result.rows, key=lambda row: row.figures[first].mean if first in row.figures else -1, reverse=True)
    plot_intervals(
        rows,
        DRAWN,
        path,
        baseline=result.baseline,
        title=f"Answers to {number_of(result.questions, 'question')}",
        axis="percent, with 95 % intervals",
    )
