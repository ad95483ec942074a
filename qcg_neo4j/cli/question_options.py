"""The options that choose questions: their file, and which of them."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from pathlib import Path
from typing import Any, TypeVar

import click

from qcg_neo4j.evaluate.questions import read_questions, select
from qcg_neo4j.evaluate.settings import ALL, EVEN, ODD

F = TypeVar("F", bound=Callable[..., Any])


def question_options(command: F) -> F:
    """Add QUESTIONS and what chooses among them; the command receives them as ``questions``."""

    @wraps(command)
    def run(*args: Any, path: Path, half: str, types: tuple[str, ...], limit: int | None, **rest: Any) -> Any:
        questions = select(read_questions(path), half, types, limit)
        return command(*args, questions=questions, **rest)

    wrapped: Any = run
    for option in (
        click.option("--limit", type=click.IntRange(min=1), help="Only so many questions."),
        click.option("--type", "types", multiple=True, help="Only questions of this type; may be given several times."),
        click.option(
            "--half", type=click.Choice((ALL, EVEN, ODD)), default=ALL, help="Even positions to tune, odd to confirm."
        ),
        click.argument("path", type=click.Path(path_type=Path), metavar="QUESTIONS"),
    ):
        wrapped = option(wrapped)
    return wrapped  # type: ignore[no-any-return] # click changes the signature
