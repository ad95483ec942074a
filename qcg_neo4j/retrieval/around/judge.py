"""A retriever whose passages a language model puts in order, which reads the question with the first of them."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from qcg_neo4j.core.records import Passage
from qcg_neo4j.database.graph import Graph
from qcg_neo4j.models.prompts import numbered, task
from qcg_neo4j.models.replies import ReplySource, Request
from qcg_neo4j.retrieval.around.wrapper import Reordered
from qcg_neo4j.retrieval.model_steps import reply

JUDGE = "retrieve/judge"
MOST = 20  # passages that the model reads


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
