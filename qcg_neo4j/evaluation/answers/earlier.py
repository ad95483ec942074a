"""Answers against those of an earlier run, by another model or on another graph, question by question."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np

from qcg_neo4j.core.errors import InputError
from qcg_neo4j.core.json_lines import UnusableError
from qcg_neo4j.evaluation.answers.trials import Trial
from qcg_neo4j.evaluation.answers.verdicts import SCORED
from qcg_neo4j.evaluation.figures import Difference, Resampling, differences_of
from qcg_neo4j.evaluation.json_records import question_of, record_of, refuse, text_of, values_in

MEASURED = ("judged", "exact match", "F1", "ACC", *SCORED)
_LOOK = "Give the scores.jsonl that `qcg evaluate answers` has written to the folder of the earlier run."
_EARLIER, _NOW = "earlier", "now"
_LARGEST = 1e6  # no measure is near it
# Values by system, question and measure, one for each repetition.
_Key = tuple[str, str, str]
_Values = dict[_Key, list[float]]


@dataclass(frozen=True)
class Compared:
    """A measure of a system in two runs, over the ``questions`` that both have measured.

    ``earlier`` and ``now`` are means, ``alike`` is the share of questions with the same value.
    """

    system: str
    measure: str
    questions: int
    earlier: float
    now: float
    alike: float
    difference: Difference


@dataclass(frozen=True)
class EarlierRun:
    """What an earlier run has measured, and the file that says so."""

    name: str
    values: Mapping[_Key, list[float]] = field(repr=False)


def read_earlier(path: Path) -> EarlierRun:
    """The values of a file ``scores.jsonl``.

    Raises:
        InputError: it cannot be read, or a line is none of such a file (named by its number).
    """
    found: _Values = {}
    mistakes = []
    for line, record in values_in(path, "scores", _LOOK):
        try:
            for key, value in _values_of(record):
                found.setdefault(key, []).append(value)
        except UnusableError as error:
            mistakes.append(f"{path}:{line}: {error}")
    refuse(mistakes, _LOOK)
    if not found:
        raise InputError(f"{path} holds no score.", _LOOK)
    return EarlierRun(str(path), found)


def _values_of(value: Any) -> Iterator[tuple[_Key, float]]:
    record = record_of(value)
    system, question = text_of(record, "system"), question_of(record)
    for name in MEASURED:
        score = record.get(name)
        if score is not None and (type(score) not in (int, float) or not abs(score) < _LARGEST):  # nor NaN
            raise UnusableError(f"{name!r} is no number")
        if score is not None:
            yield (system, question, name), float(score)


def compared_with(
    run: EarlierRun, values: Mapping[Trial, Mapping[str, float]], settings: Resampling
) -> tuple[Compared, ...]:
    """Each measure of each system against the earlier run's, where both have it."""
    now: _Values = {}
    for trial, found in values.items():
        for name in found.keys() & set(MEASURED):
            now.setdefault((trial.system, trial.question.text, name), []).append(found[name])
    compared = []
    for system, measure in product(dict.fromkeys(trial.system for trial in values), MEASURED):
        both = [key for key in now if key[0] == system and key[2] == measure and key in run.values]
        if both:
            pairs = np.array([[np.mean(found[key]) for key in both] for found in (run.values, now)])
            difference = differences_of((_EARLIER, _NOW), _EARLIER, {measure: pairs}, settings)[_NOW][measure]
            alike = float(np.isclose(pairs[0], pairs[1]).mean())
            earlier, later = pairs.mean(axis=1).tolist()
            compared.append(Compared(system, measure, len(both), earlier, later, alike, difference))
    return tuple(compared)
