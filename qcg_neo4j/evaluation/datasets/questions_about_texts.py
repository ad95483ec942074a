"""Benchmarks whose questions name texts of a corpus beside them: MultiHop-RAG, GraphRAG-Bench, LFRQA."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from qcg_neo4j.core.errors import InputError
from qcg_neo4j.core.records import SourceDocument
from qcg_neo4j.evaluation.datasets.files import Dataset, Item, file_of, files_of, lines, objects, unique
from qcg_neo4j.evaluation.json_records import text_of_file


def read_multihop_rag(folder: Path) -> Dataset:
    """MultiHop-RAG: news articles in ``corpus.json``, whose id is their address, questions in ``MultiHopRAG.json``."""
    corpus = file_of(folder, ["corpus.json", "dataset/corpus.json"], "articles")
    documents = unique([(item.where, _article(item)) for item in objects(corpus)])
    ids = {document.id for document in documents}
    asked = file_of(folder, ["MultiHopRAG.json", "dataset/MultiHopRAG.json"], "questions")
    return Dataset(documents, tuple(_about_articles(item, str(at), ids) for at, item in enumerate(objects(asked))))


def _article(item: Item) -> SourceDocument:
    about = {name: value for name in ("author", "category") if (value := item.optional(name))}
    return SourceDocument(
        item.text("url"),
        item.text("body"),
        title=item.text("title"),
        source=item.optional("source"),
        published_at=item.optional("published_at"),
        metadata=about,
    )


def _about_articles(item: Item, name: str, ids: set[str]) -> Mapping[str, Any]:
    return {
        "id": name,
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


def read_graphrag_bench(folder: Path, name: str) -> Dataset:
    """GraphRAG-Bench, novel or medical: ``Corpus/<name>.json`` and ``Questions/<name>_questions.json``.

    A corpus is a list of texts (or a single one) with the name that the questions give as their source. Where there are
    several, as in novel, a question's evidence is the text that it is about; with a single one there is nothing to
    find, and questions have no evidence. AtomicRAG's cut, ``chunks.json`` and ``questions.json``, is read as well.
    """
    ids = set[str]()  # of the texts that questions name as their source
    chunks, places = folder / "chunks.json", ("", "Datas/", "Datasets/")
    if chunks.is_file():
        documents = _chunks(chunks, name)
        asked = file_of(folder, ["questions.json"], "questions")
    else:
        corpus = file_of(folder, [*(f"{place}Corpus/{name}.json" for place in places), f"{name}.json"], "texts")
        names = [*(f"{place}Questions/{name}_questions.json" for place in places), f"{name}_questions.json"]
        asked = file_of(folder, names, "questions")
        texts = [(item.where, item.text("corpus_name"), item.text("context")) for item in objects(corpus)]
        documents = unique([(where, SourceDocument(title, text)) for where, title, text in texts])
        ids = {document.id for document in documents}
    return Dataset(documents, tuple(_about_source(item, ids) for item in objects(asked)))


def _chunks(path: Path, name: str) -> tuple[SourceDocument, ...]:
    try:
        texts = json.loads(text_of_file(path))
    except ValueError as error:
        raise InputError(f"{path}: not JSON: {error}.") from None
    if not isinstance(texts, list) or not all(isinstance(text, str) and text.strip() for text in texts):
        raise InputError(f"{path} is not a list of texts.")
    return tuple(SourceDocument(f"{name}-{place:04}", passages=(text,)) for place, text in enumerate(texts))


def _about_source(item: Item, ids: set[str]) -> Mapping[str, Any]:
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


def read_lfrqa(folder: Path) -> Dataset:
    """LFRQA (RAG-QA Arena): ``annotations_…_with_citation.jsonl``, and RobustQA's passages in ``…collection.tsv``.

    Of all collections of a folder; an id is a passage's number.
    """
    collections = files_of(folder, "*collection.tsv", "passages")
    documents = unique([found for path in collections for found in _passages(path)])
    ids = {document.id for document in documents}
    asked = files_of(folder, "annotations_*_with_citation.jsonl", "questions")
    return Dataset(documents, tuple(_about_passages(item, ids) for path in asked for item in lines(path)))


def _passages(path: Path) -> Iterator[tuple[str, SourceDocument]]:
    for number, line in enumerate(text_of_file(path).split("\n"), start=1):
        name, tab, text = line.strip().partition("\t")
        if line.strip() and not (tab and text.strip()):
            raise InputError(f"{path}:{number}: not a number and a text with a tab between them.")
        if text.strip():
            yield f"{path}:{number}", SourceDocument(name, text)


def _about_passages(item: Item, ids: set[str]) -> Mapping[str, Any]:
    evidence = [str(name) for name in item.items("gold_doc_ids")]
    if missing := [name for name in evidence if name not in ids]:
        raise item.wrong(f"the corpus holds no passage {missing[0]}, which 'gold_doc_ids' names")
    return {
        "id": str(item.fields.get("qid", item.where.rpartition(":")[2])),
        "question": item.text("question"),
        "answer": item.text("answer"),
        "evidence": evidence,
    }
