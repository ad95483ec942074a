"""A retriever that holds a retriever: what it takes over from the inner one."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Self

from qcg_neo4j.graph import Call
from qcg_neo4j.retrieve.method import Method
from qcg_neo4j.retrieve.settings import RetrieveSettings

if TYPE_CHECKING:
    from qcg_neo4j.retrieve.method import Vector


@dataclass(frozen=True)
class Around:
    """Base of the retrievers around another; each says how it retrieves and what it is called."""

    retriever: Method

    @property
    def needs_vector(self) -> bool:
        """Whether the inner method needs the question's embedding."""
        return self.retriever.needs_vector

    @property
    def settings(self) -> RetrieveSettings:
        """The inner method's settings."""
        return self.retriever.settings

    def with_settings(self, settings: RetrieveSettings) -> Self:
        """The same around the inner method with other settings."""
        return replace(self, retriever=self.retriever.with_settings(settings))

    def call(self, question: str, vector: Vector | None) -> Call:
        """The inner method's call, for the question as it is."""
        return self.retriever.call(question, vector)
