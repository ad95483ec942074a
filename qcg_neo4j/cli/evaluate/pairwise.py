"""``qcg evaluate pairwise``: answers of several systems to the same global questions, side by side."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from qcg_neo4j.cli.command import COMMAND, command, option
from qcg_neo4j.cli.evaluate.result import given_answers_options, show, tell
from qcg_neo4j.cli.options import settings_options
from qcg_neo4j.cli.paid_runs import PaidRun, paid_run
from qcg_neo4j.evaluation.given_answers import Answers
from qcg_neo4j.evaluation.pairwise.verdicts import CRITERIA
from qcg_neo4j.evaluation.settings import PairwiseSettings

if TYPE_CHECKING:
    from qcg_neo4j.evaluation.pairwise.result import PairwiseResult
    from qcg_neo4j.evaluation.table import Table

_FOR_FILES = ("p", "ties", "shown first")  # columns of the files alone


@command()
@given_answers_options
@option(
    "--criterion",
    "criteria",
    type=click.Choice(list(CRITERIA)),
    metavar="NAME",
    multiple=True,
    help=f"{', '.join(CRITERIA)}; repeatable [all]",
)
@option("--baseline", metavar="NAME", help="compare each system with this one")
@settings_options(PairwiseSettings, "evaluate_pairwise")
@paid_run
@click.pass_context
def pairwise(
    context: click.Context,
    /,
    answers: Answers,
    output: Path,
    criteria: tuple[str, ...],
    baseline: str | None,
    evaluate_pairwise: PairwiseSettings,
    paid: PaidRun,
) -> None:
    """Let a language model compare ANSWERS in pairs, in both orders: win rates with tests.

    ANSWERS are files of JSON objects with question, answer and system (default: the file's name), or the output of
    `qcg answer --json`. Writes pairwise.md, .csv, .png and verdicts.jsonl.
    """
    from qcg_neo4j.evaluation.pairwise.evaluation import compare_pairwise, estimate_comparison
    from qcg_neo4j.evaluation.pairwise.page import oddities

    chosen: dict[str, Any] = {"criteria": criteria, "baseline": baseline}
    called = context.meta[COMMAND]
    result = paid.run(
        "Comparing",
        lambda source, store: estimate_comparison(answers, evaluate_pairwise, source, paid.prices, store, **chosen),
        lambda source, progress: compare_pairwise(
            answers, source, output, evaluate_pairwise, **chosen, command=called, progress=progress
        ),
    )
    if result:
        show(result, paid.as_json, [shown_table(result)])
        tell(oddities(result), f"{output}: pairwise.md, pairwise.csv, pairwise.png, verdicts.jsonl")


def shown_table(result: PairwiseResult) -> Table:
    """The win rates, in the columns that a terminal has room for."""
    from qcg_neo4j.evaluation.pairwise.page import rate_table

    title = f"{result.questions:,} questions, win rates in percent"
    return rate_table(result.comparisons, title).without(_FOR_FILES)
