"""A retriever whose passages are put in order by a model that reads each together with the question."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from qcg_neo4j.core.records import Passage
from qcg_neo4j.database.graph import Graph
from qcg_neo4j.retrieval.around.reordering import Reordered
from qcg_neo4j.retrieval.around.scorers import Scorer


@dataclass(frozen=True)
class Reranked(Reordered):
    """A retriever whose passages a model reads together with the question, and orders by its scores."""

    scorer: Scorer = field(compare=False, repr=False)

    @property
    def name(self) -> str:
        """The inner method's name, the model's, and how many passages it reads."""
        return f"{self.retriever.name} + {self.scorer.name} over {self.candidates}"

    def ordered(self, graph: Graph, question: str, passages: tuple[Passage, ...]) -> list[Passage]:
        """The passages by the model's scores."""
        texts = [passage.text for passage in passages]
        scores = self.scorer.scores(question, texts)
        scored = [replace(passage, score=score) for passage, score in zip(passages, scores, strict=True)]
        return sorted(scored, key=lambda passage: (-passage.score, passage.id))
