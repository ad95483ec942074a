"""What the retrievers share that hold a retriever and give its passages another order."""

from __future__ import annotations

import time
from dataclasses import dataclass, field, replace

from qcg_neo4j.core.records import Evidence, Passage
from qcg_neo4j.database.graph import Graph
from qcg_neo4j.retrieval.around.wrapper import Around
from qcg_neo4j.retrieval.method import Vector, within

CANDIDATES = 50
NO_TOKEN_LIMIT = 2**31 - 1


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
