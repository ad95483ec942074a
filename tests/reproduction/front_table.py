"""The table of the front page: recall@5 of each method on both data sets, from the tables of this folder."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator
from pathlib import Path

from shown import INTERVAL, figure

from qcg_neo4j.evaluation.page import markdown_table

HERE = Path(__file__).parent
DATA_SETS = {"lihuaworld": "LiHua-World, 569 questions", "musique": "MuSiQue-100, 100 questions"}


def as_markdown() -> str:
    """A row per method that an overview.toml names with ``front``: 95 % intervals, or the range of the seeds.

    Raises:
        KeyError: the data sets do not name the same methods.
    """
    first, second = (dict(_figures(name)) for name in DATA_SETS)
    rows = [[method, first[method], second[method]] for method in first | second]
    return markdown_table(["method", *DATA_SETS.values()], rows)


def _figures(data_set: str) -> Iterator[tuple[str, str]]:
    for group in tomllib.loads((HERE / data_set / "overview.toml").read_text(encoding="utf-8"))["group"]:
        for row in group["rows"]:
            if "front" in row:
                yield row["front"], figure(HERE / data_set / "tables" / row["table"], row["system"], INTERVAL)
