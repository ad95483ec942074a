"""``qcg bloom``: a perspective for Neo4j Bloom and Explore."""

from __future__ import annotations

import click

from qcg_neo4j.cli.command import command, option
from qcg_neo4j.cli.options import corpus_option
from qcg_neo4j.cli.terminal import print_json
from qcg_neo4j.interfaces.bloom import VERSIONS, perspective


@command()
@option(
    "--format",
    "version",
    type=click.Choice(list(VERSIONS)),
    metavar="VERSION",
    default="2",
    help="2 for Bloom 2.x and Explore (default), 1 for Bloom 1.x",
)
@corpus_option
def bloom(version: str, corpus: str) -> None:
    """Print a perspective for Neo4j Bloom: `qcg bloom > qcg.bloom-perspective.json`.

    Import it in Bloom's perspective gallery. It has colours, search phrases such as "Evidence for $question", and
    actions. Phrases for evidence require the plug-in qcg in the database.
    """
    print_json(perspective(version, corpus))
