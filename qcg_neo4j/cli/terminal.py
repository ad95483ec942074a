"""What a person sees: progress on standard error, tables and JSON on standard output."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, SpinnerColumn, TextColumn, TimeElapsedColumn
from rich.progress import Progress as Bars
from rich.table import Table

from qcg_neo4j.cli.advice import advice
from qcg_neo4j.progress import Progress


def notices() -> Console:
    """The console for everything that is not the result: standard error."""
    return Console(stderr=True, highlight=False)


def results() -> Console:
    """The console for results: standard output, not wrapped when it is a file or a pipe."""
    return Console(highlight=False, width=None if sys.stdout.isatty() else 120)


@contextmanager
def progress_bars() -> Iterator[Callable[[str], Progress]]:
    """Bars on standard error while the block runs, one per description; nothing where standard error is no terminal."""
    columns = (
        SpinnerColumn(),
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
    )
    console = notices()
    with Bars(*columns, console=console, transient=True, disable=not console.is_terminal) as bars:

        def bar(description: str) -> Progress:
            task = bars.add_task(description, total=None)
            return lambda done, total: bars.update(task, completed=done, total=total)

        yield bar


@contextmanager
def progress_bar(description: str) -> Iterator[Progress]:
    """One of `progress_bars`."""
    with progress_bars() as bar:
        yield bar(description)


def print_notes(notes: Iterable[str]) -> None:
    """Print what should be known of a result, a line each."""
    for note in notes:
        results().print(advice(f"Note: {note.rstrip('.')}."), markup=False)


def print_json(value: Any) -> None:
    """Print a value as JSON, readable and in its own letters."""
    sys.stdout.write(json.dumps(value, ensure_ascii=False, indent=2, default=str) + "\n")


def print_table(title: str, columns: Sequence[str], rows: Iterable[Sequence[Any]]) -> None:
    """Print a table; numbers to the right."""
    table = Table(title=title, title_justify="left")
    body = [list(row) for row in rows]
    for position, column in enumerate(columns):
        numbers = bool(body) and all(isinstance(row[position], int | float) for row in body)
        table.add_column(column, justify="right" if numbers else "left")
    for row in body:
        table.add_row(*(f"{cell:,}" if isinstance(cell, int) else str(cell) for cell in row))
    results().print(table)
