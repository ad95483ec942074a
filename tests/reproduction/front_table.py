"""The table of the front page: recall@5 of each method on both data sets, from the tables of this folder."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator, Mapping
from pathlib import Path

from overview import Point, read_point

from qcg_neo4j.evaluate.table import markdown_table

HERE = Path(__file__).parent
DATA_SETS = {"lihuaworld": "LiHua-World, 569 questions", "musique": "MuSiQue-100, 100 questions"}


def as_markdown() -> str:
    """A row per method that an overview.toml names with ``front``: 95 % intervals, or the range of the seeds.

    Raises:
        KeyError: the data sets do not name the same methods.
    """
    first, second = (dict(_points(name)) for name in DATA_SETS)
    rows = [[method, _shown(first[method]), _shown(second[method])] for method in first | second]
    return markdown_table(["method", *DATA_SETS.values()], rows)


def _points(data_set: str) -> Iterator[tuple[str, Point]]:
    for group in tomllib.loads((HERE / data_set / "overview.toml").read_text(encoding="utf-8"))["group"]:
        for row in group["rows"]:
            if "front" in row:
                yield row["front"], _point(data_set, row)


def _point(data_set: str, row: Mapping[str, str]) -> Point:
    point = read_point(row["front"], HERE / data_set / "tables" / row["table"], row["system"])
    if point is None:
        raise ValueError(f"{data_set} has no table {row['table']}.")
    return point


def _shown(point: Point) -> str:
    seeds = f", {point.seeds} seeds" if point.seeds > 1 else ""
    return f"{point.value:.1f} ({point.low:.1f} to {point.high:.1f}{seeds})"
