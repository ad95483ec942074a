"""GraphRAG-Bench Medical without a language model: loads, extracts with spaCy, and says how much evidence is found.

    python tests/reproduction/medical.py DATA

DATA is a folder with ``chunks.json`` (a list of passages) and ``questions.json`` (``question``, ``evidence`` …). There
is no recording of a language model for it: entities, triples and atoms are what spaCy finds, so the figures are not
those of AtomicRAG as its paper has it. Evidence is a statement, not a passage; the figure is the share of its words (of
four or more letters) that stand in the passages found. A table that is there already is left as it is.
"""

from __future__ import annotations

import csv
import re
from collections import defaultdict
from collections.abc import Mapping, Sequence
from pathlib import Path

import click
import numpy as np
from expected import conclude
from making import command_of, own_graph, read_json, require, run

from qcg_neo4j.cli.terminal import notices, progress_bar
from qcg_neo4j.core.records import SourceDocument
from qcg_neo4j.database.embedder import open_embedder_of
from qcg_neo4j.database.graph import Graph
from qcg_neo4j.evaluation.page import markdown_table
from qcg_neo4j.indexing.build import build_synonyms
from qcg_neo4j.indexing.extract import ExtractSettings, extract_graph
from qcg_neo4j.indexing.load import LoadSettings, load_documents
from qcg_neo4j.models.embedding.embedder import EmbeddingSettings
from qcg_neo4j.retrieval import Atomic, AtomicSettings, Fulltext, Hybrid, Method, VectorBaseline

HERE = Path(__file__).parent / "medical"
COMMAND = "python tests/reproduction/medical.py DATA"
EVERY = 10  # questions are many, and stand in the order of their kinds
TOLERANCE = 0.3  # points
NAME = "spacy"
SPACY = ExtractSettings(source="spacy")
FILES = ("chunks.json", "questions.json")
Row = Mapping[str, str | float]
SYSTEMS: Mapping[str, Method] = {
    "vector": VectorBaseline(),
    "fulltext": Fulltext(),
    "hybrid": Hybrid(),
    "atomic, spaCy, paper's constants": Atomic(AtomicSettings(analysis="spacy")),
    "atomic, spaCy, λ = 1": Atomic(AtomicSettings(analysis="spacy", atom_weight=1.0)),
    "atomic, spaCy, best 100 atoms as seeds": Atomic(AtomicSettings(analysis="spacy", atom_seeds=100)),
}


def make(graph: Graph, folder: Path) -> None:
    """Load, extract with spaCy, join synonyms; what is there already is left as it is."""
    embedder = graph.embedder = open_embedder_of(graph, EmbeddingSettings())
    texts = read_json(folder / FILES[0])
    documents = [SourceDocument(f"medical-{place:04}", passages=(text,)) for place, text in enumerate(texts)]
    with progress_bar("Loading") as progress:
        load_documents(graph, embedder, iter(documents), LoadSettings(), progress)
    with progress_bar("Extracting") as progress:
        found = extract_graph(graph, embedder, SPACY, progress=progress)
    notices().print(f"{found.entities:,} entities, {found.relations:,} relations, {found.atoms:,} atoms by spaCy.")
    with progress_bar("Joining synonyms") as progress:
        build_synonyms(graph, progress=progress)


def words(text: str) -> set[str]:
    """The words of a text that have four or more letters."""
    return set(re.findall(r"[a-z]{4,}", text.lower()))


def measure(graph: Graph, questions: Sequence[Mapping[str, str]]) -> list[Row]:
    """A row per system: the share of evidence found, for each kind of question and for all, and the median seconds."""
    shares: dict[tuple[str, str], list[float]] = defaultdict(list)
    seconds: dict[str, list[float]] = defaultdict(list)
    kinds = list(dict.fromkeys(question["question_type"] for question in questions))
    with progress_bar("Asking") as progress:
        for number, question in enumerate(questions, start=1):
            vector, wanted = graph.embed_question(question["question"]), words(question["evidence"])
            for name, method in SYSTEMS.items():
                evidence = method.retrieve(graph, question["question"], vector)
                held = words(" ".join(passage.text for passage in evidence.passages))
                shares[name, question["question_type"]].append(len(wanted & held) / max(1, len(wanted)))
                seconds[name].append(evidence.seconds)
            progress(number, len(questions))
    return [
        {
            "system": name,
            **{kind: float(np.mean(shares[name, kind])) for kind in kinds},
            "all": float(np.mean([share for kind in kinds for share in shares[name, kind]])),
            "median seconds": float(np.median(seconds[name])),
        }
        for name in SYSTEMS
    ]


def write_table(folder: Path, rows: Sequence[Row], questions: int, command: str) -> None:
    """The table for people and for programs."""
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / "table.csv").open("w", encoding="utf-8", newline="") as stream:
        writer = csv.DictWriter(stream, list(rows[0]), lineterminator="\n")
        writer.writeheader()
        writer.writerows(
            {name: round(value, 6) if isinstance(value, float) else value for name, value in row.items()}
            for row in rows
        )
    body = [[_shown(name, value) for name, value in row.items()] for row in rows]
    columns = ["median ms" if name == "median seconds" else name for name in rows[0]]
    note = (
        f"{questions:,} questions, five passages. Entities, triples, atoms by spaCy, no language model. Figures: "
        "percent of the evidence statement's words (four or more letters) that the passages hold."
    )
    page = f"# GraphRAG-Bench Medical with spaCy\n\n    {command}\n\n{note}\n\n{markdown_table(columns, body)}\n"
    (folder / "table.md").write_text(page, encoding="utf-8")


def _shown(name: str, value: str | float) -> str:
    if isinstance(value, str):
        return value
    return f"{1000 * value:.0f}" if name == "median seconds" else f"{100 * value:.1f}"


@click.command()
@click.argument("folder", metavar="DATA", type=click.Path(path_type=Path))
@click.option("--home", type=click.Path(path_type=Path), default=HERE / "home", help="Home of the server.")
@click.option("--output", type=click.Path(path_type=Path), default=HERE / "tables", help="Folder of the tables.")
@click.option(
    "--every", type=click.IntRange(1), default=EVERY, show_default=True, help="Only every so many-th question."
)
@click.option("--limit", type=int, help="Only so many questions, to try it out.")
def main(folder: Path, home: Path, output: Path, every: int, limit: int | None) -> None:
    """Make the table from the folder DATA; where it is there already it is left as it is."""
    require(folder, FILES)
    table = output / NAME
    if not (table / "table.md").exists():
        questions = read_json(folder / FILES[1])[::every][:limit]
        with own_graph(home) as graph:
            make(graph, folder)
            command = command_of(COMMAND if every == EVERY else f"{COMMAND} --every {every}", limit)
            write_table(table, measure(graph, questions), len(questions), command)
    click.echo((table / "table.md").read_text(encoding="utf-8"))
    conclude(HERE, output, limit)


if __name__ == "__main__":
    run(main)
