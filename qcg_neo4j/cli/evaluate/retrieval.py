"""``qcg evaluate retrieval``: methods compared on questions whose evidence is known."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import click

from qcg_neo4j.cli.command import COMMAND, command
from qcg_neo4j.cli.evaluation_options import output_option, question_options, show, systems_options, tell
from qcg_neo4j.cli.models import (
    embedding_option,
    llm_option,
    replies_option,
    reply_source,
    rerank_key,
    store_option,
    use_for_questions,
)
from qcg_neo4j.cli.options import Connect, Typed, connection_options, json_option, settings_options
from qcg_neo4j.cli.terminal import progress_bar
from qcg_neo4j.core.errors import InputError, number_of
from qcg_neo4j.evaluation import EvaluateSettings, Lineup, Question, evaluate_retrieval, lineup_of, read_lineup
from qcg_neo4j.evaluation.lineup import retriever_of
from qcg_neo4j.evaluation.retrieval.page import figure_table, oddities
from qcg_neo4j.models.replies import ReplySource
from qcg_neo4j.retrieval import METHODS


@command()
@question_options
@systems_options(list(METHODS), "a method with its defaults; repeatable [all]")
@output_option
@settings_options(EvaluateSettings, "evaluate", Typed("depth", "N", "passages per question"))
@llm_option
@replies_option
@store_option
@embedding_option
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
    """Compare retrieval methods on QUESTIONS: recall, MRR, tokens and latency, with tests.

    QUESTIONS is JSON Lines with question, evidence (document ids), and optionally id, type, answer and aliases. An
    interrupted run continues where it stopped.
    """
    skip_unusable = not (systems or methods)
    with reply_source(rest["files"], rest["llm"], rest["store"]) as source:
        lineup = _lineup(systems, methods, baseline, source)
        if rest["where"] is not None:
            lineup = lineup.filtered(rest["where"], skip_unusable=skip_unusable)
        with connect() as graph, progress_bar("Asking") as progress:
            use_for_questions(graph, rest["embedding"])
            result = evaluate_retrieval(
                graph,
                questions,
                lineup,
                output,
                rest["evaluate"],
                command=context.meta[COMMAND],
                skip_unusable=skip_unusable,
                progress=progress,
            )
    table = figure_table(result, intervals=("recall@5",))
    show(result, as_json, [replace(table, title=f"{number_of(result.questions, 'question')}, measures in percent")])
    tell(oddities(result), f"{output}: table.md, by_type.md, table.csv, recall.png")


def _lineup(systems: Path | None, methods: tuple[str, ...], baseline: str | None, source: ReplySource | None) -> Lineup:
    if systems and methods:
        raise InputError("Both --systems and --method are given.", "Give one of them.")
    make = partial(retriever_of, rerank_key=rerank_key())
    return read_lineup(systems, baseline, source, make) if systems else lineup_of(methods, baseline)
