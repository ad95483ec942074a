"""The picture of a result: recall at several depths per system, with intervals."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from qcg_neo4j.evaluate.result import Result, Row

MOST_SYSTEMS = 30
# Measure -> marker and colour of Okabe and Ito's palette, which people with any colour vision can tell apart.
LAYERS = {
    "recall@1": ("o", "#0072B2"),
    "recall@2": ("s", "#E69F00"),
    "recall@5": ("D", "#009E73"),
    "recall@10": ("^", "#CC79A7"),
}
_LONGEST_LABEL = 90
_STEP = 0.17  # between the measures of a system, in rows


def plot(result: Result, path: Path) -> None:
    """Write the picture (PNG): systems from top to bottom by recall@5 and MRR, at most the best `MOST_SYSTEMS`."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    rows = sorted(result.rows, key=_rank, reverse=True)[:MOST_SYSTEMS]
    labels = [_label(row.name, row.name == result.baseline) for row in rows]
    width = 6 + 0.085 * max(map(len, labels))  # inches: the axes, and letters of the default size beside them
    figure = Figure(figsize=(width, 1.7 + 0.42 * len(rows)), layout="constrained")
    FigureCanvasAgg(figure)
    axes = figure.subplots()
    for layer in LAYERS:
        _draw(axes, rows, layer)
    axes.set_yticks(range(len(rows)), labels)
    axes.set_ylim(len(rows) - 0.5, -0.5)
    axes.set_xlabel("recall in percent, with 95 % intervals")
    figure.suptitle(_title(result, len(rows)), x=0.01, ha="left", fontsize=10)
    axes.grid(axis="x", color="#dddddd", linewidth=0.6)
    axes.set_axisbelow(True)
    axes.spines[["top", "right", "left"]].set_visible(False)
    axes.tick_params(axis="y", length=0)
    figure.legend(loc="outside lower center", ncols=len(LAYERS), frameon=False)
    figure.savefig(path, dpi=150, format="png")


def _rank(row: Row) -> tuple[float, float]:
    return row.figures["recall@5"].mean, row.figures["MRR"].mean


def _draw(axes: Axes, rows: list[Row], name: str) -> None:
    marker, colour = LAYERS[name]
    offset = _STEP * (list(LAYERS).index(name) - (len(LAYERS) - 1) / 2)
    figures = [row.figures[name] for row in rows]
    means = [100 * found.mean for found in figures]
    # The percentiles of a bootstrap may lie on one side of the mean when nearly all values are equal.
    below = [max(0.0, 100 * (found.mean - found.low)) for found in figures]
    above = [max(0.0, 100 * (found.high - found.mean)) for found in figures]
    places = [position + offset for position in range(len(rows))]
    axes.errorbar(means, places, xerr=[below, above], fmt=marker, color=colour, markersize=5, linewidth=1.3, label=name)


def _label(name: str, is_baseline: bool) -> str:
    shown = name if len(name) <= _LONGEST_LABEL else f"{name[: _LONGEST_LABEL - 1]}…"
    # A dollar sign would begin a formula.
    return f"{shown} (baseline)".replace("$", r"\$") if is_baseline else shown.replace("$", r"\$")


def _title(result: Result, shown: int) -> str:
    best = f", the best {shown} of {len(result.rows):,} systems" if shown < len(result.rows) else ""
    return f"Recall of documents, {result.questions:,} questions{best}"
