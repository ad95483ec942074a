"""Win rates of each pair by each criterion, with interval, test and the counts of what is missing."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from statistics import fmean
from typing import Any

import numpy as np

from qcg_neo4j.core.records import Usage
from qcg_neo4j.evaluation.figures import Figure, figures_of, holm, normality, signed_rank
from qcg_neo4j.evaluation.judge import Replies
from qcg_neo4j.evaluation.page import Result
from qcg_neo4j.evaluation.pairwise.verdicts import Pair, Verdict
from qcg_neo4j.evaluation.questions import Answers
from qcg_neo4j.evaluation.settings import PairwiseSettings

WIN, TIE, LOSS = 100.0, 50.0, 0.0


@dataclass(frozen=True)
class Counts:
    """Requested verdicts: ``wins`` and ``losses`` of the first system, ``ties``, and missing ones."""

    wins: int
    losses: int
    ties: int
    failed: int
    unparsable: int

    @property
    def given(self) -> int:
        """Wins, losses and ties together."""
        return self.wins + self.losses + self.ties

    @property
    def asked(self) -> int:
        """All of them together."""
        return self.given + self.failed + self.unparsable

    @property
    def not_lost(self) -> float | None:
        """W+T: the percentage of verdicts that are wins or ties; None without any."""
        return 100 * (self.wins + self.ties) / self.given if self.given else None


@dataclass(frozen=True)
class Rate(Figure):
    """The win rate of the first system in percent, with its 95 % bootstrap interval over the questions.

    ``effect`` is the rank-biserial correlation in [-1, 1], positive where the first system wins; ``p`` is Wilcoxon's,
    ``p_holm`` the same after Holm's correction over the pairs of the criterion. ``normality`` is Shapiro and Wilk's p.
    """

    effect: float
    p: float
    p_holm: float
    normality: float | None = None


@dataclass(frozen=True)
class Comparison:
    """Two systems by one criterion; ``rate`` is None where no question has a verdict in both orders.

    ``questions`` counts those that have, ``left_out`` those that have not. ``shown_first`` is the mean score in
    percent of whatever answer stood first: far from 50, the judge looks at the place.
    """

    criterion: str
    first: str
    second: str
    counts: Counts
    questions: int
    left_out: int
    shown_first: float | None
    rate: Rate | None = None


@dataclass(frozen=True)
class PairwiseResult(Result):
    """All comparisons, what they were made of, and how they are made again.

    ``left_out`` are questions that not every system has answered. ``usage`` is what was paid now.
    """

    systems: tuple[str, ...]
    criteria: tuple[str, ...]
    comparisons: tuple[Comparison, ...]
    questions: int
    left_out: tuple[str, ...]
    judges: tuple[str, ...]
    settings: Mapping[str, Any]
    command: str = ""
    usage: Usage = field(default_factory=Usage)

    def of(self, criterion: str) -> list[Comparison]:
        """The comparisons by one criterion."""
        return [comparison for comparison in self.comparisons if comparison.criterion == criterion]


def result_of(
    answers: Answers,
    compared: Sequence[Pair],
    criteria: Sequence[str],
    verdicts: Iterable[Verdict],
    asked: Replies,
    settings: PairwiseSettings,
    command: str = "",
) -> PairwiseResult:
    """The figures of all verdicts, which were read from the replies ``asked``."""
    sorted_out: dict[tuple[str, frozenset[str]], list[Verdict]] = {}
    for verdict in verdicts:
        sorted_out.setdefault((verdict.trial.criterion, frozenset(verdict.trial.shown)), []).append(verdict)
    comparisons: list[Comparison] = []
    for criterion in criteria:
        of_pairs = [_comparison(criterion, pair, sorted_out[criterion, frozenset(pair)], settings) for pair in compared]
        comparisons += _corrected(of_pairs)
    return PairwiseResult(
        answers.systems,
        tuple(criteria),
        tuple(comparisons),
        len(answers.questions),
        answers.left_out,
        asked.models,
        asdict(settings),
        command,
        asked.usage,
    )


def _comparison(criterion: str, pair: Pair, verdicts: Sequence[Verdict], settings: PairwiseSettings) -> Comparison:
    given = [verdict for verdict in verdicts if not verdict.failed]
    scores = scores_of_questions(given, pair)
    shown_first = fmean(_score(verdict, verdict.trial.shown[0]) for verdict in given) if given else None
    questions = len({verdict.trial.question for verdict in verdicts})
    left_out = questions - len(scores)
    rate = _rate(list(scores.values()), settings) if scores else None
    return Comparison(criterion, *pair, _counts(verdicts, pair[0]), len(scores), left_out, shown_first, rate)


def scores_of_questions(given: Iterable[Verdict], pair: Pair) -> dict[str, float]:
    """The first system's score for each question, in percent: the mean of both orders, of the repetitions in each.

    A question without a verdict in one of the orders has none: the judge's liking for a place would not cancel out.
    """
    orders: dict[str, dict[bool, list[float]]] = {}
    for verdict in given:
        trial = verdict.trial
        orders.setdefault(trial.question, {}).setdefault(trial.shown == pair, []).append(_score(verdict, pair[0]))
    return {
        question: fmean(fmean(scores) for scores in by_order.values())
        for question, by_order in orders.items()
        if len(by_order) == 2
    }


def _score(verdict: Verdict, system: str) -> float:
    if verdict.winner is None:
        return TIE
    return WIN if verdict.winner == system else LOSS


def _counts(verdicts: Sequence[Verdict], first: str) -> Counts:
    given = Counter(_score(verdict, first) for verdict in verdicts if not verdict.failed)
    missing = Counter(verdict.unparsable for verdict in verdicts if verdict.failed)
    return Counts(given[WIN], given[LOSS], given[TIE], failed=missing[False], unparsable=missing[True])


def _rate(scores: Sequence[float], settings: PairwiseSettings) -> Rate:
    values = np.array([scores])
    (figure,) = figures_of(values, settings)
    assert figure is not None  # noqa: S101 - there are scores
    # The other system has what is left of 100.
    differences = 2 * values[0] - 100
    test = signed_rank(differences)
    return Rate(figure.mean, figure.low, figure.high, test.effect, test.p, test.p, normality(differences))


def _corrected(comparisons: Sequence[Comparison]) -> list[Comparison]:
    """The same with p corrected for the number of pairs."""
    corrected = iter(holm([comparison.rate.p for comparison in comparisons if comparison.rate]))
    return [
        replace(comparison, rate=replace(comparison.rate, p_holm=next(corrected))) if comparison.rate else comparison
        for comparison in comparisons
    ]
