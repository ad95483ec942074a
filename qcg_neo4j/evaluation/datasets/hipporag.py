"""HotpotQA, 2WikiMultiHopQA and MuSiQue as HippoRAG cuts them: ``<name>.json`` and ``<name>_corpus.json``.

Each passage of the corpus is a document of one chunk, "title, newline, text", as HippoRAG indexes it. Its id is its
title; where several passages have the same title, the second is "title (2)". Evidence are the supporting passages.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from qcg_neo4j.core.records import SourceDocument
from qcg_neo4j.evaluation.datasets.files import Dataset, Item, file_of, left_out, objects

PLACES = ("", "reproduce/dataset/", "dataset/")
Ids = dict[tuple[str, str], str]


def read(folder: Path, name: str) -> Dataset:
    """The passages and the questions of one of the three; ``corpus.json`` and ``questions.json`` are taken as well."""
    corpus = file_of(folder, [*(f"{place}{name}_corpus.json" for place in PLACES), "corpus.json"], "passages")
    asked = file_of(folder, [*(f"{place}{name}.json" for place in PLACES), "questions.json"], "questions")
    documents, ids, repeated = [], {}, []
    titles: Counter[str] = Counter()
    for item in objects(corpus):
        title, text = item.text("title"), item.filled_or_empty("text")
        if _key(title, text) in ids:
            repeated.append(f"{title!r} ({item.where})")
            continue
        titles[title] += 1
        ids[_key(title, text)] = identity = title if titles[title] == 1 else f"{title} ({titles[title]})"
        documents.append(SourceDocument(identity, passages=(f"{title}\n{text}",), title=title))
    questions = tuple(_question(item, ids) for item in objects(asked))
    return Dataset(tuple(documents), questions, left_out("duplicate passages are loaded once", repeated))


def _question(item: Item, ids: Ids) -> Mapping[str, Any]:
    evidence: dict[str, None] = {}  # each once
    for title, text in _supporting(item):
        found = ids.get(_key(title, text))
        if found is None:
            raise item.wrong(f"the corpus does not hold the supporting passage {title!r}")
        evidence[found] = None
    answers = _answers(item)
    return {
        "id": item.text("_id" if "_id" in item.fields else "id"),
        "question": item.text("question").strip(),
        "answer": answers[0],
        "aliases": answers[1:],
        "type": item.optional("type") or f"{len(evidence)} hops",
        "evidence": list(evidence),
    }


def _answers(item: Item) -> list[str]:
    """The answer and its aliases, each once."""
    given = item.fields.get("answer")
    several = given if isinstance(given, list) else [item.text("answer")]
    aliases = item.fields.get("answer_aliases") or []
    if not isinstance(aliases, list) or not all(isinstance(text, str) for text in [*several, *aliases]) or not several:
        raise item.wrong("'answer' and 'answer_aliases' are not texts")
    return list(dict.fromkeys([*several, *aliases]))


def _supporting(item: Item) -> Iterator[tuple[str, str]]:
    """Title and text of the supporting passages: of paragraphs marked as such, or those that the facts name."""
    if "supporting_facts" in item.fields:
        titles = {fact[0] for fact in item.items("supporting_facts") if isinstance(fact, list) and fact}
        for entry in item.items("context"):
            if not isinstance(entry, list) or len(entry) != 2 or not isinstance(entry[1], list):
                raise item.wrong("an entry of 'context' is not a title with a list of sentences")
            if entry[0] in titles:
                yield str(entry[0]), " ".join(map(str, entry[1]))
        return
    for paragraph in item.items("contexts" if "contexts" in item.fields else "paragraphs"):
        if not isinstance(paragraph, dict) or "title" not in paragraph:
            raise item.wrong("a paragraph has no 'title'")
        if paragraph.get("is_supporting", True):
            text = paragraph.get("text", paragraph.get("paragraph_text"))
            if not isinstance(text, str):
                raise item.wrong(f"the paragraph {paragraph['title']!r} has neither 'text' nor 'paragraph_text'")
            yield str(paragraph["title"]), text


def _key(title: str, text: str) -> tuple[str, str]:
    """What identifies a passage: sentences are joined with and without spaces in these files."""
    return title.strip(), "".join(text.split())
