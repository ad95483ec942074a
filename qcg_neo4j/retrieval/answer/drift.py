"""DRIFT: reports give a first answer and follow-up questions, each a local search; all partial answers make the last.

Bounded: rounds, follow-up questions of a round and the tokens of all prompts together; the same replies give the same
answer.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

from qcg_neo4j.core.records import Evidence, Passage, Usage
from qcg_neo4j.database.graph import Graph
from qcg_neo4j.models.embedding.windows import token_counter
from qcg_neo4j.models.prompts import task
from qcg_neo4j.models.replies import ReplySource, Request
from qcg_neo4j.retrieval import GraphragDriftSettings, GraphragGlobalSettings, GraphragLocal, GraphragLocalSettings
from qcg_neo4j.retrieval.answer.global_search import choose
from qcg_neo4j.retrieval.answer.local_search import as_many_as_fit, pack
from qcg_neo4j.retrieval.answer.map_reduce import Item, cited_ids, first_that_fit, reduce_answers, report_items, shown
from qcg_neo4j.retrieval.answer.records import Answer, PartialAnswer
from qcg_neo4j.retrieval.evidence import within
from qcg_neo4j.retrieval.method import checked_question
from qcg_neo4j.retrieval.model_steps import answered

PRIMER, FOLLOW_UP = "answer/primer", "answer/follow_up"


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
