"""A question in another language than its corpus, for which little is found: a note says so."""

from __future__ import annotations

import re
from dataclasses import replace

from qcg_neo4j.core.records import Evidence
from qcg_neo4j.database.graph import Graph
from qcg_neo4j.database.model import recorded_model
from qcg_neo4j.models.embedding.known_models import KNOWN_MODELS

# Words that English questions have: with one of them nothing needs to be looked up.
_ENGLISH = re.compile(r"\b(the|of|is|are|was|were|does|did|what|which|who|when|where|how|why)\b", re.IGNORECASE)
_OF_ONE_LANGUAGE = {
    model.plain_name: model.languages for model in KNOWN_MODELS if not re.search("[0-9]", model.languages)
}


def with_language_told(graph: Graph, evidence: Evidence) -> Evidence:
    """The evidence, with a note where its question is in another language than the corpus and its embedding model."""
    note = language_note(graph, evidence.question)
    return replace(evidence, notes=(*evidence.notes, note)) if note else evidence


def language_note(graph: Graph, question: str) -> str | None:
    """What to say of a question in another language; None where the model reads many, or nothing is certain."""
    found = recorded_model(graph)
    if not found or not found["language"] or found["model"] not in _OF_ONE_LANGUAGE:
        return None
    if found["language"] == "en" and question.isascii() and _ENGLISH.search(question):
        return None
    from qcg_neo4j.indexing.load.languages import surely  # which brings what reads files, and most questions do without

    asked = surely(question)
    if asked in (None, found["language"]):
        return None
    return (
        f"the question seems to be in another language ({asked}) than the documents ({found['language']}), and "
        f"{found['model']} reads {_OF_ONE_LANGUAGE[found['model']]}: ask in theirs, or index with a multilingual model"
    )
