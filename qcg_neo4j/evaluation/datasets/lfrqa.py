"""LFRQA (RAG-QA Arena): ``annotations_…_with_citation.jsonl``, and the passages of RobustQA in ``…collection.tsv``."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from qcg_neo4j.core.errors import InputError
from qcg_neo4j.core.records import SourceDocument
from qcg_neo4j.evaluation.datasets.files import Dataset, Item, files_of, lines, unique
from qcg_neo4j.evaluation.json_records import text_of_file

QUESTIONS, CORPUS = "annotations_*_with_citation.jsonl", "*collection.tsv"


def read(folder: Path) -> Dataset:
    """The passages of all collections of a folder, and the questions about them; an id is a passage's number."""
    documents = unique([found for path in files_of(folder, CORPUS, "passages") for found in _passages(path)])
    ids = {document.id for document in documents}
    items = (item for path in files_of(folder, QUESTIONS, "questions") for item in lines(path))
    return Dataset(documents, tuple(_question(item, ids) for item in items))


def _passages(path: Path) -> Iterator[tuple[str, SourceDocument]]:
    for number, line in enumerate(text_of_file(path).split("\n"), start=1):
        name, tab, text = line.strip().partition("\t")
        if line.strip() and not (tab and text.strip()):
            raise InputError(f"{path}:{number}: not a number and a text with a tab between them.")
        if text.strip():
            yield f"{path}:{number}", SourceDocument(name, text)


def _question(item: Item, ids: set[str]) -> Mapping[str, Any]:
    evidence = [str(name) for name in item.items("gold_doc_ids")]
    if missing := [name for name in evidence if name not in ids]:
        raise item.wrong(f"the corpus holds no passage {missing[0]}, which 'gold_doc_ids' names")
    return {
        "id": str(item.fields.get("qid", item.where.rpartition(":")[2])),
        "question": item.text("question"),
        "answer": item.text("answer"),
        "evidence": evidence,
    }
