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
from qcg_neo4j.cli.terminal import print_json, print_table, progress_bar, results
from qcg_neo4j.embedding import EmbeddingSettings, token_counter
from qcg_neo4j.errors import MissingReplyError
from qcg_neo4j.evaluate import read_questions
from qcg_neo4j.language_model import Estimate, LanguageModelSettings
from qcg_neo4j.train import (
    PredictorReport,
    PredictorSettings,
    QuestionReport,
    QuestionSettings,
    estimate_questions,
    export_predictor,
    import_predictor,
    train_predictor,
    write_questions,
)
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


@train.command("link-predictor")
@click.option(
    "--avoid",
    type=click.Path(path_type=Path, exists=True, dir_okay=False),
    help="Questions to be evaluated with later (JSON Lines): what resembles them is not learned from.",
)
@click.option(
    "--export", "target", type=click.Path(path_type=Path, dir_okay=False), help="Also write the predictor to this file."
)
@click.option(
    "--import",
    "source",
    type=click.Path(path_type=Path, dir_okay=False),
    help="Train nothing; put the predictor of this file into the graph.",
)
@settings_options(PredictorSettings, "link_predictor")
@settings_options(EmbeddingSettings, "embedding", shared=True)
@settings_file_option
@connection_options
@json_option
def link_predictor(
    connect: Connect, avoid: Path | None, target: Path | None, source: Path | None, as_json: bool, **sections: Any
) -> None:
    """Train the link predictor on the questions, and put it into the graph.

    A part of the questions is held out, to stop in time and for the report. Nothing happens while questions, atoms
    and settings are those of the last time. Needs the extra `train`; `--import` does not.
    """
    with connect() as graph:
        if source:
            report = import_predictor(graph, source)
        else:
            vectors = None
            if avoid:
                texts = [question.text for question in read_questions(avoid)]
                vectors = embedder_of(graph, sections["embedding"]).embed(texts)
            with progress_bar("Training") as progress:
                report = train_predictor(graph, sections["link_predictor"], avoid=vectors, progress=progress)
        if target:
            export_predictor(graph, target)
    _show_predictor(report, as_json)


def _show_predictor(report: PredictorReport, as_json: bool) -> None:
    if as_json:
        print_json(asdict(report))
        return
    if not report.changed:
        results().print("The graph is up to date.")
    rows: list[tuple[str, Any]] = [
        ("predictor", f"{report.model}, {report.recipe}, version {report.version}"),
        ("atoms", report.atoms),
        ("SIMILAR_TO", report.pairs),
        ("questions to learn from", report.training),
        ("left out as paraphrases of held-out ones", report.paraphrases),
        ("left out as paraphrases of those to avoid", report.avoided),
        ("validation questions", report.validation),
        ("best of the epochs", f"{report.best_epoch} of {report.epochs}"),
        ("seconds", report.seconds),
    ]
    print_table("Link predictor", ("what", "value"), rows)
    judged = [("cosine", report.cosine_mrr, report.cosine_hits), (report.model, report.mrr, report.hits)]
    print_table(
        f"Ranking of {report.held_out:,} held-out questions (%)",
        ("by", "MRR", *(f"hits@{depth}" for depth in report.hits)),
        [(name, f"{100 * mrr:.1f}", *(f"{100 * hit:.1f}" for hit in hits.values())) for name, mrr, hits in judged],
    )
