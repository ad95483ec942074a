"""Answer a question about the whole collection: choose reports, map over windows of them, reduce (GraphRAG, global)."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

from qcg_neo4j.core.errors import GraphError, number_of
from qcg_neo4j.core.records import Evidence, Passage, Report, Usage
from qcg_neo4j.database.graph import Graph
from qcg_neo4j.indexing.report.window import without_citations
from qcg_neo4j.models.embedding.windows import TokenCounter, token_counter
from qcg_neo4j.models.prompts import task
from qcg_neo4j.models.replies import ReplySource, Request
from qcg_neo4j.retrieval import Auto, GraphragGlobal, GraphragGlobalSettings, VectorBaseline, VectorSettings
from qcg_neo4j.retrieval.answer.map_reduce import (
    MAP,
    REDUCE,
    Item,
    answer_from,
    first_that_fit,
    map_windows,
    passage_items,
    reduce_answers,
    report_items,
    request_of,
    windows,
)
from qcg_neo4j.retrieval.answer.records import Answer
from qcg_neo4j.retrieval.evidence import passages_of, within
from qcg_neo4j.retrieval.graphrag import reports_of, without_model
from qcg_neo4j.retrieval.method import checked_question
from qcg_neo4j.retrieval.model_steps import answered

RATE = "retrieve/rate_community"
NEAREST = "nearest"
_MOST_PASSAGES = 1000  # the window ends before
ANSWER_TOKENS = 600  # of a written answer; GraphRAG's have 31 claims


@dataclass(frozen=True)
class Chosen:
    """The reports that an answer reads, what choosing them cost, and how many were rated."""

    reports: tuple[Report, ...]
    usage: Usage = Usage()
    rated: int = 0


def answer_globally(graph: Graph, question: str, settings: GraphragGlobalSettings, source: ReplySource) -> Answer:
    """The answer with its partial answers, the ids of the reports that it cites, and the chunks behind these.

    ``costs`` has what choosing, mapping and reducing took.

    Raises:
        GraphError: there are no reports at that level.
        MissingReplyError: the model, or the recording, gave nothing.
    """
    question = checked_question(question)
    start = time.perf_counter()
    count = token_counter(graph.question_embedder())
    chosen = Chosen(())
    texts: list[Passage] = []
    items: list[Item]
    if settings.over == NEAREST:
        return _from_nearest(graph, question, settings, source, count)
    if settings.over == "chunks":
        texts = passages_of(graph.rows("answer/chunks"))
        items = passage_items(texts, count)
    else:
        chosen = choose(graph, question, settings, source)
        items = report_items(chosen.reports, count)
    cut = windows(items, settings.window_tokens, settings.random_seed)
    mapped = map_windows(question, cut, settings, source)
    reduced = reduce_answers(question, mapped.partial, settings, source, count)
    notes = [
        *without_model(chosen.reports),
        f"{len(items):,} {settings.over} in {number_of(len(cut), 'window')}, "
        f"{mapped.empty:,} of them without anything that helps",
    ]
    if chosen.rated:
        notes.append(f"{number_of(chosen.rated, 'report was', 'reports were')} rated, {len(items):,} of them chosen")
    if mapped.failures:
        notes.append(
            f"{number_of(len(mapped.failures), 'window')} got no reply, the first because: {mapped.failures[0]}"
        )
    if reduced.left_out:
        notes.append(f"{number_of(reduced.left_out, 'partial answer')} did not fit into the last window")
    notes.extend(reduced.notes)
    costs = {"choose": chosen.usage, "map": mapped.usage, "reduce": reduced.usage}
    seconds = time.perf_counter() - start
    cited = _cited(graph, settings, reduced.citations, texts)
    reports = [report for name in reduced.citations for report in chosen.reports if report.id == name]
    evidence = _evidence(question, settings, cited, reports, seconds)
    total = chosen.usage + mapped.usage + reduced.usage
    model = reduced.model or source.name
    return Answer(reduced.text, reduced.citations, evidence, model, total, mapped.partial, costs, tuple(notes))


def answer_if_about_collection(
    graph: Graph, question: str, method: Auto, source: ReplySource, form: Mapping[str, Any] = {}
) -> Answer | None:
    """The answer to a question about the whole collection; None for another, which is answered from passages.

    ``form`` are settings of the answer: ``style``, ``general_knowledge``.

    Raises:
        SettingsError: a language model is to analyse the question, and the method has none.
        MissingReplyError: the model, or the recording, gave nothing.
    """
    choice = method.choice(graph, question)
    if choice.way != "collection":
        return None
    settings = method.inner(choice).settings
    assert isinstance(settings, GraphragGlobalSettings)  # noqa: S101 - the communities' method has these
    written = answer_globally(graph, question, replace(settings, **form), source)
    evidence = replace(written.evidence, method=f"{method.name} ({written.evidence.method})")
    return replace(written, evidence=evidence, notes=(f"{method.collection.name}: {choice.reason}", *written.notes))


def _from_nearest(
    graph: Graph, question: str, settings: GraphragGlobalSettings, source: ReplySource, count: TokenCounter
) -> Answer:
    """The answer from the chunks nearest to the question, as many as fit into a window: the paper's SS."""
    found = _nearest(graph, question, settings)
    reduced = answer_from(question, passage_items(found.passages, count), settings, source)
    cited = [passage for name in reduced.citations for passage in found.passages if passage.id == name]
    evidence = _evidence(question, settings, cited[: settings.passages], (), found.seconds)
    notes = (f"{number_of(len(found.passages) - reduced.left_out, 'nearest chunk')} in a window", *reduced.notes)
    costs = {"reduce": reduced.usage}
    model = reduced.model or source.name
    return Answer(reduced.text, reduced.citations, evidence, model, reduced.usage, costs=costs, notes=notes)


def _nearest(graph: Graph, question: str, settings: GraphragGlobalSettings) -> Evidence:
    wanted = VectorSettings(passages=_MOST_PASSAGES, context_tokens=settings.window_tokens)
    return VectorBaseline(wanted).retrieve(graph, question)


def expected_requests(graph: Graph, settings: GraphragGlobalSettings) -> Callable[[str], list[Request]] | None:
    """What will be asked for an answer to a question, with partial answers of usual length; makes no call.

    None where a model chooses the reports, so that nobody knows.

    Raises:
        GraphError: there are no reports at that level.
    """
    count, room = token_counter(graph.question_embedder()), settings.window_tokens
    if settings.over == NEAREST:

        def of_nearest(question: str) -> list[Request]:
            items = passage_items(_nearest(graph, question, settings).passages, count)
            return [request_of(REDUCE, question, first_that_fit(items, room), settings)]

        return of_nearest
    if settings.over == "chunks":
        items = passage_items(passages_of(graph.rows("answer/chunks")), count)
    elif settings.choice == "level":
        items = report_items(_checked(_of_level(graph, settings)).reports, count)
    else:
        return None
    cut = windows(items, room, settings.random_seed)
    stand_in = Item("answer", "", f"{settings.over} {settings.level}", "word " * ANSWER_TOKENS, ANSWER_TOKENS)
    partial = first_that_fit([stand_in] * len(cut), room)

    def of_windows(question: str) -> list[Request]:
        maps = [request_of(MAP, question, window, settings) for window in cut]
        return [*maps, request_of(REDUCE, question, partial, settings)]

    return of_windows


def choose(graph: Graph, question: str, settings: GraphragGlobalSettings, source: ReplySource) -> Chosen:
    """All reports of the level, the nearest to the question, or the ones that a model finds helpful, from the root.

    Raises:
        GraphError: there are no reports.
    """
    if settings.choice == "similar":
        chosen = Chosen(GraphragGlobal(settings).retrieve(graph, question).reports)
    elif settings.choice == "dynamic":
        chosen = _from_the_root(graph, question, settings, source)
    else:
        chosen = _of_level(graph, settings)
    return _checked(chosen)


def _of_level(graph: Graph, settings: GraphragGlobalSettings) -> Chosen:
    return Chosen(reports_of(graph.rows("answer/reports", level=settings.level)))


def _checked(chosen: Chosen) -> Chosen:
    if not chosen.reports and not chosen.rated:
        raise GraphError(
            "There are no reports on communities.", "Make them first: `qcg build communities`, then `qcg report`."
        )
    return chosen


def _from_the_root(graph: Graph, question: str, settings: GraphragGlobalSettings, source: ReplySource) -> Chosen:
    """Rate level by level; what is helpful gives way to what is helpful below it."""
    kept: dict[str, Report] = {}
    usage, rated = Usage(), 0
    above = [""]
    for level in range(settings.level + 1):
        reports = reports_of(graph.rows("answer/below", ids=above))
        ratings, cost = _ratings(question, reports, source)
        usage, rated = usage + cost, rated + len(reports)
        helpful = [report for report in reports if ratings[report.id] >= settings.rating_floor]
        if level:
            for name in graph.rows("answer/above", ids=[report.id for report in helpful]):
                kept.pop(name["id"], None)
        kept.update({report.id: report for report in helpful})
        above = [report.id for report in helpful]
        if not above:
            break
    return Chosen(tuple(kept[name] for name in sorted(kept)), usage, rated)


def _ratings(question: str, reports: Sequence[Report], source: ReplySource) -> tuple[dict[str, int], Usage]:
    def request(report: Report) -> Request:
        text = without_citations(report.text)
        return Request(task(RATE), f"{question}\n{text}", {"question": question, "report": text})

    found = {report.id: reply for report, reply in answered(source, reports, request)}
    ratings = {name: int(reply.value["rating"]) for name, reply in found.items()}
    return ratings, sum((reply.usage for reply in found.values()), Usage())


def _cited(
    graph: Graph, settings: GraphragGlobalSettings, citations: Sequence[str], texts: Sequence[Passage]
) -> list[Passage]:
    """The chunks behind the cited reports, or the cited chunks themselves."""
    if settings.over == "chunks":
        by_id = {text.id: text for text in texts}
        return [by_id[name] for name in citations][: settings.passages]
    found = graph.rows("answer/behind", ids=list(citations), passages=settings.passages) if citations else []
    return passages_of(found)


def _evidence(
    question: str,
    settings: GraphragGlobalSettings,
    passages: Sequence[Passage],
    reports: Sequence[Report],
    seconds: float,
) -> Evidence:
    """What the answer rests on."""
    kept, notes = within(passages, settings.context_tokens)
    where = f"C{settings.level}" if settings.over == "reports" else settings.over
    method = f"graphrag-global {where}"
    return Evidence(question, method, kept, asdict(settings), seconds, notes, reports=tuple(reports))
