"""``qcg report``: reports on communities."""

from __future__ import annotations

import click

from qcg_neo4j.cli.paid_runs import PaidStage, figures, paid_stage
from qcg_neo4j.indexing.report import ReportSettings, estimate_reports, write_reports

_FIGURES = ("communities", "written", "unchanged")
_SOMETIMES = ("replaced", "left_out", "wrong_citations", "cut")


@click.command()
@paid_stage(ReportSettings, "report")
def report(stage: PaidStage) -> None:
    """Write a report on every community, from the smallest to the largest.

    What was paid for is stored as it arrives; run the same again to go on after an interruption.
    """
    if spent := stage.run("Reporting", "report/community", estimate_reports, write_reports):
        done = spent.result
        lacking = f"{done.communities:,} communities have no report"
        stage.show(spent, "Reports", figures(done, _FIGURES, _SOMETIMES), lacking)
