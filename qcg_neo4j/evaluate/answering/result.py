"""The figures of answers: means with intervals, differences to the baseline, what is missing, what it took."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

import numpy as np

from qcg_neo4j.evaluate.answering.judging import SCORED, Judged
from qcg_neo4j.evaluate.answering.trials import Context, Trial, Written
from qcg_neo4j.evaluate.metrics import Values
from qcg_neo4j.evaluate.result import Difference, Figure
from qcg_neo4j.evaluate.settings import AnswersSettings
from qcg_neo4j.evaluate.statistics import bootstrap_intervals, holm, sign_flip_p
from qcg_neo4j.records import Usage

SHARES = ("exact match", "F1", "judged", "refused (null)", "refused (others)", "FC", "SS", "ACC")
MEASURES = (*SHARES, *SCORED)


@dataclass(frozen=True)
class Cost:
    """Means per answer: calls and tokens as first paid, tokens of the context, seconds from question to answer.

    ``timed`` counts the answers whose time is known; without any, the seconds are None.
    """

    calls: float
    input_tokens: float
    output_tokens: float
    context_tokens: float
    timed: int
    median_seconds: float | None = None
    p95_seconds: float | None = None


@dataclass(frozen=True)
class Counts:
    """Verdicts of a task that were asked for, and those that are not there: no reply, or none of the right form."""

    asked: int
    failed: int
    unparsable: int


@dataclass(frozen=True)
class Row:
    """A system's figures by measure, over the ``questions`` of each; ``differences`` is empty for the baseline.

    ``replicates`` holds the mean of each repetition. ``answers`` counts all of them, ``without`` those that nobody
    wrote; ``verdicts`` what became of each task of the judge.
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
    differences: Mapping[str, Difference] = field(default_factory=dict)


@dataclass(frozen=True)
class AnswersResult:
    """A table of answers, what it was measured on, and how it is made again.

    ``without_reference`` counts questions left out because nobody says what a good answer is. ``missing`` names answers
    that nobody wrote, with the reason. ``usage`` is what was paid now, for answers and for verdicts.
    """

    rows: tuple[Row, ...]
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

    @property
    def measures(self) -> tuple[str, ...]:
        """The measures that any system has."""
        return tuple(name for name in MEASURES if any(name in row.figures for row in self.rows))

    def as_dict(self) -> dict[str, Any]:
        """Everything as plain values, for JSON."""
        return asdict(self)


@dataclass(frozen=True)
class Answered:
    """A system's answers by trial, with their contexts where these are known."""

    name: str
    method: str
    settings: Mapping[str, Any]
    trials: tuple[Trial, ...]
    written: Mapping[Trial, Written]
    contexts: Mapping[Trial, Context]


def rows_of(
    answered: Sequence[Answered], judged: Judged, baseline: str | None, settings: AnswersSettings
) -> tuple[Row, ...]:
    """The rows of all systems, in their order."""
    values = {name: np.stack([_means(item.trials, judged, name) for item in answered]) for name in MEASURES}
    differences = _differences([item.name for item in answered], baseline, values, settings)
    return tuple(
        _row(item, judged, {name: values[name][place] for name in MEASURES}, differences.get(item.name, {}), settings)
        for place, item in enumerate(answered)
    )


def _means(trials: Sequence[Trial], judged: Judged, measure: str) -> Values:
    """A system's value for each question: the mean over the repetitions that have one, else NaN."""
    found: dict[str, list[float]] = {}
    for trial in trials:
        values = found.setdefault(trial.question.id, [])
        value = judged.values.get(trial, {}).get(measure)
        if value is not None:
            values.append(value)
    return np.array([np.mean(values) if values else np.nan for values in found.values()])


def _row(
    item: Answered,
    judged: Judged,
    values: Mapping[str, Values],
    differences: Mapping[str, Difference],
    settings: AnswersSettings,
) -> Row:
    known = {name: column[np.isfinite(column)] for name, column in values.items()}
    known = {name: column for name, column in known.items() if len(column)}
    return Row(
        name=item.name,
        method=item.method,
        settings=item.settings,
        answers=len(item.trials),
        without=len(item.trials) - len(item.written),
        figures={name: _figures(column[None], settings)[0] for name, column in known.items()},
        questions={name: len(column) for name, column in known.items()},
        replicates={name: _replicates(item.trials, judged, name) for name in known},
        verdicts={
            task: Counts(asked, *judged.missing.get((name, task), (0, 0)))
            for (name, task), asked in judged.asked.items()
            if name == item.name
        },
        cost=_cost(item),
        differences=differences,
    )


def _figures(values: Values, settings: AnswersSettings) -> list[Figure]:
    low, high = bootstrap_intervals(values, settings.resamples, settings.seed)
    return [Figure(*map(float, triple)) for triple in zip(values.mean(axis=1), low, high, strict=True)]


def _replicates(trials: Sequence[Trial], judged: Judged, measure: str) -> tuple[float, ...]:
    """The mean of each repetition over the questions that have a value in it."""
    found: dict[int, list[float]] = {}
    for trial in trials:
        value = judged.values.get(trial, {}).get(measure)
        if value is not None:
            found.setdefault(trial.replicate, []).append(value)
    return tuple(float(np.mean(found[number])) for number in sorted(found))


def _differences(
    names: Sequence[str], baseline: str | None, values: Mapping[str, Values], settings: AnswersSettings
) -> dict[str, dict[str, Difference]]:
    """Per system and measure its difference to the baseline, over the questions that both have a value for.

    The correction is over the systems that are compared.
    """
    if baseline not in names:
        return {}
    place = names.index(baseline)
    differences: dict[str, dict[str, Difference]] = {}
    for measure, matrix in values.items():
        found = {
            name: difference
            for position, name in enumerate(names)
            if position != place and (difference := _difference(matrix[position] - matrix[place], settings))
        }
        corrected = holm([difference.p for difference in found.values()])
        for (name, difference), p_holm in zip(found.items(), corrected, strict=True):
            differences.setdefault(name, {})[measure] = Difference(
                difference.mean, difference.low, difference.high, difference.p, p_holm
            )
    return differences


def _difference(values: Values, settings: AnswersSettings) -> Difference | None:
    known = values[np.isfinite(values)][None]
    if not known.size:
        return None
    figure = _figures(known, settings)[0]
    p = float(sign_flip_p(known, settings.resamples, settings.seed)[0])
    return Difference(figure.mean, figure.low, figure.high, p, p)


def _cost(item: Answered) -> Cost | None:
    written = list(item.written.values())
    if not item.contexts or not written:
        return None
    seconds = [answer.seconds for answer in written if answer.seconds is not None]
    context = float(np.mean([context.tokens for context in item.contexts.values()]))
    calls, inputs, outputs = (
        float(np.mean([getattr(answer.usage, name) for answer in written]))
        for name in ("calls", "input_tokens", "output_tokens")
    )
    median, p95 = (float(np.quantile(seconds, share)) if seconds else None for share in (0.5, 0.95))
    return Cost(calls, inputs, outputs, context, len(seconds), median, p95)
