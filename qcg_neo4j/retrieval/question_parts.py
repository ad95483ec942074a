"""What is searched for when a question is asked: itself and its parts, each with the names in it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any

from qcg_neo4j.database.graph import Graph
from qcg_neo4j.models.replies import ReplySource
from qcg_neo4j.retrieval.atomic_settings import AtomicSettings
from qcg_neo4j.retrieval.method import MODEL, Vector
from qcg_neo4j.retrieval.model_steps import analysis

if TYPE_CHECKING:
    from qcg_neo4j.indexing.extract.readers import SpacySource

SPACY = "spacy"


@dataclass(frozen=True, eq=False)
class QuestionPart:
    """A question or a part of one: its embedding, and those of the names in it (None: the graph's are looked for).

    ``is_chain``: its analysis found it complex.
    """

    question: str
    vector: Vector | None
    names: tuple[Vector, ...] | None = None
    is_chain: bool = False


def question_parts(
    graph: Graph, question: str, vector: Vector, chosen: AtomicSettings, source: ReplySource | None
) -> list[QuestionPart]:
    """The question, and behind it its sub-questions where its analysis finds it complex enough.

    Raises:
        MissingReplyError: the question has no analysis.
        MissingPackageError: spaCy or its model is not installed.
    """
    if chosen.analysis == MODEL:
        assert source is not None  # noqa: S101 - the method has checked it
        return _analysed(graph, question, vector, chosen, analysis(question, source))
    if chosen.analysis == SPACY:
        names = _spacy(chosen.spacy_model).names(question)
        return [QuestionPart(question, vector, _embedded(graph, names))]
    return [QuestionPart(question, vector)]


def _analysed(
    graph: Graph, question: str, vector: Vector, chosen: AtomicSettings, found: Mapping[str, Any]
) -> list[QuestionPart]:
    names = list(dict.fromkeys(name.strip() for name in found["entities"] if name.strip()))
    vectors = dict(zip(names, _embedded(graph, names), strict=True))
    is_chain = found["complexity"] > chosen.complexity
    texts = [item["question"].strip() for item in found["sub_questions"]][: chosen.sub_questions] if is_chain else []
    parts = [(text, graph.embed_question(text)) for text in dict.fromkeys(texts) if text and text != question]
    return [
        QuestionPart(text, own, tuple(vectors[name] for name in names_in(text, names)), is_chain)
        for text, own in [(question, vector), *parts]
    ]


def names_in(text: str, names: Sequence[str]) -> list[str]:
    """The names that occur in a text, or all of them when none does."""
    folded = text.casefold()
    return [name for name in names if name.casefold() in folded] or list(names)


def _embedded(graph: Graph, names: Sequence[str]) -> tuple[Vector, ...]:
    return tuple(graph.embed_names(names)) if names else ()


@cache
def _spacy(model: str) -> SpacySource:
    from qcg_neo4j.indexing.extract.readers import SpacySource

    return SpacySource(model)
