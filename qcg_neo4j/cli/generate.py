"""``qcg generate``: questions with answers for each chunk."""

from __future__ import annotations

from functools import partial

from qcg_neo4j.cli.command import command, option
from qcg_neo4j.cli.options import Typed
from qcg_neo4j.cli.paid_runs import PaidStage, figures, paid_stage
from qcg_neo4j.indexing.generate import GenerateSettings, estimate_generation, generate_queries

_FIGURES = ("chunks", "written", "unchanged", "kept", "filtered_out", "empty", "duplicates")


@command()
@option("--baselines", is_flag=True, help="also make the chunk vectors of the methods d2q and d2q--")
@paid_stage(
    GenerateSettings,
    "generate",
    Typed("source", "SOURCE", "model, replies or sentences"),
    Typed("pairs_per_chunk", "N", "question-answer pairs per chunk"),
    Typed("kept_share", "SHARE", "share of a chunk's pairs that is kept"),
)
def generate(stage: PaidStage, baselines: bool) -> None:
    """Write question-answer pairs for each chunk; the most similar become Query nodes.

    Replies are stored as they arrive; an interrupted run continues where it stopped.
    """
    work = partial(generate_queries, with_baselines=baselines)
    if spent := stage.run("Generating", "generate/pairs", estimate_generation, work):
        report = spent.result
        stage.show(
            spent, "Queries", figures(report, _FIGURES, ("left_out",)), f"{report.chunks:,} chunks have no reply"
        )
