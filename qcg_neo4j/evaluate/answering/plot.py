"""The picture of answers: what share of them is right, per system, with intervals."""

from __future__ import annotations

from pathlib import Path

from qcg_neo4j.evaluate.answering.result import AnswersResult, Row
from qcg_neo4j.evaluate.plot import MOST_SYSTEMS, draw

# Measure -> marker and colour of Okabe and Ito's palette.
LAYERS = {
    "judged": ("o", "#0072B2"),
    "exact match": ("s", "#E69F00"),
    "F1": ("D", "#009E73"),
    "ACC": ("^", "#CC79A7"),
}


def plot(result: AnswersResult, path: Path) -> None:
    """Write the picture (PNG): systems from top to bottom by the first of the measures, at most `MOST_SYSTEMS`."""
    layers = {name: look for name, look in LAYERS.items() if name in result.measures} or LAYERS
    first = next(iter(layers))
    rows = sorted(result.rows, key=lambda row: _mean(row, first), reverse=True)[:MOST_SYSTEMS]
    title = f"Answers to {result.questions:,} questions"
    draw(rows, layers, path, baseline=result.baseline, title=title, axis="percent, with 95 % intervals")


def _mean(row: Row, name: str) -> float:
    return row.figures[name].mean if name in row.figures else -1.0
