"""The methods on the sample, each against its twin in plain Python."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Any

import neo4j
import numpy as np
import pytest
import reference
from conftest import SAMPLE
from graph_dump import query
from numpy.typing import NDArray
from small_embedder import SmallEmbedder

from qcg_neo4j.core.days import days_in
from qcg_neo4j.core.errors import GraphError, InputError, ModelMismatchError, SettingsError
from qcg_neo4j.core.records import Evidence, Passage
from qcg_neo4j.database.conversion import to_cypher
from qcg_neo4j.database.embedder import find_database_embedder
from qcg_neo4j.database.graph import Graph
from qcg_neo4j.database.model import check_model, use_model
from qcg_neo4j.database.schema import await_indexes
from qcg_neo4j.database.statements import statement
from qcg_neo4j.indexing.load import load_documents, read_documents
from qcg_neo4j.models.embedding.embedder import EmbeddingSettings
from qcg_neo4j.retrieval import (
    METHODS,
    D2q,
    D2qFiltered,
    Fulltext,
    Hybrid,
    HybridSettings,
    Layers,
    LayersSettings,
    Method,
    Qcg,
    QcgSettings,
    RetrieveSettings,
    VectorBaseline,
    VectorSettings,
    method,
)

Questions = list[tuple[str, NDArray[np.float32]]]
UNCAPPED = 1_000_000
DEEP: dict[str, Any] = {"passages": 75, "context_tokens": UNCAPPED}  # every chunk of the sample
EXACT = 1e-4
RECALL_FLOOR = 0.99  # of what the approximate vector index must find, against exact search


@pytest.fixture(scope="module")
def whole(sample: Graph) -> reference.Whole:
    return reference.read_whole(sample)


@pytest.fixture(scope="module")
def questions(sample: Graph) -> Questions:
    lines = (SAMPLE / "questions.jsonl").read_text(encoding="utf-8").splitlines()[::8]
    texts = [json.loads(line)["question"] for line in lines]
    return [(text, sample.embed_question(text)) for text in texts]


def assert_same(evidence: Evidence, expected: reference.Ranking) -> None:
    """Same scores place by place, and the same chunk wherever no other one has its score."""
    scores = [score for _, score in expected]
    assert [passage.score for passage in evidence.passages] == pytest.approx(scores, abs=EXACT)
    for passage, (chunk, score) in zip(evidence.passages, expected, strict=True):
        if sum(abs(score - other) < EXACT for other in scores) == 1:
            assert passage.id == chunk


def recall(found: Sequence[Passage], expected: Sequence[str]) -> float:
    return len({passage.id for passage in found} & set(expected)) / len(expected)


@pytest.mark.parametrize(
    "chosen",
    [
        {},
        {"hops": 0},
        {"hops": 2, "neighbours": 5},
        {"hops": 4, "neighbours": 2},
        {"neighbours": 2, "queries": 10, "minimum_score": 1.5},
        {"aggregation": "max"},
        {"aggregation": "sum", "hops": 0, "queries": 40},
        {"minimum_score": 1.99},
    ],
)
@pytest.mark.rest("chosen3", "chosen4", "chosen5", "chosen6", "chosen7")
def test_qcg_is_the_paper(
    sample: Graph, whole: reference.Whole, questions: Questions, chosen: Mapping[str, Any]
) -> None:
    settings = QcgSettings(**DEEP, **chosen)
    for text, vector in questions:
        evidence = Qcg(settings).retrieve(sample, text, vector)
        assert_same(evidence, reference.qcg(whole, vector.astype(np.float64), settings))


@pytest.mark.parametrize("name", ["kg-cqr", "lp", "vector"])
def test_a_vector_counts_by_its_direction(sample: Graph, questions: Questions, name: str) -> None:
    text, vector = questions[0]
    longer = method(name).retrieve(sample, text, 40 * vector)
    expected = method(name).retrieve(sample, text, vector)
    assert [one.id for one in longer.passages] == [one.id for one in expected.passages]
    assert [one.score for one in longer.passages] == pytest.approx([one.score for one in expected.passages], abs=EXACT)
    with pytest.raises(InputError, match="has no direction"):
        method(name).retrieve(sample, text, 0 * vector)


def test_vector_is_the_best_window(sample: Graph, whole: reference.Whole, questions: Questions) -> None:
    searching = VectorBaseline(VectorSettings(passages=10, candidate_factor=8, context_tokens=UNCAPPED))
    recalls = []
    for text, vector in questions:
        scores = reference.window_scores(whole, vector.astype(np.float64))
        found = searching.retrieve(sample, text, vector).passages
        assert [passage.score for passage in found] == pytest.approx([scores[item.id] for item in found], abs=EXACT)
        recalls.append(recall(found, sorted(scores, key=lambda chunk: -scores[chunk])[:10]))
    assert np.mean(recalls) >= RECALL_FLOOR


def test_a_chunk_of_many_windows_leaves_room_for_others(graph: Graph) -> None:
    use_model(graph, "small", 2)
    query(
        graph,
        """
        UNWIND range(0, 5) AS place
        CREATE (chunk:QcgChunk:Chunk {id: 'c' + place, index: place, text: 'A text.', tokenCount: 3})
        CREATE (chunk)-[:FROM_DOCUMENT]->(:QcgDocument:Document {id: 'd' + place})
        WITH * CALL db.create.setNodeVectorProperty(chunk, 'embedding', [1.0, 1.0 + place])
        UNWIND range(1, CASE place WHEN 0 THEN 30 ELSE 2 END) AS number
        CREATE (window:QcgWindow:Window {id: chunk.id + '-' + number, start: 0, end: 7})-[:FROM_CHUNK]->(chunk)
        WITH * CALL db.create.setNodeVectorProperty(window, 'embedding', [1.0, 1.0 * place + number / 100.0])
        """,
    )
    await_indexes(graph)
    found = VectorBaseline().retrieve(graph, "Who?", np.array([1, 0], np.float32))
    assert [passage.id for passage in found.passages] == ["c0", "c1", "c2", "c3", "c4"]


@pytest.mark.parametrize(
    ("searching", "name"),
    [
        (VectorBaseline(VectorSettings(scoring="mean")), None),
        (D2q(RetrieveSettings()), "d2qAllEmbedding"),
        (D2qFiltered(RetrieveSettings()), "d2qKeptEmbedding"),
    ],
)
def test_chunk_vectors(
    sample: Graph, whole: reference.Whole, questions: Questions, searching: Method, name: str | None
) -> None:
    vectors = whole.chunks if name is None else {chunk: found[name] for chunk, found in whole.expanded.items()}
    for text, vector in questions:
        scores = {chunk: reference.cosine(own, vector.astype(np.float64)) for chunk, own in vectors.items()}
        ranked = sorted(scores.items(), key=lambda item: (-item[1], item[0]))[:5]
        assert_same(searching.retrieve(sample, text, vector), ranked)


def test_fulltext_is_bm25(sample: Graph, whole: reference.Whole, questions: Questions) -> None:
    """Lucene rounds the lengths of texts, so scores agree roughly and the best chunks mostly."""
    same = 0
    for text, _ in questions:
        found = Fulltext(RetrieveSettings(passages=3)).retrieve(sample, text).passages
        expected = reference.bm25(whole, text)
        best = sorted(expected, key=lambda chunk: -expected[chunk])[:3]
        same += found[0].id == best[0]
        assert found[0].score == pytest.approx(expected[found[0].id], rel=0.15)
    assert same >= 0.9 * len(questions)


def test_words_are_found_where_the_analyzer_would_join_them(sample: Graph, whole: reference.Whole) -> None:
    """A date in a time, and a name with the possessive."""
    stamp = next(word for text in whole.texts.values() for word in text.split() if "_" in word)
    name = next(word for text in whole.texts.values() for word in text.split() if word.endswith("’s"))
    for asked, part in ((stamp.partition("_")[0], stamp.partition("_")[0] + "_"), (name, name.partition("’")[0])):
        found = Fulltext().retrieve(sample, asked).passages
        assert found
        assert part in found[0].text


WEIGHTS = (
    "query_weight",
    "window_weight",
    "atom_weight",
    "triple_weight",
    "fulltext_weight",
    "expanded_weight",
    "date_weight",
    "walk_weight",
)
IN_ALL_WORDS = """
CALL db.index.fulltext.queryNodes('qcg_chunk_expanded_words', 'expandedWords:(' + $words + ')') YIELD node, score
RETURN node.id AS id, score
"""


def in_all_words(graph: Graph, question: str) -> dict[str, float]:
    """Lucene's BM25 of every chunk's text with all that was generated from it."""
    words = " ".join(re.findall(r"[^\s+\-&|!(){}\[\]^\"~*?:/\\<>=@#_'’]+", question.lower()))
    return {row["id"]: row["score"] for row in graph.driver.execute_query(IN_ALL_WORDS, words=words).records}


def twin_of(method: Hybrid | Layers) -> LayersSettings:
    """The settings of the layers that a method is."""
    if isinstance(method, Layers):
        return method.settings
    names = ("passages", "candidate_factor", "hits", "window_weight", "fulltext_weight")
    two: dict[str, Any] = dict.fromkeys(WEIGHTS, 0.0) | {name: getattr(method.settings, name) for name in names}
    return LayersSettings(**two)


# The indexes are asked for all that they hold, so that the candidates are exact.
EVERYTHING: dict[str, Any] = {"passages": 10, "candidate_factor": 100, "context_tokens": UNCAPPED}


# What names in the question change is held in test_layers.py, but for the walk that begins at them.
LAYERED: dict[str, Hybrid | Layers] = {
    "default": Layers(LayersSettings(**EVERYTHING, rest_alone=False)),
    "some": Layers(
        LayersSettings(
            **EVERYTHING,
            query_weight=0,
            window_weight=0.5,
            atom_weight=2,
            triple_weight=0,
            expanded_weight=0,
            walk_weight=0,
            rest_alone=False,
        )
    ),
    "walk": Layers(LayersSettings(**EVERYTHING, rest_alone=False, walk_weight=1.5, walk_seeds=1, max_entity_degree=20)),
    "few hits": Layers(LayersSettings(**EVERYTHING | {"candidate_factor": 1}, hits=20, rest_alone=False, name_share=0)),
    "hybrid": Hybrid(HybridSettings(**EVERYTHING, window_weight=0.7)),
}


@pytest.mark.parametrize("searching", LAYERED.values(), ids=LAYERED)
@pytest.mark.rest("few hits", "some", "hybrid")
def test_layers_are_added(
    sample: Graph, whole: reference.Whole, questions: Questions, searching: Hybrid | Layers
) -> None:
    """With Lucene's own BM25 the twin is exact; few hits are those of an approximate index."""
    settings = twin_of(searching)
    exact = EXACT if settings.candidate_factor > 1 else 0.1
    layers_used = sum(getattr(settings, name) > 0 for name in WEIGHTS[:6])
    same, recalls = [], []
    for text, vector in questions:
        lexical = {item.id: item.score for item in Fulltext(RetrieveSettings(**DEEP)).retrieve(sample, text).passages}
        entries = reference.layer_entries(whole, vector.astype(np.float64), lexical, in_all_words(sample, text))
        expected, reached = reference.layers(whole, entries, settings, text, vector.astype(np.float64))
        found = searching.retrieve(sample, text, vector).passages
        scores = [score for _, score in expected]
        same.append([item.score for item in found] == pytest.approx(scores, abs=exact))
        recalls.append(recall(found, [chunk for chunk, _ in expected]))
        for item in found:
            walked = settings.walk_weight > 0 and item.id in reached
            dated = settings.date_weight > 0 and not {*days_in(text)}.isdisjoint(whole.dates[item.id])
            shares = [path[-1].weight for path in item.paths]
            assert all(path[0].relationship == "HIT" for path in item.paths)
            assert len(item.paths) <= layers_used + walked + dated
            if len(shares) == layers_used + walked + dated:
                assert item.score == pytest.approx(sum(share for share in shares if share is not None), abs=EXACT)
    assert np.mean(recalls) >= RECALL_FLOOR
    assert np.mean(same) >= 0.9


def test_signs_that_lucene_would_read_are_no_words(sample: Graph, questions: Questions) -> None:
    for text in ('(What) AND "is" that: +gym* -Wolfgang\'s [~] \\ /x/ OR?', "?!"):
        assert Layers().retrieve(sample, text, questions[0][1]).passages


@pytest.mark.rest
def test_fewer_passages_are_the_first_of_more(sample: Graph, questions: Questions) -> None:
    for text, vector in questions:
        ranked = ranking(sample, text, vector, 10)
        for most in (1, 3):
            assert ranking(sample, text, vector, most) == ranked[:most]


def ranking(graph: Graph, text: str, vector: NDArray[np.float32], most: int) -> list[tuple[str, float]]:
    found = Layers(LayersSettings(passages=most, context_tokens=UNCAPPED)).retrieve(graph, text, vector)
    return [(item.id, item.score) for item in found.passages]


@pytest.mark.rest
def test_what_has_no_embedding_yet_counts_for_nothing(sample: Graph, questions: Questions) -> None:
    text, vector = questions[0]
    call = Layers().call(text, vector)
    values = to_cypher(call.parameters, vectors=False)
    asked = statement(call.path).text
    with sample.driver.session() as session, session.begin_transaction() as transaction:
        before = [(row["id"], row["score"]) for row in transaction.run(asked, values)]
        transaction.run(
            "MATCH (c:Chunk) CREATE (:QcgAtom:Atom {id: 'new ' + c.id, text: 'New.'})-[:FROM_CHUNK]->(c)"
        ).consume()
        assert [(row["id"], row["score"]) for row in transaction.run(asked, values)] == before
        transaction.rollback()


@pytest.mark.parametrize(
    ("question", "configuration", "problem"),
    [
        ([1.0] * 384, {}, "needs the question as text"),
        ({"text": "Who?", "vector": [0.0] * 384}, {}, "the question's vector has no direction"),
        ({"text": " ", "vector": [1.0] * 384}, {}, "the question is empty"),
        ({"text": "Who?", "vector": [1.0] * 384}, {"walkWeigth": 1}, "no configuration key 'walkWeigth'. .*walkWeight"),
        (
            {"text": "Who?", "vector": [1.0] * 384},
            {"atomWeight": -1},
            "atomWeight is -1, but must be a number, at least",
        ),
    ],
)
def test_layers_refuse_what_does_not_fit(
    sample: Graph, question: Any, configuration: dict[str, Any], problem: str
) -> None:
    text = "CALL qcg.retrieve.layers($question, $configuration) YIELD chunk RETURN chunk"
    with pytest.raises(neo4j.exceptions.Neo4jError, match=f"qcg.retrieve.layers: .*{problem}"):
        query(sample, text, question=question, configuration=configuration)


def test_words_are_those_of_the_text_and_of_all_that_was_generated_from_it(sample: Graph) -> None:
    made = (
        "MATCH (c:Chunk) RETURN c.headings AS headings, c.text AS text, c.words AS words, c.expandedWords AS expanded,"
        " COLLECT { MATCH (q:Query)-[:FROM_CHUNK]->(c) RETURN q.question + ' ' + q.answer } AS queries,"
        " COLLECT { MATCH (a:Atom)-[:FROM_CHUNK]->(c) RETURN a.text } AS atoms,"
        " COLLECT { MATCH ()-[r:RELATED_TO]->() WHERE r.chunkId = c.id RETURN r.ttr } AS triples"
    )
    rows = query(sample, made)
    assert any(row["queries"] and row["atoms"] and row["triples"] for row in rows)
    for row in rows:
        own = "\n".join([*(row["headings"] or []), row["text"]])
        texts = [own, *sorted([*row["queries"], *row["atoms"]]), *sorted(row["triples"])]
        assert row["words"] == reference.folded(own)
        assert row["expanded"] == reference.folded("\n".join(texts))


def test_all_words_are_found_by_bm25(sample: Graph, questions: Questions) -> None:
    rows = query(sample, "MATCH (c:Chunk) RETURN c.id AS id, c.expandedWords AS words")
    texts = reference.Whole(texts={row["id"]: row["words"] for row in rows})
    for text, _ in questions:
        found, expected = in_all_words(sample, text), reference.bm25(texts, text)
        best = max(found, key=found.__getitem__)
        assert found[best] == pytest.approx(expected[best], rel=0.15)


def test_the_walk_shows_the_entity_that_it_went_over(
    sample: Graph, whole: reference.Whole, questions: Questions
) -> None:
    walks = []
    plain = Layers(LayersSettings(passages=10, name_share=0))  # that from names is in test_layers.py
    for text, vector in questions:
        for passage in plain.retrieve(sample, text, vector).passages:
            for path in passage.paths:
                if path[-1].relationship == "FROM_CHUNK":
                    start, entity = path
                    assert start.id != passage.id
                    assert {start.label, entity.label} == {"Chunk", "Entity"}
                    assert entity.id in whole.entities[start.id] & whole.entities[passage.id]
                    walks.append(path)
    assert walks


def test_paths_lead_from_the_question_to_the_chunk(sample: Graph, whole: reference.Whole, questions: Questions) -> None:
    for text, vector in questions[:10]:
        for passage in Qcg(QcgSettings(hops=2)).retrieve(sample, text, vector).passages:
            assert passage.paths
            for path in passage.paths:
                assert path[0].relationship == "HIT"
                assert whole.chunk_of[path[-1].id] == passage.id
                for before, step in pairwise(path):
                    assert step.relationship == "SIMILAR_TO"
                    assert step.id in whole.neighbours[before.id][:3]
                    near = reference.cosine(whole.queries[before.id], whole.queries[step.id])
                    assert step.weight == pytest.approx(near, abs=EXACT)
                for step in path:
                    own = reference.cosine(whole.queries[step.id], vector.astype(np.float64))
                    assert step.similarity == pytest.approx(own, abs=EXACT)


def test_the_stored_neighbours_are_the_nearest(sample: Graph, whole: reference.Whole) -> None:
    rows = sample.driver.execute_query(
        "MATCH (q:Query)-[s:SIMILAR_TO]->(o:Query) RETURN q.id AS q, o.id AS o, s.rank AS rank, s.score AS score"
    ).records
    assert len({(row["q"], row["o"]) for row in rows}) == 5 * len(whole.queries)
    nearest = reference.nearest(whole, most=5)
    true = []
    for row in rows:
        # Which of several equally near queries is joined may differ, how near it is may not.
        own = reference.cosine(whole.queries[row["q"]], whole.queries[row["o"]])
        assert row["score"] == pytest.approx(own, abs=EXACT)
        assert row["q"] != row["o"]
        true.append(row["score"] >= nearest[row["q"]][-1] - EXACT)
    assert np.mean(true) >= RECALL_FLOOR


def test_one_round_trip(sample_reports: Graph, questions: Questions, monkeypatch: pytest.MonkeyPatch) -> None:
    # Where the database embeds, also the context of kg-cqr needs no way back.
    monkeypatch.setattr(sample_reports, "embedder", find_database_embedder(sample_reports, EmbeddingSettings()))
    sample_reports.need_procedures()
    calls: list[str] = []
    rows = Graph.rows

    def counted(self: Graph, path: str, **values: Any) -> Any:
        calls.append(path)
        return rows(self, path, **values)

    text, vector = questions[0]
    method("vector").retrieve(sample_reports, text, vector)  # which reads how wide indexes are searched, once
    monkeypatch.setattr(Graph, "rows", counted)
    for name in METHODS:
        method(name).retrieve(sample_reports, text, vector)
    # With a capital inside the question, the methods of layers ask for its names first.
    assert sum("retrieve/layers/names" in str(call) for call in calls) == 2
    assert len(calls) == len(METHODS) + 2


def test_the_context_is_capped(sample: Graph, questions: Questions) -> None:
    text, vector = questions[0]
    free = VectorBaseline(VectorSettings(passages=20)).retrieve(sample, text, vector)
    capped = VectorBaseline(VectorSettings(passages=20, context_tokens=1500)).retrieve(sample, text, vector)
    assert sum(passage.token_count for passage in free.passages) > 1500
    assert sum(passage.token_count for passage in capped.passages) <= 1500
    assert "did not fit" in capped.notes[0]


@pytest.mark.parametrize(
    "question", ["?", "(((", "AND OR NOT", '"', "a:b^2~", "\\", "/x/", "'; MATCH (n) DETACH DELETE n //", "🎉"]
)
def test_signs_in_questions_are_harmless(sample: Graph, question: str) -> None:
    before = sample.rows("inspect/counts")
    for name in METHODS:
        method(name).retrieve(sample, question)
    assert sample.rows("inspect/counts") == before


@pytest.mark.parametrize(
    ("question", "problem"), [("", "empty"), (" \n", "empty"), ("x" * 20_001, "20,001 characters")]
)
def test_bad_questions(sample: Graph, question: str, problem: str) -> None:
    with pytest.raises(InputError, match=problem):
        Qcg().retrieve(sample, question)


def test_a_very_long_question_is_read_whole(sample: Graph) -> None:
    start, end = "word " * 1000, "word " * 1000 + "Who recommended the gym FitZone?"
    assert np.dot(sample.embed_question(start), sample.embed_question(end)) < 0.9999
    assert Hybrid().retrieve(sample, end).passages


@pytest.mark.parametrize(
    ("name", "settings", "problem"),
    [
        ("qgc", {}, "Did you mean 'qcg'"),
        ("qcg", {"hop": 1}, "Did you mean 'hops'"),
        ("qcg", {"hops": 101}, "must be 0 to 100"),
        ("qcg", {"hops": "1"}, "must be of type int"),
        ("qcg", {"hops": True}, "must be of type int"),
        ("qcg", {"aggregation": "median"}, "one of mean, max, sum"),
        ("vector", {"passages": 0}, "must be 1 to 1000"),
    ],
)
def test_bad_settings(name: str, settings: Mapping[str, Any], problem: str) -> None:
    with pytest.raises((InputError, SettingsError), match=problem):
        method(name, settings)


def test_an_empty_graph_says_what_to_do(graph: Graph) -> None:
    with pytest.raises(GraphError, match=r"The graph is empty\.\nLoad documents first"):
        Qcg().retrieve(graph, "Who?")


NOTHING = r"holds no (queries|triples|atoms|entities)|there are no (reports)"
LACKING: dict[str, set[str] | str] = {
    "layers": {"queries", "atoms", "triples"},
    "auto": {"queries", "atoms", "triples"},
    "qcg": {"queries"},
    "kg-cqr": {"triples"},
    "atomic": {"atoms"},
    "lp": "has no link predictor",
    "graphrag-local": {"entities"},
    "graphrag-global": {"reports"},
    "vector": set(),
    "fulltext": set(),
    "hybrid": set(),
    "d2q": "need `qcg generate --baselines`",
    "d2q--": "need `qcg generate --baselines`",
}


def test_what_a_graph_of_documents_alone_lacks_is_said(graph: Graph) -> None:
    graph.embedder = SmallEmbedder()
    for name in ("qcg_chunk_d2q_all", "qcg_chunk_d2q_kept"):
        graph.run("schema/drop_index", name=name)
    load_documents(graph, graph.embedder, read_documents((str(SAMPLE / "passages.jsonl"),), 1_000_000))
    assert set(LACKING) == set(METHODS)
    for name, lacking in LACKING.items():
        if isinstance(lacking, str):
            with pytest.raises(GraphError, match=lacking):
                method(name).retrieve(graph, "Which gym?")
        else:
            told = re.findall(NOTHING, " ".join(method(name).retrieve(graph, "Which gym?").notes))
            assert {"".join(found) for found in told} == lacking, name
    assert Layers(LayersSettings(query_weight=0, atom_weight=0, triple_weight=0)).retrieve(graph, "gym").notes == ()


def test_another_model_is_refused(graph: Graph) -> None:
    use_model(graph, "another", 768)
    graph.embedder = None
    with pytest.raises(ModelMismatchError, match=r"'another' \(768 dimensions\)"):
        check_model(graph, "all-MiniLM-L6-v2", 384)
