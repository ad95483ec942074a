"""``qcg build``: join similar queries."""

from __future__ import annotations

from typing import Any

import click

from qcg_neo4j.build import BuildReport, BuildSettings, as_dict
from qcg_neo4j.build import build as run_stage
from qcg_neo4j.cli.options import Connect, connection_options, json_option, settings_file_option, settings_options
from qcg_neo4j.cli.terminal import print_json, print_table, progress_bar, results


@click.command()
@settings_options(BuildSettings, "build")
@settings_file_option
@connection_options
@json_option
def build(connect: Connect, build: BuildSettings, as_json: bool) -> None:
    """Join each query with its nearest others, and check the neighbours by exact search.

    Does nothing while queries and settings are those of the last build.
    """
    with connect() as graph, progress_bar("Joining queries") as progress:
        report = run_stage(graph, build, progress)
    if as_json:
        print_json(as_dict(report))
    else:
        _show(report)


def _show(report: BuildReport) -> None:
    if not report.changed:
        results().print("The graph is up to date.")
    rows: list[tuple[str, Any]] = [
        ("queries", report.queries),
        ("SIMILAR_TO", report.relationships),
        ("strategy", report.strategy),
        (f"recall ({report.sample} queries, exact)", f"{report.recall:.3f}"),
        ("seconds", report.seconds),
    ]
    print_table("Query graph", ("what", "value"), rows)
