"""``qcg answer``: a written answer with its evidence."""

from __future__ import annotations

import sys
from dataclasses import asdict

import click

from qcg_neo4j.answer import Writing
from qcg_neo4j.cli.embedder import use_for_questions
from qcg_neo4j.cli.evidence import print_evidence
from qcg_neo4j.cli.language_model import api_key
from qcg_neo4j.cli.method_options import ChosenMethod, method_options
from qcg_neo4j.cli.options import Connect, connection_options, json_option, settings_file_option, settings_options
from qcg_neo4j.cli.terminal import notices, print_json, results
from qcg_neo4j.embedding import EmbeddingSettings
from qcg_neo4j.language_model import Endpoint
from qcg_neo4j.records import Answer, Evidence
from qcg_neo4j.retrieve.method import checked_question

NO_MODEL = (
    "No language model is configured, so this is the evidence alone. For a written answer give "
    "--language-model-endpoint and --language-model (any OpenAI-compatible endpoint), and OPENAI_API_KEY if it asks."
)


@click.command()
@click.argument("question")
@method_options
@settings_options(EmbeddingSettings, "embedding", shared=True)
@settings_file_option
@connection_options
@json_option
def answer(
    connect: Connect,
    question: str,
    chosen: ChosenMethod,
    embedding: EmbeddingSettings,
    as_json: bool,
) -> None:
    """Answer QUESTION from the passages that a method finds, citing them.

    Without a language model the evidence is shown as it is.
    """
    question = checked_question(question)
    language_model = chosen.language_model
    configured = bool(language_model.endpoint or language_model.model)
    endpoint = Endpoint(language_model, api_key()) if configured else None
    with chosen.open() as method, connect() as graph:
        use_for_questions(graph, embedding)
        # Beforehand, so that the time of the evidence is not that of loading a model.
        vector = graph.embed_question(question) if method.needs_vector else None
        evidence = method.retrieve(graph, question, vector)
    if endpoint is None:
        _show_evidence(evidence, as_json)
        return
    written = _write(evidence, endpoint, quiet=as_json)
    if as_json:
        print_json(asdict(written))
    else:
        _show_citations(written)


def _show_evidence(evidence: Evidence, as_json: bool) -> None:
    notices().print(NO_MODEL)
    if as_json:
        print_json({"text": None, "citations": [], "model": None, "evidence": evidence.as_dict()})
    else:
        print_evidence(evidence)


def _write(evidence: Evidence, endpoint: Endpoint, *, quiet: bool) -> Answer:
    writing = Writing(evidence, endpoint)
    try:
        for piece in writing:
            if not quiet:
                sys.stdout.write(piece)
                sys.stdout.flush()
    finally:
        endpoint.close()
    return writing.answer


def _show_citations(written: Answer) -> None:
    console = results()
    console.print("\n")
    for number, passage in enumerate(written.evidence.passages, start=1):
        if passage.id in written.citations:
            console.print(f"\\[{number}] {passage.title or passage.document}, chunk {passage.index}", style="cyan")
    usage = written.usage
    console.print(
        f"{written.model}; {usage.input_tokens:,} input and {usage.output_tokens:,} output tokens", style="dim"
    )
