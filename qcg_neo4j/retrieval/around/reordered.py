"""Retrievers that put an inner one's passages in another order: by MMR, or by a language model."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from qcg_neo4j.core.records import Passage
from qcg_neo4j.database.graph import Graph
from qcg_neo4j.models.prompts import numbered, task
from qcg_neo4j.models.replies import ReplySource, Request
from qcg_neo4j.retrieval.around.wrapper import Reordered
from qcg_neo4j.retrieval.evidence import complete
from qcg_neo4j.retrieval.model_steps import reply

JUDGE = "retrieve/judge"
MOST = 20  # passages that the model reads


@dataclass(frozen=True)
class Diverse(Reordered):
    """Maximal marginal relevance (Carbonell and Goldstein 1998): passages that say what those before them do not.

    The next passage is the one with the greatest ``share · relevance − (1 − share) · likeness``: its score, scaled to
    [0, 1] over the candidates, and its greatest cosine to a passage already taken.
    """

    share: float = 0.7

    @property
    def name(self) -> str:
        """The inner method's name, the share of relevance, and how many passages are looked at."""
        return f"{self.retriever.name} + MMR {self.share:g} over {self.candidates}"

    def ordered(self, graph: Graph, question: str, passages: tuple[Passage, ...]) -> list[Passage]:
        """The passages in the order in which they are taken."""
        rows = graph.rows("retrieve/around/chunk_vectors", chunks=[passage.id for passage in passages])
        vectors = {row["id"]: np.asarray(row["embedding"], np.float32) for row in complete(rows, "id", "embedding")}
        passages = tuple(passage for passage in passages if passage.id in vectors)  # others have gone meanwhile
        if not passages:
            return []
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


@dataclass(frozen=True)
class JudgedOrder(Reordered):
    """The first passage stays; the others come in the order in which a language model finds them useful beside it.

    The model reads them all in one call. What it does not name comes behind, in the order of the inner method; a score
    is one by the rank.
    """

    candidates: int = field(default=MOST, kw_only=True)
    source: ReplySource = field(kw_only=True, compare=False, repr=False)

    @property
    def name(self) -> str:
        """The inner method's name, and how many passages the model reads."""
        return f"{self.retriever.name} + judge over {self.candidates}"

    @property
    def asks_model(self) -> bool:
        """A language model orders."""
        return True

    def ordered(self, graph: Graph, question: str, passages: tuple[Passage, ...]) -> list[Passage]:
        """The passages in their new order.

        Raises:
            MissingReplyError: the model, or the recording, gave nothing.
        """
        read = passages[: self.candidates]
        named: list[int] = []
        if len(read) > 1:
            text = numbered(read)
            request = Request(task(JUDGE), f"{question}\n{text}", {"question": question, "passages": text})
            named = [number - 1 for number in reply(self.source, request)["order"] if 1 <= number <= len(read)]
        places = dict.fromkeys([0, *named, *range(len(passages))]) if passages else {}
        return [replace(passages[place], score=1 / rank) for rank, place in enumerate(places, start=1)]
