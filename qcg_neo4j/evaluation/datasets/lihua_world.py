"""LiHua-World (HKUDS/MiniRAG): chat records as text files by week, questions as ``query_set.json`` or ``.csv``.

A record's id is its time as the questions name it, from its first line, else from the file's name:
``20260924_2000.txt`` is ``20260924_20:00``.
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from qcg_neo4j.core.errors import InputError
from qcg_neo4j.core.records import SourceDocument
from qcg_neo4j.evaluation.datasets.files import Dataset, Item, file_of, left_out, objects, unique
from qcg_neo4j.evaluation.json_records import text_of_file

QUESTIONS = ("qa/query_set.json", "query_set.json", "qa/query_set.csv", "query_set.csv")
COLUMNS = {"question": "Question", "answer": "Gold Answer", "evidence": "Evidence", "type": "Type"}
NOTHING = "N/A"  # the evidence of a null question
_SAID = re.compile(r"Time:\s*(\d{8}_\d{2}:\d{2})\b")
_TIME = re.compile(r"(\d{8})_(\d{2})(\d{2})")


def read(folder: Path) -> Dataset:
    """The records below ``data`` (or the folder itself), and the questions of ``qa``."""
    data = folder / "data" if (folder / "data").is_dir() else folder
    files = sorted(path for path in data.rglob("*.txt") if not path.name.startswith("."))
    if not files:
        packed = sorted(data.rglob("*.zip"))
        remedy = f"Unpack {packed[0]} there." if packed else "They are text files in folders by week."
        raise InputError(f"{data} does not hold the chat records.", remedy)
    documents = unique([(str(path), _document(path)) for path in files])
    ids, unknown = {document.id for document in documents}, list[str]()
    questions: list[Mapping[str, Any]] = []
    for item in _questions(file_of(folder, QUESTIONS, "questions")):
        named = _evidence(item)
        unknown += [f"{name!r} ({item.where})" for name in named if name not in ids]
        questions.append(_question(item, len(questions), [name for name in named if name in ids]))
    return Dataset(documents, tuple(questions), left_out("times that no record has are left out", unknown))


def _document(path: Path) -> SourceDocument:
    text = Item(str(path), "", {"text": text_of_file(path)}).text("text")
    said = _SAID.match(text)
    return SourceDocument(said[1] if said else _TIME.sub(r"\1_\2:\3", path.stem), text)


def _questions(path: Path) -> Iterator[Item]:
    if path.suffix == ".json":
        yield from objects(path)
        return
    reader = csv.DictReader(io.StringIO(text_of_file(path)))
    missing = [name for name in COLUMNS.values() if name not in (reader.fieldnames or ())]
    if missing:
        raise InputError(f"{path}:1: there is no column {missing[0]!r}.")
    try:
        for number, row in enumerate(reader):
            kept = {name: row[column] for name, column in COLUMNS.items()}
            yield Item(f"{path}:{reader.line_num}", str(number), kept)
    except csv.Error as error:
        raise InputError(f"{path}:{reader.line_num}: {error}.", "Is a quotation mark never closed?") from None


def _evidence(item: Item) -> list[str]:
    parts = [part.strip().removeprefix("Time:").strip() for part in (item.optional("evidence") or "").split("<and>")]
    # Some times lack their colon.
    return list(dict.fromkeys(_TIME.sub(r"\1_\2:\3", part) for part in parts if part and part != NOTHING))


def _question(item: Item, position: int, evidence: list[str]) -> Mapping[str, Any]:
    return {
        "id": item.key or str(position),
        "question": item.text("question"),
        "answer": item.text("answer"),
        "type": (item.optional("type") or "").lower(),
        "evidence": evidence,
    }
