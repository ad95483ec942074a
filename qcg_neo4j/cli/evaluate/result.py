"""How the commands show what they have measured, and where they write it."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

import click

from qcg_neo4j.cli.command import option
from qcg_neo4j.cli.terminal import notices, print_json, print_table

if TYPE_CHECKING:
    from qcg_neo4j.evaluation.table import Table


class Measured(Protocol):
    """A result of an evaluation."""

    def as_dict(self) -> dict[str, Any]:
        """Everything as plain values, for JSON."""


def output_option() -> Callable[[Any], Any]:
    """Add ``--output FOLDER``."""
    return option(
        "--output",
        type=click.Path(path_type=Path, file_okay=False),
        metavar="FOLDER",
        default=Path("evaluation"),
        help="folder of the results [evaluation]",
    )


def show(result: Measured, as_json: bool, tables: Iterable[Table]) -> None:
    """Print a result: all of it as JSON, or the tables that a terminal has room for."""
    if as_json:
        print_json(result.as_dict())
    else:
        for table in tables:
            print_table(table.title, table.columns, table.rows)


def tell(oddities: Iterable[str], written: str) -> None:
    """Say what was odd about a run, and what it has written."""
    for line in oddities:
        notices().print(f"Note: {line}")
    notices().print(f"Written to {written}.")
