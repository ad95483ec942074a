"""Retrievers that hold a retriever: what they take over, how they order, more passages, a floor of relevance."""

from __future__ import annotations

import re
import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field, replace
from itertools import accumulate
from typing import Any, ClassVar, Self

from qcg_neo4j.core.errors import number_of
from qcg_neo4j.core.records import Evidence, Passage
from qcg_neo4j.database.connection import Call
from qcg_neo4j.database.graph import Graph
from qcg_neo4j.database.permission import permission
from qcg_neo4j.models.replies import ReplySource
from qcg_neo4j.retrieval.evidence import within
from qcg_neo4j.retrieval.method import (
    ANSWER_PASSAGES,
    Method,
    RetrieveSettings,
    Vector,
    checked_question,
    near_call,
    question_vector,
)

CANDIDATES = 50
NO_TOKEN_LIMIT = 2**31 - 1
# Words by which a question asks about the order of events.
ORDER = re.compile(
    r"\b(?:before|after|first|last|latest|earliest|recent(?:ly)?|earlier|later|in (?:what|which) order)\b",
    re.IGNORECASE,
)
NOTHING = "nothing in the graph is relevant"
_CANDIDATES = 10  # of each index


@dataclass(frozen=True)
class Around(Method):
    """Base of the retrievers around another; each says how it retrieves and what it is called."""

    retriever: Method

    @property
    def name(self) -> str:
        """What evidence and tables call it."""
        raise NotImplementedError

    @property
    def needs_vector(self) -> bool:
        """Whether the inner method needs the question's embedding."""
        return self.retriever.needs_vector

    @property
    def needs_text(self) -> bool:
        """Whether the question's words are looked at, so that its embedding alone does not do."""
        return True

    @property
    def searches_words(self) -> bool:
        """Whether the inner method searches for the question's words."""
        return self.retriever.searches_words

    @property
    def asks_model(self) -> bool:
        """Whether the inner method asks a language model; methods that ask one themselves override it."""
        return self.retriever.asks_model

    @property
    def settings(self) -> RetrieveSettings:
        """The inner method's settings."""
        return self.retriever.settings

    def with_settings(self, settings: RetrieveSettings) -> Self:
        """The same around the inner method with other settings."""
        return replace(self, retriever=self.retriever.with_settings(settings))

    def with_source(self, source: ReplySource | None) -> Self:
        """The same around the inner method with this language model, or recording."""
        return replace(self, retriever=self.retriever.with_source(source))

    def call(self, question: str, vector: Vector | None) -> Call:
        """The inner method's call, for the question as it is."""
        return self.retriever.call(question, vector)

    def _retold(
        self, found: Sequence[Evidence], passages: Sequence[Passage], start: float, *told: str, **more: Any
    ) -> Evidence:
        """The evidence of searches with other passages, those that fit; ``start`` is when it was asked for."""
        notes = dict.fromkeys(note for evidence in found for note in evidence.notes)
        kept, dropped = within(passages, self.settings.context_tokens)
        retold = as_asked(found[0], self.settings, start, method=self.name, passages=kept, **more)
        # Atoms are in the order of before, or of one search alone: an answer is written from the passages.
        return replace(retold, notes=(*notes, *dropped, *told), atoms=())


def deep(method: Method, passages: int, **more: Any) -> Method:
    """The method, asked for as many passages as are looked at, however long together."""
    return method.with_settings(replace(method.settings, passages=passages, context_tokens=NO_TOKEN_LIMIT, **more))


def as_asked(found: Evidence, wanted: RetrieveSettings, start: float, **changed: Any) -> Evidence:
    """The evidence of a method that was asked for more, with the settings that were ``wanted``, and the whole time."""
    settings = {**found.settings, "passages": wanted.passages, "context_tokens": wanted.context_tokens}
    return replace(found, settings=settings, seconds=time.perf_counter() - start, **changed)


@dataclass(frozen=True)
class Reordered(Around):
    """Asks the inner method for ``candidates`` passages, orders them, and keeps as many as are wanted."""

    candidates: int = field(default=CANDIDATES, kw_only=True)

    def retrieve(self, graph: Graph, question: str, vector: Vector | None = None) -> Evidence:
        """The best of the inner method's passages in another order; each has its new score.

        Raises:
            RerankError: there are no usable scores.
        """
        start, most = time.perf_counter(), self.settings.passages
        found = deep(self.retriever, max(self.candidates, most)).retrieve(graph, question, vector)
        told = f"the best of {number_of(len(found.passages), 'passage')} of {self.retriever.name}"
        return self._retold([found], self.ordered(graph, question, found.passages)[:most], start, told)

    def ordered(self, graph: Graph, question: str, passages: tuple[Passage, ...]) -> list[Passage]:
        """The passages, best first, with their new scores."""
        raise NotImplementedError


@dataclass(frozen=True)
class Answering(Around):
    """The passages that an answer is written from: those of the inner method, and more up to ``answer_tokens``.

    Where a question asks in English about the order of events, they come in the order of their documents' dates.
    """

    @property
    def name(self) -> str:
        """The inner method's name: it finds what is found."""
        return self.retriever.name

    @property
    def needs_text(self) -> bool:
        """Whether the inner method looks at the question's words."""
        return self.retriever.needs_text

    def retrieve(self, graph: Graph, question: str, vector: Vector | None = None) -> Evidence:
        """The evidence of the inner method, with as many passages as an answer takes."""
        start, wanted = time.perf_counter(), self.settings
        if not wanted.answer_tokens:
            return self.retriever.retrieve(graph, question, vector)
        found = deep(self.retriever, max(ANSWER_PASSAGES, wanted.passages)).retrieve(graph, question, vector)
        passages, notes = enough(found.passages, wanted)
        if ORDER.search(question):
            passages = tuple(sorted(passages, key=_date))
        return as_asked(found, wanted, start, passages=passages, notes=(*found.notes, *notes))


def _date(passage: Passage) -> tuple[bool, str]:
    """The date of a passage's document; what has none comes last."""
    date = passage.metadata.get("publishedAt")
    return date is None, str(date)


def enough(passages: Sequence[Passage], wanted: RetrieveSettings) -> tuple[tuple[Passage, ...], tuple[str, ...]]:
    """What is returned without an answer, and the next best as long as all fit into ``answer_tokens``."""
    first, notes = within(passages[: wanted.passages], wanted.context_tokens)
    further = passages[wanted.passages :]
    most = min(wanted.answer_tokens, wanted.context_tokens)
    totals = accumulate((one.token_count for one in further), initial=sum(one.token_count for one in first))
    fits = [total <= most for total in totals][1:]
    return (*first, *further[: fits.index(False) if False in fits else None]), notes


@dataclass(frozen=True)
class Relevance:
    """What lies nearest to a question: its kind, and its cosine."""

    kind: str
    cosine: float


def relevance(graph: Graph, vector: Vector, settings: RetrieveSettings = RetrieveSettings()) -> Relevance | None:
    """What lies nearest to the embedding of a question, of all that may be used; None where that is nothing."""
    vectors = dict.fromkeys(("embedding", "Window", "Query", "Atom", "RELATED_TO"), vector)
    call = near_call("retrieve/around/relevance", settings, vectors, 1, candidates=_CANDIDATES)
    rows = graph.rows(permission(graph, settings.where).applied(call))
    return Relevance(rows[0]["kind"], rows[0]["relevance"]) if rows else None


def says_nothing(evidence: Evidence) -> bool:
    """Whether the evidence is that nothing is relevant."""
    return not evidence.passages and any(note.startswith(NOTHING) for note in evidence.notes)


@dataclass(frozen=True)
class Relevant(Around):
    """A retriever that is asked only where something in the graph is as near to the question as ``minimum``."""

    minimum: float
    needs_vector: ClassVar[bool] = True  # for what the graph holds, whatever the inner method looks at

    @property
    def name(self) -> str:
        """The inner method's name, and the floor."""
        return f"{self.retriever.name} from relevance {self.minimum:g}"

    def retrieve(self, graph: Graph, question: str, vector: Vector | None = None) -> Evidence:
        """The evidence of the inner method; none, and a note that says so, where nothing is near enough."""
        question = checked_question(question)
        vector = question_vector(graph, question, vector)
        return self.found_nothing(graph, question, vector) or self.retriever.retrieve(graph, question, vector)

    def found_nothing(self, graph: Graph, question: str, vector: Vector | None = None) -> Evidence | None:
        """The evidence that says so where nothing is near enough, else None."""
        start = time.perf_counter()
        found = relevance(graph, question_vector(graph, question, vector), self.settings)
        if found is None or found.cosine >= self.minimum:
            return None
        note = (
            f"{NOTHING}: what lies nearest ({found.kind}) has a relevance of {found.cosine:.2f}, not {self.minimum:g}"
        )
        return Evidence(question, self.name, (), asdict(self.settings), time.perf_counter() - start, (note,))
