"""``qcg generate``: questions with answers for each chunk."""

from __future__ import annotations

from functools import partial

import click

from qcg_neo4j.cli.paid_runs import PaidStage, figures, paid_stage
from qcg_neo4j.indexing.generate import GenerateSettings, estimate_generation, generate_queries

_FIGURES = ("chunks", "written", "unchanged", "kept", "filtered_out", "empty", "duplicates")


@click.command()
@click.option("--baselines", is_flag=True, help="Also make the chunk vectors of the baselines d2q and d2q--.")
@paid_stage(GenerateSettings, "generate")
def generate(stage: PaidStage, baselines: bool) -> None:
    """Write pairs of question and answer for each chunk, and keep the most faithful as Query nodes.

    What was paid for is stored as it arrives; run the same again to go on after an interruption.
    """
    work = partial(generate_queries, with_baselines=baselines)
    if spent := stage.run("Generating", "generate/pairs", estimate_generation, work):
        report = spent.result
        stage.show(
            spent, "Queries", figures(report, _FIGURES, ("left_out",)), f"{report.chunks:,} chunks have no reply"
        )
