"""``qcg retrieve``: the evidence for a question."""

from __future__ import annotations

import click

from qcg_neo4j.cli.command import command, option
from qcg_neo4j.cli.evidence import browser_script, print_evidence
from qcg_neo4j.cli.method_options import ChosenMethod, method_options
from qcg_neo4j.cli.models import embedding_option, use_for_questions
from qcg_neo4j.cli.options import Connect, connection_options, json_option
from qcg_neo4j.cli.terminal import notices, print_json
from qcg_neo4j.database.connection import Call
from qcg_neo4j.database.model import model_name
from qcg_neo4j.models.embedding.embedder import EmbeddingSettings
from qcg_neo4j.retrieval.evidence import permission, with_language_told
from qcg_neo4j.retrieval.method import checked_question
from qcg_neo4j.retrieval.reasons import with_nearest


@command()
@click.argument("question")
@method_options()
@embedding_option
@connection_options
@json_option
@option("--full", is_flag=True, help="print whole passages, not the part around the hit")
@option("--cypher", is_flag=True, help="print the statement for Neo4j Browser")
def retrieve(
    connect: Connect,
    question: str,
    chosen: ChosenMethod,
    full: bool,
    cypher: bool,
    embedding: EmbeddingSettings,
    as_json: bool,
) -> None:
    """Find the passages that answer QUESTION, and show how each was found."""
    question = checked_question(question)
    with chosen.open() as method, connect() as graph:
        use_for_questions(graph, embedding)
        # Beforehand, so that the time of the evidence is not that of loading a model.
        vector = graph.embed_question(question) if method.needs_vector else None
        if cypher:
            call = permission(graph, method.settings.where).applied(method.call(question, vector))
            _print_script(call, graph.corpus)
            return
        evidence, model = with_language_told(graph, method.retrieve(graph, question, vector)), model_name(graph)
    if as_json:
        print_json(with_nearest(evidence, model))
    else:
        print_evidence(evidence, model, full=full)


def _print_script(call: Call, corpus: str) -> None:
    parameters, statement = browser_script(call, corpus)
    notices().print("In Browser, paste and run the :param lines first, then the statement.")
    click.echo(f"{parameters}\n\n{statement}")
