"""Written answers over real HTTP, and the methods inside the package neo4j-graphrag."""

from __future__ import annotations

import json
from typing import Any

import neo4j
import pytest
from conftest import TestServer
from endpoint import Body, Fail, Manner, Say, endpoint
from neo4j_graphrag.generation import GraphRAG
from neo4j_graphrag.llm import OpenAILLM

from qcg_neo4j.core.errors import InputError, LanguageModelError
from qcg_neo4j.database.graph import Graph
from qcg_neo4j.interfaces.neo4j_graphrag import (
    AtomicRetriever,
    D2qRetriever,
    FulltextBaselineRetriever,
    GraphragGlobalRetriever,
    GraphragLocalRetriever,
    HybridBaselineRetriever,
    LpRetriever,
    MethodRetriever,
    QcgRetriever,
    VectorBaselineRetriever,
)
from qcg_neo4j.models.llm import Endpoint, LanguageModelSettings
from qcg_neo4j.retrieval import Atomic, Layers, LayersSettings, Qcg, QcgSettings, RetrieveSettings
from qcg_neo4j.retrieval.answer import Writing, answer_question
from qcg_neo4j.retrieval.around.wrapper import Answering

QUESTION = "What is the name of the gym that Wolfgang recommended to Li Hua?"


def opened(url: str, **more: Any) -> Endpoint:
    return Endpoint(LanguageModelSettings(endpoint=url, model="a-model", retries=0, **more), "sk-secret-key")


def test_an_answer_cites_its_passages(sample: Graph) -> None:
    evidence = Qcg().retrieve(sample, QUESTION)
    with endpoint(lambda _, __: Say("He recommended FitZone [1], as said before [2][9].")) as fake:
        written = answer_question(evidence, opened(fake.url))
    assert written.text == "He recommended FitZone [1], as said before [2]."  # there are five passages
    assert written.notes == ("citations of texts that do not exist were taken out: [9]",)
    assert written.citations == (evidence.passages[0].id, evidence.passages[1].id)
    assert (written.model, written.evidence, written.usage.calls) == ("a-model", evidence, 1)


def test_the_prompt_holds_question_and_passages_and_nothing_of_the_paths(sample: Graph) -> None:
    evidence = Qcg().retrieve(sample, QUESTION)
    prompts: list[str] = []

    def listening(_: int, body: Body) -> Manner:
        prompts.append(json.dumps(body["messages"], ensure_ascii=False))
        return Say("The evidence is not there.")

    with endpoint(listening) as fake:
        writing = Writing(evidence, opened(fake.url))
        assert "".join(writing) == "The evidence is not there."
    assert writing.answer.citations == ()
    assert QUESTION in prompts[0]
    for passage in evidence.passages:
        assert json.dumps(passage.text.strip(), ensure_ascii=False)[1:-1] in prompts[0]


@pytest.mark.parametrize("style", ["abstract", "precise"])
def test_an_answer_from_atoms_has_its_reasoning_apart(sample: Graph, style: str) -> None:
    evidence = Atomic().retrieve(sample, QUESTION)
    prompts: list[str] = []

    def script(_: int, body: Body) -> Manner:
        prompts.append(body["messages"][1]["content"])
        return Say("Wolfgang named a gym [2]. Answer: it follows.\nAnswer: FitZone.")

    with endpoint(script) as fake:
        written = answer_question(evidence, opened(fake.url), style)
    assert (written.text, written.citations) == ("FitZone.", (evidence.atoms[1].id,))
    assert written.reasoning == "Wolfgang named a gym [2]. Answer: it follows."
    assert f"[25] ({evidence.atoms[24].title})\n{evidence.atoms[24].text}" in prompts[0]
    assert evidence.passages[0].text.strip() not in prompts[0]


def test_an_answer_without_the_word_is_all_answer(sample: Graph) -> None:
    with endpoint(lambda _, __: Say("FitZone [1]")) as fake:
        written = answer_question(Atomic().retrieve(sample, QUESTION), opened(fake.url), "precise")
    assert (written.text, written.reasoning) == ("FitZone [1]", "")


def test_a_failing_endpoint_is_explained_without_the_key(sample: Graph) -> None:
    evidence = Qcg().retrieve(sample, QUESTION)
    with (
        endpoint(lambda _, __: Fail(401, "Incorrect API key provided: sk-secret-key")) as fake,
        pytest.raises(LanguageModelError) as caught,
    ):
        answer_question(evidence, opened(fake.url))
    assert "sk-secret-key" not in str(caught.value)


@pytest.fixture
def driver(sample_server: TestServer, sample: Graph) -> Any:
    with neo4j.GraphDatabase.driver(
        sample_server.uri, auth=(sample_server.user, sample_server.password), notifications_min_severity="OFF"
    ) as opened_driver:
        yield opened_driver


def test_the_retriever_works_inside_graphrag(driver: neo4j.Driver) -> None:
    retriever = QcgRetriever(driver, QcgSettings(passages=3))
    with endpoint(lambda _, __: Say("FitZone")) as fake:
        language_model = OpenAILLM("a-model", base_url=fake.url, api_key="none")
        result = GraphRAG(retriever, language_model).search(
            QUESTION, retriever_config={"top_k": 2}, return_context=True
        )
    assert result.answer == "FitZone"
    assert result.retriever_result is not None
    assert len(result.retriever_result.items) == 2
    item = result.retriever_result.items[0]
    assert "FitZone" in item.content
    assert item.metadata is not None
    assert {"id", "document", "score", "paths"} <= set(item.metadata)


@pytest.mark.rest(
    *("AtomicRetriever", "LpRetriever", "GraphragLocalRetriever", "GraphragGlobalRetriever", "D2qRetriever"),
    *("VectorBaselineRetriever", "FulltextBaselineRetriever", "HybridBaselineRetriever"),
)
@pytest.mark.parametrize(
    "kind",
    [
        QcgRetriever,
        AtomicRetriever,
        LpRetriever,
        GraphragLocalRetriever,
        GraphragGlobalRetriever,
        VectorBaselineRetriever,
        FulltextBaselineRetriever,
        HybridBaselineRetriever,
        D2qRetriever,
    ],
)
def test_each_retriever_gives_what_its_method_gives(
    kind: type[MethodRetriever], driver: neo4j.Driver, sample_reports: Graph
) -> None:
    retriever = kind(driver)  # type: ignore[call-arg] # each kind makes its own method
    found = retriever.search(query_text=QUESTION)
    expected = Answering(retriever.method).retrieve(sample_reports, QUESTION)
    few = retriever.search(query_text=QUESTION, top_k=5)
    for given, passages in (
        (found, expected.passages),
        (few, retriever.method.retrieve(sample_reports, QUESTION).passages),
    ):
        assert [item.metadata["id"] for item in given.items if item.metadata] == [item.id for item in passages]
    assert found.metadata is not None
    assert found.metadata["__retriever"] == kind.__name__


def test_an_answer_takes_more_passages_by_their_tokens(sample: Graph) -> None:
    plain, taken = (one.retrieve(sample, QUESTION) for one in (Layers(), Answering(Layers())))
    tokens = [passage.token_count for passage in taken.passages]
    assert taken.passages[: len(plain.passages)] == plain.passages
    assert len(plain.passages) == 5 < len(tokens) <= 25
    assert sum(tokens) <= 3000
    assert (taken.method, taken.settings, taken.notes) == (plain.method, plain.settings, plain.notes)


@pytest.mark.parametrize(
    ("settings", "number"),
    [({"answer_tokens": 0}, 5), ({"answer_tokens": 1}, 5), ({"passages": 30}, 30), ({"answer_tokens": 10**6}, 25)],
)
def test_how_many_passages_an_answer_takes(sample: Graph, settings: dict[str, Any], number: int) -> None:
    chosen = LayersSettings(**{"context_tokens": 10**6, **settings})
    assert len(Answering(Layers(chosen)).retrieve(sample, QUESTION).passages) == number


def test_a_vector_may_be_given_in_place_of_the_text(driver: neo4j.Driver, sample: Graph) -> None:
    vector = sample.embed_question(QUESTION).tolist()
    by_vector = QcgRetriever(driver).search(query_vector=vector)
    by_text = QcgRetriever(driver).search(query_text=QUESTION)
    assert [item.content for item in by_vector.items] == [item.content for item in by_text.items]


def test_an_embedder_of_that_package_is_used(driver: neo4j.Driver, sample: Graph) -> None:
    from neo4j_graphrag.embeddings import Embedder

    class Ours(Embedder):
        def embed_query(self, text: str, **_: Any) -> list[float]:
            vector: list[float] = sample.embed_question(text).tolist()
            return vector

    found = QcgRetriever(driver, embedder=Ours()).search(query_text=QUESTION)
    assert "FitZone" in found.items[0].content


def test_what_a_retriever_needs_is_said(driver: neo4j.Driver) -> None:
    with pytest.raises(InputError, match="'qcg' needs the question"):
        QcgRetriever(driver).search()
    with pytest.raises(InputError, match="'fulltext' needs the question"):
        FulltextBaselineRetriever(driver, RetrieveSettings()).search(query_vector=[1.0])


def test_a_retriever_becomes_a_tool(driver: neo4j.Driver) -> None:
    tool = QcgRetriever(driver).convert_to_tool("evidence", "Finds chat records.")
    assert set(tool.get_parameters()["properties"]) == {"query_text", "query_vector", "top_k", "filters"}
    assert tool.execute(query_text=QUESTION, top_k=1).items
