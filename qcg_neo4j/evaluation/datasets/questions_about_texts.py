"""Benchmarks whose questions name texts beside them: LiHua-World, MultiHop-RAG, GraphRAG-Bench, LFRQA, HippoRAG's."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from qcg_neo4j.core.errors import InputError
from qcg_neo4j.core.records import SourceDocument
from qcg_neo4j.evaluation.datasets.files import Dataset, Item, file_of, files_of, left_out, lines, objects, unique
from qcg_neo4j.evaluation.json_records import text_of_file

_NOTHING = "N/A"  # the evidence of a null question of LiHua-World
_SAID = re.compile(r"Time:\s*(\d{8}_\d{2}:\d{2})\b")
_TIME = re.compile(r"(\d{8})_(\d{2})(\d{2})")


def read_lihua_world(folder: Path) -> Dataset:
    """LiHua-World (HKUDS/MiniRAG): chat records as text files by week, questions as ``query_set.json``.

    A record's id is its time as the questions name it, from its first line, else from the file's name:
    ``20260924_2000.txt`` is ``20260924_20:00``.
    """
    data = folder / "data" if (folder / "data").is_dir() else folder
    files = sorted(path for path in data.rglob("*.txt") if not path.name.startswith("."))
    if not files:
        packed = sorted(data.rglob("*.zip"))
        remedy = f"Unpack {packed[0]} there." if packed else "They are text files in folders by week."
        raise InputError(f"{data} does not hold the chat records.", remedy)
    documents = unique([(str(path), _record(path)) for path in files])
    ids, unknown = {document.id for document in documents}, list[str]()
    questions: list[Mapping[str, Any]] = []
    for item in objects(file_of(folder, ["qa/query_set.json", "query_set.json"], "questions")):
        named = _records(item)
        unknown += [f"{name!r} ({item.where})" for name in named if name not in ids]
        questions.append(_about_records(item, len(questions), [name for name in named if name in ids]))
    return Dataset(documents, tuple(questions), left_out("times that no record has are left out", unknown))


def _record(path: Path) -> SourceDocument:
    text = Item(str(path), "", {"text": text_of_file(path)}).text("text")
    said = _SAID.match(text)
    return SourceDocument(said[1] if said else _TIME.sub(r"\1_\2:\3", path.stem), text)


def _records(item: Item) -> list[str]:
    parts = [part.strip().removeprefix("Time:").strip() for part in (item.optional("evidence") or "").split("<and>")]
    # Some times lack their colon.
    return list(dict.fromkeys(_TIME.sub(r"\1_\2:\3", part) for part in parts if part and part != _NOTHING))


def _about_records(item: Item, position: int, evidence: list[str]) -> Mapping[str, Any]:
    return {
        "id": item.key or str(position),
        "question": item.text("question"),
        "answer": item.text("answer"),
        "type": (item.optional("type") or "").lower(),
        "evidence": evidence,
    }


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
    except (ValueError, RecursionError) as error:
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


def read_hipporag(folder: Path, name: str) -> Dataset:
    """HotpotQA, 2WikiMultiHopQA and MuSiQue as HippoRAG cuts them: ``<name>.json`` and ``<name>_corpus.json``.

    Each passage of the corpus is a document of one chunk, "title, newline, text", as HippoRAG indexes it. Its id is its
    title; where several passages have the same title, the second is "title (2)". Evidence are the supporting passages.
    ``corpus.json`` and ``questions.json`` are taken as well.
    """
    places = ("", "reproduce/dataset/", "dataset/")
    corpus = file_of(folder, [*(f"{place}{name}_corpus.json" for place in places), "corpus.json"], "passages")
    asked = file_of(folder, [*(f"{place}{name}.json" for place in places), "questions.json"], "questions")
    documents, repeated = [], []
    ids: dict[tuple[str, str], str] = {}
    titles: Counter[str] = Counter()
    for item in objects(corpus):
        title, text = item.text("title"), item.filled_or_empty("text")
        if _key(title, text) in ids:
            repeated.append(f"{title!r} ({item.where})")
            continue
        titles[title] += 1
        ids[_key(title, text)] = identity = title if titles[title] == 1 else f"{title} ({titles[title]})"
        documents.append(SourceDocument(identity, passages=(f"{title}\n{text}",), title=title))
    questions = tuple(_about_supporting(item, ids) for item in objects(asked))
    return Dataset(tuple(documents), questions, left_out("duplicate passages are loaded once", repeated))


def _about_supporting(item: Item, ids: Mapping[tuple[str, str], str]) -> Mapping[str, Any]:
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
