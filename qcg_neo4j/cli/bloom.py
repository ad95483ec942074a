"""``qcg bloom``: a perspective for Neo4j Bloom and Explore."""

from __future__ import annotations

import click

from qcg_neo4j.cli.options import corpus_option
from qcg_neo4j.cli.terminal import print_json
from qcg_neo4j.interfaces.bloom import VERSIONS, perspective


@click.command()
@click.option(
    "--format",
    "version",
    type=click.Choice(list(VERSIONS)),
    default="2",
    show_default=True,
    help="Form of the file: 2 for Bloom 2.x and Explore, 1 for Bloom 1.x.",
)
@corpus_option
def bloom(version: str, corpus: str) -> None:
    """Print a perspective for Neo4j Bloom: `qcg bloom > qcg.bloom-perspective.json`.

    It has the colours of the Browser style, search phrases such as "Evidence for $question", and actions on what is
    selected. Import it in Bloom's perspective gallery. The phrases for evidence need the plug-in qcg in the database.
    """
    print_json(perspective(version, corpus))
