"""Make every table of the folder ``lihuaworld`` again, on an embedded server of its own; an interrupted run goes on.

    python tests/reproduction/lihuaworld.py DATA

DATA is a folder with LiHua-World: ``passages.jsonl``, ``questions.jsonl`` and recorded replies (``recorded/pairs``,
``graph``, ``analyses`` and ``batches.jsonl``). A table that is there already is left as it is; remove its
folder to measure it again.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from making import OF_METHODS, PAPER, SENTENCES, SWEEP, TRIPLES, TRUNCATED, Data, Table, gold, reproduce, run

from qcg_neo4j.evaluation import read_questions
from qcg_neo4j.evaluation.settings import EVEN
from qcg_neo4j.indexing.load import read_documents

HERE = Path(__file__).parent / "lihuaworld"
COMMAND = "python tests/reproduction/lihuaworld.py DATA"
TOLERANCE = 0.6  # points: what an approximate index misses depends on how the graph was filled
TEXTS = ("passages.jsonl", "questions.jsonl")
RECORDED = tuple(f"recorded/{name}.jsonl" for name in ("pairs", "graph", "analyses", "batches"))
FILES = (*TEXTS, *RECORDED)
TABLES = (
    Table("windows", "systems.toml"),
    Table(SWEEP, "sweep.toml", half=EVEN),
    *(
        Table(f"kept-share-{share}", "conditions.toml", generate=replace(PAPER, kept_share=share))
        for share in (0.2, 0.4, 0.6, 1.0)
    ),
    *(
        Table(f"text-{text}", "conditions.toml", generate=replace(PAPER, node_text=text))
        for text in ("question", "answer")
    ),
    Table("text-sentences", "conditions.toml", generate=SENTENCES),
    Table("truncated", "truncated.toml", load=TRUNCATED, baselines=True),
    Table("kg-cqr", "kg_cqr.toml", extract=TRIPLES),
    Table("kg-cqr-parts", "kg_cqr_parts.toml", extract=replace(TRIPLES, triple_text="parts")),
    *OF_METHODS,
    Table("kg-cqr-truncated", "kg_cqr_truncated.toml", load=TRUNCATED, extract=TRIPLES),
)


def data(folder: Path) -> Data:
    """LiHua-World in a folder, or other texts and questions in the same form; recordings may lie beside them."""
    recorded = folder / "recorded" if (folder / "recorded").is_dir() else folder
    batches = recorded / "batches.jsonl"
    return Data(
        documents=tuple(read_documents([folder / TEXTS[0]])),
        questions=read_questions(folder / TEXTS[1]),
        pairs=recorded / "pairs.jsonl",
        graphs={"recorded": recorded / "graph.jsonl"},
        analyses=recorded / "analyses.jsonl",
        batches=batches if batches.exists() else None,
        systems=HERE,
        command=COMMAND,
        gold=gold(recorded / "graph.jsonl"),
    )


main = reproduce(TABLES, data, HERE, FILES)

if __name__ == "__main__":
    run(main)
