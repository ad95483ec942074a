"""``qcg report``: reports on communities."""

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
from qcg_neo4j.report import ReportReport, ReportSettings, estimate_reports
from qcg_neo4j.report import report as run_stage
from qcg_neo4j.report.settings import MODEL, REPLIES

_ALWAYS = ("communities", "written", "unchanged")
_SOMETIMES = ("replaced", "left_out", "wrong_citations")


@click.command()
@replies_option
@estimate_option
@store_option
@settings_options(ReportSettings, "report")
@settings_options(LanguageModelSettings, "language_model", shared=True)
@settings_options(EmbeddingSettings, "embedding", shared=True)
@settings_file_option
@connection_options
@json_option
def report(
    connect: Connect, files: tuple[Path, ...], estimate_only: bool, store: Path | None, as_json: bool, **sections: Any
) -> None:
    """Write a report on every community, from the smallest to the largest.

    What was paid for is stored as it arrives; run the same again to go on after an interruption.
    """
    settings, language_model = sections["report"], sections["language_model"]
    if files:
        settings = replace(settings, source=REPLIES)
    path = store_path(store, given_home())
    with (
        reply_source(settings.source, "report/community", language_model, files, path) as (source, opened),
        connect() as graph,
    ):
        embedder = embedder_of(graph, sections["embedding"])
        expected = None
        if settings.source == MODEL and source and opened:
            expected = estimate_reports(graph, settings, source, language_model, opened, token_counter(embedder))
            show_estimate(expected, as_json and estimate_only)
        elif estimate_only:
            raise nothing_to_estimate(settings.source)
        if estimate_only:
            return
        with progress_bar("Reporting") as progress:
            done = run_stage(graph, embedder, settings, source, progress=progress)
    _show(done, expected, language_model, as_json)


def _show(done: ReportReport, expected: Estimate | None, language_model: LanguageModelSettings, as_json: bool) -> None:
    if as_json:
        print_json({**asdict(done), "estimate": asdict(expected) if expected else None})
    else:
        rows: list[tuple[str, int]] = [(name, getattr(done, name)) for name in _ALWAYS]
        rows += [(name.replace("_", " "), number) for name in _SOMETIMES if (number := getattr(done, name))]
        print_table("Reports", ("what", "number"), [*rows, ("without reply", len(done.missing))])
        if expected:
            show_costs(done.usage, expected, language_model)
    if done.missing:
        first = done.missing[0]
        raise MissingReplyError(
            f"{len(done.missing):,} of {done.communities:,} communities have no report, the first {first.id!r}: "
            f"{first.reason}",
            "Everything else is written. Run the same again to ask for these, or bring their replies with --replies.",
        )
