"""The plug-in's copy of a graph in memory: it finds what is stored, after every stage that writes."""

from __future__ import annotations

import json
from dataclasses import replace
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import reference_atomic as twin
from conftest import SAMPLE
from graph_dump import query
from small_embedder import SmallEmbedder

from qcg_neo4j.database.graph import Graph
from qcg_neo4j.indexing.build import build_synonyms
from qcg_neo4j.indexing.extract import ExtractSettings, extract_graph
from qcg_neo4j.indexing.load import LoadSettings, delete_documents, load_documents, read_documents
from qcg_neo4j.models.replies import Recording
from qcg_neo4j.retrieval import Atomic, AtomicSettings

QUESTIONS = [json.loads(line)["question"] for line in (SAMPLE / "questions.jsonl").read_text("utf-8").splitlines()[:4]]
SETTINGS = AtomicSettings(tolerance=1e-13, passages=100, context_tokens=10**6)
CHOICES: list[dict[str, Any]] = [
    {},
    {"atom_weight": 1.0, "damping": 0.6},
    {"atom_seeds": 10},
    {"atom_weight": 0.0, "synonyms": False},
]
FILTERS: list[dict[str, Any]] = [{"where": "id < '20260301'"}, {"where": "id < '20260301'", "damping": 0.6}]


def held(graph: Graph) -> dict[str, Any]:
    return query(graph, "CALL qcg.snapshot()")[0]


def is_the_twin(graph: Graph) -> None:
    """What is found in memory is what the plain walk over the whole graph finds."""
    aeg, answered = twin.read_aeg(graph), 0
    for choice in CHOICES:
        for question in QUESTIONS:
            settings = replace(SETTINGS, **choice)
            found = Atomic(settings).retrieve(graph, question)
            vector = graph.embed_question(question).astype(np.float64)
            names = [aeg.entities[name] for name in twin.named(aeg, question)]
            edges = aeg.edges(synonyms=settings.synonyms)
            expected = dict(twin.best_atoms(aeg, edges, vector, names, settings))
            answered += bool(found.atoms)
            assert len(found.atoms) == len(expected)
            assert {atom.id: atom.score for atom in found.atoms} == pytest.approx(expected, abs=1e-6)
    assert answered > 2 * len(QUESTIONS)


def is_found_in_rounds(graph: Graph, choices: list[dict[str, Any]]) -> None:
    """Rounds of Cypher find the same atoms with the same reasons, of permitted documents too."""
    for choice in choices:
        for question in QUESTIONS:
            settings = replace(SETTINGS, **choice)
            found = {atom.id: atom for atom in Atomic(settings).retrieve(graph, question).atoms}
            rounds = Atomic(replace(settings, propagation="rounds")).retrieve(graph, question).atoms
            both = [(atom, found[atom.id]) for atom in rounds if atom.id in found]
            assert len(both) >= 0.96 * len(found) > 0
            for one, other in both:
                assert one.score == pytest.approx(other.score, rel=0.05)
                assert replace(one, score=0) == replace(other, score=0)


@pytest.fixture
def extracted(each_graph: Graph) -> Graph:
    each_graph.embedder = embedder = SmallEmbedder()
    documents = islice(read_documents((str(SAMPLE / "passages.jsonl"),)), 20)
    load_documents(each_graph, embedder, documents, LoadSettings())
    extract_graph(each_graph, embedder, ExtractSettings(source="replies"), Recording([SAMPLE / "graph.jsonl"]))
    return each_graph


def test_a_stage_that_writes_has_the_copy_made_anew(extracted: Graph) -> None:
    assert not held(extracted)["current"]
    is_the_twin(extracted)
    first = held(extracted)
    assert (first["condition"], first["current"]) == ("ready", True)
    assert 0 < first["bytes"] < first["limit"]
    build_synonyms(extracted)
    assert not held(extracted)["current"]
    is_the_twin(extracted)
    document = query(extracted, "MATCH (document:QcgDocument) RETURN document.id AS id ORDER BY id LIMIT 1")[0]["id"]
    delete_documents(extracted, [document])
    assert not held(extracted)["current"]
    is_the_twin(extracted)
    assert held(extracted)["current"]


def test_rounds_of_cypher_and_a_filter_find_the_same(extracted: Graph) -> None:
    build_synonyms(extracted)
    is_found_in_rounds(extracted, [*CHOICES, *FILTERS])
    for question in QUESTIONS:
        found = Atomic(replace(SETTINGS, **FILTERS[0])).retrieve(extracted, question)
        assert {passage.document for passage in found.passages} <= {
            row["id"] for row in query(extracted, "MATCH (d:QcgDocument) WHERE d.id < '20260301' RETURN d.id AS id")
        }


def test_a_new_document_with_a_known_text_is_permitted(extracted: Graph, tmp_path: Path) -> None:
    """Which documents hold a chunk is part of the copy, so the stage `load` has it made anew."""
    settings = replace(SETTINGS, where="id = 'copy'")
    assert Atomic(SETTINGS).retrieve(extracted, QUESTIONS[0]).passages
    assert not Atomic(settings).retrieve(extracted, QUESTIONS[0]).passages
    first = json.loads((SAMPLE / "passages.jsonl").read_text(encoding="utf-8").splitlines()[0])
    (tmp_path / "copy.jsonl").write_text(json.dumps({**first, "document": "copy"}), encoding="utf-8")
    load_documents(extracted, SmallEmbedder(), read_documents((str(tmp_path / "copy.jsonl"),)), LoadSettings())
    found = Atomic(settings).retrieve(extracted, QUESTIONS[0]).passages
    assert [passage.document for passage in found] == ["copy"]


OTHERS = """
MATCH (one:QcgEntity) WITH one ORDER BY one.id LIMIT 2 WITH collect(one) AS two
UNWIND two AS one CREATE (one)<-[:MENTIONS]-(:QcgAtom:Atom {id: 'new ' + one.id})
"""
RANKS = """
MATCH (entity:QcgEntity) WITH entity ORDER BY entity.id LIMIT 3
WITH collect(entity) AS seeds CALL qcg.pageRank.push(seeds) YIELD node RETURN collect(node.id) AS ids
"""


def test_a_write_by_others_is_seen_where_it_changes_a_number(extracted: Graph) -> None:
    def ids() -> set[str]:
        return set(query(extracted, RANKS)[0]["ids"])

    before = ids()
    with extracted.driver.session() as session, session.begin_transaction() as transaction:
        transaction.run(OTHERS).consume()
        within = set(transaction.run(RANKS).single(strict=True)["ids"])
        assert within == before  # a copy holds what is committed
        transaction.rollback()
    assert ids() == before
    query(extracted, OTHERS)
    assert len(ids() - before) == 2
