"""The picture of a comparison: a heat map of win rates for each criterion."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from numpy.typing import NDArray

    from qcg_neo4j.evaluation.pairwise.result import Comparison, PairwiseResult

COLOURS = "PuOr"  # from orange below 50 … purple above, which people with any colour vision can tell apart
_SIGNIFICANT = 0.05
_LONGEST_LABEL = 24


def plot(result: PairwiseResult, path: Path) -> None:
    """Write the picture (PNG): win rates of rows over columns in percent, a panel for each criterion."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    columns = min(2, len(result.criteria))
    rows = -(-len(result.criteria) // columns)
    side = 2.2 + 0.62 * len(result.systems)  # inches: labels, and a cell for each system
    figure = Figure(figsize=(columns * side + 0.6, rows * side + 0.9), layout="constrained")
    FigureCanvasAgg(figure)
    panels = np.atleast_1d(figure.subplots(rows, columns)).ravel()
    for axes, criterion in zip(panels, result.criteria, strict=False):
        _draw(axes, result, criterion)
    for axes in panels[len(result.criteria) :]:
        axes.set_axis_off()
    title = f"Win rate of row over column in percent, {result.questions:,} questions (* p < {_SIGNIFICANT} after Holm)"
    figure.suptitle(title, x=0.01, ha="left", fontsize=9)
    figure.savefig(path, dpi=150, format="png")


def _draw(axes: Axes, result: PairwiseResult, criterion: str) -> None:
    labels = [_label(name) for name in result.systems]
    rates, marks = matrix(result, criterion)
    axes.imshow(np.ma.masked_invalid(rates), cmap=COLOURS, vmin=0, vmax=100)
    axes.set_xticks(range(len(labels)), labels, rotation=45, ha="right", rotation_mode="anchor")
    axes.set_yticks(range(len(labels)), labels)
    axes.set_title(criterion, fontsize=10)
    axes.tick_params(length=0)
    axes.spines[:].set_visible(False)
    for row, column in zip(*np.nonzero(np.isfinite(rates)), strict=True):
        value = rates[row, column]
        colour = "white" if abs(value - 50) > 32 else "black"
        text = f"{value:.0f}{'*' if marks[row, column] else ''}"
        axes.text(column, row, text, ha="center", va="center", color=colour, fontsize=9)


def matrix(result: PairwiseResult, criterion: str) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
    """Win rates of rows over columns (systems, systems), NaN where none is known, and which of them are significant."""
    rates = np.full((len(result.systems),) * 2, np.nan)
    marks = np.zeros(rates.shape, dtype=bool)
    for comparison in result.of(criterion):
        _fill(rates, marks, comparison, result.systems)
    return rates, marks


def _fill(
    rates: NDArray[np.float64], marks: NDArray[np.bool_], comparison: Comparison, systems: tuple[str, ...]
) -> None:
    first, second = systems.index(comparison.first), systems.index(comparison.second)
    if comparison.rate is None:
        return
    rates[first, second], rates[second, first] = comparison.rate.mean, 100 - comparison.rate.mean
    marks[first, second] = marks[second, first] = comparison.rate.p_holm < _SIGNIFICANT


def _label(name: str) -> str:
    shown = name if len(name) <= _LONGEST_LABEL else f"{name[: _LONGEST_LABEL - 1]}…"
    return shown.replace("$", r"\$")  # a dollar sign would begin a formula
