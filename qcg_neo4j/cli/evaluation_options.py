"""What commands that evaluate share: which questions and systems they take, where results go and how they look."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import wraps
from pathlib import Path
from typing import Any

import click
from rich.cells import cell_len

from qcg_neo4j.cli.command import Decorator, Function, option, several
from qcg_neo4j.cli.options import WHERE
from qcg_neo4j.cli.terminal import notices, print_json, print_table, results
from qcg_neo4j.core.errors import number_of
from qcg_neo4j.core.records import SourceDocument
from qcg_neo4j.evaluation.datasets import FORMATS, read_dataset
from qcg_neo4j.evaluation.page import Result, Table
from qcg_neo4j.evaluation.questions import Question, questions_of, read_questions, select
from qcg_neo4j.evaluation.settings import ALL, EVEN, ODD

_NAME = 20  # letters of a system's name that a table has room for

output_option = option(
    "--output",
    type=click.Path(path_type=Path, file_okay=False),
    metavar="FOLDER",
    default=Path("evaluation"),
    help="folder of the results [evaluation]",
)


def format_option(text: str) -> Decorator:
    """Add ``--format NAME``; the command receives it as ``kind``."""
    return option("--format", "kind", type=click.Choice(list(FORMATS)), metavar="NAME", help=text)


def benchmark(kind: str, folder: Path) -> tuple[Sequence[SourceDocument], list[Question]]:
    """Documents and questions of the benchmark of that format in a folder; notes name what is left out."""
    found = read_dataset(kind, folder)
    for note in found.notes:
        notices().print(f"Note: {note}.")
    return found.documents, questions_of(found.questions, str(folder))


def systems_options(methods: Sequence[str], text: str) -> Decorator:
    """Add what chooses the systems to compare: ``--systems``, ``--method``, ``--where`` and ``--baseline``."""
    return several(
        option("--systems", type=click.Path(path_type=Path), metavar="FILE", help="TOML file of systems to compare"),
        option("--method", "methods", type=click.Choice(methods), metavar="NAME", multiple=True, help=text),
        option("--where", metavar="FILTER", help=WHERE),
        option("--baseline", metavar="NAME", help="system to test the others against [vector, if among them]"),
    )


def question_options(command: Function) -> Function:
    """Add QUESTIONS and what chooses among them; the command receives them as ``questions``."""

    @wraps(command)
    def run(*args: Any, path: Path, kind: str | None, **rest: Any) -> Any:
        chosen = {name: rest.pop(name) for name in ("half", "types", "limit")}
        questions = benchmark(kind, path)[1] if kind else read_questions(path)
        return command(*args, questions=select(questions, **chosen), **rest)

    return several(
        click.argument("path", type=click.Path(path_type=Path), metavar="QUESTIONS"),
        option(
            "--half",
            type=click.Choice((ALL, EVEN, ODD)),
            metavar="HALF",
            default=ALL,
            help="questions at all (default), even or odd places",
        ),
        option("--type", "types", metavar="TYPE", multiple=True, help="questions of this type; repeatable"),
        option("--limit", type=click.IntRange(min=1), metavar="N", help="the first N questions"),
        format_option("QUESTIONS is the folder of this public benchmark"),
    )(run)


def show(result: Result, as_json: bool, tables: Iterable[Table]) -> None:
    """Print a result: all of it as JSON, or tables in the columns that the terminal has room for."""
    if as_json:
        print_json(result.as_dict())
    else:
        for table in tables:
            shown = fitting(table, results().width)
            print_table(shown.title, shown.columns, shown.rows)
            if left_out := len(table.columns) - len(shown.columns):
                told = number_of(left_out, "column has", "columns have")
                notices().print(f"{told} no room here; what is written has all.", style="dim")


def fitting(table: Table, width: int) -> Table:
    """The table without as many of its spare columns as do not fit into that width, borders included."""
    shown = table
    for number in range(1, len(table.spare) + 1):
        names, *others = (max(map(cell_len, column)) for column in zip(shown.columns, *shown.rows, strict=True))
        # A long name is broken before anything else is.
        if 1 + sum(3 + letters for letters in (min(names, _NAME), *others)) <= width:
            break
        shown = table.without(table.spare[:number])
    return shown


def tell(oddities: Iterable[str], written: str) -> None:
    """Say what was odd about a run, and what it has written."""
    for line in oddities:
        notices().print(f"Note: {line}")
    notices().print(f"Written to {written}.")
