"""``qcg evaluate pairwise`` and ``claims``: answers of several systems to the same questions, side by side."""

from __future__ import annotations

from dataclasses import replace
from functools import wraps
from pathlib import Path
from typing import Any

import click

from qcg_neo4j.cli.command import COMMAND, Function, command, option, several
from qcg_neo4j.cli.evaluation_options import output_option, show, tell
from qcg_neo4j.cli.options import settings_options
from qcg_neo4j.cli.paid_runs import PaidRun, paid_run
from qcg_neo4j.core.errors import number_of
from qcg_neo4j.evaluation import claims as of_claims
from qcg_neo4j.evaluation import pairwise as of_pairs
from qcg_neo4j.evaluation.claims import ClaimsResult, lists
from qcg_neo4j.evaluation.judge import expect
from qcg_neo4j.evaluation.page import Table
from qcg_neo4j.evaluation.pairwise.result import PairwiseResult
from qcg_neo4j.evaluation.pairwise.verdicts import CRITERIA
from qcg_neo4j.evaluation.questions import Answers, read_answers
from qcg_neo4j.evaluation.settings import ClaimsSettings, PairwiseSettings


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
@option("--baseline", metavar="NAME", help="compare each system with this one [each with each]")
@settings_options(PairwiseSettings, "evaluate_pairwise")
@paid_run
@click.pass_context
def pairwise(
    context: click.Context,
    /,
    answers: Answers,
    output: Path,
    evaluate_pairwise: PairwiseSettings,
    paid: PaidRun,
    **chosen: Any,
) -> None:
    """Let a language model compare ANSWERS in pairs, in both orders: win rates with tests.

    ANSWERS are files of JSON objects with question, answer and system (default: the file's name), or the output of
    `qcg answer --json`. Writes pairwise.md, .csv, .png and verdicts.jsonl.
    """
    called = context.meta[COMMAND]
    result = paid.run(
        "Comparing",
        lambda source, store: expect(
            of_pairs.pairwise_requests(answers, evaluate_pairwise, **chosen),
            source,
            paid.prices,
            store,
            of_pairs.REPLY_TOKENS,
        ),
        lambda source, progress: of_pairs.compare_pairwise(
            answers, source, output, evaluate_pairwise, **chosen, command=called, progress=progress
        ),
    )
    if result:
        show(result, paid.as_json, [shown_rates(result)])
        tell(of_pairs.oddities(result), f"{output}: pairwise.md, pairwise.csv, pairwise.png, verdicts.jsonl")


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
    called = context.meta[COMMAND]
    result = paid.run(
        "Listing claims",
        lambda source, store: expect(
            lists.requests(answers).values(), source, paid.prices, store, of_claims.REPLY_TOKENS
        ),
        lambda source, progress: of_claims.count_claims(
            answers, source, output, evaluate_claims, command=called, progress=progress
        ),
    )
    if result:
        show(result, paid.as_json, [shown_claims(result)])
        tell(of_claims.oddities(result), f"{output}: claims.md, claims.csv, claims.jsonl")


def shown_rates(result: PairwiseResult) -> Table:
    """The win rates, in the columns that a terminal has room for."""
    title = f"{number_of(result.questions, 'question')}, win rates in percent"
    return of_pairs.rate_table(result.comparisons, title)


def shown_claims(result: ClaimsResult) -> Table:
    """The figures that a terminal has room for."""
    return replace(of_claims.figure_table(result), title=f"{number_of(result.questions, 'question')}, means")
