"""``qcg answer``: a written answer with its evidence."""

from __future__ import annotations

import sys
from contextlib import ExitStack, closing
from dataclasses import asdict, replace
from typing import Any

import click

from qcg_neo4j.cli.command import command, option, several
from qcg_neo4j.cli.method_options import ChosenMethod, method_options
from qcg_neo4j.cli.models import api_key, budget_of, embedding_option, usage_in_words, use_for_questions
from qcg_neo4j.cli.options import Connect, connection_options, json_option
from qcg_neo4j.cli.retrieve import print_evidence, print_reports
from qcg_neo4j.cli.terminal import notices, print_json, print_notes, results, searching
from qcg_neo4j.core.errors import SettingsError, number_of, printable
from qcg_neo4j.core.records import Atom, Evidence, Passage
from qcg_neo4j.database.graph import Graph
from qcg_neo4j.database.model import model_name
from qcg_neo4j.models.embedding.embedder import EmbeddingSettings
from qcg_neo4j.models.llm import Endpoint
from qcg_neo4j.models.prompts import in_one_line, source_of
from qcg_neo4j.retrieval import DEFAULT_METHOD, METHODS, Auto, AutoSettings, Relevant, method
from qcg_neo4j.retrieval.answer import ANSWERERS, DECLINED, STYLES, Writing, answer_if_about_collection
from qcg_neo4j.retrieval.answer.records import Answer
from qcg_neo4j.retrieval.around.wrapper import Answering
from qcg_neo4j.retrieval.evidence import with_language_told
from qcg_neo4j.retrieval.method import checked_question
from qcg_neo4j.retrieval.reasons import with_nearest

NO_MODEL = (
    "No language model is configured, so this is the evidence alone. For a written answer give --llm NAME@URL "
    "(any OpenAI-compatible endpoint), and OPENAI_API_KEY if it requires a key."
)
MORE = [name for name in ANSWERERS if name not in METHODS]
style_options = several(
    option(
        "--style",
        metavar="TEXT",
        default=STYLES[0],
        help="passages (default), abstract, precise, or e.g. 'multiple paragraphs'",
    ),
    option("--general-knowledge", is_flag=True, help="allow general knowledge, marked as such"),
)


@command()
@click.argument("question")
@method_options(*MORE)
@style_options
@option("--demonstration", is_flag=True, help="show the model a good reply first (abstract, precise)")
@embedding_option
@connection_options
@json_option
def answer(
    connect: Connect,
    question: str,
    chosen: ChosenMethod,
    style: str,
    general_knowledge: bool,
    demonstration: bool,
    embedding: EmbeddingSettings,
    as_json: bool,
) -> None:
    """Answer QUESTION from the passages that a method finds, and cite them.

    Without a language model the evidence is printed.
    """
    question = checked_question(question)
    form: dict[str, Any] = {}  # where it is said; these are settings of the methods of GraphRAG, too
    if style != STYLES[0]:
        form["style"] = style
    if general_knowledge:
        form["general_knowledge"] = True
    with ExitStack() as opened:
        model = opened.enter_context(endpoint_of(chosen)) if chosen.llm.is_given else None
        graph = opened.enter_context(connect())
        use_for_questions(graph, embedding)
        if declined := _declined(graph, question, chosen):
            _show_evidence(DECLINED, declined, model_name(graph), as_json)
        elif written := _own_answer(graph, question, chosen, form):
            _show_answer(written, model_name(graph), as_json)
        else:
            evidence = _evidence(graph, question, chosen, written=model is not None)
            if model is None:
                notices().print(NO_MODEL)
                _show_evidence(None, evidence, model_name(graph), as_json)
            else:
                _write(Writing(evidence, model, demonstrated=demonstration, **form), model_name(graph), as_json)


def endpoint_of(chosen: ChosenMethod) -> closing[Endpoint]:
    """The endpoint that writes, closed at the end of a block."""
    return closing(Endpoint(chosen.llm, api_key(chosen.llm), budget_of(chosen.llm)))


def _declined(graph: Graph, question: str, chosen: ChosenMethod) -> Evidence | None:
    """The evidence that nothing in the graph is relevant, where a least relevance is set; no model is called then."""
    minimum = chosen.around.minimum_relevance
    if minimum is None:
        return None
    permitted = method(DEFAULT_METHOD, {"where": chosen.settings.where})
    return Relevant(permitted, minimum).found_nothing(graph, question)


def _own_answer(graph: Graph, question: str, chosen: ChosenMethod, form: dict[str, Any]) -> Answer | None:
    """The answer of a method that writes its own: those of GraphRAG, and auto about the whole collection.

    Raises:
        SettingsError: the method requires a language model, and none is configured.
    """
    if chosen.name not in (*ANSWERERS, Auto.name):
        return None
    with chosen.source() as source:
        if source is None and chosen.name in MORE:
            raise SettingsError(
                f"{chosen.name} requires a language model, and none is configured.",
                "Give --llm NAME@URL, or --replies FILE.",
            )
        if source is None:
            return None
        if isinstance(chosen.settings, AutoSettings):
            return answer_if_about_collection(graph, question, Auto(chosen.settings, source), source, form)
        settings: Any = chosen.settings  # of a class that has the fields of the form
        return ANSWERERS[chosen.name][0](graph, question, replace(settings, **form), source)


def _evidence(graph: Graph, question: str, chosen: ChosenMethod, *, written: bool) -> Evidence:
    """The evidence that an answer is written from; for a person to read, less of it."""
    with chosen.open() as opened:
        # Beforehand, so that the time of the evidence is not that of loading a model.
        vector = graph.embed_question(question) if opened.needs_vector else None
        with searching():
            found = (Answering(opened) if written else opened).retrieve(graph, question, vector)
        return with_language_told(graph, found)


def _show_evidence(text: str | None, evidence: Evidence, embedding: str | None, as_json: bool) -> None:
    """What is shown where no model wrote: the evidence, or a text in its place."""
    if as_json:
        print_json({"text": text, "citations": [], "model": None, "evidence": with_nearest(evidence, embedding)})
    elif text is None:
        print_evidence(evidence, embedding)
    else:
        results().print(text)
        print_notes(evidence.notes)


def _as_json(written: Answer, embedding: str | None) -> dict[str, Any]:
    return {**asdict(written), "evidence": with_nearest(written.evidence, embedding)}


def _write(writing: Writing, embedding: str | None, as_json: bool) -> None:
    """Write the answer as it comes, then what it cites."""
    for piece in writing:
        if not as_json:
            sys.stdout.write(printable(piece))
            sys.stdout.flush()
    if as_json:
        print_json(_as_json(writing.answer, embedding))
    else:
        _show_citations(writing.answer)


def _show_answer(written: Answer, embedding: str | None, as_json: bool) -> None:
    """The answer, the reports and passages behind it, how it came about, and what each phase cost."""
    if as_json:
        print_json(_as_json(written, embedding))
        return
    console = results()
    console.print(written.text)
    console.print()
    print_reports(written.evidence.reports, written.citations)
    for passage in written.evidence.passages:
        console.print(place_of(passage), style="cyan")
    print_support(written)
    for phase, usage in written.costs.items():
        if usage.calls:
            console.print(f"{phase}: {number_of(usage.calls, 'call')}, {usage_in_words(usage)}", style="dim")
    _show_usage(written)


def place_of(cited: Passage | Atom) -> str:
    """The documents that hold a passage, and where in the first; of an atom also its text."""
    if isinstance(cited, Passage):
        return in_one_line(f"{', '.join(map(str, cited.documents))}, {cited.place or f'chunk {cited.index}'}")
    return f"{source_of(cited)}: {in_one_line(cited.text)}"


def _show_citations(written: Answer) -> None:
    console = results()
    console.print("\n")
    for number, cited in enumerate(written.evidence.citable, start=1):
        if cited.id in written.citations:
            console.print(f"[{number}] {place_of(cited)}", style="cyan")
    print_support(written)
    _show_usage(written)


def print_support(written: Answer) -> None:
    """Say where an answer has no source, and what was taken out of it."""
    if not written.supported and written.text != DECLINED:
        results().print("No passage supports this answer.", style="bold")
    print_notes(written.notes)


def _show_usage(written: Answer) -> None:
    results().print(f"{written.model}; {usage_in_words(written.usage)}", style="dim")
