"""A measurement as a table for people, and as Markdown that begins with the command that makes it."""

from __future__ import annotations

from collections.abc import Iterator

from qcg_neo4j.bench.result import Measured, Result


def columns(result: Result) -> list[str]:
    """The names of the columns."""
    returned = ["returned"] if _has_returned(result) else []
    spread = ["median", "min", "25 %", "75 %", "95 %", "max"]
    return [
        result.size_name,
        "what",
        *returned,
        *(f"{name} {result.unit}" for name in spread[:1]),
        *spread[1:],
        "ratio",
    ]


def rows(result: Result) -> list[list[str]]:
    """The cells, as a person reads them."""
    return [_cells(row, _has_returned(result)) for row in result.rows]


def as_markdown(result: Result) -> str:
    """The whole page: command, facts, table, notes."""
    facts = "\n".join(f"- {name}: {value}" for name, value in result.facts.items())
    notes = "\n".join(f"- {note}" for note in result.notes)
    table = "\n".join(_table_lines(result))
    parts = (f"# {result.title}", f"    {result.command}" if result.command else "", facts, table, notes)
    return "\n\n".join(part for part in parts if part) + "\n"


def _table_lines(result: Result) -> Iterator[str]:
    names = columns(result)
    yield f"| {' | '.join(names)} |"
    yield f"|{'|'.join('---' if name == 'what' else '---:' for name in names)}|"
    for cells in rows(result):
        yield f"| {' | '.join(cells)} |"


def _cells(row: Measured, with_returned: bool) -> list[str]:
    found = row.spread
    figures = (found.median, found.minimum, found.quarter, found.three_quarters, found.p95, found.maximum)
    returned = [f"{row.returned:.1f}" if row.returned is not None else ""] if with_returned else []
    ratio = f"{row.ratio:.2f}" if row.ratio is not None else ""
    return [f"{row.size:,}", row.name, *returned, *(_figure(value) for value in figures), ratio]


def _figure(value: float) -> str:
    return f"{value:,.0f}" if value >= 100 else f"{value:.2f}"


def _has_returned(result: Result) -> bool:
    return any(row.returned is not None for row in result.rows)
