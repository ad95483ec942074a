"""``qcg extract``: entities, relations and atoms of each chunk."""

from __future__ import annotations

import click

from qcg_neo4j.cli.paid_runs import PaidStage, figures, incomplete, paid_stage
from qcg_neo4j.indexing.extract import ExtractSettings, estimate_extraction, extract_graph

_FIGURES = ("chunks", "written", "unchanged", "entities", "relations", "atoms")
_MENDED = (
    "claims",
    "described",
    "repaired",
    "duplicates",
    "dropped",
    "self_loops",
    "without_ttr",
    "clamped",
    "left_out",
)


@click.command()
@paid_stage(ExtractSettings, "extract")
def extract(stage: PaidStage) -> None:
    """Write the entities of each chunk, the relations between them with their texts, and atomic facts.

    What was paid for is stored as it arrives; run the same again to go on after an interruption.
    """
    if spent := stage.run("Extracting", None, estimate_extraction, extract_graph):
        report = spent.result
        stage.show(spent, "Graph", figures(report, _FIGURES, _MENDED), f"{report.chunks:,} chunks have no reply")
        if report.undescribed:
            number = len(report.undescribed)
            raise incomplete(f"{number:,} entities have no summary of their descriptions", report.undescribed)
