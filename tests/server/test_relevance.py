"""The floor of relevance: below it nothing is found and nobody is asked; above it all is as without it."""

from __future__ import annotations

import json
from contextlib import closing
from dataclasses import replace

import numpy as np
import pytest
from conftest import TestServer as ServerAddress
from endpoint import Body, Manner, Say, endpoint
from test_cli import Run, run  # noqa: F401 - a fixture

from qcg_neo4j.core.records import Usage
from qcg_neo4j.database.graph import Graph
from qcg_neo4j.database.model import use_model
from qcg_neo4j.models.llm import Endpoint, LanguageModelSettings
from qcg_neo4j.retrieval import AroundSettings, Fulltext, Layers, Relevant, compose
from qcg_neo4j.retrieval.answer import DECLINED, answer_question
from qcg_neo4j.retrieval.around.wrapper import NOTHING, relevance

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
    use_model(graph, "small", 384)
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
        model = ("--llm", f"small@{fake.url}", "--method", method)
        floor = ("-s", "minimum_relevance=0.45", "--home", str(sample_server.home))
        declined = run("answer", ELSEWHERE, *model, *floor)
        assert (declined.code, fake.calls) == (0, []), declined.errors
        assert DECLINED in declined.output
        assert "Note: nothing in the graph is relevant" in declined.output
        told = json.loads(run("answer", ELSEWHERE, "--json", *model, *floor).output)
        assert (told["text"], told["model"], told["evidence"]["passages"]) == (DECLINED, None, [])
        found = run("retrieve", ELSEWHERE, "--method", "layers", *floor)
        assert "No passage was found." in found.output
        assert NOTHING in found.output
