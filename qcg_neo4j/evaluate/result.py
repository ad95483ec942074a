"""The figures of an evaluation: per system means with intervals, and its difference to the baseline."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from qcg_neo4j.evaluate.metrics import DEEPEST_CUT, MEASURES, Values, measure
from qcg_neo4j.evaluate.statistics import bootstrap_intervals, holm, sign_flip_p

if TYPE_CHECKING:
    from qcg_neo4j.evaluate.asking import Asked
    from qcg_neo4j.evaluate.questions import Question
    from qcg_neo4j.evaluate.runs import Outcome
    from qcg_neo4j.evaluate.settings import EvaluateSettings
    from qcg_neo4j.evaluate.systems import Lineup, System

TOKENS = "tokens"


@dataclass(frozen=True)
class Figure:
    """A mean over questions with its 95 % bootstrap interval."""

    mean: float
    low: float
    high: float


@dataclass(frozen=True)
class Difference:
    """A system's mean less the baseline's, with its interval, and the paired test's p, plain and after Holm."""

    mean: float
    low: float
    high: float
    p: float
    p_holm: float


@dataclass(frozen=True)
class Latency:
    """Seconds of a retrieval whose question is already embedded: median and 95th percentile."""

    median: float
    p95: float


@dataclass(frozen=True)
class Row:
    """A system's figures; ``figures`` by measure, and ``tokens``. ``differences`` is empty for the baseline.

    ``nothing_found`` counts questions without any passage; ``cut`` those whose ranking used up its depth before it
    had ten documents; ``same`` is the share of questions for which the system as set gave what its deep ranking
    begins with.
    """

    name: str
    method: str
    settings: Mapping[str, Any]
    figures: Mapping[str, Figure]
    latency: Latency | None = None
    differences: Mapping[str, Difference] = field(default_factory=dict)
    nothing_found: int = 0
    cut: int = 0
    same: float | None = None


@dataclass(frozen=True)
class Result:
    """A table: its rows, what it was measured on, and how it is made again.

    ``graph`` is `GraphState.as_dict`; ``missing`` are documents that the questions name and the graph does not hold;
    ``without_evidence`` counts questions that were left out for having none.
    """

    rows: tuple[Row, ...]
    baseline: str | None
    questions: int
    without_evidence: int
    settings: Mapping[str, Any]
    graph: Mapping[str, Any]
    command: str = ""
    note: str = ""
    missing: tuple[str, ...] = ()
    embedding_seconds: tuple[float, ...] = ()
    left_out: Mapping[str, str] = field(default_factory=dict)

    def as_dict(self) -> dict[str, Any]:
        """Everything as plain values, for JSON."""
        return asdict(self)


def rows_of(lineup: Lineup, asked: Asked, questions: Sequence[Question], settings: EvaluateSettings) -> tuple[Row, ...]:
    """The rows of the systems that were asked, in the line-up's order."""
    systems = [system for system in lineup.systems if system.name in asked.outcomes]
    outcomes = [asked.outcomes[system.name] for system in systems]
    values = _values(questions, outcomes)
    figures = {name: _figures(matrix, settings) for name, matrix in values.items()}
    differences = _differences([system.name for system in systems], lineup.baseline, values, settings)
    return tuple(
        _row(
            system,
            outcomes[position],
            {name: column[position] for name, column in figures.items()},
            {name: column[system.name] for name, column in differences.items() if system.name in column},
            settings.depth,
        )
        for position, system in enumerate(systems)
    )


def _values(questions: Sequence[Question], outcomes: Sequence[Sequence[Outcome]]) -> dict[str, Values]:
    """Per measure, and for the tokens, a matrix (systems, questions)."""
    measured = [measure(questions, [outcome.documents for outcome in system]) for system in outcomes]
    values = {name: np.stack([system[name] for system in measured]) for name in MEASURES}
    values[TOKENS] = np.array([[float(outcome.tokens) for outcome in system] for system in outcomes])
    return values


def _figures(values: Values, settings: EvaluateSettings) -> list[Figure]:
    low, high = bootstrap_intervals(values, settings.resamples, settings.seed)
    return [Figure(*map(float, triple)) for triple in zip(values.mean(axis=1), low, high, strict=True)]


def _differences(
    names: Sequence[str], baseline: str | None, values: Mapping[str, Values], settings: EvaluateSettings
) -> dict[str, dict[str, Difference]]:
    """Per measure the difference of each system but the baseline; the correction is over these systems."""
    if baseline not in names or len(names) == 1:
        return {}
    place = names.index(baseline)
    others = [name for name in names if name != baseline]
    differences = {}
    for name in MEASURES:
        matrix = np.delete(values[name], place, axis=0) - values[name][place]
        p = [float(value) for value in sign_flip_p(matrix, settings.resamples, settings.seed)]
        together = zip(others, _figures(matrix, settings), p, holm(p), strict=True)
        differences[name] = {
            other: Difference(found.mean, found.low, found.high, plain, corrected)
            for other, found, plain, corrected in together
        }
    return differences


def _row(
    system: System,
    outcomes: Sequence[Outcome],
    figures: Mapping[str, Figure],
    differences: Mapping[str, Difference],
    depth: int,
) -> Row:
    seconds = [outcome.seconds for outcome in outcomes if outcome.seconds is not None]
    same = [outcome.same for outcome in outcomes if outcome.same is not None]
    deepest = max(depth, system.retriever.settings.passages)
    return Row(
        name=system.name,
        method=system.retriever.name,
        settings=asdict(system.retriever.settings),
        figures=figures,
        latency=Latency(float(np.median(seconds)), float(np.quantile(seconds, 0.95))) if seconds else None,
        differences=differences,
        nothing_found=sum(not outcome.documents for outcome in outcomes),
        cut=sum(outcome.passages == deepest and len(outcome.documents) < DEEPEST_CUT for outcome in outcomes),
        same=float(np.mean(same)) if same else None,
    )
