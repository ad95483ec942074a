"""How the commands show what they have measured, where they write it, and the answers that some of them take."""

from __future__ import annotations

from collections.abc import Iterable
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

import click

from qcg_neo4j.cli.command import Function, option, several
from qcg_neo4j.cli.terminal import notices, print_json, print_table
from qcg_neo4j.evaluation.given_answers import read_answers

if TYPE_CHECKING:
    from qcg_neo4j.evaluation.table import Table


output_option = option(
    "--output",
    type=click.Path(path_type=Path, file_okay=False),
    metavar="FOLDER",
    default=Path("evaluation"),
    help="folder of the results [evaluation]",
)


def given_answers_options(command: Function) -> Function:
    """Add the files of answers, the limit and the folder; the command receives what the files hold as ``answers``."""

    @wraps(command)
    def run(*args: Any, paths: tuple[Path, ...], limit: int | None, **rest: Any) -> Any:
        return command(*args, answers=read_answers(paths).limited(limit), **rest)

    return several(
        click.argument("paths", metavar="ANSWERS...", type=click.Path(path_type=Path), nargs=-1, required=True),
        option("--limit", type=click.IntRange(min=1), metavar="N", help="the first N questions"),
        output_option,
    )(run)


class Measured(Protocol):
    """A result of an evaluation."""

    def as_dict(self) -> dict[str, Any]:
        """Everything as plain values, for JSON."""


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
