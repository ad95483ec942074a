"""The sample in three states: without some documents, with them, and with other texts of them."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace

from conftest import SAMPLE, Hasty

from qcg_neo4j.core.records import SourceDocument
from qcg_neo4j.database.graph import Graph
from qcg_neo4j.indexing.build import build_atoms, build_communities, build_queries, build_synonyms
from qcg_neo4j.indexing.extract import ExtractSettings, extract_graph
from qcg_neo4j.indexing.generate import GenerateSettings, generate_queries
from qcg_neo4j.indexing.load import LoadSettings, delete_documents, load_documents, read_documents
from qcg_neo4j.indexing.report import ReportSettings, write_reports
from qcg_neo4j.indexing.train import import_predictor
from qcg_neo4j.models.replies import Recording

STATES = ("without", "with", "changed")
CHANGING = 8  # documents that come and go
EMBEDDER = Hasty()


def documents(state: str) -> list[SourceDocument]:
    """What the graph holds in a state."""
    found = [each for each in read_documents([str(SAMPLE / "passages.jsonl")]) if isinstance(each, SourceDocument)]
    if state == "without":
        return found[CHANGING:]
    return found if state == "with" else [*map(_changed, found[:CHANGING]), *found[CHANGING:]]


def _changed(document: SourceDocument) -> SourceDocument:
    return replace(document, passages=tuple(f"{text} And that was that." for text in document.passages))


def questions(number: int) -> list[str]:
    """Questions of the sample."""
    lines = (SAMPLE / "questions.jsonl").read_text(encoding="utf-8").splitlines()
    return [json.loads(line)["question"] for line in lines[:number]]


def write(graph: Graph, state: str) -> None:
    """Bring the graph into a state: load or delete, then every stage."""
    if state == "without":
        going = [document.id for document in documents("with")[:CHANGING]]
        delete_documents(graph, going, ignore_missing=True)
    load_documents(graph, EMBEDDER, documents(state), LoadSettings())
    rebuild(graph)


def rebuild(graph: Graph) -> None:
    """Run every stage behind load."""
    pairs = GenerateSettings(source="replies"), Recording([SAMPLE / "pairs.jsonl"], "generate/pairs")
    generate_queries(graph, EMBEDDER, *pairs, with_baselines=True)
    extract_graph(graph, EMBEDDER, ExtractSettings(source="replies"), Recording([SAMPLE / "graph.jsonl"]))
    build_queries(graph)
    build_synonyms(graph)
    build_atoms(graph)
    build_communities(graph)
    write_reports(graph, EMBEDDER, ReportSettings(source="extractive"))
    import_predictor(graph, SAMPLE / "predictor.npz")


def texts(states: Sequence[str] = STATES) -> set[str]:
    """Every text of a passage that an answer may hold."""
    return {text for state in states for document in documents(state) for text in document.passages}
