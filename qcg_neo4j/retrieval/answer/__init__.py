"""Answers: streamed from passages, map-reduce over reports, local from a neighbourhood, and DRIFT."""

from collections.abc import Callable, Mapping

from qcg_neo4j.core.settings import Settings
from qcg_neo4j.retrieval import GraphragDriftSettings, GraphragGlobalSettings, GraphragLocalSettings
from qcg_neo4j.retrieval.answer.conversation import Conversation, Turn, answer, standalone
from qcg_neo4j.retrieval.answer.global_search import answer_globally, answer_if_about_collection
from qcg_neo4j.retrieval.answer.local_search import answer_by_drift, answer_locally
from qcg_neo4j.retrieval.answer.records import Answer
from qcg_neo4j.retrieval.answer.writing import DECLINED, STYLES, Writing, answer_question

# What answers by its own way, not from the passages of a method alone.
ANSWERERS: Mapping[str, tuple[Callable[..., Answer], type[Settings]]] = {
    "graphrag-local": (answer_locally, GraphragLocalSettings),
    "graphrag-global": (answer_globally, GraphragGlobalSettings),
    "graphrag-drift": (answer_by_drift, GraphragDriftSettings),
}

__all__ = [
    "ANSWERERS",
    "DECLINED",
    "STYLES",
    "Conversation",
    "Turn",
    "Writing",
    "answer",
    "answer_by_drift",
    "answer_globally",
    "answer_if_about_collection",
    "answer_locally",
    "answer_question",
    "standalone",
]
