"""Benchmarks of JSON Lines whose questions bring their texts: UltraDomain with corpora like it, and RAGBench.

A text is a document, once; where it has no id of its own, its id is made from it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from qcg_neo4j.core.records import SourceDocument, content_id
from qcg_neo4j.evaluation.datasets.files import Dataset, Item, files_of, lines


def read_ultradomain(folder: Path) -> Dataset:
    """The whole ``context`` of each question, which is its evidence; ``input`` and ``answers`` of a file or a folder.

    For questions over the whole corpus, write some with `qcg evaluate questions`.
    """
    documents: dict[str, SourceDocument] = {}
    questions: list[Mapping[str, Any]] = []
    for item in _items(folder, "questions with their contexts"):
        text = item.text("context")
        identity = item.optional("context_id") or content_id(text)
        known = documents.setdefault(identity, SourceDocument(identity, text, title=_title(item)))
        if known.text != text:
            raise item.wrong(f"the context {identity!r} has another text than before")
        questions.append(_of_ultradomain(item, identity))
    return Dataset(tuple(documents.values()), tuple(questions))


def _title(item: Item) -> str | None:
    about = item.fields.get("meta")
    title = about.get("title") if isinstance(about, dict) else None
    return title.strip() or None if isinstance(title, str) else None


def _of_ultradomain(item: Item, evidence: str) -> Mapping[str, Any]:
    answers = item.items("answers")
    if not answers or not all(isinstance(answer, str) for answer in answers):
        raise item.wrong("'answers' is not a list of texts with at least one in it")
    return {
        "id": item.optional("_id") or content_id(item.text("input"), evidence),
        "question": item.text("input").strip(),
        "answer": answers[0],
        "aliases": answers[1:],
        "type": item.optional("label") or "",
        "evidence": [evidence],
    }


def read_ragbench(folder: Path) -> Dataset:
    """The documents of each question of a file or a folder of a part (``covidqa``, ``techqa`` …), and its response.

    The evidence of a question are the documents with a sentence in ``all_relevant_sentence_keys``, whose keys begin
    with the document's position: ``0a``.
    """
    documents: dict[str, SourceDocument] = {}
    questions: dict[str, Mapping[str, Any]] = {}
    for item in _items(folder, "questions with their documents"):
        texts = item.items("documents")
        if not all(isinstance(text, str) for text in texts):
            raise item.wrong("'documents' is not a list of texts")
        ids = [content_id(text) for text in texts]
        kept = [(name, text) for name, text in zip(ids, texts, strict=True) if text.strip()]
        documents |= {name: SourceDocument(name, text) for name, text in kept}
        asked = _of_ragbench(item, ids, {name for name, _ in kept})
        questions.setdefault(asked["id"], asked)  # a question is there once per response
    return Dataset(tuple(documents.values()), tuple(questions.values()))


def _of_ragbench(item: Item, ids: list[str], kept: set[str]) -> dict[str, Any]:
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


def _items(folder: Path, what: str) -> Iterator[Item]:
    """The objects of a file, or of all files ``*.jsonl`` of a folder."""
    for path in [folder] if folder.is_file() else files_of(folder, "*.jsonl", what):
        yield from lines(path)
