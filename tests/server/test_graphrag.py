"""GraphRAG's retrieval against its twin, and its answers with a scripted model: global, local, DRIFT."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import reference_graphrag as twin
from conftest import SAMPLE
from endpoint import Body, Fail, FakeEndpoint, Manner, Say, endpoint, material
from numpy.typing import NDArray

from qcg_neo4j.core.errors import GraphError, MissingReplyError
from qcg_neo4j.database.graph import Graph
from qcg_neo4j.database.model import use_model
from qcg_neo4j.database.schema import await_indexes
from qcg_neo4j.models.embedding.windows import token_counter
from qcg_neo4j.models.llm import LanguageModelSettings, LiveModel
from qcg_neo4j.models.prompts import cited, plain
from qcg_neo4j.models.replies import ReplyStore
from qcg_neo4j.retrieval import (
    GraphragDriftSettings,
    GraphragGlobal,
    GraphragGlobalSettings,
    GraphragLocal,
    GraphragLocalSettings,
)
from qcg_neo4j.retrieval.answer import answer_by_drift, answer_globally, answer_locally
from qcg_neo4j.retrieval.answer.local_search import as_many_as_fit, pack
from qcg_neo4j.retrieval.answer.map_reduce import NOTHING, Item, first_that_fit, windows

QUESTION = "What do the people in the chats do for sport?"
Questions = list[tuple[str, NDArray[np.float32]]]


@pytest.fixture(scope="module")
def questions(sample_reports: Graph) -> Questions:
    lines = (SAMPLE / "questions.jsonl").read_text(encoding="utf-8").splitlines()[:30]
    texts = [json.loads(line)["question"] for line in lines]
    return [(text, sample_reports.embed_question(text)) for text in texts]


@pytest.mark.parametrize("ranking", ["entity", "relation"])
@pytest.mark.rest("relation")
def test_local_retrieval_is_the_twins(sample_reports: Graph, questions: Questions, ranking: str) -> None:
    settings = GraphragLocalSettings(ranking=ranking, candidate_factor=100, context_tokens=100_000)
    for question, vector in questions:
        found = GraphragLocal(settings).retrieve(sample_reports, question, vector)
        expected = twin.local(sample_reports, vector, entities=10, ranking=ranking, passages=5)
        assert [passage.score for passage in found.passages] == pytest.approx([s for _, s in expected], abs=1e-5)
        assert [passage.id for passage in found.passages] == [name for name, _ in expected]
        assert found.neighbourhood is not None
        assert len(found.neighbourhood.entities) == 10
        assert found.reports


def test_claims_about_the_nearest_entity_come_first(graph: Graph) -> None:
    use_model(graph, "synthetic", 2)
    graph.driver.execute_query(
        "UNWIND [['near', [1.0, 0.0], 'z'], ['far', [0.0, 1.0], 'a']] AS one "
        "CREATE (entity:QcgEntity:Entity {id: one[0], name: one[0], embedding: one[1]}) "
        "CREATE (entity)<-[:ABOUT]-(:QcgClaim:Claim {id: one[2], type: '', status: '', description: 'said'})"
    )
    await_indexes(graph)
    vector = np.array([1.0, 0.0], np.float32)
    for relations, claims in ((1, ["z"]), (2, ["z", "a"])):
        found = GraphragLocal(GraphragLocalSettings(relations=relations)).retrieve(graph, "x", vector)
        assert found.neighbourhood is not None
        assert [claim.id for claim in found.neighbourhood.claims] == claims


@pytest.mark.parametrize("level", [0, 1, 9])
def test_the_nearest_reports_are_the_twins(sample_reports: Graph, questions: Questions, level: int) -> None:
    method = GraphragGlobal(GraphragGlobalSettings(level=level, reports=7))
    for question, vector in questions:
        found = method.retrieve(sample_reports, question, vector)
        expected = twin.reports(sample_reports, vector, level=level, number=7)
        assert [report.id for report in found.reports] == [name for name, _ in expected]
        assert [report.similarity for report in found.reports] == pytest.approx([s for _, s in expected], abs=1e-5)
        assert len(found.passages) == 5
        assert all(path[0].id in {name for name, _ in expected} for p in found.passages for path in p.paths)


@pytest.mark.parametrize(
    ("name", "label"), [("qcg.retrieve.graphragLocal", "Entity"), ("qcg.retrieve.graphragGlobal", "Community")]
)
def test_browser_finds_the_same_as_paths(sample_reports: Graph, name: str, label: str) -> None:
    method: Any = GraphragLocal() if label == "Entity" else GraphragGlobal()
    expected = method.retrieve(sample_reports, QUESTION)
    query = f"CALL {name}($question) YIELD rank, score, chunk, paths RETURN rank, score, chunk.id AS id, paths"
    vector = sample_reports.embed_question(QUESTION).tolist()
    rows = sample_reports.driver.execute_query(query, question=vector).records
    assert [row["id"] for row in rows] == [passage.id for passage in expected.passages]
    assert [row["score"] for row in rows] == pytest.approx([passage.score for passage in expected.passages], abs=1e-6)
    assert all(
        label in path.start_node.labels and "Document" in path.end_node.labels for r in rows for path in r["paths"]
    )
    assert all(row["paths"] for row in rows)


def items_of(body: Body) -> list[str]:
    return re.split(r"\n\n(?=\[\d+\] \()", material(body))


def task_of(body: Body) -> str:
    system = body["messages"][0]["content"]
    names = {
        "You help to answer": "map",
        "You write the answer": "reduce",
        "You answer a question from what": "local",
        "You begin to answer": "primer",
        "Somebody works on": "follow_up",
        "You decide whether": "rate",
    }
    return next(name for start, name in names.items() if system.startswith(start))


def script(body: Body) -> dict[str, Any]:
    """A model that cites the first item of everything and gives later windows lower scores."""
    task = task_of(body)
    if task == "rate":
        return {"rating": 4 if len(material(body)) % 2 else 0}
    if task == "map":
        many = len(items_of(body))
        return {"answer": f"There are {many} items [1, {many}].", "score": many if many > 1 else 0, "citations": ["1"]}
    if task in ("reduce", "local"):
        return {"answer": "All in all it is so [1] [77].", "citations": ["1"]}
    asked = body["messages"][1]["content"].rpartition(": ")[2]
    more = [f"{number} {asked}" for number in range(5)]
    return {"answer": f"About {asked[:30]} [1].", "score": 10 + len(asked) % 50, "citations": ["1"], "questions": more}


def normal(_: int, body: Body) -> Manner:
    return Say(json.dumps(script(body)))


@contextmanager
def model(folder: Path, manner: Callable[[int, Body], Manner] = normal) -> Iterator[tuple[LiveModel, FakeEndpoint]]:
    with endpoint(manner) as fake, ReplyStore(folder / "replies.sqlite") as store:
        live = LiveModel(LanguageModelSettings(endpoint=fake.url, model="small", retries=0, concurrency=2), store)
        yield live, fake
        live.close()


def test_a_global_answer_maps_every_report_once_and_reduces(sample_reports: Graph, tmp_path: Path) -> None:
    settings = GraphragGlobalSettings(level=1, window_tokens=2000)
    rows = sample_reports.rows("answer/reports", level=1)
    with model(tmp_path) as (live, fake):
        found = answer_globally(sample_reports, QUESTION, settings, live)
        maps = [body for body in fake.paid if task_of(body) == "map"]
        shown = [item for body in maps for item in items_of(body)]
        assert len(shown) == len(rows)
        assert len(maps) > 1
        assert [task_of(body) for body in fake.paid].count("reduce") == 1
        scores = [one.score for one in found.partial]
        assert scores == sorted(scores, reverse=True)
        assert 0 not in scores
        # The reduced answer cites the best point, and that cites its first and its last report.
        assert found.citations == found.partial[0].citations
        assert {report.id for report in found.evidence.reports} == set(found.citations)
        assert found.evidence.passages
        assert found.costs["map"].calls == len(maps)
        assert found.usage.calls == len(fake.paid)
        again = answer_globally(sample_reports, QUESTION, settings, live)
        assert (again.text, again.partial, again.usage.calls) == (found.text, found.partial, 0)


@pytest.mark.parametrize("level", [0, 1, 2])
def test_each_level_and_all_chunks_are_conditions(sample_reports: Graph, tmp_path: Path, level: int) -> None:
    with model(tmp_path) as (live, _):
        by_reports = answer_globally(sample_reports, QUESTION, GraphragGlobalSettings(level=level), live)
        assert by_reports.evidence.method == f"graphrag-global C{level}"
        by_chunks = answer_globally(sample_reports, QUESTION, GraphragGlobalSettings(over="chunks"), live)
    assert "75 chunks in" in by_chunks.notes[0]
    assert [passage.id for passage in by_chunks.evidence.passages] == list(by_chunks.citations)


def test_the_nearest_chunks_are_a_condition_with_the_prompt_of_the_others(
    sample_reports: Graph, tmp_path: Path
) -> None:
    settings = GraphragGlobalSettings(over="nearest", window_tokens=3000, passages=2)
    with model(tmp_path) as (live, fake):
        found = answer_globally(sample_reports, QUESTION, settings, live)
        shown = [item for body in fake.paid for item in items_of(body)]
        answer_globally(sample_reports, QUESTION, GraphragGlobalSettings(), live)
        systems = {body["messages"][0]["content"] for body in fake.paid if task_of(body) == "reduce"}
    assert len(systems) == 1
    assert all("(passage: " in item.split("\n")[0] for item in shown)
    assert len(shown) > settings.passages  # the window says how many are read
    assert found.evidence.method == "graphrag-global nearest"
    assert found.citations == tuple(passage.id for passage in found.evidence.passages)


@pytest.mark.parametrize("over", ["reports", "chunks", "nearest"])
def test_form_and_general_knowledge_are_in_every_prompt(sample_reports: Graph, tmp_path: Path, over: str) -> None:
    chosen: dict[str, Any] = {"style": "multiple paragraphs", "general_knowledge": True}
    with model(tmp_path) as (live, fake):
        answer_globally(sample_reports, QUESTION, GraphragGlobalSettings(over=over, **chosen), live)
        for body in fake.paid:
            system = body["messages"][0]["content"]
            assert "Length and form of the answer: multiple paragraphs." in system
            assert '"[general knowledge]"' in system
            assert "items alone" not in system


def test_similar_and_dynamic_choices_read_less_and_report_their_cost(sample_reports: Graph, tmp_path: Path) -> None:
    with model(tmp_path) as (live, fake):
        similar = answer_globally(sample_reports, QUESTION, GraphragGlobalSettings(choice="similar", reports=4), live)
        assert any(note.startswith("4 reports in") for note in similar.notes)
        fake.paid.clear()
        dynamic = answer_globally(sample_reports, QUESTION, GraphragGlobalSettings(choice="dynamic"), live)
        rated = [body for body in fake.paid if task_of(body) == "rate"]
        assert dynamic.costs["choose"].calls == len(rated) > 0
        chosen = [item for body in fake.paid if task_of(body) == "map" for item in items_of(body)]
    # The scripted model finds a report helpful by its length; a report with helpful ones below gives way to these.
    every = {row["id"]: row for row in sample_reports.rows("answer/below", ids=[""])}
    helpful = {name for name, row in every.items() if row["rating"] is not None}
    assert 0 < len(chosen) < len(sample_reports.rows("answer/reports", level=1))
    assert helpful


def test_windows_without_help_give_no_answer_and_failures_are_counted(sample_reports: Graph, tmp_path: Path) -> None:
    def nothing(_: int, body: Body) -> Manner:
        return Say(json.dumps({"answer": "", "score": 60, "citations": []}))

    settings = GraphragGlobalSettings(window_tokens=2000)
    with model(tmp_path / "a", nothing) as (live, fake):
        found = answer_globally(sample_reports, QUESTION, settings, live)
        assert (found.text, found.partial, found.citations) == (NOTHING, (), ())
        assert all(task_of(body) == "map" for body in fake.paid)
    with model(tmp_path / "b", lambda n, body: Fail(400, "too long") if n == 1 else normal(n, body)) as (live, _):
        assert any(
            "1 window got no reply" in note for note in answer_globally(sample_reports, QUESTION, settings, live).notes
        )
    with (
        model(tmp_path / "c", lambda n, body: Fail(400, "too long")) as (live, _),
        pytest.raises(MissingReplyError, match="None of the"),
    ):
        answer_globally(sample_reports, QUESTION, settings, live)


@pytest.mark.parametrize("tokens", [1000, 2000, 8000])
def test_a_local_window_keeps_its_shares(sample_reports: Graph, tokens: int) -> None:
    settings = GraphragLocalSettings(window_tokens=tokens)
    evidence = GraphragLocal(as_many_as_fit(settings)).retrieve(sample_reports, QUESTION)
    items, _ = pack(evidence, settings, token_counter(sample_reports.question_embedder()))
    size = {kind: sum(one.tokens for one in items if one.kind == kind) for kind in ("report", "passage")}
    assert sum(one.tokens for one in items) <= tokens
    assert size["report"] <= 0.1 * tokens
    assert size["passage"] > 0.3 * tokens or tokens == 8000


def test_a_local_answer_cites_what_it_was_shown(sample_reports: Graph, tmp_path: Path) -> None:
    with model(tmp_path) as (live, fake):
        found = answer_locally(sample_reports, QUESTION, GraphragLocalSettings(), live)
        assert len(fake.paid) == 1
        first = items_of(fake.paid[0])[0]
    assert first.startswith("[1] (report: ")
    assert found.citations == (found.evidence.reports[0].id,)
    assert len(found.evidence.passages) > 5


def test_drift_follows_questions_within_its_bounds_and_keeps_every_partial_answer(
    sample_reports: Graph, tmp_path: Path
) -> None:
    settings = GraphragDriftSettings(follow_ups=2, rounds=3)
    with model(tmp_path) as (live, fake):
        found = answer_by_drift(sample_reports, QUESTION, settings, live)
        assert [one.turn for one in found.partial] == [0, 1, 1, 2, 2, 3, 3]
        assert found.partial[0].parent is None
        assert all(one.parent is not None and one.parent < place for place, one in enumerate(found.partial) if place)
        assert len({one.question for one in found.partial}) == len(found.partial)
        assert len(fake.paid) == 8  # the primer, six follow-up questions, and the last answer
        assert any("stayed open" in note for note in found.notes)
        again = answer_by_drift(sample_reports, QUESTION, settings, live)
        assert (again.text, again.partial, again.usage.calls) == (found.text, found.partial, 0)
        short = answer_by_drift(sample_reports, QUESTION, GraphragDriftSettings(rounds=3, token_budget=1000), live)
        assert len(short.partial) == 1
        assert any("stopped before round 1" in note for note in short.notes)


def test_without_reports_global_and_drift_say_how_to_make_them(graph: Graph, tmp_path: Path) -> None:
    from small_embedder import SmallEmbedder

    graph.embedder = SmallEmbedder()
    use_model(graph, "small", 384)
    with model(tmp_path) as (live, _):
        with pytest.raises(GraphError, match="no reports"):
            answer_globally(graph, QUESTION, GraphragGlobalSettings(), live)
        with pytest.raises(GraphError, match="no reports"):
            answer_by_drift(graph, QUESTION, GraphragDriftSettings(), live)
    assert any("no reports" in note for note in GraphragGlobal().retrieve(graph, QUESTION).notes)
    assert any("no entities" in note for note in GraphragLocal().retrieve(graph, QUESTION).notes)


def item(name: str, tokens: int) -> Item:
    return Item("report", name, name, name, tokens)


def test_windows_are_shuffled_by_the_seed_and_hold_each_item_once() -> None:
    items = [item(str(number), 10) for number in range(25)] + [item("long", 500)]
    cut = windows(items, 100, 7)
    assert cut == windows(items, 100, 7) != windows(items, 100, 8)
    assert sorted(one.id for window in cut for one in window) == sorted(one.id for one in items)
    assert all(sum(one.tokens for one in window) <= 100 or len(window) == 1 for window in cut)
    assert [one.id for one in first_that_fit([item("a", 60), item("b", 60), item("c", 40)], 100)] == ["a", "c"]


def test_numbers_in_a_text_cite_items() -> None:
    items = [item("a", 1), item("b", 1), item("c", 1)]
    assert [one.id for one in cited("Yes [2, 3]. No [9]. [1; +more] [x]", items)] == ["b", "c", "a"]
    assert plain("Yes [2, 3]. No [x].") == "Yes. No [x]."
