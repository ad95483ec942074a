"""``qcg extract``: entities, relations and atoms of each chunk."""

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
from qcg_neo4j.errors import MissingReplyError
from qcg_neo4j.extract import ExtractReport, ExtractSettings, estimate_extraction
from qcg_neo4j.extract import extract as run_stage
from qcg_neo4j.extract.settings import MODEL, REPLIES
from qcg_neo4j.language_model import Estimate, LanguageModelSettings

_ALWAYS = ("chunks", "written", "unchanged", "entities", "relations", "atoms")
_MENDED = ("claims", "described", "repaired", "duplicates", "dropped", "self_loops", "without_ttr", "clamped")


@click.command()
@replies_option
@estimate_option
@store_option
@settings_options(ExtractSettings, "extract")
@settings_options(LanguageModelSettings, "language_model", shared=True)
@settings_options(EmbeddingSettings, "embedding", shared=True)
@settings_file_option
@connection_options
@json_option
def extract(
    connect: Connect,
    files: tuple[Path, ...],
    estimate_only: bool,
    store: Path | None,
    as_json: bool,
    **sections: Any,
) -> None:
    """Write the entities of each chunk, the relations between them with their texts, and atomic facts.

    What was paid for is stored as it arrives; run the same again to go on after an interruption.
    """
    settings, language_model = sections["extract"], sections["language_model"]
    if files:
        settings = replace(settings, source=REPLIES)
    path = store_path(store, given_home())
    with (
        reply_source(settings.source, None, language_model, files, path) as (source, opened),
        connect() as graph,
    ):
        embedder = embedder_of(graph, sections["embedding"])
        expected = None
        if settings.source == MODEL and source and opened:
            expected = estimate_extraction(graph, settings, source, language_model, opened, token_counter(embedder))
            show_estimate(expected, as_json and estimate_only)
        elif estimate_only:
            raise nothing_to_estimate(settings.source)
        if estimate_only:
            return
        with progress_bar("Extracting") as progress:
            report = run_stage(graph, embedder, settings, source, progress=progress)
    _show_report(report, expected, language_model, as_json)


def _show_report(
    report: ExtractReport, expected: Estimate | None, language_model: LanguageModelSettings, as_json: bool
) -> None:
    if as_json:
        print_json({**asdict(report), "estimate": asdict(expected) if expected else None})
    else:
        rows: list[tuple[str, int]] = [(name, getattr(report, name)) for name in _ALWAYS]
        rows += [(name.replace("_", " "), number) for name in _MENDED if (number := getattr(report, name))]
        print_table("Graph", ("what", "number"), [*rows, ("without reply", len(report.missing))])
        if expected:
            show_costs(report.usage, expected, language_model)
    if report.missing:
        raise incomplete([(item.id, item.reason) for item in report.missing], report.chunks)
    if report.undescribed:
        first = report.undescribed[0]
        raise MissingReplyError(
            f"{len(report.undescribed):,} entities have no summary of their descriptions, the first "
            f"{first.id!r}: {first.reason}",
            "Everything else is written. Run the same again to ask for these.",
        )
