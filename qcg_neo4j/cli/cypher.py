"""Statements for Browser, and the perspective for Bloom."""

from __future__ import annotations

import click

from qcg_neo4j.cli.command import command
from qcg_neo4j.cli.options import corpus_option
from qcg_neo4j.cli.terminal import print_json, print_table
from qcg_neo4j.database.corpora import translated
from qcg_neo4j.database.statements import paths, statement
from qcg_neo4j.interfaces.bloom import perspective


@command()
@click.argument("path", required=False)
@corpus_option
def cypher(path: str | None, corpus: str) -> None:
    """Print the statement of PATH, such as retrieve/qcg; without PATH, list all.

    The text is ready for Neo4j Browser, for the corpus that --corpus names.
    """
    if path is None:
        print_table("Statements", ("path", "rows"), [(name, statement(name).title) for name in paths()])
    else:
        click.echo(translated(statement(path).text, corpus).rstrip())


@command()
@corpus_option
def bloom(corpus: str) -> None:
    """Print a perspective for Neo4j Bloom: `qcg bloom > qcg.bloom-perspective.json`.

    Import it in Bloom's perspective gallery. It has colours, search phrases such as "Evidence for $question", and
    actions. Phrases for evidence require the plug-in qcg in the database.
    """
    print_json(perspective(corpus))
