"""The method ``auto`` as an answer: map-reduce over reports where it takes the communities."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from qcg_neo4j.database.graph import Graph
from qcg_neo4j.models.replies import ReplySource
from qcg_neo4j.retrieval import Auto, GraphragGlobalSettings
from qcg_neo4j.retrieval.answer.global_search import answer_globally
from qcg_neo4j.retrieval.answer.records import Answer


def answer_if_about_collection(
    graph: Graph, question: str, method: Auto, source: ReplySource, form: Mapping[str, Any] = {}
) -> Answer | None:
    """The answer to a question about the whole collection; None for another, which is answered from passages.

    ``form`` are settings of the answer: ``style``, ``general_knowledge``.

    Raises:
        SettingsError: a language model is to analyse the question, and the method has none.
        MissingReplyError: the model, or the recording, gave nothing.
    """
    choice = method.choice(graph, question)
    if choice.way != "collection":
        return None
    settings = method.inner(choice).settings
    assert isinstance(settings, GraphragGlobalSettings)  # noqa: S101 - the communities' method has these
    written = answer_globally(graph, question, replace(settings, **form), source)
    evidence = replace(written.evidence, method=f"{method.name} ({written.evidence.method})")
    return replace(written, evidence=evidence, notes=(f"{method.collection.name}: {choice.reason}", *written.notes))
