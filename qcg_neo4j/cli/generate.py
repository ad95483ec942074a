"""``qcg generate``: questions with answers for each chunk."""

from __future__ import annotations

from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import click

from qcg_neo4j.cli.asking import (
    estimate_option,
    incomplete,
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
from qcg_neo4j.generate import GenerateReport, GenerateSettings, estimate_generation
from qcg_neo4j.generate import generate as run_stage
from qcg_neo4j.generate.settings import MODEL, REPLIES
from qcg_neo4j.language_model import Estimate, LanguageModelSettings


@click.command()
@replies_option
@estimate_option
@click.option("--baselines", is_flag=True, help="Also make the chunk vectors of the baselines d2q and d2q--.")
@store_option
@settings_options(GenerateSettings, "generate")
@settings_options(LanguageModelSettings, "language_model", shared=True)
@settings_options(EmbeddingSettings, "embedding", shared=True)
@settings_file_option
@connection_options
@json_option
def generate(
    connect: Connect,
    files: tuple[Path, ...],
    estimate_only: bool,
    baselines: bool,
    store: Path | None,
    as_json: bool,
    **sections: Any,
) -> None:
    """Write pairs of question and answer for each chunk, and keep the most faithful as Query nodes.

    What was paid for is stored as it arrives; run the same again to go on after an interruption.
    """
    settings, language_model = sections["generate"], sections["language_model"]
    if files:
        settings = replace(settings, source=REPLIES)
    path = store_path(store, given_home())
    with (
        reply_source(settings.source, "generate/pairs", language_model, files, path) as (source, opened),
        connect() as graph,
    ):
        embedder = embedder_of(graph, sections["embedding"])
        expected = None
        if settings.source == MODEL and source and opened:
            expected = estimate_generation(graph, settings, source, language_model, opened, token_counter(embedder))
            show_estimate(expected, as_json and estimate_only)
        elif estimate_only:
            raise nothing_to_estimate(settings.source)
        if estimate_only:
            return
        with progress_bar("Generating") as progress:
            report = run_stage(graph, embedder, settings, source, with_baselines=baselines, progress=progress)
    _show_report(report, expected, language_model, as_json)


def _show_report(
    report: GenerateReport, expected: Estimate | None, language_model: LanguageModelSettings, as_json: bool
) -> None:
    if as_json:
        print_json({**asdict(report), "estimate": asdict(expected) if expected else None})
    else:
        names = ("chunks", "written", "unchanged", "kept", "filtered_out", "empty", "duplicates")
        rows: list[tuple[str, int]] = [(name.replace("_", " "), getattr(report, name)) for name in names]
        print_table("Queries", ("what", "number"), [*rows, ("without reply", len(report.missing))])
        if expected:
            show_costs(report.usage, expected, language_model)
    if report.missing:
        raise incomplete([(item.chunk, item.reason) for item in report.missing], report.chunks)
