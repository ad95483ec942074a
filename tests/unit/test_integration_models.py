"""Models of the real package neo4j-graphrag where ours are taken, over real HTTP."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from endpoint import GOOD, Body, Fail, Manner, Raw, Say, endpoint, normal, prompt_of, request
from neo4j_graphrag.embeddings import OpenAIEmbeddings
from neo4j_graphrag.llm import LLMInterface, LLMInterfaceV2, LLMResponse, OpenAILLM

from qcg_neo4j.core.errors import EmbeddingError, LanguageModelError
from qcg_neo4j.core.records import Evidence, Passage, Usage
from qcg_neo4j.interfaces.neo4j_graphrag_models import GraphragEmbedder, GraphragModel
from qcg_neo4j.models.llm import BatchModel, LanguageModelSettings, LiveModel
from qcg_neo4j.models.replies import Reply, ReplyStore
from qcg_neo4j.retrieval.answer import answer_question

WRONG = '{"pairs": "none"}'


@pytest.fixture
def store(tmp_path: Path) -> Iterator[ReplyStore]:
    with ReplyStore(tmp_path / "replies.sqlite") as opened:
        yield opened


def live(model: LLMInterface | LLMInterfaceV2, store: ReplyStore) -> LiveModel:
    asked = GraphragModel(model)
    return LiveModel(asked.settings, store, endpoint=asked)


def openai(url: str) -> OpenAILLM:
    return OpenAILLM("small", base_url=url, api_key="sk-secret-of-theirs", max_retries=0)


class Second(LLMInterfaceV2):
    """A model of the package's newer kind; ``heard`` are the messages that it was sent."""

    def __init__(self) -> None:
        super().__init__("second")
        self.heard: list[Any] = []

    def invoke(self, input: Any, *, response_format: Any = None, **_: Any) -> LLMResponse:  # noqa: A002 - theirs
        self.heard.append(input)
        return LLMResponse(content=WRONG if len(self.heard) == 1 else GOOD)

    async def ainvoke(self, input: Any, **_: Any) -> LLMResponse:  # noqa: A002 - theirs
        return self.invoke(input)


def test_a_model_replies_corrects_itself_and_is_asked_once(store: ReplyStore) -> None:
    def script(number: int, body: Body) -> Manner:
        return Say(WRONG) if number == 1 else normal(number, body)

    with endpoint(script) as fake:
        for times in (2, 0):
            (reply,) = live(openai(fake.url), store).replies([request()])
            assert isinstance(reply, Reply), reply
            assert (reply.model, reply.usage) == ("small", Usage(times, 100 * times, 40 * times))
        roles = [[message["role"] for message in call["messages"]] for call in fake.calls]
    assert roles == [["system", "user"], ["system", "user", "assistant", "user"]]
    assert prompt_of(fake.calls[0]) == prompt_of({"messages": request().messages()})


def test_a_model_of_the_newer_kind_is_sent_the_same(store: ReplyStore) -> None:
    model = Second()
    (reply,) = live(model, store).replies([request()])
    assert isinstance(reply, Reply), reply
    assert reply.usage == Usage(2, untold=2)  # it does not tell
    assert prompt_of({"messages": model.heard[0]}) == prompt_of({"messages": request().messages()})
    assert [message["role"] for message in model.heard[1]] == ["system", "user", "assistant", "user"]


def test_an_answer_is_written_by_any_model() -> None:
    evidence = Evidence("Who closes it?", "qcg", (Passage("one", "notes", 0, "Ann closes it.", 1.0, 5),))
    with endpoint(lambda _, __: Say("Ann [1].")) as fake:
        written = answer_question(evidence, GraphragModel(openai(fake.url)))
    assert (written.text, written.citations, written.model) == ("Ann [1].", ("one",), "small")
    assert written.usage == Usage(1, 100, 40)


def test_their_failures_are_ours_without_their_secrets(store: ReplyStore) -> None:
    with endpoint(lambda _, __: Fail(400, "no: sk-secret-of-theirs")) as fake:
        with pytest.raises(LanguageModelError, match="small failed") as told:
            GraphragModel(openai(fake.url)).complete(request().messages(), request().task)
        assert "secret" not in str(told.value)
        with pytest.raises(LanguageModelError, match="takes no batches"):
            BatchModel(live(openai(fake.url), store), store)
        embedder = GraphragEmbedder(OpenAIEmbeddings("vectors", base_url=fake.url, api_key="sk-secret"), "vectors")
        with pytest.raises(EmbeddingError, match="vectors failed"):
            embedder.embed(["text"])


def test_a_limit_of_cost_holds_for_any_model(store: ReplyStore) -> None:
    settings = LanguageModelSettings(input_price=1.0, output_price=10.0, max_cost=0.0)
    asked = GraphragModel(Second(), settings)
    with (
        closing(LiveModel(asked.settings, store, endpoint=asked)) as model,
        pytest.raises(LanguageModelError, match="could pass --max-cost"),
    ):
        list(model.replies([request()]))


def test_an_embedder_gives_vectors_of_unit_length() -> None:
    def script(_: int, body: Body) -> Manner:
        text = body["input"] if isinstance(body["input"], str) else body["input"][0]
        vector = [float(len(text)), 1.0, 2.0]
        return Raw(json.dumps({"object": "list", "data": [{"index": 0, "embedding": vector}], "model": "v"}).encode())

    with endpoint(script) as fake:
        theirs = OpenAIEmbeddings("vectors", base_url=fake.url, api_key="none")
        embedder = GraphragEmbedder(theirs, "vectors", window_tokens=100)
        vectors = embedder.embed(["a", "abc"])
    assert (vectors.shape, embedder.dimension, embedder.name) == ((2, 3), 3, "vectors")
    assert np.allclose(np.linalg.norm(vectors, axis=1), 1)
    assert vectors[1][0] > vectors[0][0]
    assert embedder.embed([]).shape == (0, 3)
