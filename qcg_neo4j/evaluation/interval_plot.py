"""The picture of figures: systems from top to bottom, a marker with its interval for each measure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from qcg_neo4j.evaluation.figures import Figure as Interval

MOST_SYSTEMS = 30
# Markers and colours of Okabe and Ito's palette, which people with any colour vision can tell apart.
LOOKS = (("o", "#0072B2"), ("s", "#E69F00"), ("D", "#009E73"), ("^", "#CC79A7"))
_LONGEST_LABEL = 90
_STEP = 0.17  # between the measures of a system, in rows


class Drawn(Protocol):
    """What a line of the picture needs: a name, and figures that are shares."""

    @property
    def name(self) -> str:
        """The system's name."""

    @property
    def figures(self) -> Mapping[str, Interval]:
        """Its figures by measure."""


def plot(
    rows: Sequence[Drawn],
    measures: Sequence[str],
    path: Path,
    *,
    baseline: str | None,
    title: str,
    axis: str,
) -> None:
    """Write a picture (PNG) of at most four measures that rows have, of the first `MOST_SYSTEMS` rows."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    rows = rows[:MOST_SYSTEMS]
    labels = [label(row.name, _LONGEST_LABEL) + (" (baseline)" if row.name == baseline else "") for row in rows]
    width = 6 + 0.085 * max(map(len, labels))  # inches: the axes, and letters of the default size beside them
    figure = Figure(figsize=(width, 1.7 + 0.42 * len(rows)), layout="constrained")
    FigureCanvasAgg(figure)
    axes = figure.subplots()
    looks = dict(zip(measures, LOOKS, strict=False))
    layers = [name for name in looks if any(name in row.figures for row in rows)] or list(looks)
    for position, name in enumerate(layers):
        _draw(axes, rows, name, looks[name], _STEP * (position - (len(layers) - 1) / 2))
    axes.set_yticks(range(len(rows)), labels)
    axes.set_ylim(len(rows) - 0.5, -0.5)
    axes.set_xlabel(axis)
    figure.suptitle(title, x=0.01, ha="left", fontsize=10)
    axes.grid(axis="x", color="#dddddd", linewidth=0.6)
    axes.set_axisbelow(True)
    axes.spines[["top", "right", "left"]].set_visible(False)
    axes.tick_params(axis="y", length=0)
    figure.legend(loc="outside lower center", ncols=len(layers), frameon=False)
    figure.savefig(path, dpi=150, format="png")


def _draw(axes: Axes, rows: Sequence[Drawn], name: str, look: tuple[str, str], offset: float) -> None:
    marker, colour = look
    shown = [(place, row.figures[name]) for place, row in enumerate(rows) if name in row.figures]
    means = [100 * found.mean for _, found in shown]
    # The percentiles of a bootstrap may lie on one side of the mean when nearly all values are equal.
    below = [max(0.0, 100 * (found.mean - found.low)) for _, found in shown]
    above = [max(0.0, 100 * (found.high - found.mean)) for _, found in shown]
    places = [place + offset for place, _ in shown]
    axes.errorbar(means, places, xerr=[below, above], fmt=marker, color=colour, markersize=5, linewidth=1.3, label=name)


def label(name: str, longest: int) -> str:
    """A system's name for a picture."""
    shown = name if len(name) <= longest else f"{name[: longest - 1]}…"
    return shown.replace("$", r"\$")  # a dollar sign would begin a formula
