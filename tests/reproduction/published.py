"""The part of the page beside this file that sets the figures of the papers beside those of this project's tables."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from overview import PUBLISHED
from shown import TITLES, figure

HERE = Path(__file__).parent


def as_markdown() -> str:
    """Everything: a table per data set with both, then what nothing here stands beside."""
    content = tomllib.loads(PUBLISHED.read_text(encoding="utf-8"))
    parts = [_beside(name, content[name]) for name in TITLES if (HERE / name / "tables").is_dir()]
    return "\n\n".join([*parts, _alone(content["alone"])])


def _beside(name: str, listed: Mapping[str, Any]) -> str:
    own = [f"here: {measure}" for measure in listed["measures"]]
    paper = [f"{listed['paper']}: {column}" for column in listed["columns"]]
    rows = list(_rows(name, listed))
    table = _table(["published", *paper, "nearest here", *own], rows)
    head = f"**{TITLES[name]}.** {_sentence(listed['published'])} {_sentence(listed['own'])}"
    parts = [head, table]
    if (HERE / name / "tables/overview.png").exists():
        parts.append(f"![Recall of each method, {TITLES[name]}]({name}/tables/overview.png)")
    return "\n\n".join(parts)


def _sentence(text: str) -> str:
    return f"{text[0].upper()}{text[1:]}."


def _rows(name: str, listed: Mapping[str, Any]) -> Iterator[list[str]]:
    for row in listed["rows"]:
        figures = _figures(row, listed) or [""] * len(listed["columns"])
        own = _own(name, row, listed["measures"])
        if "name" in row or any(own):
            yield [row.get("name", ""), *figures, *own]


def _own(name: str, row: Mapping[str, Any], measures: Sequence[str]) -> list[str]:
    """The name of the nearest system and its figures; empty where there is none, or its table is not made yet."""
    if "table" in row:
        folder = HERE / name / "tables" / row["table"]
        if (folder / "table.csv").exists():
            found = [figure(folder, row["system"], measure) for measure in measures]
            link = f"[{row['table']}]({name}/tables/{row['table']}/table.md)"
            return [f"{row['system']} ({link})", *found]
    return [""] * (1 + len(measures))


def _alone(listed: Sequence[Mapping[str, Any]]) -> str:
    parts = [
        f"{one['paper']} paper. {one['what']}. Not beside ours: {one['why']}.\n\n"
        + _table(["system", *one["columns"]], [[row["name"], *_figures(row, one)] for row in one["rows"]])
        for one in listed
    ]
    summary = "<summary>Published figures without a counterpart here</summary>"
    return f"<details>{summary}\n\n" + "\n\n".join(parts) + "\n\n</details>"


def _figures(row: Mapping[str, Any], listed: Mapping[str, Any]) -> list[str]:
    """As the paper writes them: with two decimals where it has two."""
    return [f"{figure:.{listed.get('decimals', 1)}f}" for figure in row.get("figures", ())]


def _table(columns: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    words = ("published", "nearest here", "system")
    lines = [columns, ["---" if column in words else "---:" for column in columns], *rows]
    return "\n".join(re.sub(r"\|\s+(?=\|)", "| ", f"| {' | '.join(line)} |") for line in lines)
