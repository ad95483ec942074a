"""``qcg delete``: documents out of the graph."""

from __future__ import annotations

from dataclasses import asdict

import click

from qcg_neo4j.cli.options import Connect, connection_options, json_option
from qcg_neo4j.cli.terminal import notices, print_json, progress_bar
from qcg_neo4j.load import delete_documents


@click.command()
@click.argument("documents", nargs=-1, required=True, metavar="DOCUMENT...")
@click.option("--ignore-missing", is_flag=True, help="Pass over ids that the graph does not hold.")
@connection_options
@json_option
def delete(documents: tuple[str, ...], connect: Connect, ignore_missing: bool, as_json: bool) -> None:
    """Delete documents by id, with their chunks and all that was derived from them alone.

    What other documents also support stays. An unknown id is an error, and then nothing is deleted.
    """
    with connect() as graph, progress_bar("Deleting") as progress:
        report = delete_documents(graph, documents, ignore_missing=ignore_missing, progress=progress)
    if as_json:
        print_json(asdict(report))
        return
    for name in report.missing:
        notices().print(f"Not in the graph: {name}", style="yellow", markup=False)
    notices().print(f"{report.documents:,} documents and {report.chunks:,} chunks deleted.")
