"""Make every table of the folder ``musique`` again, on an embedded server of its own; an interrupted run goes on.

    python tests/reproduction/musique.py DATA

DATA is a folder with 100 questions of MuSiQue: ``questions.json``, ``openie.json``, and recorded replies
(``recorded/passages``, ``pairs``, ``graph`` and ``analyses.jsonl``).
A table that is there already is left as it is; remove its folder to measure it again.
"""

from __future__ import annotations

import json
import tempfile
from pathlib import Path
from typing import Any

from making import OF_METHODS, TRIPLES, Data, Table, gold, read_json, reproduce, run

from qcg_neo4j.evaluation import Question
from qcg_neo4j.indexing.load import read_documents
from qcg_neo4j.models.replies.exchange import key_of

HERE = Path(__file__).parent / "musique"
COMMAND = "python tests/reproduction/musique.py DATA"
TOLERANCE = 1.0  # points: a question more or less
RECORDED = tuple(f"recorded/{name}.jsonl" for name in ("passages", "pairs", "graph", "analyses"))
FILES = ("questions.json", "openie.json", *RECORDED)
TABLES = (
    Table("methods", "systems.toml", extract=TRIPLES),
    *OF_METHODS,
    Table("openie", "openie.toml", extract=TRIPLES, graph="openie"),
)


def data(folder: Path) -> Data:
    """The 100 questions and their passages, each of which is a document."""
    recorded = folder / "recorded"
    passages = [json.loads(line) for line in (recorded / "passages.jsonl").read_text(encoding="utf-8").splitlines()]
    document_of = {passage["text"]: passage["document"] for passage in passages}
    content = read_json(folder / "questions.json")
    return Data(
        documents=tuple(read_documents([recorded / "passages.jsonl"])),
        questions=[_question(question, place, document_of) for place, question in enumerate(content)],
        pairs=recorded / "pairs.jsonl",
        graphs={"recorded": recorded / "graph.jsonl", "openie": _as_recording(folder / "openie.json")},
        analyses=recorded / "analyses.jsonl",
        systems=HERE,
        gold=gold(recorded / "graph.jsonl"),
        command=COMMAND,
    )


def _question(question: dict[str, Any], place: int, document_of: dict[str, str]) -> Question:
    supporting = [paragraph for paragraph in question["paragraphs"] if paragraph["is_supporting"]]
    evidence = tuple(document_of[f"{item['title']}\n{item['paragraph_text']}"] for item in supporting)
    return Question(question["id"], question["question"].strip(), evidence, f"{len(evidence)} hops", position=place)


def _as_recording(file: Path) -> Path:
    """Open information extraction in the form of recorded replies; its triples have no textual representation."""
    lines = []
    for document in read_json(file)["docs"]:
        triples = [triple for triple in document["extracted_triples"] if len(triple) == 3 and all(triple)]
        names = dict.fromkeys([*document["extracted_entities"], *(end for triple in triples for end in triple[::2])])
        reply = {
            "entities": [{"name": name, "type": "", "description": ""} for name in names],
            "relations": [
                {"source": source, "predicate": predicate, "target": target, "strength": 1, "ttr": ""}
                for source, predicate, target in triples
            ],
            "atoms": [],
        }
        lines.append(json.dumps({"task": "extract/graph", "key": key_of(document["passage"]), "reply": reply}))
    with tempfile.NamedTemporaryFile("w", suffix=".jsonl", delete=False, encoding="utf-8") as recording:
        recording.write("\n".join(lines))
    return Path(recording.name)


main = reproduce(TABLES, data, HERE, FILES)

if __name__ == "__main__":
    run(main)
