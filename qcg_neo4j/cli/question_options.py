"""The options that choose questions: their file, and which of them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import wraps
from pathlib import Path
from typing import Any, TypeVar

import click

from qcg_neo4j.cli.terminal import notices
from qcg_neo4j.core.records import SourceDocument
from qcg_neo4j.evaluation.datasets import FORMATS, read_dataset
from qcg_neo4j.evaluation.questions import Question, questions_of, read_questions, select
from qcg_neo4j.evaluation.settings import ALL, EVEN, ODD

F = TypeVar("F", bound=Callable[..., Any])


@dataclass(frozen=True)
class Benchmark:
    """The documents and the questions of a public benchmark."""

    documents: tuple[SourceDocument, ...]
    questions: list[Question]


def format_option(text: str) -> Callable[[F], F]:
    """Add ``--format NAME``; the command receives it as ``kind``."""
    return click.option("--format", "kind", type=click.Choice(list(FORMATS)), help=text)


def benchmark(kind: str, folder: Path) -> Benchmark:
    """The benchmark of that format in a folder; what is left out of it is told."""
    found = read_dataset(kind, folder)
    for note in found.notes:
        notices().print(f"Note: {note}.", markup=False)
    return Benchmark(found.documents, questions_of(found.questions, str(folder)))


def question_options(command: F) -> F:
    """Add QUESTIONS and what chooses among them; the command receives them as ``questions``."""

    @wraps(command)
    def run(*args: Any, path: Path, kind: str | None, **rest: Any) -> Any:
        chosen = {name: rest.pop(name) for name in ("half", "types", "limit")}
        questions = benchmark(kind, path).questions if kind else read_questions(path)
        return command(*args, questions=select(questions, **chosen), **rest)

    wrapped: Any = run
    for option in (
        format_option("QUESTIONS is the folder of a public benchmark, as it is published."),
        click.option("--limit", type=click.IntRange(min=1), help="Only so many questions."),
        click.option("--type", "types", multiple=True, help="Only questions of this type; may be given several times."),
        click.option(
            "--half", type=click.Choice((ALL, EVEN, ODD)), default=ALL, help="Even positions to tune, odd to confirm."
        ),
        click.argument("path", type=click.Path(path_type=Path), metavar="QUESTIONS"),
    ):
        wrapped = option(wrapped)
    return wrapped  # type: ignore[no-any-return] # click changes the signature
