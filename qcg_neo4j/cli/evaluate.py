"""``qcg evaluate``: measure retrieval on questions whose answers are known, and answers to global questions."""

from __future__ import annotations

from contextlib import ExitStack
from functools import partial
from pathlib import Path
from typing import Any

import click

from qcg_neo4j.cli.command_line import COMMAND, RememberingCommand
from qcg_neo4j.cli.embedder import use_for_questions
from qcg_neo4j.cli.evaluate_answers import claims, pairwise
from qcg_neo4j.cli.evaluate_questions import questions as global_questions
from qcg_neo4j.cli.evaluate_written import answers
from qcg_neo4j.cli.language_model import given_home, replies_option, reply_source, rerank_key, store_option, store_path
from qcg_neo4j.cli.options import Connect, connection_options, json_option, settings_file_option, settings_options
from qcg_neo4j.cli.question_options import question_options
from qcg_neo4j.cli.terminal import notices, print_json, print_table, progress_bar
from qcg_neo4j.embedding import EmbeddingSettings
from qcg_neo4j.errors import InputError
from qcg_neo4j.evaluate import (
    EvaluateSettings,
    Lineup,
    Question,
    Result,
    evaluate_retrieval,
    lineup_of,
    read_lineup,
)
from qcg_neo4j.evaluate.systems import retriever_of
from qcg_neo4j.evaluate.table import figure_table, oddities
from qcg_neo4j.language_model import LanguageModelSettings
from qcg_neo4j.replies import ReplySource
from qcg_neo4j.retrieve import METHODS

_FOR_FILES = ("hit@1", "hit@5", "hit@10", "mAP", "nDCG@10")  # columns that a terminal has no room for


@click.group()
def evaluate() -> None:
    """Measure systems: retrieval on questions whose evidence is known, answers, answers to global questions."""


for command in (answers, global_questions, pairwise, claims):
    evaluate.add_command(command)


@evaluate.command(cls=RememberingCommand)
@question_options
@click.option("--systems", type=click.Path(path_type=Path), help="TOML file of [[system]] and [[sweep]] tables.")
@click.option(
    "--method",
    "methods",
    type=click.Choice(list(METHODS)),
    multiple=True,
    help="A method with its defaults, instead of --systems; may be given several times. [default: all]",
)
@click.option("--baseline", help="Name of the system that the others are tested against. [default: the file's, vector]")
@click.option(
    "--output",
    type=click.Path(path_type=Path, file_okay=False),
    default=Path("evaluation"),
    show_default=True,
    help="Folder of table.md, by_type.md, table.csv, recall.png and runs.jsonl, by which an interrupted run goes on.",
)
@replies_option
@store_option
@settings_options(EvaluateSettings, "evaluate")
@settings_options(LanguageModelSettings, "language_model", shared=True)
@settings_options(EmbeddingSettings, "embedding", shared=True)
@settings_file_option
@connection_options
@json_option
@click.pass_context
def retrieval(
    context: click.Context,
    /,
    connect: Connect,
    questions: list[Question],
    systems: Path | None,
    methods: tuple[str, ...],
    baseline: str | None,
    output: Path,
    as_json: bool,
    **rest: Any,
) -> None:
    """Compare retrieval methods on QUESTIONS: recall, hit, MRR, tokens and latency, with intervals and tests.

    QUESTIONS is JSON Lines: `question`, `evidence` (a list of document ids), `type`, and optionally `id`, `answer`.
    """
    with (
        reply_source(rest["files"], rest["language_model"], store_path(rest["store"], given_home())) as source,
        ExitStack() as opened,
    ):
        lineup = _lineup(systems, methods, baseline, source)
        graph, progress = opened.enter_context(connect()), opened.enter_context(progress_bar("Asking"))
        use_for_questions(graph, rest["embedding"])
        result = evaluate_retrieval(
            graph,
            questions,
            lineup,
            output,
            rest["evaluate"],
            command=context.meta[COMMAND],
            skip_unusable=not (systems or methods),
            progress=progress,
        )
    _show(result, output, as_json)


def _lineup(systems: Path | None, methods: tuple[str, ...], baseline: str | None, source: ReplySource | None) -> Lineup:
    if systems and methods:
        raise InputError("Both --systems and --method are given.", "Give one of them.")
    make = partial(retriever_of, rerank_key=rerank_key())
    return read_lineup(systems, baseline, source, make) if systems else lineup_of(methods, baseline)


def _show(result: Result, output: Path, as_json: bool) -> None:
    if as_json:
        print_json(result.as_dict())
    else:
        columns, rows = figure_table(result, intervals=("recall@5",))
        kept = [place for place, column in enumerate(columns) if column not in _FOR_FILES]
        title = f"{result.questions:,} questions, measures in percent"
        print_table(title, [columns[place] for place in kept], [[row[place] for place in kept] for row in rows])
    for line in oddities(result):
        notices().print(f"Note: {line}", markup=False)
    notices().print(f"Written to {output}: table.md, by_type.md, table.csv, recall.png.", markup=False)
