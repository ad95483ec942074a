"""Retrievers that hold a retriever and give its passages another order: a reranker, and maximal marginal relevance."""

from __future__ import annotations

import time
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from qcg_neo4j.graph import Graph
from qcg_neo4j.records import Evidence, Passage
from qcg_neo4j.retrieve.around import Around
from qcg_neo4j.retrieve.method import within
from qcg_neo4j.retrieve.scorers import Scorer

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from qcg_neo4j.retrieve.method import Vector

CANDIDATES = 50
NO_TOKEN_LIMIT = 2**31 - 1


@dataclass(frozen=True)
class Reordered(Around):
    """Base of both: asks the inner method for ``candidates`` passages, orders them, and keeps as many as are wanted."""

    def retrieve(self, graph: Graph, question: str, vector: Vector | None = None) -> Evidence:
        """The best of the inner method's passages in another order; each has its new score.

        Raises:
            RerankError: there are no usable scores.
        """
        start, wanted = time.perf_counter(), self.settings
        deep = replace(wanted, passages=max(self.number, wanted.passages), context_tokens=NO_TOKEN_LIMIT)
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

    @property
    def number(self) -> int:
        """How many passages are asked for."""
        raise NotImplementedError

    def ordered(self, graph: Graph, question: str, passages: tuple[Passage, ...]) -> list[Passage]:
        """The passages, best first, with their new scores."""
        raise NotImplementedError


@dataclass(frozen=True)
class Reranked(Reordered):
    """A retriever whose passages a model reads together with the question, and orders by its scores."""

    scorer: Scorer = field(compare=False, repr=False)
    candidates: int = CANDIDATES

    @property
    def name(self) -> str:
        """The inner method's name, the model's, and how many passages it reads."""
        return f"{self.retriever.name} + {self.scorer.name} over {self.candidates}"

    @property
    def number(self) -> int:
        """How many passages are asked for."""
        return self.candidates

    def ordered(self, graph: Graph, question: str, passages: tuple[Passage, ...]) -> list[Passage]:
        """The passages by the model's scores."""
        scores = self.scorer.scores(question, [passage.text for passage in passages])
        scored = [replace(passage, score=score) for passage, score in zip(passages, scores, strict=True)]
        return sorted(scored, key=lambda passage: (-passage.score, passage.id))


@dataclass(frozen=True)
class Diverse(Reordered):
    """Maximal marginal relevance (Carbonell and Goldstein 1998): passages that say what those before them do not.

    The next passage is the one with the greatest ``share · relevance − (1 − share) · likeness``: its score, scaled to
    [0, 1] over the candidates, and its greatest cosine to a passage already taken.
    """

    share: float = 0.7
    candidates: int = CANDIDATES

    @property
    def name(self) -> str:
        """The inner method's name, the share of relevance, and how many passages are looked at."""
        return f"{self.retriever.name} + MMR {self.share:g} over {self.candidates}"

    @property
    def number(self) -> int:
        """How many passages are asked for."""
        return self.candidates

    def ordered(self, graph: Graph, question: str, passages: tuple[Passage, ...]) -> list[Passage]:
        """The passages in the order in which they are taken."""
        if not passages:
            return []
        import numpy as np

        rows = graph.rows("retrieve/chunk_vectors", chunks=[passage.id for passage in passages])
        vectors = {row["id"]: np.asarray(row["embedding"], np.float32) for row in rows}
        matrix = np.stack([vectors[passage.id] for passage in passages])
        matrix /= np.linalg.norm(matrix, axis=1, keepdims=True)
        taken = marginal([passage.score for passage in passages], matrix @ matrix.T, self.share)
        return [replace(passages[place], score=score) for place, score in taken]


def marginal(scores: list[float], likeness: NDArray[np.float32], share: float) -> list[tuple[int, float]]:
    """The places of all candidates in the order in which they are taken, each with its value at that time.

    Of equal ones the first is taken.
    """
    low, span = min(scores), max(scores) - min(scores)
    relevance = [(score - low) / span if span else 1.0 for score in scores]
    left, taken = list(range(len(scores))), list[tuple[int, float]]()
    nearest = [0.0] * len(scores)  # the greatest cosine to a passage already taken
    while left:
        values = {place: share * relevance[place] - (1 - share) * nearest[place] for place in left}
        best = max(left, key=lambda place: values[place])
        left.remove(best)
        taken.append((best, values[best]))
        for place in left:
            like = float(likeness[place, best])
            nearest[place] = like if len(taken) == 1 else max(nearest[place], like)
    return taken
