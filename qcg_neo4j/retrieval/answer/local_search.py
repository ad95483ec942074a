"""Answers from the neighbourhood of entities: a window by fixed shares (GraphRAG, local), and DRIFT, which asks on.

DRIFT: reports give a first answer and follow-up questions, each a local search; all partial answers make the last.
Bounded: rounds, follow-up questions of a round and the tokens of all prompts together; the same replies give the same
answer.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

from qcg_neo4j.core.errors import number_of
from qcg_neo4j.core.records import Evidence, Passage, Usage
from qcg_neo4j.database.graph import Graph
from qcg_neo4j.models.embedding.windows import TokenCounter, token_counter
from qcg_neo4j.models.prompts import task
from qcg_neo4j.models.replies import ReplySource, Request
from qcg_neo4j.retrieval import GraphragDriftSettings, GraphragGlobalSettings, GraphragLocal, GraphragLocalSettings
from qcg_neo4j.retrieval.answer.global_search import choose
from qcg_neo4j.retrieval.answer.map_reduce import (
    Item,
    cited_ids,
    first_that_fit,
    item,
    passage_items,
    reduce_answers,
    report_items,
    shown,
    written,
)
from qcg_neo4j.retrieval.answer.records import Answer, PartialAnswer
from qcg_neo4j.retrieval.answer.writing import form_rules
from qcg_neo4j.retrieval.evidence import within
from qcg_neo4j.retrieval.method import checked_question
from qcg_neo4j.retrieval.model_steps import answered, whole_reply

LOCAL = "answer/local"
PRIMER, FOLLOW_UP = "answer/primer", "answer/follow_up"
PASSAGES = 100  # more than fit into a window


def answer_locally(graph: Graph, question: str, settings: GraphragLocalSettings, source: ReplySource) -> Answer:
    """The answer with the ids of the passages and reports that it cites.

    Raises:
        MissingReplyError: the model, or the recording, gave nothing.
    """
    evidence = GraphragLocal(as_many_as_fit(settings)).retrieve(graph, question)
    packed, number = pack(evidence, settings, token_counter(graph.question_embedder()))
    text = shown(packed)
    rules = form_rules("items", settings.style, general_knowledge=settings.general_knowledge)
    variables = {"question": evidence.question, "items": text, **rules}
    request = Request(task(LOCAL), f"{evidence.question}\n{text}", variables)
    result = whole_reply(source, request)
    answer, citations, unknown = written(result, packed)
    shown_ids = {one.id for one in packed}
    passages = tuple(passage for passage in evidence.passages if passage.id in shown_ids)
    evidence = replace(evidence, passages=passages, settings=asdict(settings))
    left_out = (f"{number_of(number, 'item')} did not fit into the window",) if number else ()
    return Answer(answer, citations, evidence, result.model, result.usage, notes=(*left_out, *unknown))


def as_many_as_fit(settings: GraphragLocalSettings) -> GraphragLocalSettings:
    """The settings with as many passages as a window may take."""
    most = max(settings.passages, PASSAGES)
    return replace(settings, passages=most, context_tokens=max(settings.context_tokens, settings.window_tokens))


def pack(evidence: Evidence, settings: GraphragLocalSettings, count: TokenCounter) -> tuple[list[Item], int]:
    """Reports, entities with relations and claims, and passages, each within its share of the window.

    What reports leave free goes to entities and relations, what these leave free goes to passages. With the items comes
    how many were left out for want of space.
    """
    whole = settings.window_tokens
    reports = report_items(evidence.reports, count)
    entities = _neighbourhood(evidence, count)
    passages = passage_items(evidence.passages, count)
    taken = first_that_fit(reports, whole * settings.report_share, 0)
    rest = max(0.0, 1 - settings.passage_share - settings.report_share)
    free = whole * settings.report_share - _tokens(taken)
    known = first_that_fit(entities, whole * rest + free, 0)
    texts = first_that_fit(passages, whole - _tokens(taken) - _tokens(known), 0)
    kept = [*taken, *known, *texts]
    return kept, len(reports) + len(entities) + len(passages) - len(kept)


def _tokens(items: list[Item]) -> int:
    return sum(one.tokens for one in items)


def _neighbourhood(evidence: Evidence, count: TokenCounter) -> list[Item]:
    """Entities and relations in turns, as they come by importance, then claims."""
    found = evidence.neighbourhood
    if not found:
        return []
    entities = [
        item("entity", entity.id, entity.name, f"{entity.type}. {entity.description}".strip(". ") or entity.name, count)
        for entity in found.entities
    ]
    relations = [
        item("relation", relation.chunk, f"{relation.source} – {relation.target}", relation.ttr, count)
        for relation in found.relations
    ]
    claims = [item("claim", claim.id, claim.type, claim.description, count) for claim in found.claims]
    return [*entities, *relations, *claims]


@dataclass(frozen=True)
class Open:
    """A follow-up question that is not answered yet, with the place and the score of the answer that asked it."""

    question: str
    parent: int
    score: float


def answer_by_drift(graph: Graph, question: str, settings: GraphragDriftSettings, source: ReplySource) -> Answer:
    """The answer with every partial answer that led to it.

    Raises:
        GraphError: there are no reports.
        MissingReplyError: the model, or the recording, gave nothing.
    """
    return _Drift(graph, checked_question(question), settings, source).run()


class _Drift:
    def __init__(self, graph: Graph, question: str, settings: GraphragDriftSettings, source: ReplySource) -> None:
        self._graph, self._question, self._settings, self._source = graph, question, settings, source
        self._count = token_counter(graph.question_embedder())
        names = GraphragLocalSettings.__dataclass_fields__
        local = {name: value for name, value in asdict(settings).items() if name in names}
        self._local = GraphragLocal(as_many_as_fit(GraphragLocalSettings(**local)))
        self._partial: list[PartialAnswer] = []
        self._open: list[Open] = []
        self._asked = {question.casefold()}
        self._passages: dict[str, Passage] = {}
        self._tokens = 0
        self._usage = Usage()
        self._notes: list[str] = []

    def run(self) -> Answer:
        """Begin with reports, follow the questions, put everything together."""
        start = time.perf_counter()
        reports = self._begin()
        for turn in range(1, self._settings.rounds + 1):
            if not self._open:
                break
            if self._tokens >= self._settings.token_budget:
                self._notes.append(f"stopped before round {turn}: {self._tokens:,} tokens were used")
                break
            self._follow(turn)
        helpful = sorted((one for one in self._partial if one.score > 0), key=lambda one: -one.score)
        reduced = reduce_answers(self._question, helpful, self._settings, self._source, self._count)
        if self._open:
            self._notes.append(f"{len(self._open)} follow-up questions stayed open")
        self._notes.extend(reduced.notes)
        kept, notes = within(self._cited(reduced.citations), self._settings.context_tokens)
        evidence = Evidence(
            self._question,
            "graphrag-drift",
            kept,
            asdict(self._settings),
            time.perf_counter() - start,
            notes,
            thoughts=tuple(one.question for one in self._partial[1:]),
            reports=reports,
        )
        costs = {"search": self._usage, "reduce": reduced.usage}
        model = reduced.model or self._source.name
        usage = self._usage + reduced.usage
        partial, notes = tuple(self._partial), tuple(self._notes)
        return Answer(reduced.text, reduced.citations, evidence, model, usage, partial, costs, notes)

    def _begin(self) -> tuple[Any, ...]:
        settings = self._settings
        nearest = GraphragGlobalSettings(level=settings.level, reports=settings.reports, passages=1, choice="similar")
        reports = choose(self._graph, self._question, nearest, self._source).reports
        items = first_that_fit(report_items(reports, self._count), settings.window_tokens)
        text = shown(items)
        variables = {"question": self._question, "items": text, "follow_ups": str(settings.follow_ups)}
        request = Request(task(PRIMER), f"{self._question}\n{text}", variables)
        self._take([request], [items], [Open(self._question, -1, 0.0)], 0)
        return reports

    def _follow(self, turn: int) -> None:
        """Answer the best open questions, all at once."""
        chosen = self._open[: self._settings.follow_ups]
        self._open = self._open[self._settings.follow_ups :]
        requests, items = [], []
        for one in chosen:
            evidence = self._local.retrieve(self._graph, one.question)
            self._passages.update({passage.id: passage for passage in evidence.passages})
            packed, _ = pack(evidence, self._settings, self._count)
            text = shown(packed)
            variables = {
                "question": self._question,
                "follow_up": one.question,
                "items": text,
                "follow_ups": str(self._settings.follow_ups),
            }
            requests.append(Request(task(FOLLOW_UP), f"{self._question}\n{one.question}\n{text}", variables))
            items.append(packed)
        self._take(requests, items, chosen, turn)

    def _take(
        self, requests: Sequence[Request], items: Sequence[Sequence[Item]], asked: Sequence[Open], turn: int
    ) -> None:
        found = dict(answered(self._source, range(len(requests)), requests.__getitem__))
        # In the order of the questions, not of the replies, so that a run can be repeated.
        for number, (request, shown_items, one) in enumerate(zip(requests, items, asked, strict=True)):
            self._usage += found[number].usage
            reply = found[number].value
            self._tokens += sum(self._count(message["content"]) for message in request.messages())
            citations = cited_ids(reply["answer"], shown_items)
            place = len(self._partial)
            parent = one.parent if one.parent >= 0 else None
            score = float(reply["score"]) if reply["answer"].strip() else 0.0
            self._partial.append(PartialAnswer(reply["answer"].strip(), score, one.question, citations, turn, parent))
            self._ask(reply["questions"], place, score)
        self._open.sort(key=lambda waiting: (-waiting.score, waiting.parent))

    def _ask(self, questions: Sequence[str], parent: int, score: float) -> None:
        new = [" ".join(question.split()) for question in questions][: self._settings.follow_ups]
        for question in new:
            if question and question.casefold() not in self._asked:
                self._asked.add(question.casefold())
                self._open.append(Open(question, parent, score))

    def _cited(self, citations: Sequence[str]) -> list[Passage]:
        """The passages that the answer cites, as the searches found them, the first cited first."""
        return [self._passages[name] for name in citations if name in self._passages]
