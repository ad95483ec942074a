"""GraphRAG-Bench, novel and medical: ``Corpus/<name>.json`` and ``Questions/<name>_questions.json``.

A corpus is a list of texts (or a single one) with the name that the questions give as their source. Where there are
several, as in novel, a question's evidence is the text that it is about; with a single one there is nothing to find,
and questions have no evidence. AtomicRAG's cut, ``chunks.json`` and ``questions.json``, is read as well.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from qcg_neo4j.core.errors import InputError
from qcg_neo4j.core.records import SourceDocument
from qcg_neo4j.evaluation.datasets.files import Dataset, Item, file_of, objects, unique
from qcg_neo4j.evaluation.json_records import text_of_file

PLACES = ("", "Datas/", "Datasets/")
CHUNKS = "chunks.json"


def read(folder: Path, name: str) -> Dataset:
    """The texts and the questions."""
    ids = set[str]()  # of the texts that questions name as their source
    if (folder / CHUNKS).is_file():
        documents = _chunks(folder / CHUNKS, name)
        asked = file_of(folder, ["questions.json"], "questions")
    else:
        corpus = file_of(folder, [f"{place}Corpus/{name}.json" for place in PLACES] + [f"{name}.json"], "texts")
        names = [f"{place}Questions/{name}_questions.json" for place in PLACES] + [f"{name}_questions.json"]
        asked = file_of(folder, names, "questions")
        documents = unique([(item.where, _document(item)) for item in objects(corpus)])
        ids = {document.id for document in documents}
    return Dataset(documents, tuple(_question(item, ids) for item in objects(asked)))


def _document(item: Item) -> SourceDocument:
    return SourceDocument(item.text("corpus_name"), item.text("context"))


def _chunks(path: Path, name: str) -> tuple[SourceDocument, ...]:
    try:
        texts = json.loads(text_of_file(path))
    except ValueError as error:
        raise InputError(f"{path}: not JSON: {error}.") from None
    if not isinstance(texts, list) or not all(isinstance(text, str) and text.strip() for text in texts):
        raise InputError(f"{path} is not a list of texts.")
    return tuple(SourceDocument(f"{name}-{place:04}", passages=(text,)) for place, text in enumerate(texts))


def _question(item: Item, ids: set[str]) -> Mapping[str, Any]:
    source = item.text("source")
    if ids and source not in ids:
        raise item.wrong(f"the corpus holds no text {source!r}, which is the question's 'source'")
    return {
        "id": item.text("id"),
        "question": item.text("question"),
        "answer": item.text("answer"),
        "type": item.text("question_type"),
        "evidence": [source] if len(ids) > 1 else [],
    }
