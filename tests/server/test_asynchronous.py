"""A graph on an event loop: the evidence, the errors and the limits are those of the graph with threads."""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Awaitable, Callable, Iterable, Iterator, Sequence
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any, TypeVar

import pytest
from conftest import TestServer as ServerAddress
from endpoint import Say, endpoint

from qcg_neo4j.core.errors import QcgError
from qcg_neo4j.core.records import Evidence, Passage
from qcg_neo4j.database.asynchronous import AsyncGraph
from qcg_neo4j.database.graph import Graph
from qcg_neo4j.database.model import check_model, use_model
from qcg_neo4j.models.llm import Endpoint, LanguageModelSettings
from qcg_neo4j.models.replies import Reply, Request, Result
from qcg_neo4j.retrieval import METHODS, Atomic, AtomicSettings, Diverse, Fused, Layers, Qcg, method
from qcg_neo4j.retrieval.answer import Writing, answer_question

T = TypeVar("T")
QUESTIONS = (
    "What is the name of the gym that Wolfgang recommended to Li Hua?",
    "Who is going to the concert?",
    "What do these people talk about?",
)


def on_loop(server: ServerAddress, graph: Graph, work: Callable[[AsyncGraph], Awaitable[T]]) -> T:
    """The result of what is done with the graph of a server on a loop, with the embedder of the other one."""

    async def run() -> T:
        async with await AsyncGraph.connect(server.uri, server.user, server.password) as connected:
            connected.embedder = graph.embedder
            return await work(connected)

    return asyncio.run(run())


def timeless(evidence: Evidence) -> Evidence:
    return replace(evidence, seconds=0.0)


class Scripted:
    """A source that replies to all, when it is told to go on."""

    name = "scripted"

    def __init__(self) -> None:
        self.goes_on = threading.Event()
        self.goes_on.set()

    def known(self, request: Request) -> Reply | None:
        return None

    def replies(self, requests: Iterable[Request]) -> Iterator[Result]:
        for request in requests:
            assert self.goes_on.wait(60)
            yield Reply(request, self.value(request), self.name)

    def value(self, request: Request) -> dict[str, Any]:
        if request.task.name != "analyse/question":
            return {"keep": [1, 2, 3], "context": "a gym", "text": "a gym", "passage": "a gym"}
        parts = [{"focus": "gym", "question": f"Which gym does {name} like?"} for name in ("Wolfgang", "Li Hua")]
        return {
            "complexity": 9,
            "entities": ["Wolfgang", "Li Hua"],
            "sub_questions": parts,
            "hypothetical_passage": "x",
        }


@pytest.mark.rest
def test_every_method_finds_the_same_with_all_questions_at_once(
    sample_server: ServerAddress, sample_reports: Graph
) -> None:
    ways = [(method(name), question) for name in METHODS for question in QUESTIONS]

    async def ask(graph: AsyncGraph) -> list[Evidence]:
        return await asyncio.gather(*(way.aretrieve(graph, question) for way, question in ways))

    found = on_loop(sample_server, sample_reports, ask)
    for (way, question), evidence in zip(ways, found, strict=True):
        assert timeless(evidence) == timeless(way.retrieve(sample_reports, question)), (way.name, question)


@pytest.mark.rest
def test_what_holds_a_method_or_asks_a_model_finds_the_same(sample_server: ServerAddress, sample: Graph) -> None:
    parted = Atomic(AtomicSettings(analysis="model", sieve="model"), Scripted())
    by_gds = Atomic(AtomicSettings(propagation="gds"))
    ways: tuple[Any, ...] = (Fused(Qcg(), (parted,)), Diverse(Layers()), parted, by_gds)

    async def ask(graph: AsyncGraph) -> list[Evidence]:
        found: list[Evidence] = await asyncio.gather(*(way.aretrieve(graph, QUESTIONS[0]) for way in (*ways, *ways)))
        return found

    found = on_loop(sample_server, sample, ask)
    for way, evidence in zip((*ways, *ways), found, strict=True):
        alone = way.retrieve(sample, QUESTIONS[0])
        # GDS adds up in parallel, and so never twice the same.
        same = [passage.id for passage in alone.passages] if way is by_gds else timeless(alone)
        assert ([passage.id for passage in evidence.passages] if way is by_gds else timeless(evidence)) == same, (
            way.name
        )
    assert len(found[2].notes) >= 2  # both sub-questions were asked as well


def test_the_loop_goes_on_while_a_model_thinks(sample_server: ServerAddress, sample: Graph) -> None:
    model = Scripted()
    model.goes_on.clear()
    slow = Atomic(AtomicSettings(sieve="model"), model)

    async def ask(graph: AsyncGraph) -> Evidence:
        asked = asyncio.ensure_future(slow.aretrieve(graph, QUESTIONS[0]))
        for _ in range(15):
            await asyncio.sleep(0.01)
        assert not asked.done()
        model.goes_on.set()
        return await asked

    assert on_loop(sample_server, sample, ask).passages


def test_a_cancelled_question_ends_at_its_next_statement(sample_server: ServerAddress, sample: Graph) -> None:
    heard: list[type[BaseException]] = []

    def body(graph: Graph) -> None:
        try:
            while True:
                graph.rows("inspect/counts")
        except BaseException as error:
            heard.append(type(error))
            raise

    async def ask(graph: AsyncGraph) -> Evidence:
        with pytest.raises(TimeoutError):
            await asyncio.wait_for(graph.ask(body), 0.2)
        tasks = [asyncio.ensure_future(Layers().aretrieve(graph, question)) for question in QUESTIONS * 5]
        await asyncio.sleep(0.01)
        for task in tasks[1:]:
            task.cancel()
        ended = await asyncio.gather(*tasks, return_exceptions=True)
        assert sum(isinstance(one, asyncio.CancelledError) for one in ended) > 1
        assert isinstance(ended[0], Evidence)
        return ended[0]

    assert timeless(on_loop(sample_server, sample, ask)) == timeless(Layers().retrieve(sample, QUESTIONS[0]))
    assert heard == [asyncio.CancelledError]


def test_errors_are_the_same(sample_server: ServerAddress, sample: Graph) -> None:
    wrong: Sequence[Callable[[Graph], Any]] = (
        lambda graph: Layers().retrieve(graph, " "),
        lambda graph: graph.rows("inspect/countz"),
        lambda graph: graph.rows("retrieve/auto/scope"),
        lambda graph: check_model(graph, "another", 3),
        lambda graph: graph.rows("retrieve/qcg", 1),
    )

    def error_of(work: Callable[[Graph], Any], graph: Graph) -> tuple[type, str]:
        with pytest.raises(QcgError) as told:
            work(graph)
        return type(told.value), str(told.value)

    async def ask(graph: AsyncGraph) -> list[tuple[type, str]]:
        return [await graph.ask(lambda asked, work=work: error_of(work, asked)) for work in wrong]  # type: ignore[misc]

    assert on_loop(sample_server, sample, ask) == [error_of(work, sample) for work in wrong]


def test_rows_vectors_and_limits_are_the_same(sample_server: ServerAddress, sample: Graph) -> None:
    async def ask(graph: AsyncGraph) -> tuple[Any, ...]:
        return (
            await graph.rows("inspect/counts"),
            await graph.rows("inspect/counts", 2),
            list(await graph.embed_question(QUESTIONS[0])),
            await graph.ask(lambda asked: asked.has_procedures()),
        )

    counts = sample.rows("inspect/counts")
    assert on_loop(sample_server, sample, ask) == (counts, counts[:2], list(sample.embed_question(QUESTIONS[0])), True)


def test_what_writes_is_refused(sample_server: ServerAddress, sample: Graph) -> None:
    with pytest.raises(QcgError, match="an AsyncGraph is only asked"):
        on_loop(sample_server, sample, lambda graph: graph.ask(lambda asked: use_model(asked, "another", 3)))


def test_no_more_threads_than_wanted_ask_at_once(sample_server: ServerAddress, sample: Graph) -> None:
    active: list[int] = []
    running, most = 0, threading.Lock()

    def body(graph: Graph) -> None:
        nonlocal running
        with most:
            running += 1
            active.append(running)
        graph.rows("inspect/counts")
        with most:
            running -= 1

    async def ask() -> None:
        async with await AsyncGraph.connect(
            sample_server.uri, sample_server.user, sample_server.password, threads=3
        ) as graph:
            await asyncio.gather(*(graph.ask(body) for _ in range(30)))

    asyncio.run(ask())
    assert len(active) == 30
    assert max(active) == 3


def test_the_statement_of_a_cancelled_question_ends_by_its_time_limit(
    sample_server: ServerAddress, sample: Graph, tmp_path: Path
) -> None:
    own = tmp_path / "own.cypher"
    own.write_text(
        "// A number.\nUNWIND range(1, 100000) AS a UNWIND range(1, 1000000) AS b RETURN count(a + b) AS c",
        encoding="utf-8",
    )

    async def ask() -> float:
        address = (sample_server.uri, sample_server.user, sample_server.password)
        async with await AsyncGraph.connect(*address, seconds=1.0) as graph:
            begun = time.monotonic()
            with pytest.raises(TimeoutError):
                await asyncio.wait_for(graph.rows(str(own.with_suffix(""))), 0.2)
            assert time.monotonic() - begun < 0.9  # who waits goes on at once
        return time.monotonic() - begun

    assert 0.9 < asyncio.run(ask()) < 20


def test_an_answer_is_streamed_on_a_loop(tmp_path: Path) -> None:
    passage = Passage("one", "notes", 0, "Ann closes the gym.", 1.0, 5)
    evidence = Evidence("Who closes the gym?", "qcg", (passage,))

    async def pieces(endpoint: Endpoint, most: int) -> tuple[list[str], Writing]:
        writing, heard = Writing(evidence, endpoint), []
        stream = aiter(writing)
        async for piece in stream:
            heard.append(piece)
            if len(heard) == most:
                break
        await stream.aclose()  # type: ignore[attr-defined]
        return heard, writing

    with endpoint(lambda _, __: Say("Ann closes it [1].")) as fake:
        settings = LanguageModelSettings(endpoint=fake.url, model="small")
        with closing(Endpoint(settings)) as model:
            heard, writing = asyncio.run(pieces(model, 100))
            assert ("".join(heard), len(heard) > 1) == ("Ann closes it [1].", True)
            assert writing.answer == answer_question(evidence, model)
            assert len(asyncio.run(pieces(model, 1))[0]) == 1
