"""``qcg train``: questions to learn from, and the link predictor that learns."""

from __future__ import annotations

from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import click

from qcg_neo4j.cli.asking import (
    estimate_option,
    nothing_to_estimate,
    reply_source,
    show_costs,
    show_estimate,
)
from qcg_neo4j.cli.embedder import embedder_of
from qcg_neo4j.cli.language_model import given_home, replies_option, store_option, store_path
from qcg_neo4j.cli.options import Connect, connection_options, json_option, settings_file_option, settings_options
from qcg_neo4j.cli.terminal import print_json, print_table, progress_bar
from qcg_neo4j.embedding import EmbeddingSettings, token_counter
from qcg_neo4j.errors import MissingReplyError
from qcg_neo4j.language_model import Estimate, LanguageModelSettings
from qcg_neo4j.train import QuestionReport, QuestionSettings, estimate_questions, write_questions
from qcg_neo4j.train.settings import MODEL, REPLIES


@click.group()
def train() -> None:
    """Learn which atoms answer a question (LP-RAG): write questions first, then train a link predictor."""


@train.command()
@replies_option
@estimate_option
@store_option
@settings_options(QuestionSettings, "questions")
@settings_options(LanguageModelSettings, "language_model", shared=True)
@settings_options(EmbeddingSettings, "embedding", shared=True)
@settings_file_option
@connection_options
@json_option
def questions(
    connect: Connect, files: tuple[Path, ...], estimate_only: bool, store: Path | None, as_json: bool, **sections: Any
) -> None:
    """Write questions about batches of atoms that lie near to each other.

    What was paid for is stored as it arrives; run the same again to go on after an interruption. A recording may bring
    its batches along. The source `queries` asks nobody: what `qcg generate` has written is taken.
    """
    settings, language_model = sections["questions"], sections["language_model"]
    if files:
        settings = replace(settings, source=REPLIES)
    path = store_path(store, given_home())
    with (
        reply_source(settings.source, "train/questions", language_model, files, path) as (source, opened),
        connect() as graph,
    ):
        embedder = embedder_of(graph, sections["embedding"])
        expected = None
        if settings.source == MODEL and source and opened:
            expected = estimate_questions(graph, settings, source, language_model, opened, token_counter(embedder))
            show_estimate(expected, as_json and estimate_only)
        elif estimate_only:
            raise nothing_to_estimate(settings.source)
        if estimate_only:
            return
        with progress_bar("Writing questions") as progress:
            report = write_questions(graph, embedder, settings, source, files=files, progress=progress)
    _show_questions(report, expected, language_model, as_json)


def _show_questions(
    report: QuestionReport, expected: Estimate | None, language_model: LanguageModelSettings, as_json: bool
) -> None:
    if as_json:
        print_json({**asdict(report), "estimate": asdict(expected) if expected else None})
    else:
        names = ("batches", "unknown", "written", "unchanged", "removed", "questions", "answers")
        shown = {"unknown": "batches of unknown atoms", "answers": "ANSWERED_BY"}
        rows: list[tuple[str, int]] = [(shown.get(name, name), getattr(report, name)) for name in names]
        print_table("Questions", ("what", "number"), [*rows, ("without reply", len(report.missing))])
        if expected:
            show_costs(report.usage, expected, language_model)
    if report.missing:
        first = report.missing[0]
        raise MissingReplyError(
            f"{len(report.missing):,} of {report.batches:,} batches have no reply, the first {first.batch!r}: "
            f"{first.reason}",
            "Everything else is written. Run the same again to ask for these, or bring their replies with --replies.",
        )
