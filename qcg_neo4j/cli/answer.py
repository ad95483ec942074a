"""``qcg answer``: a written answer with its evidence."""

from __future__ import annotations

import sys
from dataclasses import asdict
from typing import Any, TypedDict

import click
from rich.markup import escape

from qcg_neo4j.cli.embedder import use_for_questions
from qcg_neo4j.cli.evidence import print_evidence, print_reports
from qcg_neo4j.cli.language_model import api_key, budget_of, usage_in_words
from qcg_neo4j.cli.method_options import ChosenMethod, method_options
from qcg_neo4j.cli.options import Connect, connection_options, json_option, settings_file_option, settings_options
from qcg_neo4j.cli.terminal import notices, print_json, print_notes, results
from qcg_neo4j.core.errors import SettingsError, printable
from qcg_neo4j.core.records import Atom, Evidence, Passage
from qcg_neo4j.core.settings import from_mapping
from qcg_neo4j.models.embedding.embedder import EmbeddingSettings
from qcg_neo4j.models.llm import Endpoint
from qcg_neo4j.models.prompts import source_of
from qcg_neo4j.models.replies import ReplySource
from qcg_neo4j.retrieval import DEFAULT_METHOD, METHODS, Auto, AutoSettings, Relevant, method
from qcg_neo4j.retrieval.answer import ANSWERERS, DECLINED, STYLES, Writing, answer_if_about_collection
from qcg_neo4j.retrieval.answer.records import Answer
from qcg_neo4j.retrieval.method import checked_question

NO_MODEL = (
    "No language model is configured, so this is the evidence alone. For a written answer give "
    "--language-model-endpoint and --language-model (any OpenAI-compatible endpoint), and OPENAI_API_KEY if it asks."
)
STYLE_HELP = (
    "`passages`: the answer alone, as short as the question allows; `abstract` and `precise`: reasoning, then complete "
    "sentences or the few words asked for; any other text: the length and form that the answer is to have, such as "
    "`multiple paragraphs`."
)
MORE = {name: kind for name, (_, kind) in ANSWERERS.items() if name not in METHODS}


class Form(TypedDict, total=False):
    """How the answer is to be written, where that is said; these are settings of the methods of GraphRAG, too."""

    style: str
    general_knowledge: bool


@click.command()
@click.argument("question")
@method_options(MORE)
@click.option(
    "--style",
    default=STYLES[0],
    show_default=True,
    metavar="TEXT",
    help=STYLE_HELP,
)
@click.option("--general-knowledge", is_flag=True, help="The answer may add general knowledge, marked as such.")
@settings_options(EmbeddingSettings, "embedding", shared=True)
@settings_file_option
@connection_options
@json_option
def answer(
    connect: Connect,
    question: str,
    chosen: ChosenMethod,
    style: str,
    general_knowledge: bool,
    embedding: EmbeddingSettings,
    as_json: bool,
) -> None:
    """Answer QUESTION from what a method finds, citing it.

    The methods of GraphRAG write their answers in their own ways, and auto as the method that it chooses; the others
    from their passages. Without a language model the evidence is shown as it is.
    """
    question = checked_question(question)
    if _is_declined(connect, question, chosen, embedding, as_json):
        return
    form: Form = {}
    if style != STYLES[0]:
        form["style"] = style
    if general_knowledge:
        form["general_knowledge"] = True
    if chosen.name == Auto.name and _answer_by_choice(connect, question, chosen, form, embedding, as_json):
        return
    if chosen.name in ANSWERERS:
        with chosen.source() as source:
            if source is not None:
                _answer_by_reports(connect, question, chosen, form, embedding, source, as_json)
                return
    if chosen.name in MORE:
        raise SettingsError(
            f"{chosen.name} asks a language model at every step, and none is configured.",
            "Give --language-model-endpoint and --language-model, or recorded replies.",
        )
    _answer_from_passages(connect, question, chosen, form, embedding, as_json)


def _is_declined(
    connect: Connect, question: str, chosen: ChosenMethod, embedding: EmbeddingSettings, as_json: bool
) -> bool:
    """Whether nothing in the graph is relevant, so that nobody is asked, whatever the method."""
    minimum = chosen.around.minimum_relevance
    if minimum is None:
        return False
    with connect() as graph:
        use_for_questions(graph, embedding)
        evidence = Relevant(method(DEFAULT_METHOD), minimum).found_nothing(graph, question)
    if evidence is None:
        return False
    if as_json:
        print_json({"text": DECLINED, "citations": [], "model": None, "evidence": evidence.as_dict()})
    else:
        results().print(DECLINED)
        print_notes(evidence.notes)
    return True


def _answer_by_reports(
    connect: Connect,
    question: str,
    chosen: ChosenMethod,
    form: Form,
    embedding: EmbeddingSettings,
    source: ReplySource,
    as_json: bool,
) -> None:
    run, kind = ANSWERERS[chosen.name]
    with connect() as graph:
        use_for_questions(graph, embedding)
        settings: Any = from_mapping(kind, {**chosen.settings, **form}, chosen.name)
        written = run(graph, question, settings, source)
    _show(written, as_json)


def _answer_by_choice(
    connect: Connect, question: str, chosen: ChosenMethod, form: Form, embedding: EmbeddingSettings, as_json: bool
) -> bool:
    """Whether the question was answered: one about the whole collection is, where there is a language model."""
    with chosen.source() as source:
        if source is None:
            return False
        with connect() as graph:
            use_for_questions(graph, embedding)
            settings = from_mapping(AutoSettings, chosen.settings, chosen.name)
            written = answer_if_about_collection(graph, question, Auto(settings, source), source, form)
    if written is None:
        return False
    _show(written, as_json)
    return True


def _show(written: Answer, as_json: bool) -> None:
    if as_json:
        print_json(asdict(written))
    else:
        _show_answer(written)


def _answer_from_passages(
    connect: Connect, question: str, chosen: ChosenMethod, form: Form, embedding: EmbeddingSettings, as_json: bool
) -> None:
    language_model = chosen.language_model
    configured = language_model.is_given
    endpoint = Endpoint(language_model, api_key(language_model), budget_of(language_model)) if configured else None
    with chosen.open() as method, connect() as graph:
        use_for_questions(graph, embedding)
        # Beforehand, so that the time of the evidence is not that of loading a model.
        vector = graph.embed_question(question) if method.needs_vector else None
        evidence = method.retrieve(graph, question, vector)
    if endpoint is None:
        _show_evidence(evidence, as_json)
        return
    written = _write(evidence, endpoint, form, quiet=as_json)
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


def _write(evidence: Evidence, endpoint: Endpoint, form: Form, *, quiet: bool) -> Answer:
    writing = Writing(evidence, endpoint, **form)
    try:
        for piece in writing:
            if not quiet:
                sys.stdout.write(printable(piece))
                sys.stdout.flush()
    finally:
        endpoint.close()
    return writing.answer


def _show_answer(written: Answer) -> None:
    """The answer, the reports and passages behind it, how it came about, and what each phase cost."""
    console = results()
    console.print(written.text, markup=False)
    console.print()
    print_reports(written.evidence.reports, written.citations)
    for passage in written.evidence.passages:
        console.print(_place(passage), style="cyan", markup=False)
    print_notes(written.notes)
    for phase, usage in written.costs.items():
        if usage.calls:
            console.print(f"{phase}: {usage.calls:,} calls, {usage_in_words(usage)}", style="dim")
    _show_usage(written)


def _place(cited: Passage | Atom) -> str:
    if isinstance(cited, Passage):
        return f"{', '.join(map(str, cited.documents))}, {cited.place or f'chunk {cited.index}'}"
    return f"{source_of(cited)}: {cited.text}"


def _show_citations(written: Answer) -> None:
    console = results()
    console.print("\n")
    for number, cited in enumerate(written.evidence.citable, start=1):
        if cited.id in written.citations:
            console.print(f"\\[{number}] {escape(_place(cited))}", style="cyan")
    print_notes(written.notes)
    _show_usage(written)


def _show_usage(written: Answer) -> None:
    results().print(f"{written.model}; {usage_in_words(written.usage)}", style="dim", markup=False)
