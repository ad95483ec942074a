"""The floor of relevance: below it nothing is found and nobody is asked; above it all is as without it."""

from __future__ import annotations

import json
from contextlib import closing
from dataclasses import dataclass, replace
from pathlib import Path
from statistics import mean

import numpy as np
import pytest
from conftest import SAMPLE
from conftest import TestServer as ServerAddress
from endpoint import Body, Manner, Say, endpoint
from test_cli import Run, run  # noqa: F401 - a fixture

from qcg_neo4j.answer import DECLINED, answer_question
from qcg_neo4j.graph import Graph
from qcg_neo4j.language_model import Endpoint, LanguageModelSettings
from qcg_neo4j.records import Usage
from qcg_neo4j.retrieve import AroundSettings, Fulltext, Layers, Relevant, compose
from qcg_neo4j.retrieve.around.relevance import NOTHING, relevance

ABOUT = "What is the name of the gym that Wolfgang recommended to Li Hua?"
ELSEWHERE = "Which enzyme breaks down starch?"
FLOOR = 0.45
EVERY = """
MATCH (node:QcgChunk|QcgWindow|QcgQuery|QcgAtom) WHERE node.embedding IS NOT NULL RETURN node.embedding AS embedding
UNION ALL
MATCH (:QcgEntity)-[triple:RELATED_TO]->() WHERE triple.embedding IS NOT NULL RETURN triple.embedding AS embedding
"""


def test_relevance_is_the_cosine_of_what_lies_nearest(sample: Graph) -> None:
    found = sample.driver.execute_query(EVERY).records
    vectors = np.array([list(record["embedding"]) for record in found], np.float32)
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    for question in (ABOUT, ELSEWHERE):
        vector = sample.embed_question(question)
        nearest = relevance(sample, vector)
        assert nearest
        assert nearest.cosine == pytest.approx(float((vectors @ vector).max()), abs=1e-4)


def test_below_the_floor_nothing_is_found(sample: Graph) -> None:
    for inner in (Layers(), Fulltext()):
        method = Relevant(inner, FLOOR)
        evidence = method.retrieve(sample, ELSEWHERE)
        assert evidence.passages == ()
        (note,) = evidence.notes
        assert note.startswith(NOTHING)
        assert "not 0.45" in note
        found = method.retrieve(sample, ABOUT)
        assert replace(found, seconds=0) == replace(inner.retrieve(sample, ABOUT), seconds=0)


def test_it_is_a_setting_around_any_method() -> None:
    method = compose("fulltext", {}, AroundSettings(minimum_relevance=0.5), None)
    assert (method.name, method.needs_vector) == ("fulltext from relevance 0.5", True)


def test_an_empty_graph_says_what_it_lacks(graph: Graph) -> None:
    graph.use_model("small", 384)
    vector = np.eye(1, 384, dtype=np.float32)[0]
    evidence = Relevant(Fulltext(), FLOOR).retrieve(graph, ELSEWHERE, vector)
    assert "the graph holds no documents" in evidence.notes[0]


def test_an_answer_is_declined_without_asking(sample: Graph) -> None:
    with (
        endpoint(lambda _, __: Say("Starch.")) as fake,
        closing(Endpoint(LanguageModelSettings(endpoint=fake.url, model="small"))) as model,
    ):
        written = answer_question(Relevant(Layers(), FLOOR).retrieve(sample, ELSEWHERE), model)
        assert (written.text, written.usage, fake.calls) == (DECLINED, Usage(), [])
        answer_question(Relevant(Layers(), FLOOR).retrieve(sample, ABOUT), model)
        assert len(fake.calls) == 1


@pytest.mark.parametrize("method", ["layers", "auto", "graphrag-local"])
def test_the_command_declines_whatever_the_method(
    run: Run,  # noqa: F811 - the fixture
    sample_server: ServerAddress,
    sample_reports: Graph,
    method: str,
) -> None:
    def script(_: int, body: Body) -> Manner:
        return Say(
            json.dumps({"answer": "FitZone [1]", "citations": []}) if "response_format" in body else "FitZone [1]"
        )

    with endpoint(script) as fake:
        model = ("--language-model-endpoint", fake.url, "--language-model", "small", "--method", method)
        floor = ("--minimum-relevance", "0.45", "--home", str(sample_server.home))
        declined = run("answer", ELSEWHERE, *model, *floor)
        assert (declined.code, fake.calls) == (0, []), declined.errors
        assert DECLINED in declined.output
        assert "Note: nothing in the graph is relevant" in declined.output
        told = json.loads(run("answer", ELSEWHERE, "--json", *model, *floor).output)
        assert (told["text"], told["model"], told["evidence"]["passages"]) == (DECLINED, None, [])
        found = run("retrieve", ELSEWHERE, "--method", "layers", *floor)
        assert "No passage was found." in found.output
        assert NOTHING in found.output


@dataclass(frozen=True)
class Asked:
    """Questions of one kind: how near the graph comes to each, and the recall of what answers it."""

    nearest: list[float]
    recall: list[float]

    def kept(self, floor: float) -> float:
        return mean(cosine >= floor for cosine in self.nearest)

    def recall_from(self, floor: float) -> float:
        found = zip(self.nearest, self.recall, strict=True)
        return mean(recall if cosine >= floor else 0.0 for cosine, recall in found)


def asked(graph: Graph, questions: list[tuple[str, set[str]]]) -> Asked:
    nearest, recalls = [], []
    for question, wanted in questions:
        vector = graph.embed_question(question)
        near = relevance(graph, vector)
        assert near
        nearest.append(near.cosine)
        found = {passage.document for passage in Layers().retrieve(graph, question, vector).passages} if wanted else ()
        recalls.append(len(wanted & set(found)) / len(wanted) if wanted else 0.0)
    return Asked(nearest, recalls)


def test_the_floor_that_is_advised_was_learned_and_costs_what_the_page_says(sample: Graph) -> None:
    """Even questions to learn: the floor that parts them best. Odd ones to report, as the page has it."""
    lines = [json.loads(line) for line in (SAMPLE / "questions.jsonl").read_text().splitlines()]
    own = [(line["question"], set(line["evidence"])) for line in lines if line["evidence"]]
    strange = [(line, set[str]()) for line in (Path(__file__).parent / "elsewhere.txt").read_text().splitlines()]
    learn_own, own_half = (asked(sample, own[half::2]) for half in (0, 1))
    learn_strange, strange_half = (asked(sample, strange[half::2]) for half in (0, 1))
    floors = [number / 100 for number in range(20, 80)]
    best = max(floors, key=lambda floor: learn_own.kept(floor) - learn_strange.kept(floor))

    def row(floor: float) -> str:
        shares = f"{strange_half.kept(floor):.0%} | {own_half.kept(floor):.0%} | {own_half.recall_from(floor):.1%}"
        return f"| {'none' if floor < 0 else f'{floor:g}'} | {shares} |"

    rows = [row(floor) for floor in (-1.0, 0.3, 0.4, 0.45, 0.5, 0.6, 0.7)]
    page = (Path(__file__).parents[1] / "qcg_neo4j" / "retrieve" / "README.md").read_text()
    told = "\n".join([f"learned: {best:g}", *rows])
    assert f"the best is {best:g}" in page, told
    assert all(each in page for each in rows), told
