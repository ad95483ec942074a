"""The figures of answers: means with intervals, differences to the baseline, what is missing, what it took."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from qcg_neo4j.core.records import Usage
from qcg_neo4j.evaluation.agreement import Agreement
from qcg_neo4j.evaluation.answers.earlier import Compared
from qcg_neo4j.evaluation.answers.trials import Context, Trial, Written
from qcg_neo4j.evaluation.answers.verdicts import (
    REFUSED_WITH_ALL,
    REFUSED_WITHOUT,
    RIGHT_AND_CITED,
    SCORED,
    Counts,
    Judged,
)
from qcg_neo4j.evaluation.claims import ClaimsResult
from qcg_neo4j.evaluation.figures import Difference, Figure, Matrix, differences_of, figures_of
from qcg_neo4j.evaluation.page import Result, Row
from qcg_neo4j.evaluation.pairwise.result import PairwiseResult
from qcg_neo4j.evaluation.settings import AnswersSettings

SHARES = (
    *("exact match", "F1", "judged", "refused (null)", "refused (others)", REFUSED_WITH_ALL, REFUSED_WITHOUT),
    *(RIGHT_AND_CITED, "FC", "SS", "ACC"),
)
MEASURES = (*SHARES, *SCORED)


@dataclass(frozen=True)
class Cost:
    """Means per answer: calls and tokens as first paid, tokens of the context, seconds from question to answer.

    ``steps`` is KG-CQR's Iter: the searches of a retrieval in several steps, else 1.
    ``timed`` counts the answers whose time is known; without any, the seconds are None. So are
    tokens that no endpoint reported.
    """

    calls: float
    input_tokens: float | None
    output_tokens: float | None
    context_tokens: float
    timed: int
    median_seconds: float | None = None
    p95_seconds: float | None = None
    steps: float = 1.0


@dataclass(frozen=True)
class AnswersRow(Row):
    """A system's figures by measure, over the ``questions`` of each; ``differences`` is empty for the baseline.

    ``replicates`` holds the mean of each repetition. ``answers`` counts all of them, ``without`` those that nobody
    wrote; ``verdicts`` what became of each task of the judge. ``macro_accuracy`` is the mean over types of questions.
    """

    name: str
    method: str
    settings: Mapping[str, Any]
    answers: int
    without: int
    figures: Mapping[str, Figure]
    questions: Mapping[str, int]
    replicates: Mapping[str, tuple[float, ...]]
    verdicts: Mapping[str, Counts]
    cost: Cost | None = None
    macro_accuracy: float | None = None
    differences: Mapping[str, Difference] = field(default_factory=dict)


@dataclass(frozen=True)
class AnswersResult(Result):
    """A table of answers, what it was measured on, and how it is made again.

    ``without_reference`` counts questions of which nobody says what a good answer is: with ``compared`` their answers
    are compared with each other, else they are left out. ``missing`` names answers that nobody wrote, with the reason.
    ``usage`` is what was paid now, for answers and for verdicts. ``earlier`` compares with the run ``earlier_run``.
    """

    rows: tuple[AnswersRow, ...]
    baseline: str | None
    questions: int
    null_questions: int
    without_reference: int
    settings: Mapping[str, Any]
    style: str
    answerer: str
    judges: tuple[str, ...]
    command: str = ""
    note: str = ""
    graph: Mapping[str, Any] | None = None
    embedding: str = ""
    missing: tuple[tuple[str, str], ...] = ()
    left_out: tuple[str, ...] = ()
    usage: Mapping[str, Usage] = field(default_factory=dict)
    compared: bool = False
    pairwise: PairwiseResult | None = None
    claims: ClaimsResult | None = None
    agreement: tuple[Agreement, ...] = ()
    earlier: tuple[Compared, ...] = ()
    earlier_run: str = ""

    @property
    def replicates(self) -> int:
        """How often a question was answered, or an answer judged."""
        return max((len(means) for row in self.rows for means in row.replicates.values()), default=1)

    @property
    def measures(self) -> tuple[str, ...]:
        """The measures that any system has."""
        return tuple(name for name in MEASURES if any(name in row.figures for row in self.rows))


@dataclass(frozen=True)
class Answered:
    """Name, method and settings of each system, and their answers by trial, with the contexts that are known."""

    systems: Sequence[tuple[str, str, Mapping[str, Any]]]
    trials: Sequence[Trial]
    written: Mapping[Trial, Written]
    contexts: Mapping[Trial, Context] = field(default_factory=dict)


def rows_of(
    answered: Answered, judged: Judged, baseline: str | None, settings: AnswersSettings
) -> tuple[AnswersRow, ...]:
    """The rows of all systems, in their order."""
    names = [name for name, _, _ in answered.systems]
    trials = [[trial for trial in answered.trials if trial.system == name] for name in names]
    values = {measure: np.stack([_means(own, judged, measure) for own in trials]) for measure in MEASURES}
    figures = {measure: figures_of(matrix, settings) for measure, matrix in values.items()}
    differences = differences_of(names, baseline, values, settings)
    rows = []
    for place, (name, method, chosen) in enumerate(answered.systems):
        own = trials[place]
        found = {measure: one for measure, column in figures.items() if (one := column[place])}
        # Without contexts the answers were given: a repetition is another judging of the same answer.
        answers = own if answered.contexts else [trial for trial in own if trial.replicate == 1]
        written = [answered.written[trial] for trial in answers if trial in answered.written]
        row = AnswersRow(
            name=name,
            method=method,
            settings=chosen,
            answers=len(answers),
            without=len(answers) - len(written),
            figures=found,
            questions={measure: int(np.isfinite(values[measure][place]).sum()) for measure in found},
            replicates={measure: _replicates(own, judged, measure) for measure in found},
            verdicts=judged.counts.get(name, {}),
            cost=mean_cost(written, [answered.contexts[trial] for trial in own if trial in answered.contexts]),
            macro_accuracy=macro_accuracy(own, values["judged"][place]),
            differences=differences.get(name, {}),
        )
        rows.append(row)
    return tuple(rows)


def macro_accuracy(trials: Sequence[Trial], judged: Matrix) -> float | None:
    """The mean over the types of questions of the share that is judged right, (questions,) in the order of the trials.

    None where there are no verdicts, or all questions are of one type.
    """
    types = {trial.question.id: trial.question.type for trial in trials}.values()
    found: dict[str, list[float]] = {}
    for kind, value in zip(types, judged, strict=True):
        if np.isfinite(value):
            found.setdefault(kind, []).append(value)
    return float(np.mean([np.mean(values) for values in found.values()])) if len(found) > 1 else None


def _means(trials: Sequence[Trial], judged: Judged, measure: str) -> Matrix:
    """A system's value for each question: the mean over the repetitions that have one, else NaN."""
    found: dict[str, list[float]] = {}
    for trial in trials:
        values = found.setdefault(trial.question.id, [])
        value = judged.values.get(trial, {}).get(measure)
        if value is not None:
            values.append(value)
    return np.array([np.mean(values) if values else np.nan for values in found.values()])


def _replicates(trials: Sequence[Trial], judged: Judged, measure: str) -> tuple[float, ...]:
    """The mean of each repetition over the questions that have a value in it."""
    found: dict[int, list[float]] = {}
    for trial in trials:
        value = judged.values.get(trial, {}).get(measure)
        if value is not None:
            found.setdefault(trial.replicate, []).append(value)
    return tuple(float(np.mean(found[number])) for number in sorted(found))


def mean_cost(written: Sequence[Written], contexts: Sequence[Context]) -> Cost | None:
    """What the answers took on average; None where nothing says how they were found."""
    if not contexts:  # files of answers do not say
        return None
    seconds = [answer.seconds for answer in written if answer.seconds is not None]
    context = float(np.mean([context.tokens for context in contexts]))
    calls = float(np.mean([answer.usage.calls for answer in written]))
    # An endpoint that reports no tokens is no free one.
    told = [answer.usage for answer in written if answer.usage.input_tokens or not answer.usage.calls]
    inputs, outputs = (
        float(np.mean([getattr(usage, name) for usage in told])) if told else None
        for name in ("input_tokens", "output_tokens")
    )
    median, p95 = (float(np.quantile(seconds, share)) if seconds else None for share in (0.5, 0.95))
    steps = float(np.mean([context.steps for context in contexts]))
    return Cost(calls, inputs, outputs, context, len(seconds), median, p95, steps)
