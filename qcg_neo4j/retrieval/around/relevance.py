"""A floor below which nothing is said to be relevant: a question about something else gets no passages."""

from __future__ import annotations

import time
from dataclasses import asdict, dataclass

from qcg_neo4j.core.records import Evidence
from qcg_neo4j.database.graph import Graph
from qcg_neo4j.retrieval.around.wrapper import Around
from qcg_neo4j.retrieval.method import Vector, checked_question

NOTHING = "nothing in the graph is relevant"
_CANDIDATES = 10  # of each index


@dataclass(frozen=True)
class Relevance:
    """What lies nearest to a question: its kind, and its cosine."""

    kind: str
    cosine: float


def relevance(graph: Graph, vector: Vector) -> Relevance | None:
    """What lies nearest to the embedding of a question, of all that the graph holds; None of an empty graph."""
    rows = graph.rows("retrieve/around/relevance", question_vector=vector, candidates=_CANDIDATES)
    return Relevance(rows[0]["kind"], rows[0]["relevance"]) if rows else None


def says_nothing(evidence: Evidence) -> bool:
    """Whether the evidence is that nothing is relevant."""
    return not evidence.passages and any(note.startswith(NOTHING) for note in evidence.notes)


@dataclass(frozen=True)
class Relevant(Around):
    """A retriever that is asked only where something in the graph is as near to the question as ``minimum``."""

    minimum: float

    @property
    def name(self) -> str:
        """The inner method's name, and the floor."""
        return f"{self.retriever.name} from relevance {self.minimum:g}"

    @property
    def needs_vector(self) -> bool:
        """True: the question is compared to what the graph holds, whatever the inner method looks at."""
        return True

    def retrieve(self, graph: Graph, question: str, vector: Vector | None = None) -> Evidence:
        """The evidence of the inner method; none, and a note that says so, where nothing is near enough."""
        question = checked_question(question)
        vector = graph.embed_question(question) if vector is None else vector
        return self.found_nothing(graph, question, vector) or self.retriever.retrieve(graph, question, vector)

    def found_nothing(self, graph: Graph, question: str, vector: Vector | None = None) -> Evidence | None:
        """The evidence that says so where nothing is near enough, else None."""
        start = time.perf_counter()
        found = relevance(graph, graph.embed_question(question) if vector is None else vector)
        if found is None or found.cosine >= self.minimum:
            return None
        note = (
            f"{NOTHING}: what lies nearest ({found.kind}) has a relevance of {found.cosine:.2f}, not {self.minimum:g}"
        )
        return Evidence(question, self.name, (), asdict(self.settings), time.perf_counter() - start, (note,))
