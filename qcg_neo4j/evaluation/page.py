"""What results look like: tables and their pages in Markdown and a picture for people, CSV for programs."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from qcg_neo4j.core.errors import number_of
from qcg_neo4j.evaluation.figures import Difference, Figure
from qcg_neo4j.evaluation.folder import write_picture

if TYPE_CHECKING:
    from matplotlib.axes import Axes

NONE = "–"
_WORDS = ("system", "against", "measure", "method", "settings", "table")
_SHOWN = 5  # things that a message names
MOST_SYSTEMS = 30  # of a picture
# Markers and colours of Okabe and Ito's palette, which people with any colour vision can tell apart.
LOOKS = (("o", "#0072B2"), ("s", "#E69F00"), ("D", "#009E73"), ("^", "#CC79A7"))
_LONGEST_LABEL = 90
_STEP = 0.17  # between the measures of a system, in rows


@dataclass(frozen=True)
class Result:
    """What an evaluation has found."""

    def as_dict(self) -> dict[str, Any]:
        """Everything as plain values, for JSON."""
        return asdict(self)


class Row:
    """What each row of figures has: a system, its means by measure, and its differences to the baseline."""

    name: str
    method: str
    settings: Mapping[str, Any]
    figures: Mapping[str, Figure]
    differences: Mapping[str, Difference]


@dataclass(frozen=True)
class Table:
    """Columns and rows as a person reads them, under a heading where there is a ``title``.

    ``spare`` are the columns that a terminal without room for all does without, the first one first.
    """

    columns: Sequence[str]
    rows: Sequence[Sequence[str]]
    title: str = ""
    spare: Sequence[str] = ()

    def without(self, columns: Iterable[str]) -> Table:
        """The same without some of its columns."""
        kept = [place for place, column in enumerate(self.columns) if column not in set(columns)]
        rows = [[row[place] for place in kept] for row in self.rows]
        return replace(self, columns=[self.columns[place] for place in kept], rows=rows)

    def markdown(self) -> str:
        """Heading and table."""
        heading = f"## {self.title}\n\n" if self.title else ""
        return heading + markdown_table(self.columns, self.rows)


@dataclass(frozen=True)
class Page:
    """What a result looks like as a file: the command that makes it, its head, its tables, how to read them.

    Tables without rows are left out.
    """

    title: str
    command: str
    head: Iterable[str]
    tables: Iterable[Table]
    remarks: Iterable[str]
    note: str = ""

    def markdown(self) -> str:
        """The page."""
        parts = [
            f"# {self.title}",
            f"    {self.command}" if self.command else "",
            self.note,
            _listed(self.head),
            *(table.markdown() for table in self.tables if table.rows),
            f"## How to read this\n\n{_listed(self.remarks)}",
        ]
        return "\n\n".join(part for part in parts if part) + "\n"


def comparison_table(
    baseline: str | None, rows: Iterable[Row], measures: Sequence[str], cell: Callable[[Difference, str], str]
) -> Table:
    """The differences to the baseline by some measures, each as ``cell`` writes it, with its p."""
    columns = ["system", *(column for name in measures for column in (name, f"p ({name})"))]
    body = [[row.name, *_tested(row, measures, cell)] for row in rows if row.differences]
    return Table(columns, body, f"Against {baseline}")


def _tested(row: Row, measures: Sequence[str], cell: Callable[[Difference, str], str]) -> Iterator[str]:
    for name in measures:
        found = row.differences.get(name)
        yield cell(found, name) if found else NONE
        yield f"{found.p_holm:.4f}" if found else NONE


def settings_table(rows: Iterable[Row]) -> Table:
    """The settings of the systems that have a method."""
    body = [[row.name, row.method, plain(row.settings)] for row in rows if row.method]
    return Table(["system", "method", "settings"], body, "Settings")


def markdown_table(columns: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A Markdown table; columns of numbers are right-aligned."""
    lines = [columns, ["---" if column in _WORDS else "---:" for column in columns], *rows]
    return "\n".join(f"| {' | '.join(map(_cell, line))} |" for line in lines)


def as_csv(records: Sequence[Mapping[str, Any]]) -> str:
    """A row per record under the columns of all of them; numbers with six digits, None as nothing."""
    stream = io.StringIO()
    columns = list(dict.fromkeys(column for record in records for column in record))
    writer = csv.DictWriter(stream, columns, lineterminator="\n")
    writer.writeheader()
    for record in records:
        writer.writerow({name: f"{value:.6g}" if isinstance(value, float) else value for name, value in record.items()})
    return stream.getvalue()


def figure_columns(name: str, figure: Figure) -> dict[str, float]:
    """A figure and its interval by columns."""
    return {name: figure.mean, f"{name} low": figure.low, f"{name} high": figure.high}


def percent(figure: Figure, interval: bool = True, sign: str = "") -> str:
    """A share in percent, with its interval: ``84.3 (81.5 to 87.0)``."""
    return shown(Figure(100 * figure.mean, 100 * figure.low, 100 * figure.high), interval, sign, digits=1)


def shown(figure: Figure, interval: bool = True, sign: str = "", *, digits: int = 2) -> str:
    """A mean, with its interval: ``3.41 (3.20 to 3.60)``."""
    mean, low, high = (f"{value:{sign}.{digits}f}" for value in (figure.mean, figure.low, figure.high))
    return f"{mean} ({low} to {high})" if interval else mean


def plain(values: Mapping[str, Any]) -> str:
    """Settings or figures in one line; what is itself a structure is left out."""
    scalars = {name: value for name, value in values.items() if isinstance(value, str | int | float)}
    return ", ".join(f"{name} {_scalar(value)}" for name, value in scalars.items())


def some(names: Sequence[str]) -> str:
    """The first names, for a message."""
    return ", ".join(names[:_SHOWN]) + (", …" if len(names) > _SHOWN else "")


def counted(found: Sequence[str], more: str = "more", *, separator: str = ", ") -> str:
    """The first of what was found, and how many more there are."""
    left = len(found) - _SHOWN
    return separator.join(found[:_SHOWN]) + (f" and {left:,} {more}" if left > 0 else "")


def not_by_all(questions: Sequence[str]) -> Iterator[str]:
    """The remark on questions that some system has not answered."""
    if questions:
        number = number_of(
            len(questions),
            "question has not been answered by every system and is left out",
            "questions have not been answered by every system and are left out",
        )
        yield f"{number}: {some(questions)}."


def in_parentheses(settings: Mapping[str, Any]) -> str:
    """The remark on the intervals of figures."""
    return (
        "In parentheses: 95 % bootstrap percentile intervals over the questions "
        f"({settings['resamples']:,} resamples, seed {settings['seed']})."
    )


def missing_verdicts(counts: Sequence[Any], left_out: str = "") -> Iterator[str]:
    """The remark on verdicts that are not there; each of the counts has ``asked``, ``failed`` and ``unparsable``."""
    asked, failed, unparsable = (
        sum(getattr(one, name) for one in counts) for name in ("asked", "failed", "unparsable")
    )
    if failed or unparsable:
        yield (
            f"Of {asked:,} verdicts {failed:,} failed and {unparsable:,} were unparsable{left_out}. The same command "
            "asks for these alone."
        )


def _listed(lines: Iterable[str]) -> str:
    return "\n".join(f"- {line}" for line in lines)


def _scalar(value: str | float) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    return f"{value:.4g}" if isinstance(value, float) else str(value)


def _cell(text: str) -> str:
    return " ".join(text.split()).replace("|", "\\|")  # either would end the cell


def plot_intervals(
    rows: Sequence[Row],
    measures: Sequence[str],
    path: Path,
    *,
    baseline: str | None,
    title: str,
    axis: str,
) -> None:
    """Write a picture (PNG) of at most four measures that rows have, of the first `MOST_SYSTEMS` rows."""
    from matplotlib.figure import Figure as Canvas

    rows = rows[:MOST_SYSTEMS]
    labels = [label(row.name, _LONGEST_LABEL) + (" (baseline)" if row.name == baseline else "") for row in rows]
    width = 6 + 0.085 * max(map(len, labels))  # inches: the axes, and letters of the default size beside them
    figure = Canvas(figsize=(width, 1.7 + 0.42 * len(rows)), layout="constrained")
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
    write_picture(path, figure)


def _draw(axes: Axes, rows: Sequence[Row], name: str, look: tuple[str, str], offset: float) -> None:
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
