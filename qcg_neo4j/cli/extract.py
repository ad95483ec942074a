"""``qcg extract``: entities, relations and atoms of each chunk."""

from __future__ import annotations

from qcg_neo4j.cli.command import command
from qcg_neo4j.cli.options import Typed
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


@command()
@paid_stage(
    ExtractSettings,
    "extract",
    Typed("source", "SOURCE", "model, replies or spacy"),
    Typed("domain", "FILE", "TOML file that describes the texts"),
    Typed("gleaning_rounds", "N", "times the model is asked what it missed"),
    Typed("atoms", "KIND", "facts, or granular as in LP-RAG"),
    Typed("claims", meaning="also extract claims about the entities"),
)
def extract(stage: PaidStage) -> None:
    """Extract the entities of each chunk, the relations between them, and atomic facts.

    Replies are stored as they arrive; an interrupted run continues where it stopped.
    """
    if spent := stage.run("Extracting", None, estimate_extraction, extract_graph):
        report = spent.result
        stage.show(spent, "Graph", figures(report, _FIGURES, _MENDED), f"{report.chunks:,} chunks have no reply")
        if report.undescribed:
            number = len(report.undescribed)
            raise incomplete(f"{number:,} entities have no summary of their descriptions", report.undescribed)
