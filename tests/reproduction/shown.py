"""The tables of the page beside this file: what `shown.toml` takes from the tables of each data set."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from overview import read_point

from qcg_neo4j.core.errors import InputError
from qcg_neo4j.evaluation.page import markdown_table

HERE = Path(__file__).parent
TITLES = {
    "lihuaworld": "LiHua-World",
    "musique": "MuSiQue",
    "twowiki": "2WikiMultiHopQA",
    "medical": "GraphRAG-Bench Medical",
}
INTERVAL = "recall@5"  # the measure that shows its interval
SHOWN = HERE / "shown.toml"
_TABLE = re.compile(r"^\| .*?\n\n", re.MULTILINE | re.DOTALL)


@dataclass(frozen=True)
class Column:
    """A measure of a table of a data set."""

    data_set: str
    table: str
    measure: str

    @property
    def title(self) -> str:
        """What the data are called; in a folder of comparisons the table has their name."""
        return TITLES.get(self.data_set) or TITLES[self.table.partition("-")[0]]

    def figure(self, row: Mapping[str, str]) -> str:
        """A system's figure as its table has it; a row may name another table of the same data set.

        Raises:
            InputError: the table lacks the system or the measure.
        """
        table = HERE / self.data_set / "tables" / row.get("table", self.table)
        return figure(table, row["system"], self.measure)


def figure(table: Path, system: str, measure: str) -> str:
    """A figure as the page of its table has it, the one place where it is rounded; of several seeds mean and range.

    Raises:
        InputError: the table lacks the system or the measure.
    """
    point = read_point(system, table, system, measure)
    if point is not None and point.seeds > 1:
        seeds = f" ({point.low:.1f} to {point.high:.1f}, {point.seeds} seeds)" if measure == INTERVAL else ""
        return f"{point.value:.1f}{seeds}"
    page = table / "table.md"
    try:
        cell = _read(page)[system][measure]
    except KeyError as error:
        raise InputError(f"{page} has no {error}.", "Name what it has.") from None
    return cell if measure == INTERVAL else cell.partition(" (")[0]


def as_markdown(name: str) -> str:
    """A table of `shown.toml`."""
    listed: dict[str, Any] = tomllib.loads(SHOWN.read_text(encoding="utf-8"))[name]
    columns = [_column(text) for text in listed["columns"]]
    several = len({column.title for column in columns}) > 1
    rows = [{"system": row} if isinstance(row, str) else row for row in listed["rows"]]
    heads = [f"{one.title}: {one.measure}" if several else one.measure for one in columns]
    lines = [[row.get("label", row["system"]), *(column.figure(row) for column in columns)] for row in rows]
    return markdown_table(["system", *heads], lines)


def _column(text: str) -> Column:
    place, measure = text.split(" ", 1)
    data_set, table = place.split("/")
    return Column(data_set, table, measure)


@cache
def _read(table: Path) -> dict[str, dict[str, str]]:
    """The first table of a page: system -> column -> cell."""
    found = _TABLE.search(table.read_text(encoding="utf-8") + "\n\n")
    lines = (
        [[cell.strip() for cell in line.strip("|").split("|")] for line in found[0].splitlines() if line]
        if found
        else []
    )
    return {line[0]: dict(zip(lines[0], line, strict=True)) for line in lines[2:]}
