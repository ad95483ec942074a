"""RAGBench: JSON Lines of a part (``covidqa``, ``techqa`` …), each with a question, its documents and the response.

Each document is one, once; its id is made from its text. The evidence of a question are the documents with a sentence
in ``all_relevant_sentence_keys``, whose keys begin with the document's position: ``0a``.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from qcg_neo4j.core.records import SourceDocument, content_id
from qcg_neo4j.evaluation.datasets.files import Dataset, Item, files_of, lines


def read(folder: Path) -> Dataset:
    """The documents and the questions of a file, or of all files ``*.jsonl`` of a folder."""
    files = [folder] if folder.is_file() else files_of(folder, "*.jsonl", "questions with their documents")
    documents: dict[str, SourceDocument] = {}
    questions: dict[str, Mapping[str, Any]] = {}
    for item in (item for path in files for item in lines(path)):
        texts = item.items("documents")
        if not all(isinstance(text, str) for text in texts):
            raise item.wrong("'documents' is not a list of texts")
        ids = [content_id(text) for text in texts]
        kept = [(name, text) for name, text in zip(ids, texts, strict=True) if text.strip()]
        documents |= {name: SourceDocument(name, text) for name, text in kept}
        asked = _question(item, ids, {name for name, _ in kept})
        questions.setdefault(asked["id"], asked)  # a question is there once per response
    return Dataset(tuple(documents.values()), tuple(questions.values()))


def _question(item: Item, ids: list[str], kept: set[str]) -> dict[str, Any]:
    evidence = [ids[place] for place in _places(item, len(ids)) if ids[place] in kept]
    return {
        "id": item.text("id"),
        "question": item.text("question"),
        "answer": item.text("response"),
        "type": item.optional("dataset_name") or "",
        "evidence": list(dict.fromkeys(evidence)),
    }


def _places(item: Item, documents: int) -> Iterator[int]:
    for key in item.items("all_relevant_sentence_keys"):
        found = re.match(r"\d+", key) if isinstance(key, str) else None
        if found is None or int(found[0]) >= documents:
            raise item.wrong(f"'all_relevant_sentence_keys' names {key!r}, which is in none of the documents")
        yield int(found[0])
