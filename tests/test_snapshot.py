"""The plug-in's copy of the atom-entity graph in memory: it finds what the stored graph gives, in every state of it."""

from __future__ import annotations

import json
import time
from dataclasses import replace
from itertools import islice
from typing import Any

import pytest
from conftest import SAMPLE, emptied
from graph_dump import query
from small_embedder import SmallEmbedder

from qcg_neo4j.build import build_synonyms
from qcg_neo4j.extract import ExtractSettings, extract_graph
from qcg_neo4j.graph import Graph
from qcg_neo4j.load import LoadSettings, delete_documents, load_documents, read_documents
from qcg_neo4j.records import Evidence
from qcg_neo4j.replies import Recording
from qcg_neo4j.retrieve import Atomic, AtomicSettings

QUESTIONS = [json.loads(line)["question"] for line in (SAMPLE / "questions.jsonl").read_text("utf-8").splitlines()[:4]]
SETTINGS = AtomicSettings(tolerance=1e-13, passages=100, context_tokens=10**6)
CHOICES: list[dict[str, Any]] = [
    {},
    {"atom_weight": 1.0, "damping": 0.6},
    {"atom_seeds": 10},
    {"atom_weight": 0.0, "synonyms": False},
]


def held(graph: Graph) -> dict[str, Any]:
    return query(graph, "CALL qcg.snapshot()")[0]


def made(graph: Graph) -> None:
    """Ask until the snapshot of the present state is there."""
    until = time.monotonic() + 60
    while not ((now := held(graph))["current"] and now["condition"] == "ready"):
        Atomic(SETTINGS).retrieve(graph, QUESTIONS[0])
        assert time.monotonic() < until, now
        time.sleep(0.05)


def shown(evidence: Evidence) -> list[Any]:
    atoms = [(atom.id, pytest.approx(atom.score, abs=1e-6), atom.paths) for atom in evidence.atoms]
    return [atoms, [(item.id, pytest.approx(item.score, abs=1e-6)) for item in evidence.passages]]


def is_the_stored_graph(graph: Graph) -> None:
    answered = 0
    for choice in CHOICES:
        for question in QUESTIONS:
            settings = replace(SETTINGS, **choice)
            found = Atomic(settings).retrieve(graph, question)
            stored = Atomic(replace(settings, snapshot=False)).retrieve(graph, question)
            answered += bool(found.atoms)
            assert [atom.id for atom in found.atoms] == [atom.id for atom in stored.atoms]
            assert shown(found) == shown(stored)
    assert answered > 2 * len(QUESTIONS)


@pytest.fixture
def extracted(each_graph: Graph) -> Graph:
    each_graph.embedder = embedder = SmallEmbedder()
    documents = islice(read_documents((str(SAMPLE / "passages.jsonl"),)), 20)
    load_documents(each_graph, embedder, documents, LoadSettings())
    extract_graph(each_graph, embedder, ExtractSettings(source="replies"), Recording([SAMPLE / "graph.jsonl"]))
    return each_graph


def test_every_state_is_seen(extracted: Graph) -> None:
    assert not held(extracted)["current"]
    is_the_stored_graph(extracted)  # whether or not there is one meanwhile
    made(extracted)
    is_the_stored_graph(extracted)
    first = held(extracted)
    assert 0 < first["bytes"] < first["limit"]
    build_synonyms(extracted)
    assert not held(extracted)["current"]
    is_the_stored_graph(extracted)
    made(extracted)
    is_the_stored_graph(extracted)
    document = query(extracted, "MATCH (document:QcgDocument) RETURN document.id AS id ORDER BY id LIMIT 1")[0]["id"]
    delete_documents(extracted, [document])
    assert not held(extracted)["current"]
    is_the_stored_graph(extracted)
    made(extracted)
    is_the_stored_graph(extracted)
    assert held(extracted)["bytes"] < first["bytes"] * 2


def test_an_empty_graph_has_none(each_graph: Graph) -> None:
    each_graph.embedder = SmallEmbedder()
    emptied(each_graph).use_model(each_graph.embedder.name, each_graph.embedder.dimension)
    assert not Atomic(SETTINGS).retrieve(each_graph, QUESTIONS[0]).passages
