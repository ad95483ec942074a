"""Retrievers whose passages get another order: rankings fused, without repetition (MMR), or by a language model."""

from __future__ import annotations

import time
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from statistics import mean, pstdev
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from qcg_neo4j.core.records import Evidence, Passage
from qcg_neo4j.database.graph import Graph
from qcg_neo4j.models.prompts import numbered, task
from qcg_neo4j.models.replies import ReplySource, Request
from qcg_neo4j.retrieval.around.wrapper import CANDIDATES, Around, Reordered, deep
from qcg_neo4j.retrieval.evidence import complete
from qcg_neo4j.retrieval.method import Method, Vector, question_vector
from qcg_neo4j.retrieval.model_steps import reply

RANKS, SCORES = "ranks", "scores"
RANK_CONSTANT = 60  # Cormack, Clarke and Büttcher 2009
JUDGE = "retrieve/judge"
MOST = 20  # passages that the model reads


@dataclass(frozen=True)
class Fused(Around):
    """Reciprocal rank fusion (Cormack, Clarke and Büttcher 2009) of several methods, or the sum of their scores.

    Each method is asked for ``candidates`` passages. By ``ranks`` a passage scores the sum of 1/(60 + rank); by
    ``scores`` the sum of each method's scores, standardized (mean 0, deviation 1) over its passages, where a passage
    that a method has not found counts as its last one.
    """

    others: tuple[Method, ...] = ()
    by: str = RANKS
    candidates: int = CANDIDATES

    @property
    def name(self) -> str:
        """The names of all that are fused, and how."""
        return f"{' + '.join(inner.name for inner in self._all)} fused by {self.by}"

    @property
    def needs_vector(self) -> bool:
        """Whether one of them needs the question's embedding."""
        return any(inner.needs_vector for inner in self._all)

    @property
    def searches_words(self) -> bool:
        """Whether one of them searches for the question's words."""
        return any(inner.searches_words for inner in self._all)

    @property
    def asks_model(self) -> bool:
        """Whether one of them asks a language model."""
        return any(inner.asks_model for inner in self._all)

    def with_source(self, source: ReplySource | None) -> Fused:
        """The same with this language model, or recording, for each that asks one."""
        others = tuple(inner.with_source(source) for inner in self.others)
        return replace(self, retriever=self.retriever.with_source(source), others=others)

    @property
    def _all(self) -> tuple[Method, ...]:
        return (self.retriever, *self.others)

    def retrieve(self, graph: Graph, question: str, vector: Vector | None = None) -> Evidence:
        """The passages of all, best first; a passage has the paths of each method that found it."""
        start, most = time.perf_counter(), self.settings.passages
        if self.needs_vector:
            vector = question_vector(graph, question, vector)
        searching = [deep(inner, max(self.candidates, most), where=self.settings.where) for inner in self._all]
        found = [inner.retrieve(graph, question, vector) for inner in searching]
        return self._retold(found, fused([one.passages for one in found], self.by)[:most], start)


def fused(rankings: Sequence[Sequence[Passage]], by: str) -> list[Passage]:
    """One ranking of several, each passage with its new score and all of its paths."""
    held: dict[str, Passage] = {}
    total: dict[str, float] = defaultdict(float)
    for ranking in rankings:
        for item in ranking:
            known = held.get(item.id)
            held[item.id] = replace(known, paths=known.paths + item.paths) if known else item
    for ranking in rankings:
        shares = dict(_by_rank(ranking) if by == RANKS else _by_score(ranking))
        least = min(shares.values(), default=0.0) if by == SCORES else 0.0
        for name in held:
            total[name] += shares.get(name, least)
    scored = [replace(item, score=total[name]) for name, item in held.items()]
    return sorted(scored, key=lambda item: (-item.score, item.id))


def _by_rank(ranking: Sequence[Passage]) -> Iterator[tuple[str, float]]:
    for rank, item in enumerate(ranking, start=1):
        yield item.id, 1 / (RANK_CONSTANT + rank)


def _by_score(ranking: Sequence[Passage]) -> Iterator[tuple[str, float]]:
    scores = [item.score for item in ranking]
    spread = pstdev(scores) if scores else 0.0
    for item in ranking:
        yield item.id, (item.score - mean(scores)) / spread if spread else 0.0


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
        chunks = [passage.id for passage in passages]
        rows = graph.rows("retrieve/around/chunk_vectors", chunks=chunks, permitted=None)
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
    asks_model: ClassVar[bool] = True

    @property
    def name(self) -> str:
        """The inner method's name, and how many passages the model reads."""
        return f"{self.retriever.name} + judge over {self.candidates}"

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
