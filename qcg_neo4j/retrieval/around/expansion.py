"""Retrievers that search with more than the question: HyDE, query expansion, and the steps of IRCoT."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar

from qcg_neo4j.core.errors import number_of
from qcg_neo4j.core.records import Evidence, Passage
from qcg_neo4j.database.graph import Graph
from qcg_neo4j.models.prompts import numbered, task
from qcg_neo4j.models.replies import ReplySource, Request
from qcg_neo4j.retrieval.around.wrapper import Around
from qcg_neo4j.retrieval.kg_cqr import fuse
from qcg_neo4j.retrieval.method import Vector, checked_question, question_vector
from qcg_neo4j.retrieval.model_steps import analysis, expansion, reply

HYDE, TERMS, REFINED = "hyde", "terms", "analyse-generate-refine"
EXPANSIONS = (HYDE, TERMS, REFINED)
STEP = "answer/next_step"
STEPS = 5  # a choice: the KG-CQR paper names no maximum
PASSAGES = 15  # IRCoT: what is collected over all steps at most


@dataclass(frozen=True)
class Expanded(Around):
    """A retriever that is asked with an expanded question.

    ``hyde``: a hypothetical passage that could hold the answer (Gao et al. 2023), fused with the question's vector as
    ``alpha · question + (1 − alpha) · passage``. ``terms``: the question with its entities and sub-questions behind it,
    embedded as one text. ``analyse-generate-refine``: behind it is a text that is generated from an analysis and what a
    first search has found, and refined (Chen et al. 2024, which the KG-CQR paper compares with). Methods that search
    for words are asked with all of the text.
    """

    analyses: ReplySource = field(compare=False, repr=False)
    expansion: str = HYDE
    alpha: float = 0.5
    asks_model: ClassVar[bool] = True  # or a recording of one: the question is analysed

    @property
    def name(self) -> str:
        """The inner method's name with the expansion's."""
        shown = f"{self.expansion} {self.alpha:g}" if self.expansion == HYDE else self.expansion
        return f"{self.retriever.name} + {shown}"

    def retrieve(self, graph: Graph, question: str, vector: Vector | None = None) -> Evidence:
        """The evidence for a question.

        Raises:
            MissingReplyError: the question has no analysis.
        """
        question = checked_question(question)
        text = self._refined(graph, question, vector) if self.expansion == REFINED else self._text(question)
        inner = f"{question}\n{text}" if self.searches_words else question
        if self.needs_vector:
            vector = self._vector(graph, question, text, vector)
        found = self.retriever.retrieve(graph, inner, vector)
        return replace(found, question=question, method=self.name, notes=(*found.notes, f"searched with: {text}"))

    def _text(self, question: str) -> str:
        found = analysis(question, self.analyses)
        return str(found["hypothetical_passage"]).strip() if self.expansion == HYDE else _terms(found)

    def _refined(self, graph: Graph, question: str, vector: Vector | None) -> str:
        needed = _terms(analysis(question, self.analyses)) or "(nothing more)"
        passages = [passage.text for passage in self.retriever.retrieve(graph, question, vector).passages]
        return expansion(question, needed, passages, self.analyses)

    def _vector(self, graph: Graph, question: str, text: str, vector: Vector | None) -> Vector:
        if self.expansion != HYDE:
            return graph.embed_question(f"{question}\n{text}")
        vector = question_vector(graph, question, vector)
        return fuse(vector, graph.embed_passage(text), self.alpha) if text else vector


def _terms(found: Mapping[str, Any]) -> str:
    """The entities and the sub-questions of an analysis, a line each."""
    return "\n".join([*found["entities"], *(item["question"] for item in found["sub_questions"])])


@dataclass(frozen=True)
class MultiStep(Around):
    """A retriever that is asked again with each thought of a language model; the evidence carries the thoughts."""

    source: ReplySource = field(compare=False, repr=False)
    steps: int = STEPS
    asks_model: ClassVar[bool] = True

    @property
    def name(self) -> str:
        """The inner method's name and how many steps there are at most."""
        return f"{self.retriever.name} + {self.steps} steps"

    def retrieve(self, graph: Graph, question: str, vector: Vector | None = None) -> Evidence:
        """The passages of all steps: the best of each step first, then the second best …

        Raises:
            MissingReplyError: a step got no reply.
        """
        question = checked_question(question)
        start = time.perf_counter()
        found: list[Evidence] = []
        thoughts: list[str] = []
        search, done = question, False
        while not done and len(found) < self.steps:
            found.append(self.retriever.retrieve(graph, search, None if found else vector))
            step = self._step(question, thoughts, collected(found))
            search, done = str(step["answer"]).strip() or question, bool(step["done"])
            thoughts.append(search)
        ended = (
            f"answered after {len(found)} of {self.steps} steps"
            if done
            else f"no answer after {number_of(self.steps, 'step')}"
        )
        return self._retold(found, collected(found), start, ended, question=question, thoughts=tuple(thoughts))

    def _step(self, question: str, thoughts: Sequence[str], passages: Sequence[Passage]) -> Mapping[str, Any]:
        said = "\n".join(f"- {thought}" for thought in thoughts) or "(none)"
        variables = {"question": question, "thoughts": said, "passages": numbered(passages)}
        key = "\n".join([question, *thoughts, *(passage.id for passage in passages)])
        return reply(self.source, Request(task(STEP), key, variables))


def collected(found: Sequence[Evidence]) -> list[Passage]:
    """The passages of several searches, each once: by its rank there, then by the order of the searches."""
    ranked = [
        (rank, turn, passage) for turn, evidence in enumerate(found) for rank, passage in enumerate(evidence.passages)
    ]
    by_id: dict[str, Passage] = {}
    for _, _, passage in sorted(ranked, key=lambda item: item[:2]):
        by_id.setdefault(passage.id, passage)
    return list(by_id.values())[:PASSAGES]
