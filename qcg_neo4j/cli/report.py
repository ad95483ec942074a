"""``qcg report``: reports on communities."""

from __future__ import annotations

from qcg_neo4j.cli.command import command
from qcg_neo4j.cli.options import Typed
from qcg_neo4j.cli.paid_runs import PaidStage, figures, paid_stage
from qcg_neo4j.indexing.report import ReportSettings, estimate_reports, write_reports

_FIGURES = ("communities", "written", "unchanged")
_SOMETIMES = ("replaced", "left_out", "wrong_citations", "cut")


@command()
@paid_stage(
    ReportSettings,
    "report",
    Typed("source", "SOURCE", "model, replies or extractive"),
    Typed("minimum_size", "N", "entities that a community needs for a report"),
)
def report(stage: PaidStage) -> None:
    """Write a report on every community, from the smallest to the largest.

    Replies are stored as they arrive; an interrupted run continues where it stopped.
    """
    if spent := stage.run("Reporting", "report/community", estimate_reports, write_reports):
        done = spent.result
        lacking = f"{done.communities:,} communities have no report"
        stage.show(spent, "Reports", figures(done, _FIGURES, _SOMETIMES), lacking)
