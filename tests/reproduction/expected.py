"""The figures a table is expected to have: written from the tables of a folder, and held against those of a new run."""

from __future__ import annotations

import csv
import json
import tomllib
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, fields, is_dataclass
from pathlib import Path
from statistics import mean
from typing import TYPE_CHECKING, Any

import click

from qcg_neo4j.core.errors import QcgError
from qcg_neo4j.evaluation.page import markdown_table

if TYPE_CHECKING:
    from making import Table

NAME = "expected.toml"
MEASURES = ("recall@2", "recall@5", "MRR")
COMMUNITIES = "graphrag"  # how the systems are called that find passages by them
TRAINED = 3.0  # points: a predictor that is trained on another machine becomes another one
Figures = dict[str, dict[str, float]]  # system -> measure -> percent


@dataclass(frozen=True)
class Expected:
    """A table, the command that makes it, its conditions, and how many points its figures may differ by.

    Those of systems that find by communities may have a tolerance of their own: another order of nodes gives others.
    """

    name: str
    command: str
    conditions: Mapping[str, Any]
    tolerance: float
    figures: Figures
    communities: float | None = None

    def tolerance_of(self, system: str) -> float:
        """How many points a figure of the system may differ by."""
        own = self.communities if system.startswith(COMMUNITIES) else None
        return self.tolerance if own is None else own


@dataclass(frozen=True)
class Deviation:
    """A figure outside its tolerance, in percent; ``measured`` is None where the table lacks the system."""

    table: str
    system: str
    measure: str
    expected: float
    measured: float | None
    tolerance: float


class OutsideError(QcgError):
    """A run gave other figures than those expected."""


def read_rows(file: Path) -> list[dict[str, str]]:
    """The rows of a table.csv."""
    with file.open(encoding="utf-8", newline="") as stream:
        return list(csv.DictReader(stream))


def read_figures(file: Path) -> Figures:
    """The figures of a table.csv by system, in percent; the mean where a system has several seeds."""
    found: defaultdict[str, list[dict[str, str]]] = defaultdict(list)
    for row in read_rows(file):
        found[row["system"]].append(row)
    return {
        system: {name: 100 * mean(float(row[name]) for row in rows) for name in _measures(rows[0])}
        for system, rows in found.items()
    }


def _measures(row: Mapping[str, str]) -> list[str]:
    """The measures compared: those of retrieval, or all but times where the table has its own."""
    known = [name for name in MEASURES if name in row]
    return known or [name for name in row if name != "system" and not name.endswith("seconds")]


def conditions(table: Table) -> dict[str, Any]:
    """How the table's graph is made and which questions are asked; of settings, what is not left to its default."""
    values = {declared.name: getattr(table, declared.name) for declared in fields(table)}
    return {
        name: _changed(value) if is_dataclass(value) else value
        for name, value in values.items()
        if name not in ("name", "latency") and value not in (None, False)
    }


def _changed(settings: Any) -> dict[str, Any]:
    return {
        declared.name: getattr(settings, declared.name)
        for declared in fields(settings)
        if getattr(settings, declared.name) != declared.default
    }


def as_toml(tables: Sequence[Expected]) -> str:
    """The file: a table after the other, a line per system."""
    head = "# Written by `make expected` from the tables of this folder: figures and tolerance in percentage points.\n"
    return head + "".join(map(_table, tables))


def _table(table: Expected) -> str:
    lines = [
        "",
        "[[table]]",
        f"name = {_value(table.name)}",
        f"command = {_value(table.command)}",
        f"conditions = {_value(table.conditions)}",
        f"tolerance = {table.tolerance}",
        *([] if table.communities is None else [f"communities = {table.communities}"]),
        "figures = [",
        *(f"  {_value({'system': system, **figures})}," for system, figures in table.figures.items()),
        "]",
    ]
    return "\n".join(lines) + "\n"


def _value(value: Any) -> str:
    if isinstance(value, Mapping):
        pairs = (f"{key if key.isidentifier() else _value(key)} = {_value(inner)}" for key, inner in value.items())
        return f"{{ {', '.join(pairs)} }}" if value else "{}"
    return json.dumps(round(value, 2) if isinstance(value, float) else value, ensure_ascii=False)


def read_expected(file: Path) -> list[Expected]:
    """The tables of a file that `as_toml` wrote."""
    found = tomllib.loads(file.read_text(encoding="utf-8")).get("table", [])
    return [
        Expected(
            table["name"],
            table["command"],
            table["conditions"],
            table["tolerance"],
            {row["system"]: {name: row[name] for name in row if name != "system"} for row in table["figures"]},
            table.get("communities"),
        )
        for table in found
    ]


def deviations(expected: Expected, measured: Figures) -> Iterator[Deviation]:
    """What is outside its tolerance, and what is not there."""
    for system, figures in expected.figures.items():
        tolerance = expected.tolerance_of(system)
        for name, figure in figures.items():
            found = measured.get(system, {}).get(name)
            # What is expected is rounded to two places.
            if found is None or abs(found - figure) > tolerance + 0.005:
                yield Deviation(expected.name, system, name, figure, found, tolerance)


def check(file: Path, output: Path) -> str:
    """Compare the tables of a folder with what is expected of them, and say so in a sentence.

    Raises:
        OutsideError: a figure is outside its tolerance, or a system is not in its table.
    """
    tables = [table for table in read_expected(file) if (output / table.name / "table.csv").exists()]
    outside = [
        deviation
        for table in tables
        for deviation in deviations(table, read_figures(output / table.name / "table.csv"))
    ]
    number = sum(len(figures) for table in tables for figures in table.figures.values())
    if outside:
        raise OutsideError(
            f"{len(outside):,} of {number:,} figures are not those of {file}:\n{_shown(outside)}",
            f"To measure a table again, remove its folder in {output} and repeat the command. "
            "Where the tables of the project were meant to change: make expected.",
        )
    return f"{number:,} figures of {len(tables)} tables are those of {file}, within their tolerance."


def _shown(outside: Sequence[Deviation]) -> str:
    rows = [
        [
            one.table,
            one.system,
            one.measure,
            f"{one.expected:.2f}",
            "not there" if one.measured is None else f"{one.measured:.2f}",
            f"{one.tolerance:g}",
        ]
        for one in outside
    ]
    return markdown_table(("table", "system", "measure", "expected", "measured", "tolerance"), rows)


def conclude(place: Path, output: Path, limit: int | None) -> None:
    """The end of a run: its figures beside the expected ones, where all questions were asked and there are some.

    Raises:
        OutsideError: see `check`.
    """
    file = place / NAME
    if limit:
        click.echo("Not compared with the expected figures, which are those of all questions.")
    elif file.exists():
        click.echo(check(file, output))
    else:
        click.echo(f"Not compared: there are no expected figures in {file}.")


def beside_reference(reference: Path, output: Path) -> str:
    """A Markdown table of the measured figures beside the exact reference, where both exist."""
    references = tomllib.loads(reference.read_text(encoding="utf-8"))["figure"]
    names = [name for name in MEASURES if any(name in figure for figure in references)]
    rows = []
    for figure in references:
        file = output / figure["table"] / "table.csv"
        measured = read_figures(file).get(figure["system"]) if file.exists() else None
        if measured:
            pairs = [(measured[name], figure[name]) if name in figure else () for name in names]
            cells = [f"{value:.1f}" for pair in pairs for value in pair]
            rows.append([figure["table"], figure["system"], *cells])
    return markdown_table(("table", "system", *(head for name in names for head in (name, "reference"))), rows)


def write_reference(place: Path, output: Path, command: str) -> str:
    """Write ``reference.md`` beside the tables; the page, empty where there is no exact reference."""
    reference = place / "reference.toml"
    if not reference.exists():
        return ""
    page = f"# Beside the exact reference\n\n    {command}\n\n{beside_reference(reference, output)}\n"
    (output / "reference.md").write_text(page, encoding="utf-8")
    return page
