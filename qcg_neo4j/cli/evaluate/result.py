"""How the commands show what they have measured, and where they write it."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import click

from qcg_neo4j.cli.command import option
from qcg_neo4j.cli.terminal import notices, print_json, print_table
from qcg_neo4j.evaluation.page import Result, Table

output_option = option(
    "--output",
    type=click.Path(path_type=Path, file_okay=False),
    metavar="FOLDER",
    default=Path("evaluation"),
    help="folder of the results [evaluation]",
)


def show(result: Result, as_json: bool, tables: Iterable[Table]) -> None:
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
