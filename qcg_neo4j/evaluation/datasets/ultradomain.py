"""UltraDomain and corpora like it: JSON Lines with ``input``, ``answers`` and the whole ``context`` of a question.

Each context is a document, once; its id is ``context_id``, else it is made from the text. The evidence of a question is
its context's document. For questions over the whole corpus, write some with `qcg evaluate questions`.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from qcg_neo4j.core.records import SourceDocument, content_id
from qcg_neo4j.evaluation.datasets.files import Dataset, Item, files_of, lines


def read(folder: Path) -> Dataset:
    """The contexts and the questions of a file, or of all files ``*.jsonl`` of a folder."""
    files = [folder] if folder.is_file() else files_of(folder, "*.jsonl", "questions with their contexts")
    documents: dict[str, SourceDocument] = {}
    questions: list[Mapping[str, Any]] = []
    for item in (item for path in files for item in lines(path)):
        text = item.text("context")
        identity = item.optional("context_id") or content_id(text)
        known = documents.setdefault(identity, SourceDocument(identity, text, title=_title(item)))
        if known.text != text:
            raise item.wrong(f"the context {identity!r} has another text than before")
        questions.append(_question(item, identity))
    return Dataset(tuple(documents.values()), tuple(questions))


def _title(item: Item) -> str | None:
    about = item.fields.get("meta")
    title = about.get("title") if isinstance(about, dict) else None
    return title.strip() or None if isinstance(title, str) else None


def _question(item: Item, evidence: str) -> Mapping[str, Any]:
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
