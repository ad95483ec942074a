"""MultiHop-RAG: news articles in ``corpus.json``, questions with their evidence in ``MultiHopRAG.json``.

An article's id is its address.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from qcg_neo4j.core.records import SourceDocument
from qcg_neo4j.evaluation.datasets.files import Dataset, Item, file_of, objects, unique

CORPUS = ("corpus.json", "dataset/corpus.json")
QUESTIONS = ("MultiHopRAG.json", "dataset/MultiHopRAG.json")


def read(folder: Path) -> Dataset:
    """The articles and the questions."""
    documents = unique([(item.where, _document(item)) for item in objects(file_of(folder, CORPUS, "articles"))])
    ids = {document.id for document in documents}
    questions = [
        _question(item, position, ids) for position, item in enumerate(objects(file_of(folder, QUESTIONS, "questions")))
    ]
    return Dataset(documents, tuple(questions))


def _document(item: Item) -> SourceDocument:
    about = {name: value for name in ("author", "category") if (value := item.optional(name))}
    return SourceDocument(
        item.text("url"),
        item.text("body"),
        title=item.text("title"),
        source=item.optional("source"),
        published_at=item.optional("published_at"),
        metadata=about,
    )


def _question(item: Item, position: int, ids: set[str]) -> Mapping[str, Any]:
    return {
        "id": str(position),
        "question": item.text("query"),
        "answer": item.text("answer"),
        "type": item.text("question_type"),
        "evidence": list(dict.fromkeys(_address(item, fact, ids) for fact in item.items("evidence_list"))),
    }


def _address(item: Item, fact: Any, ids: set[str]) -> str:
    address = fact.get("url") if isinstance(fact, dict) else None
    if not isinstance(address, str):
        raise item.wrong("an entry of 'evidence_list' has no 'url'")
    if address not in ids:
        raise item.wrong(f"the corpus holds no article {address}, which 'evidence_list' names")
    return address
