"""``qcg train``: questions to learn from, and the link predictor that learns."""

from __future__ import annotations

from dataclasses import asdict
from functools import partial
from pathlib import Path
from typing import Any

import click

from qcg_neo4j.cli.command import Group, option
from qcg_neo4j.cli.models import embedder_of, embedding_option
from qcg_neo4j.cli.options import Connect, Typed, connection_options, json_option, settings_options
from qcg_neo4j.cli.stages import Figures, PaidStage, paid_stage
from qcg_neo4j.cli.terminal import print_json, print_table, progress_bar, results
from qcg_neo4j.core.errors import InputError
from qcg_neo4j.evaluation import read_questions
from qcg_neo4j.indexing import train as training


@click.group(cls=Group)
def train() -> None:
    """Train the link predictor of LP-RAG: write questions, then train."""


@train.command()
@paid_stage(
    training.QuestionSettings,
    "questions",
    Typed("source", "SOURCE", "model, replies or queries"),
    Typed("per_batch", "N", "questions per batch of atoms"),
    in_parts=False,
)
def questions(stage: PaidStage) -> None:
    """Write questions about batches of similar atoms.

    Replies are stored as they arrive; an interrupted run continues where it stopped. --source queries takes the queries
    of `qcg generate` instead.
    """
    always = ("batches", "unknown", "written", "unchanged", "removed", "questions", "answers")
    work = partial(training.write_questions, files=stage.paid.files)
    stage.run("Writing questions", "train/questions", training.estimate_questions, work, Figures("Questions", always))


@train.command("link-predictor")
@option(
    "--avoid",
    type=click.Path(path_type=Path, exists=True, dir_okay=False),
    metavar="FILE",
    help="questions of a later evaluation (JSON Lines); similar ones are left out",
)
@option(
    "--export",
    "target",
    type=click.Path(path_type=Path, dir_okay=False),
    metavar="FILE",
    help="also write the predictor to FILE",
)
@option(
    "--import",
    "source",
    type=click.Path(path_type=Path, dir_okay=False),
    metavar="FILE",
    help="read the predictor from FILE instead of training",
)
@settings_options(
    training.PredictorSettings,
    "link_predictor",
    Typed("model", "NAME", "ncn, vgae or mlp"),
    Typed("recipe", "NAME", "tuned or paper"),
)
@embedding_option
@connection_options
@json_option
def link_predictor(
    connect: Connect, avoid: Path | None, target: Path | None, source: Path | None, as_json: bool, **sections: Any
) -> None:
    """Train the link predictor on the questions, and store it in the graph.

    A part of the questions is held out for validation and for the report. Without changes nothing is trained. Requires
    the extra `train`; --import does not.
    """
    if source and avoid:
        raise InputError("--avoid is for training, and --import reads a trained predictor.", "Give one of them.")
    with connect() as graph:
        if source:
            report = training.import_predictor(graph, source)
        else:
            vectors = None
            if avoid:
                texts = [question.text for question in read_questions(avoid)]
                vectors = embedder_of(graph, sections["embedding"]).embed_questions(texts)
            with progress_bar("Training") as progress:
                report = training.train_predictor(graph, sections["link_predictor"], avoid=vectors, progress=progress)
        if target:
            training.export_predictor(graph, target)
    _show_predictor(report, as_json)


def _show_predictor(report: training.PredictorReport, as_json: bool) -> None:
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
