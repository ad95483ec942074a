"""Tables of Markdown: made from separated values, and with their head repeated, so that each piece of them has one."""

from __future__ import annotations

import csv
import io
import re
from itertools import takewhile

from qcg_neo4j.core.json_lines import UnusableError

_SAMPLE = 20_000
_LONGEST_CELL = 10_000_000
_STATED = re.compile(r"\s*\"?sep=(.)\"?[ \t]*(?:\r?\n|\Z)", re.IGNORECASE)
ROWS_PER_HEAD = 20
_RULE = re.compile(r"^\|(?: *:?-+:? *\|)+ *$")


def markdown_table(text: str) -> str:
    """The table in a text of separated values, its first row as head.

    >>> print(markdown_table("bread;hours\\nrye;18\\n"))
    | bread | hours |
    | --- | --- |
    | rye | 18 |

    Raises:
        UnusableError: a row cannot be read.
    """
    csv.field_size_limit(_LONGEST_CELL)
    stated = _STATED.match(text)  # Excel's own line about the delimiter
    delimiter = stated.group(1) if stated else _delimiter(text)
    try:
        read = csv.reader(io.StringIO(text[stated.end() if stated else 0 :]), delimiter=delimiter)
        rows = [row for row in read if any(row)]
    except csv.Error as error:
        raise UnusableError(f"not a table of separated values: {error}") from None
    width = max(map(len, rows), default=0)
    above = list(takewhile(lambda row: _is_above(row, width), rows))
    lines = [_line(row + [""] * (width - len(row))) for row in rows[len(above) :]]
    table = with_heads("\n".join([*lines[:1], _line(["---"] * width), *lines[1:]])) if lines else ""
    return "\n\n".join([*(delimiter.join(row).strip(f" {delimiter}") for row in above), table]).strip()


def _is_above(row: list[str], width: int) -> bool:
    """Whether a row is a line above the head: a comment, or a title that fills one of several columns."""
    return row[0].lstrip().startswith("#") or (width > 1 and sum(bool(cell.strip()) for cell in row) == 1)


def with_heads(markdown: str) -> str:
    """The text with each long table as several, each below the same head.

    A chunk of a long table then says what its columns are, and stays a slice of the text.
    """
    lines, shown = markdown.split("\n"), list[str]()
    head: list[str] = []
    rows = 0
    for number, line in enumerate(lines):
        if head and line.startswith("|"):
            rows += 1
            if rows > ROWS_PER_HEAD:
                shown += ["", *head]
                rows = 1
        else:
            head = []
        shown.append(line)
        if number and _RULE.match(line) and lines[number - 1].startswith("|") and not head:
            head, rows = lines[number - 1 : number + 1], 0
    return "\n".join(shown)


def _delimiter(text: str) -> str:
    """The sign of which the first lines have the same number most often; of equals the one that parts more."""
    first = text[:_SAMPLE].splitlines()[:50]
    counts = {sign: [line.count(sign) for line in first if line.strip()] for sign in ",;\t|"}
    return max(counts, key=lambda sign: (_steadiness(counts[sign]), sum(counts[sign])))


def _steadiness(counts: list[int]) -> float:
    most = max(set(counts), key=counts.count, default=0)
    return counts.count(most) / len(counts) if most else 0.0


def _line(cells: list[str]) -> str:
    return "| " + " | ".join(" ".join(cell.replace("|", "\\|").split()) for cell in cells) + " |"
