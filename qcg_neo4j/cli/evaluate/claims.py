"""``qcg evaluate claims``: how many claims answers make, and how different these are."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import click

from qcg_neo4j.cli.command import COMMAND, command
from qcg_neo4j.cli.evaluate.result import given_answers_options, show, tell
from qcg_neo4j.cli.options import settings_options
from qcg_neo4j.cli.paid_runs import PaidRun, paid_run
from qcg_neo4j.evaluation.given_answers import Answers
from qcg_neo4j.evaluation.settings import ClaimsSettings

if TYPE_CHECKING:
    from qcg_neo4j.evaluation.claims.result import ClaimsResult
    from qcg_neo4j.evaluation.table import Table

_FOR_FILES = ("duplicates", "no claims")  # columns of the files alone


@command()
@given_answers_options
@settings_options(ClaimsSettings, "evaluate_claims")
@paid_run
@click.pass_context
def claims(
    context: click.Context, /, answers: Answers, output: Path, evaluate_claims: ClaimsSettings, paid: PaidRun
) -> None:
    """Count the factual claims of ANSWERS, and how many clusters they form.

    A language model lists the claims. ANSWERS are files as for `qcg evaluate pairwise`. Writes claims.md, claims.csv
    and claims.jsonl. An interrupted run continues where it stopped.
    """
    from qcg_neo4j.evaluation.claims.evaluation import count_claims, estimate_claims
    from qcg_neo4j.evaluation.claims.page import oddities

    called = context.meta[COMMAND]
    result = paid.run(
        "Listing claims",
        lambda source, store: estimate_claims(answers, source, paid.prices, store),
        lambda source, progress: count_claims(
            answers, source, output, evaluate_claims, command=called, progress=progress
        ),
    )
    if result:
        show(result, paid.as_json, [shown_table(result)])
        tell(oddities(result), f"{output}: claims.md, claims.csv, claims.jsonl")


def shown_table(result: ClaimsResult) -> Table:
    """The figures that a terminal has room for."""
    from qcg_neo4j.evaluation.claims.page import figure_table

    return replace(figure_table(result), title=f"{result.questions:,} questions, means").without(_FOR_FILES)
