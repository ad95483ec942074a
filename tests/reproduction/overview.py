"""The picture of a data set: recall@5 of each method with its interval, and what papers publish as a group apart."""

from __future__ import annotations

import tomllib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import mean
from typing import TYPE_CHECKING, Any

from expected import read_rows

from qcg_neo4j.core.errors import InputError
from qcg_neo4j.interfaces.palette import LINE, LOOKS

if TYPE_CHECKING:
    from matplotlib.axes import Axes

PUBLISHED = Path(__file__).with_name("published.toml")
MEASURE = "recall@5"
# A marker and a colour per group, the published one last; colours that people with any colour vision tell apart.
MARKERS = ("o", "s", "D", "^")
COLOURS = tuple(LOOKS[label].colour for label in ("Document", "Query", "Entity", "Community"))


@dataclass(frozen=True)
class Point:
    """A figure in percent with its interval, or with its range over seeds; ``low`` is None where neither is known."""

    label: str
    value: float
    low: float | None = None
    high: float | None = None
    seeds: int = 1


@dataclass(frozen=True)
class Group:
    """Points of one kind, under one heading."""

    name: str
    points: Sequence[Point]
    apart: bool = False  # of other data: a line divides it from what stands above


def read_point(label: str, table: Path, system: str, measure: str = MEASURE) -> Point | None:
    """A system's figure in a table; None where the table has not been made.

    Raises:
        InputError: the table lacks the system.
    """
    if not (table / "table.csv").exists():
        return None
    rows = [row for row in read_rows(table / "table.csv") if row["system"] == system]
    if not rows:
        raise InputError(f"{table / 'table.csv'} has no system {system!r}.", "Name one that it has.")
    values = [100 * float(row[measure]) for row in rows]
    if len(rows) > 1:
        return Point(label, mean(values), min(values), max(values), len(rows))
    if f"{measure} low" not in rows[0]:
        return Point(label, values[0])
    low, high = (100 * float(rows[0][f"{measure} {end}"]) for end in ("low", "high"))
    return Point(label, values[0], low, high)


def read_groups(here: Path, listed: dict[str, Any]) -> list[Group]:
    """The groups that an overview.toml lists, with the figures of the tables that have been made."""
    groups = []
    for group in listed["group"]:
        found = [read_point(row["label"], here / "tables" / row["table"], row["system"]) for row in group["rows"]]
        groups.append(Group(group["name"], [point for point in found if point]))
    if "published" in listed:
        paper = tomllib.loads(PUBLISHED.read_text(encoding="utf-8"))[listed["published"]]
        place = paper["measures"].index(MEASURE)
        points = [Point(row["name"], row["figures"][place]) for row in paper["rows"] if "name" in row]
        groups.append(Group(paper["label"], points, apart=True))
    return groups


def draw_overview(here: Path) -> bool:
    """Draw ``tables/overview.png`` as ``overview.toml`` describes it; whether there is something to draw."""
    file = here / "overview.toml"
    if not file.exists():
        return False
    listed = tomllib.loads(file.read_text(encoding="utf-8"))
    _draw(listed["title"], read_groups(here, listed), here / "tables/overview.png")
    return True


def _draw(title: str, groups: Sequence[Group], path: Path) -> None:
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    shown = [group for group in groups if group.points]
    height = sum(_height(group) for group in shown)
    figure = Figure(figsize=(8.5, 1.1 + 0.26 * height), layout="constrained")
    FigureCanvasAgg(figure)
    axes = figure.subplots()
    top, labels = 0.0, {}
    for group, marker, colour in zip(shown, MARKERS, COLOURS, strict=False):
        if group.apart:
            axes.axhline(top, color=LINE, linewidth=0.8)
        top += _heading(group)
        labels[top - 1 - 0.25 * group.name.count("\n")] = group.name
        for point in group.points:
            _point(axes, top, point, marker, colour)
            labels[top] = point.label
            top += 1
    _frame(axes, labels, {group.name for group in shown}, top)
    figure.suptitle(title, x=0.01, ha="left", fontsize=11, fontweight="bold")
    figure.savefig(path, dpi=150, format="png")


def _heading(group: Group) -> float:
    """The rows of a group's heading: its lines, and some space above it."""
    return 1.3 + 0.8 * group.name.count("\n")


def _height(group: Group) -> float:
    return _heading(group) + len(group.points)


def _point(axes: Axes, place: float, point: Point, marker: str, colour: str) -> None:
    low, high = (point.value if end is None else end for end in (point.low, point.high))
    # The percentiles of a bootstrap may lie on one side of the mean when nearly all values are equal.
    ends = [[max(0.0, point.value - low)], [max(0.0, high - point.value)]]
    axes.errorbar(point.value, place, xerr=ends, fmt=marker, color=colour, markersize=5.5, linewidth=1.5)
    seeds = f" (mean and range of {point.seeds} seeds)" if point.seeds > 1 else ""
    axes.annotate(
        f"{point.value:.1f}{seeds}",
        (max(high, point.value), place),
        xytext=(6, 0),
        textcoords="offset points",
        va="center",
        fontsize=8,
    )


def _frame(axes: Axes, labels: dict[float, str], headings: set[str], bottom: float) -> None:
    axes.set_yticks(list(labels), list(labels.values()))
    for text in axes.get_yticklabels():
        if text.get_text() in headings:
            text.set_fontweight("bold")
    axes.set_ylim(bottom - 0.3, -0.4)
    axes.set_xlim(0, 108)
    axes.set_xticks(range(0, 101, 20))
    axes.set_xlabel("recall@5 in percent, with 95 % intervals where they are known")
    axes.grid(axis="x", color="#dddddd", linewidth=0.6)
    axes.set_axisbelow(True)
    axes.spines[["top", "right", "left"]].set_visible(False)
    axes.tick_params(axis="y", length=0)
