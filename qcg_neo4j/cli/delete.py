"""``qcg delete``: documents, or a whole corpus, out of the graph."""

from __future__ import annotations

import sys
from dataclasses import asdict

import click

from qcg_neo4j.cli.options import Connect, connection_options, json_option
from qcg_neo4j.cli.terminal import notices, print_json, progress_bar
from qcg_neo4j.core.errors import InputError
from qcg_neo4j.database.graph import Graph
from qcg_neo4j.indexing.load import DeleteReport, delete_corpus, delete_documents


@click.command()
@click.argument("documents", nargs=-1, metavar="[DOCUMENT]...")
@click.option("--ignore-missing", is_flag=True, help="Pass over ids that the graph does not hold.")
@click.option("--all", "everything", is_flag=True, help="Delete the whole corpus, with its indexes; asks first.")
@click.option("--yes", is_flag=True, help="Do not ask.")
@connection_options
@json_option
def delete(
    documents: tuple[str, ...], connect: Connect, ignore_missing: bool, everything: bool, yes: bool, as_json: bool
) -> None:
    """Delete documents by id, with their chunks and all that was derived from them alone.

    What other documents also support stays. An unknown id is an error, and then nothing is deleted. With --all
    everything goes that the corpus holds, and no other corpus of the database changes.
    """
    if everything == bool(documents):
        raise InputError("Either ids of documents are given, or --all.", "`qcg status` says what the graph holds.")
    with connect(any_version=everything) as graph, progress_bar("Deleting") as progress:
        if everything and not yes:
            _ask(graph)
        report = (
            delete_corpus(graph)
            if everything
            else delete_documents(graph, documents, ignore_missing=ignore_missing, progress=progress)
        )
    _show(report, as_json=as_json)


def _ask(graph: Graph) -> None:
    """Go on only if a person says so.

    Raises:
        InputError: nobody is there to say it.
    """
    size = graph.rows("schema/size")[0]
    what = f"the corpus {graph.corpus} with {size['documents']:,} documents and all that was made from them"
    if not sys.stdin.isatty():
        raise InputError(f"This deletes {what}; nobody can be asked here.", "Give --yes if that is meant.")
    click.confirm(f"Delete {what}?", abort=True, err=True)


def _show(report: DeleteReport, *, as_json: bool) -> None:
    if as_json:
        print_json(asdict(report))
        return
    for name in report.missing:
        notices().print(f"Not in the graph: {name}", style="yellow", markup=False)
    notices().print(f"{report.documents:,} documents and {report.chunks:,} chunks deleted.")
