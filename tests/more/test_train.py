"""Learning which atoms answer a question: batches, splits, what is learned, and that nothing is paid twice."""

from __future__ import annotations

import json
import random
from collections import Counter
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from endpoint import Body, Fail, Manner, Say, endpoint, material
from graph_dump import query
from small_embedder import SmallEmbedder

from qcg_neo4j.core.errors import GraphError, InputError, LanguageModelError
from qcg_neo4j.core.records import content_id
from qcg_neo4j.database import stages
from qcg_neo4j.database.graph import Graph
from qcg_neo4j.database.model import use_model
from qcg_neo4j.database.schema import await_indexes
from qcg_neo4j.indexing.build import build_atoms
from qcg_neo4j.indexing.stage import Payer
from qcg_neo4j.indexing.train import PredictorSettings, QuestionSettings, estimate_questions, write_questions
from qcg_neo4j.indexing.train.examples import Examples
from qcg_neo4j.indexing.train.network import Network, nearest, split
from qcg_neo4j.indexing.train.questions import drawn_batches
from qcg_neo4j.indexing.train.weights import ranking
from qcg_neo4j.models.llm import LanguageModelSettings, LiveModel
from qcg_neo4j.models.replies import Recording, ReplyStore, key_of

RECORDED, QUERIES = QuestionSettings(source="replies"), QuestionSettings(source="queries")
HELD = """
MATCH (q:SyntheticQuery)-[:ANSWERED_BY]->(a:Atom)
RETURN q.text AS text, q.source AS source, collect(a.text) AS atoms ORDER BY text
"""
SUBJECTS = ("gym", "rent", "Wi-Fi", "dinner", "cat")
TEXTS = [f"The {subject} was the matter of note {number}." for subject in SUBJECTS for number in range(6)]


@pytest.fixture
def embedder() -> SmallEmbedder:
    return SmallEmbedder()


@pytest.fixture
def notes(graph: Graph, embedder: SmallEmbedder) -> Graph:
    """Thirty atoms of five subjects, each in a chunk of its subject with two queries, joined."""
    use_model(graph, embedder.name, embedder.dimension)
    vectors = embedder.embed(TEXTS)
    rows = [
        {"id": content_id(text), "text": text, "chunk": text.split()[1], "vector": vector.tolist()}
        for text, vector in zip(TEXTS, vectors, strict=True)
    ]
    query(
        graph,
        """
        UNWIND $rows AS row
        MERGE (chunk:QcgChunk:Chunk {id: row.chunk})
        CREATE (atom:QcgAtom:Atom {id: row.id, text: row.text})-[:FROM_CHUNK]->(chunk)
        WITH * CALL db.create.setNodeVectorProperty(atom, 'embedding', row.vector)
        """,
        rows=rows,
    )
    asked = [f"What of {subject} note {number}?" for subject in SUBJECTS for number in (1, 4)]
    query(
        graph,
        """
        UNWIND $rows AS row
        MATCH (chunk:Chunk {id: row.chunk})
        CREATE (query:QcgQuery:Query {id: row.text, text: row.text})-[:FROM_CHUNK]->(chunk)
        WITH * CALL db.create.setNodeVectorProperty(query, 'embedding', row.vector)
        """,
        rows=[
            {"text": text, "chunk": text.split()[2], "vector": vector.tolist()}
            for text, vector in zip(asked, embedder.embed(asked), strict=True)
        ],
    )
    await_indexes(graph)
    build_atoms(graph)
    embedder.texts.clear()
    return graph


def test_batches_are_drawn_as_the_paper_says(notes: Graph) -> None:
    """By hand: each atom, with as many neighbours as drawn first; the draw of one does not depend on the others."""
    neighbours: dict[str, list[str]] = {content_id(text): [] for text in TEXTS}
    for row in query(notes, "MATCH (a:Atom)-[:SIMILAR_TO]-(b:Atom) RETURN a.id AS a, b.id AS b ORDER BY a, b"):
        neighbours[row["a"]].append(row["b"])
    drawn = {batch.ids for batch in drawn_batches(notes, 7)}
    for atom, others in neighbours.items():
        source = random.Random(content_id("7", atom))  # noqa: S311 - as the code draws
        number = source.randint(0, len(others))
        assert tuple(sorted([atom, *source.sample(others, number)])) in drawn
    assert {batch.ids for batch in drawn_batches(notes, 8)} != drawn
    sizes = Counter(len(batch.ids) for batch in drawn_batches(notes, 7))
    assert len(sizes) > 2
    query(notes, "MATCH (:Chunk {id: 'cat'})<-[:FROM_CHUNK]-(a:Atom) DETACH DELETE a")
    gone = {content_id(text) for text in TEXTS if "cat" in text}
    untouched = [atom for atom, others in neighbours.items() if not gone & {atom, *others}]
    left = {batch.ids for batch in drawn_batches(notes, 7)}
    assert len(untouched) > 10
    for atom in untouched:
        source = random.Random(content_id("7", atom))  # noqa: S311 - as above
        assert tuple(sorted([atom, *source.sample(neighbours[atom], source.randint(0, len(neighbours[atom])))])) in left


def recorded(tmp_path: Path, batches: list[list[str]], *, with_atoms: bool = True) -> Path:
    lines = []
    for number, atoms in enumerate(batches):
        line: dict[str, Any] = {"task": "train/questions", "key": key_of("\n".join(atoms))}
        line |= {"atoms": atoms} if with_atoms else {}
        lines.append(json.dumps({**line, "reply": {"questions": [f"Q{number} one?", f"Q{number} two?"]}}))
    file = tmp_path / "batches.jsonl"
    file.write_text("\n".join(lines), encoding="utf-8")
    return file


def write(graph: Graph, embedder: SmallEmbedder, file: Path) -> Any:
    return write_questions(graph, embedder, RECORDED, Recording([file], "train/questions"), files=[file])


def test_recordings_bring_their_batches(notes: Graph, embedder: SmallEmbedder, tmp_path: Path) -> None:
    file = recorded(tmp_path, [TEXTS[:2], TEXTS[5:6], ["Nobody said this."]])
    report = write(notes, embedder, file)
    assert (report.batches, report.unknown, report.written, report.questions, report.answers) == (2, 1, 4, 4, 6)
    assert [(row["text"], sorted(row["atoms"])) for row in query(notes, HELD)] == [
        ("Q0 one?", TEXTS[:2]),
        ("Q0 two?", TEXTS[:2]),
        ("Q1 one?", TEXTS[5:6]),
        ("Q1 two?", TEXTS[5:6]),
    ]
    before = stages.recorded(notes)["questions"].revision
    again = write(notes, embedder, file)
    assert (again.written, again.unchanged, embedder.texts.total()) == (0, 4, 4)
    assert stages.recorded(notes)["questions"].revision == before
    (tmp_path / "none.jsonl").touch()  # no reply: as of an endpoint that fails
    none = write_questions(notes, embedder, RECORDED, Recording([tmp_path / "none.jsonl"]), files=[file])
    assert (len(none.missing), none.unchanged, none.removed, none.questions) == (2, 4, 0, 4)
    fewer = write(notes, embedder, recorded(tmp_path, [TEXTS[5:6]]))  # its questions are Q0 now
    assert (fewer.written, fewer.removed, fewer.questions) == (2, 4, 2)


def test_a_recording_whose_atoms_do_not_fit_is_refused(notes: Graph, embedder: SmallEmbedder, tmp_path: Path) -> None:
    file = recorded(tmp_path, [TEXTS[:2]])
    file.write_text(file.read_text(encoding="utf-8").replace("note 1", "note 9"), encoding="utf-8")
    with pytest.raises(InputError, match=r"batches.jsonl:1: the atoms do not fit the key \w+\.\nThe key is"):
        write(notes, embedder, file)


def two_questions(_: int, body: Body) -> Manner:
    first = material(body).splitlines()[0]
    return Say(json.dumps({"questions": [f"Who knows of {first}?", f"When was {first}?"]}))


def test_a_model_is_asked_once_and_an_interruption_costs_nothing(
    notes: Graph, embedder: SmallEmbedder, tmp_path: Path
) -> None:
    settings = QuestionSettings()

    def failing(number: int, body: Body) -> Manner:
        return Fail(401) if number > 5 else two_questions(number, body)

    with endpoint(failing) as fake, ReplyStore(tmp_path / "replies.sqlite") as store:
        language_model = LanguageModelSettings(endpoint=fake.url, model="m", concurrency=1)
        count = len(drawn_batches(notes, settings.random_seed))
        with closing(LiveModel(language_model, store, None)) as model:
            payer = Payer(model, store, language_model, lambda text: len(text.split()))
            expected = estimate_questions(notes, settings, payer)
            assert (expected.requests, expected.usage.calls, len(fake.calls)) == (count, count, 0)
            with pytest.raises(LanguageModelError):
                write_questions(notes, embedder, settings, model)
        paid = len(fake.paid)
        assert query(notes, "MATCH (q:SyntheticQuery) RETURN count(q) AS n") == [{"n": 2 * paid}]
        fake.script = two_questions
        with closing(LiveModel(language_model, store, None)) as model:
            report = write_questions(notes, embedder, settings, model)
            assert (report.batches, report.questions, report.usage.calls) == (count, 2 * count, count - paid)
            assert write_questions(notes, embedder, settings, model).usage.calls == 0
        assert len(fake.paid) == count
        assert "Write 2 questions." in fake.paid[0]["messages"][1]["content"]


def test_queries_become_questions_without_a_model(notes: Graph, embedder: SmallEmbedder) -> None:
    """By hand: a query is answered by the atoms of its chunk that are at least as near as their mean."""
    report = write_questions(notes, embedder, QUERIES)
    assert (report.batches, report.questions, embedder.texts.total()) == (5, 10, 0)
    for row in query(notes, HELD):
        atoms = [text for text in TEXTS if text.split()[1] == row["text"].split()[2]]
        cosines = dict(zip(atoms, embedder.embed(atoms) @ embedder.embed([row["text"]])[0], strict=True))
        mean = float(np.mean(list(cosines.values())))
        assert row["source"] == "queries"
        assert set(row["atoms"]) == {text for text, cosine in cosines.items() if cosine >= mean}
    before = stages.recorded(notes)["questions"].revision
    assert write_questions(notes, embedder, QUERIES).questions == 10
    assert stages.recorded(notes)["questions"].revision == before
    query(notes, "MATCH (q:Query) WHERE q.id STARTS WITH 'What of cat' DETACH DELETE q")
    assert write_questions(notes, embedder, QUERIES).removed == 2


def test_what_is_missing_is_named(graph: Graph, embedder: SmallEmbedder, tmp_path: Path) -> None:
    use_model(graph, embedder.name, embedder.dimension)
    for settings in (RECORDED, QUERIES):
        with pytest.raises(GraphError, match=r"Make them first: `qcg (extract|generate)`"):
            write_questions(graph, embedder, settings, Recording([recorded(tmp_path, [])]))
    query(graph, "CREATE (:QcgAtom:Atom {id: 'a', text: 'A.'})")
    with pytest.raises(GraphError, match=r"graph of the atoms is not up to date \(has not run\)\.\nRun `qcg build at"):
        write_questions(graph, embedder, RECORDED, Recording([recorded(tmp_path, [])]))


def network(number: int = 240, seed: int = 0) -> Network:
    """Atoms in clusters of eight, and for each two questions that lie near to it."""
    source = np.random.default_rng(seed)
    vectors = np.repeat(source.normal(size=(number // 8, 24)), 8, axis=0) + source.normal(size=(number, 24))
    asked = np.repeat(vectors, 2, axis=0) + 2 * source.normal(size=(2 * number, 24))
    vectors, asked = (
        (rows / np.linalg.norm(rows, axis=1, keepdims=True)).astype(np.float32) for rows in (vectors, asked)
    )
    near = [set(row[1:].tolist()) for row in nearest(vectors, vectors, 6)[0]]
    pairs = [(one, other) for one in range(number) for other in sorted(near[one]) if one < other and one in near[other]]
    joined = np.array(pairs, np.int64)
    return Network(
        tuple(f"{place:04}" for place in range(number)),
        vectors,
        joined,
        (vectors[joined[:, 0]] * vectors[joined[:, 1]]).sum(axis=1),
        asked,
        np.repeat(np.arange(number), 2),
        np.stack([np.arange(2 * number), np.repeat(np.arange(number), 2)], axis=1),
    )


def test_the_split_parts_batches_and_drops_paraphrases() -> None:
    made = network()
    whole = split(made, 0.1, 1.0, 0)
    parts = [set(made.batches[part].tolist()) for part in (whole.training, whole.validation, whole.held_out)]
    assert [len(part) for part in parts] == [192, 24, 24]
    assert len(set.union(*parts)) == 240
    avoid = made.questions[whole.training[:3]]
    cut = split(made, 0.1, 0.6, 0, avoid)
    held = np.concatenate([cut.validation, cut.held_out])
    cosines = made.questions[whole.training] @ made.questions[held].T
    alike = cosines.max(axis=1) >= 0.6
    avoided = ((made.questions[whole.training] @ avoid.T).max(axis=1) >= 0.6) & ~alike
    assert (cut.paraphrases, cut.avoided) == (alike.sum(), avoided.sum())
    assert cut.paraphrases > 0
    assert cut.avoided >= 3 - alike[:3].sum()
    assert cut.training.tolist() == whole.training[~(alike | avoided)].tolist()
    with pytest.raises(InputError, match="too few to hold 10% out twice"):
        split(replace(made, batches=np.zeros(480, np.int64)), 0.1, 0.85, 0)


def test_near_wrong_atoms_are_near_and_wrong() -> None:
    made, settings = network(), PredictorSettings(hard_negatives=5, hard_pool=10, random_negatives=4)
    training = split(made, 0.1, 1.0, 0).training
    step = next(iter(Examples(made, training, settings).steps(32)))
    assert step.entries.shape == (32, 1 + 5 + 4)
    for questions, entries, right, real in zip(step.questions, step.entries, step.right, step.real, strict=True):
        order = np.argsort(-(made.vectors @ questions))
        wrong = [atom for atom in order if atom not in entries[right]]
        assert set(entries[1:6]) <= set(wrong[:10])
        assert right.tolist() == [True] + [False] * 9
        assert all(real[entry_place] == (entries[entry_place] != entries[0]) for entry_place in range(1, 10))


def test_ranks_by_hand() -> None:
    made = network()
    candidates = np.array([[0, 1, 2], [5, 0, 7], [4, 5, 6]])
    found = ranking(made, np.array([0, 1, 2]), candidates, np.array([[1, 3, 2], [0, 1, 2], [1, 1, 1]], np.float32))
    assert found.mrr == pytest.approx((1 / 3 + 1 / 2 + 0) / 3)
    assert found.hits == {"1": 0.0, "5": pytest.approx(2 / 3), "10": pytest.approx(2 / 3)}
