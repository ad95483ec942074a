"""The plug-in's copy of the atom-entity graph in memory: it finds what the stored graph gives, in every state of it."""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from itertools import islice
from typing import Any

import pytest
from conftest import SAMPLE, emptied
from graph_dump import query
from small_embedder import SmallEmbedder

from qcg_neo4j.core.records import Evidence
from qcg_neo4j.database.graph import Graph
from qcg_neo4j.indexing.build import build_synonyms
from qcg_neo4j.indexing.extract import ExtractSettings, extract_graph
from qcg_neo4j.indexing.load import LoadSettings, delete_documents, load_documents, read_documents
from qcg_neo4j.models.embedding.embedder import Vectors
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


Run = Callable[..., list[dict[str, Any]]]


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


WALK = """
MATCH (entity:QcgEntity) WITH entity ORDER BY entity.id LIMIT 3
WITH collect([entity, 1.0]) AS seeds
CALL qcg.pageRank.push(seeds, {tolerance: 1e-14, snapshot: $snapshot, labels: $labels, best: $best}) YIELD node, score
RETURN elementId(node) AS id, score
"""
BEAM = """
MATCH (entity:QcgEntity) WITH entity ORDER BY entity.id LIMIT 40
WITH collect(entity) AS entities
CALL qcg.paths.beam(entities, entities, $vector, {snapshot: $snapshot, direction: $direction}) YIELD path, score
RETURN [step IN relationships(path) | elementId(step)] AS path, [node IN nodes(path) | elementId(node)] AS nodes, score
"""
# None of them changes the revision of a stage, and some no number of anything.
WRITES = [
    "MATCH ()-[synonym:SYNONYM_OF]->() WITH synonym LIMIT 5 SET synonym.score = synonym.score / 2",
    "MATCH (one:QcgEntity) WITH one ORDER BY one.id LIMIT 2 WITH collect(one) AS two "
    "UNWIND [two[0], two[1]] AS one CREATE (one)-[:RELATED_TO]->(:Visitor)<-[:MENTIONS]-(one)",
    "MATCH (one:QcgEntity)-[old:RELATED_TO]->(other) WHERE old.embedding IS NOT NULL WITH one, old, other LIMIT 1 "
    "CREATE (other)-[new:RELATED_TO]->(one) SET new = properties(old) DELETE old",
    "MATCH ()-[triple:RELATED_TO]->() WHERE triple.embedding IS NOT NULL WITH triple LIMIT 9 "
    "CALL db.create.setRelationshipVectorProperty(triple, 'embedding', [value IN triple.embedding | -value])",
    "MATCH (visitor:Visitor) SET visitor:Atom",
    "MATCH (visitor:Visitor) DETACH DELETE visitor",
]


def parts(graph: Graph) -> dict[str, Any]:
    return {row["part"]: row for row in query(graph, "CALL qcg.snapshot()")}


def walked(run: Run, *labels: str, best: int = 0, snapshot: bool = True) -> dict[str, float]:
    return {row["id"]: row["score"] for row in run(WALK, labels=labels, best=best, snapshot=snapshot)}


def paths(run: Run, vector: Vectors, direction: str = "outgoing", *, snapshot: bool = True) -> list[dict[str, Any]]:
    return run(BEAM, vector=vector, direction=direction, snapshot=snapshot)


def are_the_stored(run: Run, vector: Vectors) -> None:
    """Walks and paths from memory, where it may be used, are those of the store."""
    for labels in ((), ("Atom",)):
        found = walked(run, *labels)
        assert found == pytest.approx(walked(run, *labels, snapshot=False), abs=1e-9)
        least, best = sorted(found.values())[-5], walked(run, *labels, best=5)
        assert best == pytest.approx({name: found[name] for name in best}, abs=1e-9)
        # What ties in one order of adding differs in the last digits in another.
        assert {name for name, score in found.items() if score > least + 1e-9} <= set(best)
        assert 5 <= len(best) <= sum(score > least - 1e-9 for score in found.values())
    for direction in ("outgoing", "incoming", "undirected"):
        assert paths(run, vector, direction) == paths(run, vector, direction, snapshot=False) != []


def are_in_memory(graph: Graph, *names: str) -> bool:
    held = parts(graph)
    return all(held[name]["condition"] == "ready" and held[name]["current"] for name in names or ("network", "triples"))


def take_into_memory(graph: Graph, vector: Vectors) -> None:
    """Ask until walks and paths have what they need in memory."""
    until = time.monotonic() + 60
    while not are_in_memory(graph):
        are_the_stored(partial(query, graph), vector)
        assert time.monotonic() < until, query(graph, "CALL qcg.snapshot()")
        time.sleep(0.1)


def test_walks_and_paths_see_every_write(extracted: Graph) -> None:
    build_synonyms(extracted)
    vector, run = extracted.embed_question(QUESTIONS[0]), partial(query, extracted)
    take_into_memory(extracted, vector)
    are_the_stored(run, vector)
    for number, write in enumerate(WRITES):
        before = walked(run), walked(run, "Atom"), paths(run, vector)
        query(extracted, write)
        assert not are_in_memory(extracted)
        assert before != (walked(run), walked(run, "Atom"), paths(run, vector))
        if number % 2:
            take_into_memory(extracted, vector)
        are_the_stored(run, vector)


def test_walks_and_paths_see_what_their_own_transaction_writes(extracted: Graph) -> None:
    vector = extracted.embed_question(QUESTIONS[0])
    take_into_memory(extracted, vector)
    with extracted.driver.session() as session, session.begin_transaction() as transaction:

        def run(text: str, **values: Any) -> list[dict[str, Any]]:
            return [dict(row) for row in transaction.run(text, values)]

        before = walked(run), paths(run, vector)
        run(WRITES[2])
        assert before != (walked(run), paths(run, vector))
        are_the_stored(run, vector)
        transaction.rollback()
    assert before == (walked(partial(query, extracted)), paths(partial(query, extracted), vector))


LAYERS = """
CALL qcg.score.layers({text: $question, vector: $vector}, {snapshot: $snapshot, passages: 50})
YIELD chunk, score, layers
RETURN chunk.id AS id, score, [part IN layers | [part.layer, part.hit.id, part.score]] AS layers
"""
TURNED = (
    "MATCH (atom:QcgAtom) WITH atom ORDER BY atom.id LIMIT 40 "
    "CALL db.create.setNodeVectorProperty(atom, 'embedding', [value IN atom.embedding | -value]) RETURN count(*)"
)


def layered(run: Run, graph: Graph, *, snapshot: bool) -> list[Any]:
    return [
        run(LAYERS, question=question, vector=graph.embed_question(question), snapshot=snapshot)
        for question in QUESTIONS
    ]


def test_layers_see_every_write_and_that_of_their_own_transaction(extracted: Graph) -> None:
    run = partial(query, extracted)

    def is_the_stored(run: Run) -> list[Any]:
        stored = layered(run, extracted, snapshot=False)
        assert layered(run, extracted, snapshot=True) == stored
        return stored

    def take_into_memory() -> None:
        until = time.monotonic() + 60
        while not (are_in_memory(extracted, "vectors") and parts(extracted)["vectors"]["bytes"]):
            is_the_stored(run)
            assert time.monotonic() < until, parts(extracted)
            time.sleep(0.1)

    first = is_the_stored(run)
    take_into_memory()
    assert is_the_stored(run) == first
    query(extracted, TURNED)
    assert not are_in_memory(extracted, "vectors")
    second = is_the_stored(run)
    assert second != first
    take_into_memory()
    with extracted.driver.session() as session, session.begin_transaction() as transaction:

        def inside(text: str, **values: Any) -> list[dict[str, Any]]:
            return [dict(row) for row in transaction.run(text, values)]

        inside(TURNED)
        assert is_the_stored(inside) != second
        transaction.rollback()
    assert is_the_stored(run) == second
