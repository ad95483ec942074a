"""A retriever that holds a retriever: what it takes over from the inner one, and how it puts passages in order."""

from __future__ import annotations

import time
from dataclasses import dataclass, field, replace
from typing import Self

from qcg_neo4j.core.records import Evidence, Passage
from qcg_neo4j.database.connection import Call
from qcg_neo4j.database.graph import Graph
from qcg_neo4j.models.replies import ReplySource
from qcg_neo4j.retrieval.method import Method, Retriever, RetrieveSettings, Vector, within

CANDIDATES = 50
NO_TOKEN_LIMIT = 2**31 - 1


@dataclass(frozen=True)
class Around(Retriever):
    """Base of the retrievers around another; each says how it retrieves and what it is called."""

    retriever: Method

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


@dataclass(frozen=True)
class Reordered(Around):
    """Asks the inner method for ``candidates`` passages, orders them, and keeps as many as are wanted."""

    candidates: int = field(default=CANDIDATES, kw_only=True)

    def retrieve(self, graph: Graph, question: str, vector: Vector | None = None) -> Evidence:
        """The best of the inner method's passages in another order; each has its new score.

        Raises:
            RerankError: there are no usable scores.
        """
        start, wanted = time.perf_counter(), self.settings
        deep = replace(wanted, passages=max(self.candidates, wanted.passages), context_tokens=NO_TOKEN_LIMIT)
        found = self.retriever.with_settings(deep).retrieve(graph, question, vector)
        ordered = self.ordered(graph, question, found.passages)[: wanted.passages]
        passages, notes = within(ordered, wanted.context_tokens)
        told = f"the best of {len(found.passages):,} passages of {self.retriever.name}"
        return replace(
            found,
            method=self.name,
            passages=passages,
            settings={**found.settings, "passages": wanted.passages, "context_tokens": wanted.context_tokens},
            seconds=time.perf_counter() - start,
            notes=(*found.notes, *notes, told),
        )

    @property
    def name(self) -> str:
        """What tables and evidence call it."""
        raise NotImplementedError

    def ordered(self, graph: Graph, question: str, passages: tuple[Passage, ...]) -> list[Passage]:
        """The passages, best first, with their new scores."""
        raise NotImplementedError
