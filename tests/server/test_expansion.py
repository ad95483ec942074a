"""Retrievers that hold a retriever: HyDE, query expansion, and several steps."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from endpoint import Body, Manner, Say, endpoint

from qcg_neo4j.core.errors import MissingReplyError, SettingsError
from qcg_neo4j.core.records import Evidence, Passage
from qcg_neo4j.database.graph import Graph
from qcg_neo4j.models.llm import LanguageModelSettings, LiveModel
from qcg_neo4j.models.replies import Recording, ReplyStore
from qcg_neo4j.models.replies.exchange import key_of
from qcg_neo4j.retrieval import (
    Atomic,
    Expanded,
    Fulltext,
    KgCqr,
    KgCqrSettings,
    MultiStep,
    RetrieveSettings,
    VectorBaseline,
)
from qcg_neo4j.retrieval.around.expansion import collected
from qcg_neo4j.retrieval.catalogue import AroundSettings, asks_a_model, compose
from qcg_neo4j.retrieval.kg_cqr import fuse

QUESTION = "Which gym did Wolfgang recommend to Li Hua?"
WORDS = Fulltext(RetrieveSettings(context_tokens=1_000_000))
PASSAGE = "WolfgangSchulz: There’s a nice gym called FitZone not too far from you."


@pytest.fixture
def analyses(tmp_path: Path) -> Recording:
    reply = {
        "complexity": 1,
        "entities": ["Wolfgang", "Li Hua"],
        "sub_questions": [{"focus": "entity", "question": "What is the gym called?"}],
        "hypothetical_passage": PASSAGE,
    }
    file = tmp_path / "analyses.jsonl"
    file.write_text(json.dumps({"task": "analyse/question", "key": key_of(QUESTION), "reply": reply}))
    return Recording([file])


def ids(evidence: Evidence) -> list[str]:
    return [passage.id for passage in evidence.passages]


def test_hyde_fuses_question_and_passage(sample: Graph, analyses: Recording) -> None:
    evidence = Expanded(VectorBaseline(), analyses, alpha=0.3).retrieve(sample, QUESTION)
    fused = fuse(sample.embed_question(QUESTION), sample.embed_question(PASSAGE), 0.3)
    assert ids(evidence) == ids(VectorBaseline().retrieve(sample, QUESTION, fused))
    assert (evidence.question, evidence.method) == (QUESTION, "vector + hyde 0.3")
    assert evidence.notes[-1] == f"searched with: {PASSAGE}"


def test_terms_are_embedded_and_searched_for(sample: Graph, analyses: Recording) -> None:
    text = f"{QUESTION}\nWolfgang\nLi Hua\nWhat is the gym called?"
    by_vector = Expanded(VectorBaseline(), analyses, "terms").retrieve(sample, QUESTION)
    assert ids(by_vector) == ids(VectorBaseline().retrieve(sample, QUESTION, sample.embed_question(text)))
    by_words = Expanded(Fulltext(), analyses, "terms").retrieve(sample, QUESTION)
    assert by_words.passages == Fulltext().retrieve(sample, text).passages


def test_a_question_without_analysis_is_an_error(sample: Graph, analyses: Recording) -> None:
    with pytest.raises(MissingReplyError, match="no reply to analyse/question"):
        Expanded(VectorBaseline(), analyses).retrieve(sample, "Who else?")


def test_expansions_are_generated_from_a_first_search_and_refined(sample: Graph, tmp_path: Path) -> None:
    analysed = {"complexity": 1, "entities": ["Wolfgang"], "sub_questions": [], "hypothetical_passage": ""}
    replies = [analysed, {"texts": ["Wolfgang recommended a gym.", "A gym in Paris."]}, {"text": PASSAGE}]
    prompts: list[str] = []

    def script(_: int, body: Body) -> Manner:
        prompts.append(body["messages"][1]["content"])
        return Say(json.dumps(replies[len(prompts) - 1]))

    with endpoint(script) as fake:
        source = stepping(fake.url, tmp_path)
        evidence = Expanded(VectorBaseline(), source, "analyse-generate-refine").retrieve(sample, QUESTION)
        source.close()
    first = VectorBaseline().retrieve(sample, QUESTION).passages[0].text.split("\n")[0]
    assert ("Wolfgang" in prompts[1], first[:40] in prompts[1], "A gym in Paris." in prompts[2]) == (True, True, True)
    found = VectorBaseline().retrieve(sample, QUESTION, sample.embed_question(f"{QUESTION}\n{PASSAGE}"))
    assert ids(evidence) == ids(found)
    assert evidence.method == "vector + analyse-generate-refine"


def stepping(url: str, folder: Path) -> LiveModel:
    settings = LanguageModelSettings(endpoint=url, model="a-model", retries=0)
    return LiveModel(settings, ReplyStore(folder / "replies.sqlite"), "sk-key")


def step(thought: str, *, done: bool) -> Say:
    return Say(json.dumps({"answer": thought, "citations": [], "done": done}))


def test_each_thought_is_the_next_search(sample: Graph, tmp_path: Path) -> None:
    prompts: list[str] = []
    thoughts = ["Li Hua found a basement for practice.", "FitZone is a gym with classes."]

    def script(_: int, body: Body) -> Manner:
        prompts.append(body["messages"][1]["content"])
        return step("FitZone [1].", done=True) if len(prompts) == 3 else step(thoughts[len(prompts) - 1], done=False)

    with endpoint(script) as fake:
        evidence = MultiStep(WORDS, stepping(fake.url, tmp_path)).retrieve(sample, QUESTION)
    searches = [WORDS.retrieve(sample, text) for text in (QUESTION, *thoughts)]
    assert list(evidence.passages) == collected(searches)
    assert evidence.thoughts == (*thoughts, "FitZone [1].")
    assert evidence.notes[-1] == "answered after 3 of 5 steps"
    assert f"- {thoughts[0]}" in prompts[1]
    assert searches[1].passages[0].text.strip()[:60] in prompts[1]


def test_it_stops_after_the_last_step(sample: Graph, tmp_path: Path) -> None:
    with endpoint(lambda number, _: step(f"Thought {number}.", done=False)) as fake:
        evidence = MultiStep(Fulltext(), stepping(fake.url, tmp_path), steps=2).retrieve(sample, QUESTION)
    assert len(evidence.thoughts) == 2
    assert evidence.notes[-1] == "no answer after 2 steps"


def test_an_answer_is_written_from_the_passages_of_all_steps(sample: Graph, tmp_path: Path) -> None:
    """Also where the method finds atoms, which are those of a single search."""
    with endpoint(lambda number, _: step(f"Thought {number}.", done=False)) as fake:
        evidence = MultiStep(Atomic(), stepping(fake.url, tmp_path), steps=2).retrieve(sample, QUESTION)
    assert Atomic().retrieve(sample, QUESTION).atoms
    assert list(evidence.citable) == list(evidence.passages)


def test_collected_takes_the_best_of_each_search_first() -> None:
    def evidence(*names: str) -> Evidence:
        return Evidence("?", "m", tuple(Passage(name, name, 0, name, 0.0, 1) for name in names))

    found = collected([evidence("a", "b", "c"), evidence("b", "d"), evidence("e")])
    assert [passage.id for passage in found] == ["a", "b", "e", "d", "c"]


def test_composing_asks_for_a_model_where_one_is_needed() -> None:
    assert not asks_a_model(VectorBaseline(), AroundSettings())
    assert asks_a_model(KgCqr(KgCqrSettings(triple_filter="model")), AroundSettings())
    for around in (AroundSettings(expand="hyde"), AroundSettings(steps=3)):
        assert asks_a_model(VectorBaseline(), around)
        with pytest.raises(SettingsError, match="none is given"):
            compose("vector", {}, around, None)


def test_composing_puts_steps_around_expansion(analyses: Recording) -> None:
    made = compose("fulltext", {"passages": 3}, AroundSettings(expand="terms", steps=2), analyses)
    assert made.name == "fulltext + terms + 2 steps"
    assert made.settings.passages == 3
    assert made.with_settings(Fulltext().settings).settings.passages == 5
