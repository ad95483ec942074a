"""The documents of the graph: ``qcg documents`` lists them, ``qcg delete`` takes them out."""

from __future__ import annotations

import sys
from dataclasses import asdict
from itertools import chain
from typing import TYPE_CHECKING

import click

from qcg_neo4j.cli.command import command, option
from qcg_neo4j.cli.options import WHERE, Connect, connection_options, json_option
from qcg_neo4j.cli.terminal import notices, print_json, print_table, progress_bar
from qcg_neo4j.core.errors import InputError, number_of
from qcg_neo4j.core.filters import written_name
from qcg_neo4j.database.graph import Graph
from qcg_neo4j.database.permission import permission

if TYPE_CHECKING:
    from qcg_neo4j.indexing.load import DeleteReport

_AT_ONCE = 5000


@command()
@option("-w", "--where", metavar="FILTER", help=WHERE)
@connection_options
@json_option
def documents(connect: Connect, where: str | None, as_json: bool) -> None:
    """List the documents of the graph by id: title, date, number of chunks, source; and what --where can ask for."""
    with connect() as graph:
        permitted = permission(graph, where).parameter
        rows = list(chain.from_iterable(graph.pages("inspect/documents", _AT_ONCE, permitted=permitted)))
        properties = [] if as_json else graph.rows("inspect/metadata", permitted=permitted)
    if as_json:
        print_json(rows)
    elif not rows:
        raise InputError("There is no such document.", "`qcg status` says what the graph holds.")
    else:
        apart = any(row["source"] not in (row["id"], None) for row in rows)  # else an id says where it comes from
        names = [name for name in rows[0] if apart or name != "source"]
        shown = [
            ["" if name == "source" and row[name] == row["id"] else row[name] or "" for name in names] for row in rows
        ]
        print_table("Documents", [name.replace("_", " ") for name in names], shown)
        known = [f"{written_name(each['name'])} ({', '.join(each['types']).lower()})" for each in properties]
        notices().print(f"For --where: {', '.join(known)}.")


@command()
@click.argument("documents", nargs=-1, metavar="[DOCUMENT]...")
@option("--ignore-missing", is_flag=True, help="skip ids that are not in the graph")
@option("--all", "everything", is_flag=True, help="delete the whole corpus with its indexes; asks first")
@option("--yes", is_flag=True, help="delete without asking")
@connection_options
@json_option
def delete(
    documents: tuple[str, ...], connect: Connect, ignore_missing: bool, everything: bool, yes: bool, as_json: bool
) -> None:
    """Delete documents by id, with everything that was derived from them alone.

    An unknown id is an error, and nothing is deleted. Other corpora never change.
    """
    if everything == bool(documents):
        raise InputError("Either ids of documents are given, or --all.", "`qcg status` says what the graph holds.")
    from qcg_neo4j.indexing.load import delete_corpus, delete_documents

    with connect(any_version=everything) as graph:
        if everything and not yes:
            _ask(graph)
        with progress_bar("Deleting") as progress:  # behind the question, which a moving bar would hide
            report = (
                delete_corpus(graph)
                if everything
                else delete_documents(graph, documents, ignore_missing=ignore_missing, progress=progress)
            )
    _show(report, as_json=as_json)


def _ask(graph: Graph) -> None:
    """Go on only if a person says so.

    Raises:
        InputError: standard input is not a terminal.
    """
    size = graph.rows("schema/size", permitted=None)[0]
    number = number_of(
        size["documents"],
        "document and all that was made from it",
        "documents and all that was made from them",
    )
    what = f"the corpus {graph.corpus} with {number}"
    if not sys.stdin.isatty():
        raise InputError(f"This deletes {what}, and this terminal cannot ask.", "Give --yes to delete it.")
    click.confirm(f"Delete {what}?", abort=True, err=True)


def _show(report: DeleteReport, *, as_json: bool) -> None:
    if as_json:
        print_json(asdict(report))
        return
    for name in report.missing:
        notices().print(f"Not in the graph: {name}", style="yellow")
    notices().print(f"{number_of(report.documents, 'document')} and {number_of(report.chunks, 'chunk')} deleted.")
