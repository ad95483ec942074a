"""The trained predictor in the database against its twin and against PyTorch; its life in the graph; the method lp."""

from __future__ import annotations

import io
import json
import pickle
from dataclasses import fields, replace
from pathlib import Path
from typing import Any

import neo4j
import numpy as np
import pytest
import reference_lp as twin
from conftest import SAMPLE
from graph_dump import query
from numpy.typing import NDArray
from reference_torch import InTorch
from test_train import network

from qcg_neo4j.core.errors import GraphError, InputError, ModelMismatchError
from qcg_neo4j.core.records import Evidence
from qcg_neo4j.database import stages
from qcg_neo4j.database.conversion import camel
from qcg_neo4j.database.graph import Graph
from qcg_neo4j.database.model import use_model
from qcg_neo4j.database.schema import await_indexes
from qcg_neo4j.evaluation.systems_run import graph_state
from qcg_neo4j.indexing.build import AtomSettings, build_atoms
from qcg_neo4j.indexing.train import PredictorSettings, export_predictor, import_predictor, predictor, train_predictor
from qcg_neo4j.indexing.train.predictor import fit
from qcg_neo4j.indexing.train.stored import of_values
from qcg_neo4j.retrieval import Lp, LpSettings
from qcg_neo4j.retrieval.lp import SCORED

Questions = list[tuple[str, NDArray[np.float32]]]
SMALL = PredictorSettings(hidden=8, scorer_hidden=6, epochs=1, candidates=30, paraphrase=1.0, batch_size=128)
KINDS = {
    "ncn": SMALL,
    "ncn, 2 layers": replace(SMALL, layers=2),
    "ncn, paper": replace(SMALL, recipe="paper"),
    "mlp": replace(SMALL, model="mlp", layers=2),
    "vgae": replace(SMALL, model="vgae", recipe="paper"),
}
SCORE = """
MATCH (atom:Atom) WITH collect(atom) AS atoms
CALL qcg.links.score($question, atoms, $configuration) YIELD atom, score, similarity, neighbours
RETURN atom.id AS id, score, similarity, [one IN neighbours | [one.node.id, one.weight, one.raise]] AS raised
"""
MAKE = """
MERGE (document:QcgDocument:Document {id: 'd', title: 'D'})
WITH document UNWIND $rows AS row
MERGE (chunk:QcgChunk:Chunk {id: 'c' + (row.place / 8)})
SET chunk.index = row.place / 8, chunk.text = 'text', chunk.tokenCount = 1
MERGE (chunk)-[:FROM_DOCUMENT]->(document)
CREATE (atom:QcgAtom:Atom {id: row.id, text: row.id})-[:FROM_CHUNK]->(chunk)
WITH * CALL db.create.setNodeVectorProperty(atom, 'embedding', row.vector)
"""
ASK = """
UNWIND $rows AS row
MATCH (atom:Atom {id: row.atom})
CREATE (question:QcgSyntheticQuery:SyntheticQuery {id: row.id, text: row.id, batch: row.atom})-[:ANSWERED_BY]->(atom)
WITH * CALL db.create.setNodeVectorProperty(question, 'embedding', row.vector)
"""


@pytest.fixture
def small(graph: Graph) -> Graph:
    """A hundred and twenty atoms in fifteen chunks, joined, each with two questions."""
    made = network(120)
    use_model(graph, "synthetic", 24)
    rows = [
        {"id": name, "place": place, "vector": vector.tolist()}
        for place, (name, vector) in enumerate(zip(made.atoms, made.vectors, strict=True))
    ]
    query(graph, MAKE, rows=rows)
    asked = [
        {"id": f"q{place:04}", "atom": made.atoms[place // 2], "vector": vector.tolist()}
        for place, vector in enumerate(made.questions)
    ]
    query(graph, ASK, rows=asked)
    await_indexes(graph)
    build_atoms(graph, AtomSettings(neighbours=8))
    return graph


def scored(graph: Graph, question: Any, **configuration: Any) -> dict[str, Any]:
    values = {"question": np.asarray(question, float).tolist(), "configuration": configuration}
    return {row["id"]: row for row in query(graph, SCORE, **values)}


def without_procedures(graph: Graph, method: Lp, question: Any) -> Evidence:
    """As on a server that has no plug-in."""
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(graph, "_procedures", False)
        return method.retrieve(graph, "why", np.asarray(question, np.float32))


@pytest.mark.parametrize("kind", KINDS)
def test_scores_are_the_twins_and_pytorchs(small: Graph, kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """From stored vectors and computed from the neighbours; with the neighbours that raised each score."""
    kept: list[Any] = []

    def keeping(*given: Any) -> Any:
        kept.append(fit(*given))
        return kept[0]

    monkeypatch.setattr(predictor, "fit", keeping)
    every = Lp(LpSettings(candidates=0, atoms=1000, passages=1000, reasons=2))
    report = train_predictor(small, KINDS[kind])
    assert report.changed
    model, atoms = twin.read_model(small), twin.read_atoms(small)
    layers = twin.encoded(model, atoms)
    questions = network(120, seed=5).questions[:3]
    for stored in (True, False):
        if not stored:
            small.run("train/forget_vectors")
        for question in questions:
            rows, every_reason = scored(small, question, reasons=2), scored(small, question, reasons=100)
            expected = {name: twin.score(model, atoms, layers, question.astype(float), name) for name in atoms.vectors}
            assert {name: row["score"] for name, row in rows.items()} == pytest.approx(expected, abs=1e-4)
            assert list(rows) == sorted(rows, key=lambda name: (-rows[name]["score"], name))
            here = without_procedures(small, every, question).atoms
            assert {atom.id: atom.score for atom in here} == pytest.approx(expected, abs=1e-4)
            raises = {name: {other: by for other, _, by in row["raised"]} for name, row in every_reason.items()}
            for atom in here:  # of what raises as much, either may be named
                named = [raises[atom.id].get(path[0].id, 0.0) for path in atom.paths[1:]]
                most = sorted(raises[atom.id].values(), reverse=True)[: len(named)]
                assert named == pytest.approx(most, abs=1e-4)
    seen = 0
    for name in list(rows)[:20]:
        for other, weight, raised in rows[name]["raised"]:
            without = twin.score(model, atoms, layers, questions[-1].astype(float), name, other)
            assert raised == pytest.approx(expected[name] - without, abs=1e-4)
            assert weight == pytest.approx(atoms.pairs[name][other])
            seen += 1
    assert bool(seen) == kind.startswith("ncn")
    in_torch = InTorch(small, KINDS[kind], kept[0][0]).scores(questions[-1])
    assert {name: row["score"] for name, row in rows.items()} == pytest.approx(in_torch, abs=1e-4)


def test_a_predictor_is_trained_once_and_goes_stale(small: Graph) -> None:
    first = train_predictor(small, SMALL)
    assert (first.changed, first.atoms, first.training, first.held_out) == (True, 120, 192, 24)
    assert replace(train_predictor(small, SMALL), changed=True) == first
    assert not train_predictor(small, SMALL).changed
    known, question = read_stored(small), network(120).questions[0]
    assert train_predictor(small, SMALL, avoid=network(120).questions[:9]).avoided > 0
    assert train_predictor(small, SMALL).mrr == pytest.approx(first.mrr, abs=1e-6)
    for one, other in zip(read_stored(small), known, strict=True):
        assert one == pytest.approx(other, abs=1e-4)  # the same seeds, the same numbers but for rounding
    assert Lp().retrieve(small, "why", question).notes == ()
    query(small, "MERGE (s:QcgStage:Stage {name: 'atoms'}) SET s.revision = s.revision + 1")
    assert stages.staleness(stages.recorded(small), "link_predictor") == "stale: atoms changed since"
    assert "the link predictor is older than the atoms" in Lp().retrieve(small, "why", question).notes[0]
    # An atom that is newer than the predictor is scored from its neighbours.
    before = scored(small, question)["0007"]["score"]
    query(small, "MATCH (a:Atom {id: '0007'}) REMOVE a.linkVector")
    assert scored(small, question)["0007"]["score"] == pytest.approx(before, abs=1e-4)


def read_stored(graph: Graph) -> list[NDArray[np.float32]]:
    return of_values(graph.rows("train/predictor")[0]["predictor"]).weights.arrays()


def test_an_interruption_while_vectors_are_written_costs_no_second_training(
    small: Graph, monkeypatch: pytest.MonkeyPatch
) -> None:
    write = Graph.write_batches

    def stop(self: Graph, path: str, *given: Any, **values: Any) -> Any:
        if path == "train/write_vectors":
            raise KeyboardInterrupt
        return write(self, path, *given, **values)

    with monkeypatch.context() as patched:
        patched.setattr(Graph, "write_batches", stop)
        with pytest.raises(KeyboardInterrupt):
            train_predictor(small, SMALL)
    question = network(120).questions[0]
    with pytest.raises(GraphError, match=r"link predictor \w+ is being written, or that was interrupted"):
        Lp().retrieve(small, "why", question)
    with pytest.raises(GraphError, match=r"link predictor \w+ is being written, or that was interrupted"):
        without_procedures(small, Lp(), question)
    monkeypatch.setattr(predictor, "fit", None)  # is not called
    assert train_predictor(small, SMALL).changed
    assert Lp().retrieve(small, "why", question).passages


def test_a_file_carries_a_predictor(small: Graph, tmp_path: Path) -> None:
    file, question = tmp_path / "predictor.npz", network(120).questions[0]
    with pytest.raises(GraphError, match="no link predictor"):
        export_predictor(small, file)
    trained = train_predictor(small, SMALL)
    export_predictor(small, file)
    before = scored(small, question)
    query(small, "MATCH (p:LinkPredictor) DELETE p")
    query(small, "MATCH (a:Atom) REMOVE a.linkVector")
    with pytest.raises(neo4j.exceptions.ClientError, match="the graph has no link predictor"):
        scored(small, question)
    with pytest.raises(GraphError, match="The graph has no link predictor"):
        without_procedures(small, Lp(), question)
    assert import_predictor(small, file).version == trained.version
    assert scored(small, question) == before
    assert train_predictor(small, SMALL).changed  # it may have been trained on another graph
    assert not train_predictor(small, SMALL).changed
    whole, pickled = file.read_bytes(), io.BytesIO()
    np.savez(pickled, meta=np.array([{"form": 1}], object), numbers=np.zeros(3))  # which NumPy pickles
    query(small, "MATCH (c:Corpus) SET c.embeddingModel = 'other'")
    small.recorded = None  # as a connection has it that was opened since
    with pytest.raises(ModelMismatchError, match=r"was trained on vectors of 'synthetic' \(24 dimensions\), but the"):
        import_predictor(small, file)
    for broken in (b"no", b"", whole[:-100], pickle.dumps({"layers": 1}), pickled.getvalue()):
        file.write_bytes(broken)
        with pytest.raises(InputError, match=r"holds no link predictor"):
            import_predictor(small, file)


def test_figures_belong_to_one_predictor_whatever_its_settings(small: Graph) -> None:
    train_predictor(small, SMALL)
    first = graph_state(small).key
    assert graph_state(small).key == first
    train_predictor(small, SMALL, avoid=network(120).questions[:9])
    assert graph_state(small).key != first


def test_what_does_not_fit_is_refused(small: Graph) -> None:
    train_predictor(small, SMALL)
    for question, configuration, problem in (
        ([1.0] * 3, {}, "has 3 numbers, but the link predictor was trained on 24"),
        ([0.0] * 24, {}, "the question's vector has no direction"),
        ([1.0] * 24, {"atom": 3}, "there is no configuration key 'atom'. Did you mean 'atoms'?"),
        ([1.0] * 24, {"selection": "all"}, "selection is 'all', but must be one of top, threshold."),
    ):
        with pytest.raises(neo4j.exceptions.ClientError) as refusal:
            scored(small, question, **configuration)
        assert problem in str(refusal.value)
    with pytest.raises(GraphError, match="has 3 numbers, but the link predictor was trained on 24"):
        without_procedures(small, Lp(), [1.0] * 3)
    query(small, "MATCH (a:Atom {id: '0000'}) REMOVE a.embedding")
    with pytest.raises(neo4j.exceptions.ClientError, match=r"of the atom 0000 has no vector, but .* needs 24 numbers"):
        scored(small, [1.0] * 24)


def test_training_needs_questions_and_joined_atoms(graph: Graph) -> None:
    with pytest.raises(GraphError, match="Run `qcg build atoms` first"):
        train_predictor(graph, SMALL)
    query(graph, "MERGE (:QcgStage:Stage {name: 'atoms', revision: 1, finishedAt: datetime(), settings: '{}'})")
    query(graph, "MATCH (s:Stage {name: 'atoms'}) SET s.basis = '{\"extract\": 0}'")
    with pytest.raises(GraphError, match=r"no questions to learn from\.\nWrite them first: `qcg train questions`"):
        train_predictor(graph, SMALL)


@pytest.fixture(scope="module")
def questions(sample: Graph) -> Questions:
    lines = (SAMPLE / "questions.jsonl").read_text(encoding="utf-8").splitlines()[:12]
    texts = [json.loads(line)["question"] for line in lines]
    return [(text, sample.embed_question(text)) for text in texts]


@pytest.mark.parametrize(
    "chosen", [{"candidates": 0}, {"candidates": 0, "selection": "threshold", "atoms": 100}], ids=["top", "threshold"]
)
def test_the_method_finds_the_twins_atoms(sample: Graph, questions: Questions, chosen: dict[str, Any]) -> None:
    settings = LpSettings(passages=100, context_tokens=10**6, **chosen)
    model, atoms = twin.read_model(sample), twin.read_atoms(sample)
    layers, threshold = twin.encoded(model, atoms), query(sample, "MATCH (p:LinkPredictor) RETURN p.threshold AS t")
    for question, vector in questions[:3]:
        evidence = Lp(settings).retrieve(sample, question, vector)
        scores = {name: twin.score(model, atoms, layers, vector.astype(float), name) for name in atoms.vectors}
        best = sorted(scores, key=lambda name: (-scores[name], name))[: settings.atoms]
        if settings.selection == "threshold":
            best = [name for name in best if scores[name] >= threshold[0]["t"]]
        assert [atom.score for atom in evidence.atoms] == pytest.approx([scores[name] for name in best], abs=1e-4)
        assert len({atom.id for atom in evidence.atoms} & set(best)) >= len(best) - 1
        of = {atom.id: atom for atom in evidence.atoms}
        found = [max(atom.score for atom in of.values() if item.id in atom.chunks) for item in evidence.passages]
        assert [item.score for item in evidence.passages] == found == sorted(found, reverse=True)


def test_the_reasons_are_neighbours_that_raised_the_score(sample: Graph, questions: Questions) -> None:
    joined = 0
    for question, vector in questions:
        for atom in Lp(LpSettings(atoms=10)).retrieve(sample, question, vector).atoms:
            assert [step.relationship for step in atom.paths[0]] == ["HIT"]
            for path in atom.paths[1:]:
                assert [step.relationship for step in path] == ["HIT", "SIMILAR_TO"]
                assert path[1].id == atom.id
                joined += 1
    assert joined > 5


@pytest.mark.parametrize(
    "chosen",
    [{}, {"candidates": 60}, {"selection": "threshold", "atoms": 100}, {"where": "id < '20260601'"}],
    ids=["default", "few", "threshold", "filter"],
)
def test_without_the_plugin_the_evidence_is_the_same(
    sample: Graph, questions: Questions, chosen: dict[str, Any]
) -> None:
    method = Lp(LpSettings(**chosen))
    for _, vector in questions[:6]:
        theirs, ours = method.retrieve(sample, "why", vector), without_procedures(sample, method, vector)
        assert [atom.id for atom in ours.atoms] == [atom.id for atom in theirs.atoms]
        assert [atom.score for atom in ours.atoms] == pytest.approx([atom.score for atom in theirs.atoms], abs=1e-4)
        for one, other in zip(ours.passages, theirs.passages, strict=True):
            assert (one.id, one.document, one.text, one.metadata) == (
                other.id,
                other.document,
                other.text,
                other.metadata,
            )
            assert [[step.id for step in path] for path in one.paths] == [
                [step.id for step in path] for path in other.paths
            ]
        assert ours.notes == (*theirs.notes, SCORED)


def test_as_many_atoms_are_ranked_however_wide_the_index_is_searched(small: Graph) -> None:
    train_predictor(small, SMALL)
    question = network(120).questions[0]
    method = Lp(LpSettings(candidates=30, atoms=100))
    plain = [atom.id for atom in method.retrieve(small, "why", question).atoms]
    query(small, "MATCH (c:QcgCorpus) SET c.widening = 3")
    small.recorded = None
    assert [atom.id for atom in method.retrieve(small, "why", question).atoms] == plain
    assert [atom.id for atom in without_procedures(small, method, question).atoms] == plain
    text = "CALL qcg.retrieve.lp($vector, {candidates: 30, atoms: 100, passages: 100}) YIELD paths RETURN paths"
    rows = query(small, text, vector=np.asarray(question, float).tolist())
    assert {path.nodes[0]["id"] for row in rows for path in row["paths"] if len(path.nodes) == 3} == set(plain)
    assert len(plain) == 30


@pytest.mark.parametrize("chosen", [{}, {"passages": 12, "context_tokens": 900, "candidates": 60}])
def test_the_procedure_finds_what_the_package_finds(
    sample: Graph, questions: Questions, chosen: dict[str, Any]
) -> None:
    text = "CALL qcg.retrieve.lp($given, $keys) YIELD rank, score, chunk, document, paths RETURN *"
    keys = {camel(name): value for name, value in chosen.items()}
    before = sample.rows("inspect/counts")
    for question, vector in questions[:6]:
        expected = Lp(LpSettings(**chosen)).retrieve(sample, question, vector).passages
        given = {"text": question, "vector": vector.astype(float).tolist()}
        rows = query(sample, text, given=given, keys=keys)
        assert [row["chunk"]["id"] for row in rows] == [item.id for item in expected]
        assert [row["score"] for row in rows] == pytest.approx([item.score for item in expected], abs=1e-6)
        for row, item in zip(rows, expected, strict=True):
            ways = [[node["id"] for node in path.nodes] for path in row["paths"]]
            assert ways == [[step.id for step in path] + [item.id, item.document] for path in item.paths]
    assert sample.rows("inspect/counts") == before  # nothing about a question is kept


def test_configurations_are_the_settings(graph: Graph) -> None:
    found = graph.driver.execute_query("CALL qcg.configuration('qcg.retrieve.lp')").records
    keys = {row["key"]: (row["defaultValue"], row["minimum"], row["maximum"]) for row in found}
    assert keys.pop("corpus") == ("default", None, None)  # which the graph knows in Python
    assert keys == {
        camel(one.name): (one.default, one.metadata["minimum"], one.metadata["maximum"])
        for one in fields(LpSettings)
        if one.name != "answer_tokens"
    }
