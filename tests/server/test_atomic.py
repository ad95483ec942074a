"""AtomicRAG against its twin in plain Python, both ways of propagation, its parts with a scripted model, its errors."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import fields, replace
from pathlib import Path
from typing import Any

import neo4j
import numpy as np
import pytest
import reference_atomic as twin
from conftest import SAMPLE, TestServer, emptied
from endpoint import Body, Manner, Say, endpoint
from graph_dump import query
from numpy.typing import NDArray

from qcg_neo4j.core.errors import GraphError, MissingReplyError, SettingsError
from qcg_neo4j.database.connection import Call
from qcg_neo4j.database.conversion import camel
from qcg_neo4j.database.graph import Graph
from qcg_neo4j.database.model import use_model
from qcg_neo4j.database.projection import provide_projection
from qcg_neo4j.database.schema import await_indexes
from qcg_neo4j.indexing.extract.readers import SpacySource
from qcg_neo4j.models.llm import LanguageModelSettings, LiveModel
from qcg_neo4j.models.replies import Recording, ReplyStore
from qcg_neo4j.retrieval import Atomic, AtomicSettings
from qcg_neo4j.retrieval.atomic import EVIDENCE, FAR, WALKED
from qcg_neo4j.retrieval.atomic_question import names_in, question_parts
from qcg_neo4j.retrieval.catalogue import preset_settings

Questions = list[tuple[str, NDArray[np.float32]]]
QUESTION = "Which gym did Wolfgang recommend to Li Hua?"
EXACT: dict[str, Any] = {"candidate_factor": 100, "tolerance": 1e-13, "context_tokens": 10**6}
OF_A_MODEL = {"analysis", "complexity", "sub_questions", "chain_atom_weight", "chain_damping", "sieve", "spacy_model"}


@pytest.fixture(scope="module")
def aeg(sample: Graph) -> twin.Aeg:
    return twin.read_aeg(sample)


@pytest.fixture(scope="module")
def questions(sample: Graph) -> Questions:
    lines = (SAMPLE / "questions.jsonl").read_text(encoding="utf-8").splitlines()[:40]
    texts = [json.loads(line)["question"] for line in lines]
    return [(text, sample.embed_question(text)) for text in texts]


def same(found: list[tuple[str, float]], expected: list[tuple[str, float]]) -> None:
    """Equal scores in the same order; nodes of equal scores may stand for each other."""
    assert [score for _, score in found] == pytest.approx([score for _, score in expected], abs=1e-6)
    scores = dict(expected)
    assert sum(name in scores for name, _ in found) >= len(found) - 1
    for name, score in found:
        assert scores.get(name, score) == pytest.approx(score, abs=1e-6)


@pytest.mark.parametrize("propagation", ["push", "gds"])
@pytest.mark.parametrize(
    "chosen",
    [
        {},
        {"atom_weight": 1.0, "damping": 0.5},
        {"atom_seeds": 50, "entity_floor": 0.9},
        {"atom_weight": 0.0, "entity_seeds": 10, "synonyms": False, "damping": 0.7},
    ],
    ids=["paper", "near atoms", "best atoms", "entities alone"],
)
@pytest.mark.rest("gds", "entities alone", "near atoms")
def test_atoms_and_chunks_are_the_twins(
    sample: Graph, aeg: twin.Aeg, questions: Questions, chosen: dict[str, Any], propagation: str
) -> None:
    settings = AtomicSettings(propagation=propagation, passages=1000, **chosen, **EXACT)
    edges = aeg.edges(synonyms=settings.synonyms)
    with_names = 0
    for question, vector in questions if propagation == "push" else questions[:10]:
        evidence = Atomic(settings).retrieve(sample, question, vector)
        names = [aeg.entities[name] for name in twin.named(aeg, question)]
        with_names += bool(names)
        expected = twin.best_atoms(aeg, edges, vector.astype(np.float64), names, settings)
        same([(atom.id, atom.score) for atom in evidence.atoms], expected)
        found = [(atom.id, atom.score) for atom in evidence.atoms]
        same([(item.id, item.score) for item in evidence.passages], twin.ranked_chunks(aeg, found))
    assert with_names > 5


@pytest.mark.rest
def test_sub_questions_are_asked_and_merged(
    sample: Graph, aeg: twin.Aeg, questions: Questions, monkeypatch: pytest.MonkeyPatch
) -> None:
    calls: list[str] = []
    rows = Graph.rows

    def counted(self: Graph, call: Call | str, **values: Any) -> Any:
        calls.append(call.path if isinstance(call, Call) else call)
        return rows(self, call, **values)

    monkeypatch.setattr(Graph, "rows", counted)
    sample.need_procedures()  # asked once for a connection
    recording = Recording([SAMPLE / "analyses.jsonl"], "analyse/question")
    settings = AtomicSettings(analysis="model", complexity=3.0, **EXACT)
    edges, parted = aeg.edges(), 0
    for question, vector in questions[:20]:
        asked = question_parts(sample, question, vector, settings, recording)
        parted += len(asked) > 1
        each = [
            twin.best_atoms(
                aeg,
                edges,
                np.asarray(one.vector, np.float64),
                [name.astype(float) for name in one.names or ()],
                settings,
            )
            for one in asked
        ]
        calls.clear()
        evidence = Atomic(settings, recording).retrieve(sample, question, vector)
        assert calls == [EVIDENCE] * len(asked)  # a round trip for each
        same([(atom.id, atom.score) for atom in evidence.atoms], twin.merged(each, settings.atoms))
        assert [note for note in evidence.notes if "asked as well" in note] == [
            f"asked as well: {one.question}" for one in asked[1:]
        ]
        alone = replace(settings, sub_questions=0)
        assert len(question_parts(sample, question, vector, alone, recording)) == 1
    assert parted > 2


def test_a_chain_may_have_its_own_constants(sample: Graph, questions: Questions) -> None:
    recording = Recording([SAMPLE / "analyses.jsonl"], "analyse/question")
    question, vector = questions[0]
    plain = AtomicSettings(analysis="model", sub_questions=0, complexity=10.0)
    chains = replace(plain, chain_atom_weight=1.0, chain_damping=0.6)
    own = replace(plain, atom_weight=1.0, damping=0.6)

    def found(settings: AtomicSettings) -> list[str]:
        return [atom.id for atom in Atomic(settings, recording).retrieve(sample, question, vector).atoms]

    assert found(chains) == found(plain) != found(own)
    assert found(replace(chains, complexity=0.0)) == found(own)


def test_the_reasons_lead_from_seeds_to_the_atom(sample: Graph, questions: Questions) -> None:
    kinds = set()
    for question, vector in questions[:10]:
        evidence = Atomic(AtomicSettings(atom_seeds=30, entity_seeds=1)).retrieve(sample, question, vector)
        assert any("only the 30 nearest atoms are seeds" in note for note in evidence.notes)
        for atom in evidence.atoms:
            assert atom.paths
            for path in atom.paths:
                kinds.add(tuple(step.relationship for step in path))
                assert (path[0].relationship, path[-1].id, path[-1].label) == ("HIT", atom.id, "Atom")
                assert path[0].similarity is not None
    assert ("HIT",) in kinds
    assert ("HIT", "MENTIONS") in kinds
    assert kinds & {("HIT", "RELATED_TO", "MENTIONS"), ("HIT", "SYNONYM_OF", "MENTIONS")}


@pytest.mark.parametrize(
    "chosen", [{}, {"passages": 12, "context_tokens": 900, "atom_weight": 1.0}], ids=["default", "cut"]
)
def test_the_procedure_finds_what_the_package_finds(
    sample: Graph, questions: Questions, chosen: dict[str, Any]
) -> None:
    text = "CALL qcg.retrieve.atomic($given, $keys) YIELD rank, score, chunk, document, paths RETURN *"
    keys = {camel(name): value for name, value in chosen.items()}
    for question, vector in questions[:6]:
        expected = Atomic(AtomicSettings(**chosen)).retrieve(sample, question, vector).passages
        given = {"text": question, "vector": vector.astype(float).tolist()}
        rows = sample.driver.execute_query(text, given=given, keys=keys).records
        assert [row["chunk"]["id"] for row in rows] == [item.id for item in expected]
        assert [row["score"] for row in rows] == pytest.approx([item.score for item in expected], abs=1e-6)
        for row, item in zip(rows, expected, strict=True):
            ways = [[node["id"] for node in path.nodes] for path in row["paths"]]
            assert ways == [[step.id for step in path] + [item.id, item.document] for path in item.paths]


@pytest.mark.parametrize(
    "chosen",
    [{}, {"atom_weight": 0.01, "damping": 0.5}, {"atom_seeds": 50, "synonyms": False}, {"where": "id < '20260601'"}],
    ids=["paper", "chains", "best atoms", "filter"],
)
@pytest.mark.rest
def test_without_the_plugin_rounds_of_cypher_find_the_same_atoms(
    sample: Graph, questions: Questions, chosen: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    settings, shares = AtomicSettings(passages=1000, **{**EXACT, **chosen}), []
    for question, vector in questions[:15]:
        theirs = Atomic(settings).retrieve(sample, question, vector)
        with monkeypatch.context() as patched:
            patched.setattr(sample, "_procedures", False)
            ours = Atomic(settings).retrieve(sample, question, vector)
        expected, found = ({atom.id: atom for atom in one.atoms} for one in (theirs, ours))
        shares.append(len(expected.keys() & found.keys()) / len(expected))
        for name in expected.keys() & found.keys():
            assert found[name].score == pytest.approx(expected[name].score, rel=0.05)
            assert replace(found[name], score=0) == replace(expected[name], score=0)
        assert ours.notes == (*theirs.notes, WALKED)
    assert np.mean(shares) >= 0.99


@pytest.mark.rest
def test_without_the_plugin_names_of_the_analysis_are_sought(
    sample: Graph, questions: Questions, monkeypatch: pytest.MonkeyPatch
) -> None:
    recording = Recording([SAMPLE / "analyses.jsonl"], "analyse/question")
    settings = AtomicSettings(analysis="model", complexity=7.2, chain_damping=0.6, **EXACT)
    notes: set[str] = set()
    for question, vector in questions[:10]:
        theirs = Atomic(settings, recording).retrieve(sample, question, vector)
        with monkeypatch.context() as patched:
            patched.setattr(sample, "_procedures", False)
            ours = Atomic(settings, recording).retrieve(sample, question, vector)
        names = {atom.id for atom in theirs.atoms}
        assert len(names & {atom.id for atom in ours.atoms}) >= len(names) - 1
        notes |= {*ours.notes} - {*theirs.notes}
    assert notes == {WALKED}


def test_configurations_are_the_settings(graph: Graph) -> None:
    found = graph.driver.execute_query("CALL qcg.configuration('qcg.retrieve.atomic')").records
    keys = {row["key"]: (row["defaultValue"], row["minimum"], row["maximum"]) for row in found}
    assert keys.pop("corpus") == ("default", None, None)  # which the graph knows in Python
    assert keys == {
        camel(one.name): (one.default, one.metadata["minimum"], one.metadata["maximum"])
        for one in fields(AtomicSettings)
        if one.name not in (*OF_A_MODEL, "answer_tokens")
    }


TINY = """
CREATE (d:QcgDocument:Document {id: 'd', title: 'D'}),
  (c1:QcgChunk:Chunk {id: 'c1', index: 0, text: 'one', tokenCount: 1}),
  (c2:QcgChunk:Chunk {id: 'c2', index: 1, text: 'two', tokenCount: 1}),
  (c1)-[:FROM_DOCUMENT]->(d), (c2)-[:FROM_DOCUMENT]->(d),
  (ann:QcgEntity:Entity {id: 'ann', name: 'Ann Lee'}), (bob:QcgEntity:Entity {id: 'bob', name: 'C++ (\\\\E)'}),
  (cy:QcgEntity:Entity {id: 'cy', name: '李华'}), (a1:QcgAtom:Atom {id: 'a1', text: 'Ann met Bob.'}),
  (a2:QcgAtom:Atom {id: 'a2', text: 'Cy slept.'}), (a3:QcgAtom:Atom {id: 'a3', text: 'Rain.'}),
  (a1)-[:FROM_CHUNK]->(c1), (a1)-[:FROM_CHUNK]->(c2), (a2)-[:FROM_CHUNK]->(c2), (a3)-[:FROM_CHUNK]->(c2),
  (a1)-[:MENTIONS {chunkId: 'c1'}]->(ann), (a1)-[:MENTIONS {chunkId: 'c2'}]->(ann), (a1)-[:MENTIONS]->(bob),
  (a2)-[:MENTIONS]->(cy), (ann)-[:RELATED_TO {id: '1'}]->(bob), (bob)-[:RELATED_TO {id: '2'}]->(ann),
  (ann)-[:RELATED_TO {id: '3'}]->(cy), (ann)-[:RELATED_TO {id: '4'}]->(ann), (ann)-[:SYNONYM_OF {score: 0.9}]->(bob)
"""
VECTORS = {
    "ann": (1, 0, 0, 0),
    "bob": (0, 1, 0, 0),
    "cy": (0, 0, 1, 0),
    "a1": (0.6, 0.8, 0, 0),
    "a2": (0, 0, 1, 0),
    "a3": (0, 0, 0, 1),
}
PROJECTED = """
CALL gds.graph.relationshipProperty.stream($name, 'weight')
  YIELD sourceNodeId, targetNodeId, relationshipType, propertyValue
RETURN gds.util.asNode(sourceNodeId).id AS source, gds.util.asNode(targetNodeId).id AS target, relationshipType AS type,
       propertyValue AS weight
"""


SET_VECTOR = """
UNWIND $rows AS row MATCH (node:Atom|Entity {id: row[0]})
CALL db.create.setNodeVectorProperty(node, 'embedding', row[1])
"""


def with_tiny(graph: Graph) -> Graph:
    """Six nodes whose edges add up to what is easily said."""
    use_model(graph, "tiny", 4)
    graph.driver.execute_query(TINY)
    graph.driver.execute_query("CREATE (:QcgStage:Stage {name: 'extract', revision: 1, finishedAt: datetime()})")
    graph.driver.execute_query(SET_VECTOR, rows=[[name, list(map(float, values))] for name, values in VECTORS.items()])
    await_indexes(graph)
    return graph


@pytest.fixture
def tiny(graph: Graph) -> Graph:
    return with_tiny(graph)


def ask(graph: Graph, question: str = "no name", vector: Any = (1, 0, 0, 0), **chosen: Any) -> Any:
    return Atomic(AtomicSettings(**{**EXACT, **chosen})).retrieve(graph, question, np.array(vector, dtype=np.float32))


def test_the_projection_sums_up_as_the_specification_says(tiny: Graph) -> None:
    """By hand: a mention counts once however many chunks state it, triples both ways add up, loops are gone."""
    name = provide_projection(tiny)
    edges = {(row["source"], row["target"], row["type"]): row["weight"] for row in query(tiny, PROJECTED, name=name)}
    half = {
        ("a1", "ann", "MENTIONS"): 1.0,
        ("a1", "bob", "MENTIONS"): 1.0,
        ("a2", "cy", "MENTIONS"): 1.0,
        ("ann", "bob", "RELATED_TO"): 2.0,
        ("ann", "cy", "RELATED_TO"): 1.0,
        ("ann", "bob", "SYNONYM_OF"): 0.9,
    }
    assert edges == pytest.approx({**half, **{(b, a, kind): weight for (a, b, kind), weight in half.items()}})
    plain = provide_projection(tiny, synonyms=False)
    assert {row["type"] for row in query(tiny, PROJECTED, name=plain)} == {"MENTIONS", "RELATED_TO"}
    nodes = query(tiny, "CALL gds.graph.list($name) YIELD nodeCount RETURN nodeCount", name=name)
    assert nodes == [{"nodeCount": 6}]  # a3 too, which nothing joins


def test_the_tiny_graph_by_hand(tiny: Graph) -> None:
    aeg = twin.read_aeg(tiny)
    assert aeg.edges()["ann"] == pytest.approx({"a1": 1.0, "bob": 2.9, "cy": 1.0})
    for propagation in ("push", "gds"):
        # The question is Ann's name: seeds are Ann (1.0), and a1 (λ · 1, the nearest atom).
        found = ask(tiny, "Who is ANN LEE?", atom_weight=0.5, entity_seeds=1, propagation=propagation)
        exact = twin.page_rank(aeg.edges(), {"ann": 1 / 1.5, "a1": 0.5 / 1.5}, 0.3)
        assert {atom.id: atom.score for atom in found.atoms} == pytest.approx(
            {"a1": exact["a1"], "a2": exact["a2"]}, abs=1e-6
        )
        assert [atom.chunks for atom in found.atoms] == [("c1", "c2"), ("c2",)]
        # c2 states both atoms: equal best atom, larger sum.
        assert [passage.id for passage in found.passages] == ["c2", "c1"]
        first, second = found.atoms
        assert [[step.id for step in path] for path in first.paths] == [["ann", "a1"], ["a1"]]
        assert [[(step.id, step.relationship, step.weight) for step in path] for path in second.paths] == [
            [("ann", "HIT", None), ("cy", "RELATED_TO", 1.0), ("a2", "MENTIONS", 1.0)]
        ]


@pytest.mark.parametrize(
    ("question", "seeds"),
    [
        ("Did ann lee meet?", {"ann"}),
        ("Did JoAnn Leery meet?", set()),
        ("Is C++ (\\E) good?", set()),  # no name that ends a quotation of a pattern is looked for
        ("Where is 李华住?", {"cy"}),
        ("+ - && || ! ( ) { } [ ] ^ ~ * ? : \\ / \" ' Ann Lee $0 AND OR NOT", {"ann"}),
    ],
)
def test_names_are_found_as_whole_words(tiny: Graph, question: str, seeds: set[str]) -> None:
    found = ask(tiny, question, atom_weight=0.0, entity_floor=0.9)
    assert {path[0].id for atom in found.atoms for path in atom.paths} == seeds
    assert (FAR in found.notes) == (not seeds)


@pytest.mark.rest
def test_of_many_atoms_the_nearest_hundred_are_seeds(tiny: Graph) -> None:
    assert not any("seeds" in note for note in ask(tiny).notes)
    query(
        tiny,
        "MATCH (chunk:QcgChunk {id: 'c1'}) UNWIND range(1, 50000) AS n WITH chunk, n, pi() * n / 50001 AS angle "
        "CREATE (:QcgAtom:Atom {id: 'many' + n, text: 'many', embedding: [cos(angle), sin(angle), 0.0, 0.0]})"
        "-[:FROM_CHUNK]->(chunk)",
    )
    await_indexes(tiny)
    for propagation in ("push", "rounds"):
        by_itself, chosen = (ask(tiny, propagation=propagation, atom_seeds=number) for number in (0, 100))
        assert "only the 100 nearest atoms are seeds" in by_itself.notes
        assert [(atom.id, atom.score) for atom in by_itself.atoms] == [(atom.id, atom.score) for atom in chosen.atoms]
    call = "CALL qcg.evidence.atomic([1.0, 0.0, 0.0, 0.0], [], $keys) YIELD atoms RETURN atoms"
    by_itself, chosen = (query(tiny, call, keys=keys)[0]["atoms"] for keys in ({}, {"atomSeeds": 100}))
    assert [atom["score"] for atom in by_itself] == [atom["score"] for atom in chosen]


def test_without_seeds_there_is_nothing_but_a_note(tiny: Graph) -> None:
    for propagation in ("push", "gds"):
        assert ask(tiny, atom_weight=0.0, propagation=propagation).atoms == ()


def test_an_empty_graph_says_what_to_do(graph: Graph) -> None:
    use_model(graph, "tiny", 4)
    for propagation in ("push", "gds"):
        assert ask(graph, propagation=propagation).notes[1:] == (
            "the graph holds no documents; load some with `qcg load`",
        )
    query(graph, "CREATE (:QcgChunk:Chunk {id: 'c'})")
    assert ask(graph).notes[1:] == ("the graph holds no atoms; make them with `qcg extract`, then `qcg build`",)


def test_the_first_note_says_which_steps_of_the_paper_are_left_out(tiny: Graph) -> None:
    without = "atomic without the paper's {}, which a language model makes (preset paper)"
    assert ask(tiny).notes[0] == without.format("analysis of the question and sieve")
    recorded = Atomic(
        AtomicSettings(**EXACT, analysis="model"), Recording([SAMPLE / "analyses.jsonl"], "analyse/question")
    )
    assert recorded.left_out == (without.format("sieve"),)
    assert preset_settings("atomic", "paper") == {"analysis": "model", "sieve": "model"}


def test_missing_synonyms_are_told(tiny: Graph) -> None:
    note = "the graph has no synonyms yet; `qcg build synonyms` makes them"
    assert note in ask(tiny).notes
    assert note not in ask(tiny, synonyms=False).notes
    query(tiny, "MERGE (:QcgStage:Stage {name: 'synonyms', revision: 1})")
    assert note not in ask(tiny).notes


def test_a_projection_is_made_once_for_each_state(tiny: Graph, monkeypatch: pytest.MonkeyPatch) -> None:
    made: list[str] = []
    run = Graph.run

    def counting(self: Graph, path: str, **values: Any) -> Any:
        made.extend([path] if path.endswith("build/project") else [])
        return run(self, path, **values)

    monkeypatch.setattr(Graph, "run", counting)
    listed = "CALL gds.graph.list() YIELD graphName WHERE graphName STARTS WITH 'qcg_atoms:' RETURN graphName"
    ask(tiny, propagation="gds", synonyms=False)
    before = ask(tiny, propagation="gds")
    assert (len(query(tiny, listed)), len(made)) == (2, 2)
    made.pop()
    assert [ask(tiny, propagation="gds").atoms, len(made)] == [before.atoms, 1]
    query(tiny, "MERGE (s:QcgStage:Stage {name: 'extract'}) SET s.revision = 5")  # stale
    query(tiny, "MATCH (:Entity {id: 'ann'})-[r:RELATED_TO]->(:Entity {id: 'cy'}) DELETE r")
    after = ask(tiny, propagation="gds")
    assert len(made) == 2
    assert after.atoms != before.atoms
    assert len(query(tiny, listed)) == 1  # those of the earlier state are forgotten
    query(tiny, "CALL gds.graph.drop($name)", name=query(tiny, listed)[0]["graphName"])  # as after a restart
    assert ask(tiny, propagation="gds").atoms == after.atoms
    assert len(made) == 3


def test_negative_weights_are_refused(tiny: Graph) -> None:
    query(tiny, "MATCH ()-[s:SYNONYM_OF]->() SET s.score = -0.5")
    with pytest.raises(GraphError, match=r"the score of a relationship SYNONYM_OF is -0\.5, but must be"):
        ask(tiny, "Ann Lee")
    query(tiny, "MATCH ()-[s:SYNONYM_OF]->() REMOVE s.score")
    with pytest.raises(GraphError, match="the score of a relationship SYNONYM_OF is missing"):
        ask(tiny, "Ann Lee")


def test_the_older_line_pushes_and_says_that_its_gds_cannot(server_5_26: TestServer) -> None:
    with Graph.connect(server_5_26.uri, server_5_26.user, server_5_26.password) as graph:
        with_tiny(emptied(graph))
        assert ask(graph, "Ann Lee").atoms
        with pytest.raises(GraphError, match=r"takes no weighted sources"):
            ask(graph, "Ann Lee", propagation="gds")


@pytest.fixture
def asked(tmp_path: Path) -> Callable[[str], LiveModel]:
    def make(url: str) -> LiveModel:
        store = ReplyStore(tmp_path / "replies.sqlite")
        return LiveModel(LanguageModelSettings(endpoint=url, model="a-model", retries=0), store, "sk-key")

    return make


def test_the_sieve_keeps_what_the_model_names(sample: Graph, asked: Callable[[str], LiveModel]) -> None:
    prompts: list[str] = []

    def script(_: int, body: Body) -> Manner:
        prompts.append(body["messages"][1]["content"])
        return Say('{"keep": [3, 1, 99, 0]}')

    plain = Atomic().retrieve(sample, QUESTION)
    with endpoint(script) as fake:
        evidence = Atomic(AtomicSettings(sieve="model"), asked(fake.url)).retrieve(sample, QUESTION)
    assert [atom.id for atom in evidence.atoms] == [plain.atoms[0].id, plain.atoms[2].id]
    assert {passage.id for passage in evidence.passages} == {
        chunk for place in (0, 2) for chunk in plain.atoms[place].chunks
    }
    assert QUESTION in prompts[0]
    assert f"[25] {plain.atoms[24].text}" in prompts[0]
    assert evidence.citable == evidence.atoms


def test_a_sieve_may_keep_nothing(sample: Graph, asked: Callable[[str], LiveModel]) -> None:
    with endpoint(lambda _, __: Say('{"keep": []}')) as fake:
        evidence = Atomic(AtomicSettings(sieve="model"), asked(fake.url)).retrieve(sample, QUESTION)
    assert (evidence.atoms, evidence.passages) == ((), ())


def test_without_a_model_the_error_says_so(sample: Graph) -> None:
    for settings in (AtomicSettings(analysis="model"), AtomicSettings(sieve="model")):
        with pytest.raises(SettingsError, match="require a language model"):
            Atomic(settings).retrieve(sample, QUESTION)


def test_a_question_without_analysis_is_told(sample: Graph) -> None:
    recording = Recording([SAMPLE / "analyses.jsonl"], "analyse/question")
    with pytest.raises(MissingReplyError, match="analyse/question"):
        Atomic(AtomicSettings(analysis="model"), recording).retrieve(sample, "Nobody has asked this before?")


@pytest.mark.rest
def test_spacy_finds_names_and_noun_phrases(sample: Graph) -> None:
    evidence = Atomic(AtomicSettings(analysis="spacy", atom_weight=0.0)).retrieve(sample, QUESTION)
    found = SpacySource("en_core_web_sm").names("Which key does the building manager give to Li Hua?")
    assert found == ["key", "building manager", "Li Hua"]
    assert {path[0].label for atom in evidence.atoms for path in atom.paths} == {"Entity"}


def test_parts_seed_with_the_names_that_they_hold() -> None:
    names = ["Ann Lee", "Hull"]
    assert names_in("Where did ann lee go?", names) == ["Ann Lee"]
    assert names_in("Where did she go?", names) == names


def test_settings_out_of_range_are_refused(sample: Graph) -> None:
    with pytest.raises(SettingsError, match=r"damping is 1\.0, but must be 0\.0 to 0\.99"):
        AtomicSettings(damping=1.0)
    with pytest.raises(SettingsError, match="propagation is 'walk', but must be one of push, rounds, gds"):
        AtomicSettings(propagation="walk")
    with pytest.raises(neo4j.exceptions.ClientError, match="no configuration key 'lambda'"):
        sample.driver.execute_query("CALL qcg.retrieve.atomic('why', {lambda: 1})")
