"""KG-CQR against its twin in plain Python, its filter and summary with a scripted model, and its errors."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import reference
import reference_kg_cqr as twin
from conftest import SAMPLE
from endpoint import Body, Manner, Say, endpoint
from numpy.typing import NDArray

from qcg_neo4j.core.errors import MissingReplyError, SettingsError
from qcg_neo4j.database.conversion import camel
from qcg_neo4j.database.graph import Graph
from qcg_neo4j.database.model import use_model
from qcg_neo4j.models.llm import LanguageModelSettings, LiveModel
from qcg_neo4j.models.replies import ReplyStore
from qcg_neo4j.retrieval import KgCqr, KgCqrSettings, VectorBaseline, VectorSettings

Questions = list[tuple[str, NDArray[np.float32]]]
EXACT: dict[str, Any] = {"candidate_factor": 100}  # the whole index of the sample is asked for
WITHOUT = "kg-cqr without the paper's filter and generation, which a language model makes (preset paper)"
QUESTION = "Which gym did Wolfgang recommend to Li Hua?"


@pytest.fixture(scope="module")
def triples(sample: Graph) -> twin.Triples:
    return twin.read_triples(sample)


@pytest.fixture(scope="module")
def questions(sample: Graph) -> Questions:
    lines = (SAMPLE / "questions.jsonl").read_text(encoding="utf-8").splitlines()[:40]
    texts = [json.loads(line)["question"] for line in lines]
    return [(text, sample.embed_question(text)) for text in texts]


@pytest.mark.parametrize(
    "chosen",
    [
        KgCqrSettings(context="none", **EXACT),
        KgCqrSettings(context="none", triples=5, beam_width=10, path_length=2, **EXACT),
        KgCqrSettings(context="none", triples=40, added_triples=3, **EXACT),
        KgCqrSettings(context="none", completion="all", triples=8, **EXACT),
        KgCqrSettings(context="none", completion="none", **EXACT),
    ],
    ids=["paper", "wide", "cut", "every path", "without completion"],
)
@pytest.mark.rest("wide", "cut", "every path", "without completion")
def test_the_subgraph_is_the_twins(
    sample: Graph, triples: twin.Triples, questions: Questions, chosen: KgCqrSettings
) -> None:
    added = 0
    for question, vector in questions[:20] if chosen.completion == "all" else questions:
        found = KgCqr(chosen).retrieve(sample, question, vector).subgraph
        assert found is not None
        expected, extra = twin.subgraph(triples, vector.astype(np.float64), chosen)
        assert [triple.id for triple in found.triples] == expected
        assert {triple.id for triple in found.triples if triple.added} == extra
        added += len(extra)
    assert (added > 0) == (chosen.completion != "none")


@pytest.mark.rest
def test_the_context_is_fused_and_searched_for(sample: Graph, questions: Questions) -> None:
    whole, changed = reference.read_whole(sample), 0
    for question, vector in questions:
        evidence = KgCqr(KgCqrSettings(**EXACT)).retrieve(sample, question, vector)
        assert evidence.subgraph is not None
        context = "\n".join(triple.ttr for triple in evidence.subgraph.triples)
        assert evidence.subgraph.context == context
        own = vector.astype(np.float64)
        fused = twin.fused(own, sample.embed_question(context).astype(np.float64), 0.7)
        expected = reference.window_scores(whole, fused)
        found = [(passage.id, passage.score) for passage in evidence.passages]
        assert [score for _, score in found] == pytest.approx(sorted(expected.values(), reverse=True)[:5], abs=1e-5)
        assert [score for _, score in found] == pytest.approx([expected[name] for name, _ in found], abs=1e-5)
        plain = reference.window_scores(whole, own)
        changed += {name for name, _ in found} != set(sorted(plain, key=lambda name: -plain[name])[:5])
    assert changed > len(questions) / 5


@pytest.mark.parametrize(
    "chosen",
    [{}, {"search": "layers", "context": "none"}, {"search": "fulltext"}, {"completion": "all", "alpha": 0.3}],
    ids=["default", "layers", "fulltext", "every path"],
)
@pytest.mark.rest("layers", "fulltext", "every path")
def test_one_call_of_the_database_finds_what_the_steps_find(
    sample: Graph, questions: Questions, chosen: dict[str, Any]
) -> None:
    """The sample's embedder is on this machine, so the method takes its steps there; the database has its own."""
    settings = KgCqrSettings(**chosen)
    left_out = ("triple_filter", "answer_tokens")  # which the procedure does not have
    keys = {camel(name): value for name, value in asdict(settings).items() if name not in left_out}
    for question, vector in questions[:6]:
        steps = KgCqr(settings).retrieve(sample, question, vector)
        given = {"text": question, "vector": vector.astype(float).tolist()}
        text = "CALL qcg.retrieve.kgCqr($given, $keys) YIELD rank, score, chunk, document, paths RETURN *"
        rows = sample.driver.execute_query(text, given=given, keys=keys).records
        assert [row["chunk"]["id"] for row in rows] == [passage.id for passage in steps.passages]
        assert [row["score"] for row in rows] == pytest.approx([item.score for item in steps.passages], abs=1e-3)
        whole = sample.rows("retrieve/kg_cqr/evidence", question=question, question_vector=vector, configuration=keys)[
            0
        ]
        assert steps.subgraph is not None
        assert [triple["id"] for triple in whole["triples"]] == [triple.id for triple in steps.subgraph.triples]
        assert whole["context"] == steps.subgraph.context


def test_alpha_one_is_the_plain_retriever(sample: Graph, questions: Questions) -> None:
    for question, vector in questions[:5]:
        evidence = KgCqr(KgCqrSettings(alpha=1)).retrieve(sample, question, vector)
        plain = VectorBaseline(VectorSettings()).retrieve(sample, question, vector)
        assert [(item.id, item.score) for item in evidence.passages] == [
            (item.id, item.score) for item in plain.passages
        ]


@pytest.mark.rest
def test_every_path_adds_at_least_what_the_beam_adds(sample: Graph, questions: Questions) -> None:
    def added(completion: str, vector: NDArray[np.float32]) -> int:
        chosen = KgCqrSettings(context="none", completion=completion, added_triples=1000, **EXACT)
        found = KgCqr(chosen).retrieve(sample, "question", vector).subgraph
        assert found is not None
        return sum(triple.added for triple in found.triples)

    pairs = [(added("beam", vector), added("all", vector)) for _, vector in questions]
    assert all(beam <= every for beam, every in pairs)
    assert any(beam < every for beam, every in pairs)


def test_the_paths_of_a_passage_lead_to_its_own_triples(sample: Graph, questions: Questions) -> None:
    seen = 0
    for question, vector in questions[:10]:
        evidence = KgCqr().retrieve(sample, question, vector)
        assert evidence.subgraph is not None
        of_chunk = {triple.id: triple.chunk for triple in evidence.subgraph.triples}
        for passage in evidence.passages:
            for path in passage.paths:
                if path[-1].label == "RELATED_TO":
                    assert of_chunk[path[-1].id] == passage.id
                    assert path[0].relationship in ("HIT", "ADDED")
                    seen += 1
    assert seen


@pytest.mark.rest
def test_layers_are_the_best_window_and_the_best_triple(
    sample: Graph, triples: twin.Triples, questions: Questions
) -> None:
    whole = reference.read_whole(sample)
    chosen = KgCqrSettings(
        search="layers", context="none", vector_weight=0.0, passages=10, layer_candidates=1000, context_tokens=10**6
    )
    for question, vector in questions:
        exact = vector.astype(np.float64)
        scores = twin.best_triples(triples, exact)
        least = min(scores.values())
        every = {chunk: scores.get(chunk, least) for chunk in reference.window_scores(whole, exact)}
        ranked = sorted(every, key=lambda chunk: (-every[chunk], chunk))[:10]
        evidence = KgCqr(chosen).retrieve(sample, question, vector)
        assert [passage.id for passage in evidence.passages] == ranked


def test_the_fulltext_form_boosts_the_question(sample: Graph, questions: Questions) -> None:
    question, vector = questions[0]
    plain = KgCqr(KgCqrSettings(search="fulltext", alpha=1)).retrieve(sample, question, vector)
    words = KgCqr(KgCqrSettings(search="fulltext", context="none")).retrieve(sample, question, vector)
    assert [passage.id for passage in plain.passages] == [passage.id for passage in words.passages]
    mixed = KgCqr(KgCqrSettings(search="fulltext")).retrieve(sample, question, vector)
    assert mixed.passages[0].score > words.passages[0].score
    assert KgCqr(KgCqrSettings(search="fulltext", alpha=0)).retrieve(sample, question, vector).passages


@pytest.fixture
def asked(tmp_path: Path) -> Any:
    """Makes a language model out of a script; gives it together with the prompts that it saw."""

    def make(url: str) -> LiveModel:
        store = ReplyStore(tmp_path / "replies.sqlite")
        return LiveModel(LanguageModelSettings(endpoint=url, model="a-model", retries=0), store, "sk-key")

    return make


def test_the_filter_keeps_what_the_model_names(sample: Graph, asked: Callable[[str], LiveModel]) -> None:
    prompts: list[str] = []

    def script(_: int, body: Body) -> Manner:
        prompts.append(body["messages"][1]["content"])
        return Say('{"keep": [2, 1, 99, 0]}')

    with endpoint(script) as fake:
        chosen = KgCqrSettings(triple_filter="model", completion="none")
        evidence = KgCqr(chosen, asked(fake.url)).retrieve(sample, QUESTION)
        plain = KgCqr(KgCqrSettings(completion="none")).retrieve(sample, QUESTION)
    assert evidence.subgraph is not None
    assert plain.subgraph is not None
    assert [triple.id for triple in evidence.subgraph.triples] == [triple.id for triple in plain.subgraph.triples[:2]]
    assert QUESTION in prompts[0]
    assert f"[20] {plain.subgraph.triples[19].ttr}" in prompts[0]


def test_a_filter_that_keeps_nothing_leaves_the_question_alone(
    sample: Graph, asked: Callable[[str], LiveModel]
) -> None:
    with endpoint(lambda _, __: Say('{"keep": []}')) as fake:
        evidence = KgCqr(KgCqrSettings(triple_filter="model"), asked(fake.url)).retrieve(sample, QUESTION)
    assert evidence.subgraph is not None
    assert evidence.subgraph.triples == ()
    plain = VectorBaseline().retrieve(sample, QUESTION)
    assert [passage.id for passage in evidence.passages] == [passage.id for passage in plain.passages]


def test_a_model_writes_the_context_once(sample: Graph, asked: Callable[[str], LiveModel]) -> None:
    calls: list[str] = []

    def script(_: int, body: Body) -> Manner:
        calls.append(body["messages"][1]["content"])
        return Say('{"context": " Wolfgang recommended FitZone. "}')

    with endpoint(script) as fake:
        method = KgCqr(KgCqrSettings(context="model"), asked(fake.url))
        first, second = method.retrieve(sample, QUESTION), method.retrieve(sample, QUESTION)
    assert first.subgraph is not None
    assert first.subgraph.context == "Wolfgang recommended FitZone."
    assert [item.id for item in first.passages] == [item.id for item in second.passages]
    assert len(calls) == 1  # the second one comes from the store
    assert QUESTION not in calls[0]  # the paper's prompt does not show the question


def test_without_a_model_the_error_says_so(sample: Graph) -> None:
    for settings in (KgCqrSettings(triple_filter="model"), KgCqrSettings(context="model")):
        with pytest.raises(SettingsError, match="require a language model"):
            KgCqr(settings).retrieve(sample, QUESTION)


def test_a_useless_reply_is_an_error(sample: Graph, asked: Callable[[str], LiveModel]) -> None:
    with endpoint(lambda _, __: Say("I would rather not.")) as fake:
        method = KgCqr(KgCqrSettings(triple_filter="model"), asked(fake.url))
        with pytest.raises(MissingReplyError, match="retrieve/filter_triples"):
            method.retrieve(sample, QUESTION)


def test_a_graph_without_triples_still_answers(graph: Graph) -> None:
    use_model(graph, "tiny", 3)
    evidence = KgCqr(KgCqrSettings()).retrieve(graph, "anything", np.array([1, 0, 0], dtype=np.float32))
    assert evidence.passages == ()
    assert evidence.notes == (WITHOUT, "the graph holds no documents; load some with `qcg load`")
    assert KgCqr(KgCqrSettings(**KgCqr.tuned)).left_out == ()
    assert KgCqr(KgCqrSettings(**KgCqr.paper)).left_out == ()
