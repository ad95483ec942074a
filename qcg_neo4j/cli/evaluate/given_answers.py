"""The options of the commands that compare answers which are there."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from pathlib import Path
from typing import Any, TypeVar

import click

from qcg_neo4j.cli.command import option
from qcg_neo4j.cli.evaluate.result import output_option
from qcg_neo4j.evaluation.given_answers import read_answers

F = TypeVar("F", bound=Callable[..., Any])


def given_answers_options(command: F) -> F:
    """Add the files of answers, the limit and the folder; the command receives what the files hold as ``answers``."""

    @wraps(command)
    def run(*args: Any, paths: tuple[Path, ...], limit: int | None, **rest: Any) -> Any:
        return command(*args, answers=read_answers(paths).limited(limit), **rest)

    wrapped: Any = output_option()(run)
    wrapped = option("--limit", type=click.IntRange(min=1), metavar="N", help="the first N questions")(wrapped)
    files = click.argument("paths", metavar="ANSWERS...", type=click.Path(path_type=Path), nargs=-1, required=True)
    return files(wrapped)  # type: ignore[no-any-return] # click changes the signature
