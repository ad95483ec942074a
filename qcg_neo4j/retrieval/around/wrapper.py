"""A retriever that holds a retriever: what it takes over from the inner one."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Self

from qcg_neo4j.database.connection import Call
from qcg_neo4j.models.replies import ReplySource
from qcg_neo4j.retrieval.method import Method, Retriever, RetrieveSettings, Vector


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
