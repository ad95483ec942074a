"""``qcg evaluate pairwise`` and ``qcg evaluate claims``: answers of several systems to the same global questions."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any, TypeVar

import click

from qcg_neo4j.cli.command_line import COMMAND, RememberingCommand
from qcg_neo4j.cli.options import settings_options
from qcg_neo4j.cli.paid_runs import PaidRun, paid_run
from qcg_neo4j.cli.terminal import notices, print_json, print_table
from qcg_neo4j.evaluate.answers import read_answers
from qcg_neo4j.evaluate.pairwise.criteria import CRITERIA
from qcg_neo4j.evaluate.settings import ClaimsSettings, PairwiseSettings

F = TypeVar("F", bound=Callable[..., Any])
_FOR_FILES = ("p", "ties", "shown first", "duplicates", "no claims")  # columns of the files alone


def _input_options(command: F) -> F:
    """The files of answers, the limit and the folder."""
    output = click.option(
        "--output",
        type=click.Path(path_type=Path, file_okay=False),
        default=Path("evaluation"),
        show_default=True,
        help="Folder of what is written.",
    )
    limit = click.option("--limit", type=click.IntRange(min=1), help="Only so many questions.")
    files = click.argument("answers", type=click.Path(path_type=Path), nargs=-1, required=True)
    return files(limit(output(command)))


@click.command(cls=RememberingCommand)
@_input_options
@click.option(
    "--criterion",
    "criteria",
    type=click.Choice(list(CRITERIA)),
    multiple=True,
    help="Compare by this criterion; may be given several times. [default: all]",
)
@click.option("--baseline", help="Compare each system with this one alone, instead of each with each.")
@settings_options(PairwiseSettings, "evaluate_pairwise")
@paid_run
@click.pass_context
def pairwise(
    context: click.Context,
    /,
    answers: tuple[Path, ...],
    limit: int | None,
    output: Path,
    criteria: tuple[str, ...],
    baseline: str | None,
    evaluate_pairwise: PairwiseSettings,
    paid: PaidRun,
) -> None:
    """Let a language model compare ANSWERS two by two, in both orders, several times: win rates with tests.

    ANSWERS are files of JSON objects: `question`, `answer` and `system` (without it, the file's name), or what `qcg
    answer --json` prints. Writes pairwise.md, pairwise.csv, pairwise.png and verdicts.jsonl. What was paid for is
    stored as it arrives; run the same again to go on after an interruption.
    """
    from qcg_neo4j.evaluate.pairwise import compare_pairwise, estimate_comparison
    from qcg_neo4j.evaluate.pairwise.table import oddities, rate_table

    given = read_answers(answers).limited(limit)
    chosen: dict[str, Any] = {"criteria": criteria, "baseline": baseline}
    command = context.meta[COMMAND]
    result = paid.run(
        "Comparing",
        lambda source, store: estimate_comparison(
            given, evaluate_pairwise, source, paid.language_model, store, **chosen
        ),
        lambda source, progress: compare_pairwise(
            given, source, output, evaluate_pairwise, **chosen, command=command, progress=progress
        ),
    )
    if result and paid.as_json:
        print_json(result.as_dict())
    elif result:
        _print(f"{result.questions:,} questions, win rates in percent", *rate_table(result.comparisons))
    if result:
        _tell(oddities(result), f"{output}: pairwise.md, pairwise.csv, pairwise.png, verdicts.jsonl")


@click.command(cls=RememberingCommand)
@_input_options
@settings_options(ClaimsSettings, "evaluate_claims")
@paid_run
@click.pass_context
def claims(
    context: click.Context,
    /,
    answers: tuple[Path, ...],
    limit: int | None,
    output: Path,
    evaluate_claims: ClaimsSettings,
    paid: PaidRun,
) -> None:
    """Count the factual claims of ANSWERS, as a language model lists them, and how many clusters they form.

    ANSWERS are files as for `qcg evaluate pairwise`. Writes claims.md, claims.csv and claims.jsonl. What was paid for
    is stored as it arrives; run the same again to go on after an interruption.
    """
    from qcg_neo4j.evaluate.claims import count_claims, estimate_claims
    from qcg_neo4j.evaluate.claims.table import figure_table, oddities

    given = read_answers(answers).limited(limit)
    command = context.meta[COMMAND]
    result = paid.run(
        "Listing claims",
        lambda source, store: estimate_claims(given, source, paid.language_model, store),
        lambda source, progress: count_claims(
            given, source, output, evaluate_claims, command=command, progress=progress
        ),
    )
    if result and paid.as_json:
        print_json(result.as_dict())
    elif result:
        _print(f"{result.questions:,} questions, means", *figure_table(result))
    if result:
        _tell(oddities(result), f"{output}: claims.md, claims.csv, claims.jsonl")


def _print(title: str, columns: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
    """The table without the columns that a terminal has no room for."""
    kept = [place for place, column in enumerate(columns) if column not in _FOR_FILES]
    print_table(title, [columns[place] for place in kept], [[row[place] for place in kept] for row in rows])


def _tell(oddities: Iterable[str], written: str) -> None:
    for line in oddities:
        notices().print(f"Note: {line}", markup=False)
    notices().print(f"Written to {written}.", markup=False)
