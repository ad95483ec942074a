"""``qcg documents``: what the graph holds, document by document."""

from __future__ import annotations

from itertools import chain

from qcg_neo4j.cli.command import command, option
from qcg_neo4j.cli.options import Connect, connection_options, json_option
from qcg_neo4j.cli.terminal import print_json, print_table
from qcg_neo4j.core.errors import InputError
from qcg_neo4j.retrieval.evidence import permission

_AT_ONCE = 5000


@command()
@option("-w", "--where", metavar="FILTER", help="e.g. 'published >= 2025-01-01'")
@connection_options
@json_option
def documents(connect: Connect, where: str | None, as_json: bool) -> None:
    """List the documents of the graph by id: title, date, number of chunks, source."""
    with connect() as graph:
        permitted = permission(graph, where).parameter
        rows = list(chain.from_iterable(graph.pages("inspect/documents", _AT_ONCE, permitted=permitted)))
    if as_json:
        print_json(rows)
    elif not rows:
        raise InputError("There is no such document.", "`qcg status` says what the graph holds.")
    else:
        shown = [[row[name] or "" for name in rows[0]] for row in rows]
        print_table("Documents", [name.replace("_", " ") for name in rows[0]], shown)
