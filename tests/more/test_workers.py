"""Stages on several workers of a real local Ray: the graph of one process, also when workers are killed."""

from __future__ import annotations

import json
import os
import re
import signal
import socket
import subprocess
import sys
import threading
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import ExitStack, closing
from dataclasses import asdict
from pathlib import Path
from typing import Any

import psutil
import pytest
from conftest import emptied
from endpoint import Body, Fail, FakeEndpoint, Manner, Say, endpoint, material, pairs, prompt_of
from graph_dump import dump
from pytest_httpserver import HTTPServer
from sample_texts import PASSAGES, SAMPLE, documents
from small_embedder import SmallEmbedder
from werkzeug import Request, Response

from qcg_neo4j.core.errors import InputError, LanguageModelError, MissingPackageError, WorkerError
from qcg_neo4j.core.progress import Progress
from qcg_neo4j.core.records import Rejected, SourceDocument
from qcg_neo4j.database.graph import Graph
from qcg_neo4j.indexing.build import CommunitySettings, build_communities
from qcg_neo4j.indexing.extract import ExtractSettings, extract_graph
from qcg_neo4j.indexing.generate import GenerateSettings, generate_queries
from qcg_neo4j.indexing.load import LoadSettings, load_documents
from qcg_neo4j.indexing.report import ReportSettings, write_reports
from qcg_neo4j.indexing.stage import Span, Tally, Workers
from qcg_neo4j.indexing.workers import RayWorkers, ray_workers
from qcg_neo4j.indexing.workers.assignment import Named, RunResources
from qcg_neo4j.indexing.workers.session import session
from qcg_neo4j.models.llm import LanguageModelSettings, LiveModel
from qcg_neo4j.models.llm.budget import SpentError
from qcg_neo4j.models.replies import Recording, ReplySource, ReplyStore, StoredReplies

pytestmark = pytest.mark.filterwarnings("ignore")  # Ray's own, of sockets and of what it will change

SECRETS = {"key": "sk-of-the-model-4711", "password": "of-the-embedding-0815"}
TOKEN = {"RAY_AUTH_MODE": "token", "RAY_AUTH_TOKEN": "0123456789abcdef" * 4}  # of the cluster
COUNT = 3


def extraction(body: Body) -> str:
    """The speakers of the material's lines, who all talk to the first, each at length; each line is an atom."""
    said = [line for line in material(body).splitlines() if ": " in line][:8]
    speakers = list(dict.fromkeys(line.partition(":")[0] for line in said))
    entities = [{"name": who, "type": "person", "description": " ".join(said)[:700]} for who in speakers]
    relations = [{"source": who, "predicate": "talks to", "target": speakers[0], "strength": 5} for who in speakers[1:]]
    atoms = [{"text": line, "entities": [line.partition(":")[0]]} for line in said]
    return json.dumps({"entities": entities, "relations": relations, "atoms": atoms})


def report(body: Body) -> str:
    number, text = re.findall(r"^([ERCS]\d+): (.*)", material(body), re.MULTILINE)[0]
    finding = {"summary": f"{text[:40]} [{number}].", "explanation": "It is so."}
    texts = {"title": f"About {text[:30]}", "summary": f"All of it [{number}].", "rating_explanation": "middling"}
    return json.dumps({**texts, "rating": 3, "findings": [finding]})


def answer(_: int, body: Body, seconds: float = 0.0) -> Manner:
    """A reply to whichever task asks, which depends on the prompt alone."""
    system = body["messages"][0]["content"]
    ways = {
        "You read": extraction,
        "You decide": lambda _: '{"missed": "yes"}',
        "You check": lambda _: '{"entities": [], "relations": [], "atoms": []}',
        "You merge": lambda body: json.dumps({"description": f"In short: {material(body)[:60]}"}),
        "You write a report": report,
    }
    way = next((way for start, way in ways.items() if system.startswith(start)), pairs)
    return Say(way(body), seconds=seconds)


def slow(number: int, body: Body) -> Manner:
    return answer(number, body, seconds=0.05)


@pytest.fixture(scope="module")
def told_of_workers() -> list[str]:
    return []


@pytest.fixture(scope="module")
def workers(told_of_workers: list[str]) -> Iterator[RayWorkers]:
    """One Ray for all tests; its processes find the embedders of the tests."""
    with pytest.MonkeyPatch.context() as patch:
        for folder in ("", "twins", "materials", "more"):
            patch.setenv("PYTHONPATH", str(Path(__file__).parents[1] / folder), prepend=os.pathsep)
        with RayWorkers("ray", COUNT, tell=told_of_workers.append) as started:
            yield started


@pytest.fixture
def store(tmp_path: Path) -> Iterator[ReplyStore]:
    with ReplyStore(tmp_path / "replies.sqlite") as opened:
        yield opened


def model(fake: FakeEndpoint, store: ReplyStore, **settings: Any) -> closing[LiveModel]:
    values = {"endpoint": fake.url, "model": "small", "retries": 0, "concurrency": 2, **settings}
    return closing(LiveModel(LanguageModelSettings(**values), store, SECRETS["key"]))


def whole(graph: Graph, source: ReplySource, workers: Workers | None) -> dict[str, Any]:
    """Every stage, from an empty graph; what was reported."""
    embedder = SmallEmbedder()
    copy = SourceDocument("a copy", passages=(PASSAGES[0]["text"],))
    given: list[SourceDocument | Rejected] = [*documents(24), copy, Rejected("x.bin", None, "unknown")]
    reports: list[Any] = [
        load_documents(emptied(graph), embedder, given, LoadSettings(), workers=workers),
        generate_queries(graph, embedder, GenerateSettings(), source, with_baselines=True, workers=workers),
        extract_graph(graph, embedder, ExtractSettings(describe=True), source, workers=workers),
    ]
    build_communities(graph, CommunitySettings(maximum_size=5))
    reports.append(write_reports(graph, embedder, ReportSettings(), source, workers=workers))
    return {type(each).__name__: asdict(each) for each in reports}


def figures(reports: dict[str, Any]) -> dict[str, Any]:
    """What does not depend on how the work is cut into transactions."""
    left_out = ("seconds", "changes", "usage")
    return {name: {key: value for key, value in one.items() if key not in left_out} for name, one in reports.items()}


def test_the_graph_is_that_of_one_process(graph: Graph, store: ReplyStore, workers: RayWorkers, tmp_path: Path) -> None:
    with endpoint(answer) as fake:
        with model(fake, store) as alone:
            expected = whole(graph, alone, None)
            one, paid = dump(graph), Counter(map(prompt_of, fake.paid))
        fake.paid.clear()
        with ReplyStore(tmp_path / "others.sqlite") as other, model(fake, other) as shared:
            found = whole(graph, shared, workers)
            assert dump(graph) == one
            assert figures(found) == figures(expected)
            assert Counter(map(prompt_of, fake.paid)) == paid
            assert [found[name]["usage"] for name in found if "usage" in found[name]] == [
                expected[name]["usage"] for name in expected if "usage" in expected[name]
            ]
            again = whole_again(graph, shared, workers)
    assert dump(graph) == one
    assert len(fake.paid) == paid.total()
    assert all(report.written == 0 for report in again)


def whole_again(graph: Graph, source: ReplySource, workers: Workers | None) -> list[Any]:
    embedder = SmallEmbedder()
    loaded = load_documents(graph, embedder, documents(24), LoadSettings(), workers=workers)
    assert (loaded.added, loaded.changed) == (0, 0)
    return [
        generate_queries(graph, embedder, GenerateSettings(), source, with_baselines=True, workers=workers),
        extract_graph(graph, embedder, ExtractSettings(describe=True), source, workers=workers),
        write_reports(graph, embedder, ReportSettings(), source, workers=workers),
    ]


def running(what: str) -> list[int]:
    """The processes of Ray whose titles hold a text."""
    everything = psutil.Process().children(recursive=True)
    return [process.pid for process in everything if what in " ".join(process.cmdline())]


class Killer:
    """Kills a worker with SIGKILL at given calls of the endpoint; counts how many."""

    def __init__(self, *calls: int) -> None:
        self.killed = 0
        self._calls, self._lock = list(calls), threading.Lock()

    def __call__(self, number: int, body: Body) -> Manner:
        with self._lock:
            if self._calls and number >= self._calls[0]:
                self._calls.pop(0)
                os.kill(running("Worker.run")[0], signal.SIGKILL)
                self.killed += 1
        return slow(number, body)


@pytest.mark.parametrize("is_here", [True, False], ids=["the store's file", "the run's store"])
def test_a_killed_worker_is_replaced_and_nothing_is_paid_twice(
    graph: Graph,
    store: ReplyStore,
    workers: RayWorkers,
    told_of_workers: list[str],
    monkeypatch: pytest.MonkeyPatch,
    is_here: bool,
) -> None:
    monkeypatch.setattr(workers, "_is_ours", is_here)  # False: as if they were on other machines
    told_of_workers.clear()
    embedder = SmallEmbedder()
    load_documents(graph, embedder, documents(24), LoadSettings())
    with endpoint(slow) as fake:
        fake.script = killer = Killer(10)
        with model(fake, store) as shared:
            report = extract_graph(graph, embedder, ExtractSettings(describe=True), shared, workers=workers)
        assert (killer.killed, report.missing, report.undescribed) == (1, (), ())
        assert any("A worker died" in line for line in told_of_workers)
        found, paid = dump(graph), Counter(map(prompt_of, fake.paid))
        # What was under way in the killed worker may be paid again, and no more.
        assert sum(number - 1 for number in paid.values()) <= 2
        assert len(list(store.export())) == len(paid)
        fake.script = answer
        graph.driver.execute_query("MATCH (n:Entity|Atom|Claim) DETACH DELETE n")
        graph.driver.execute_query("MATCH (chunk:Chunk) REMOVE chunk.extracted, chunk.extractedBy")
        with model(fake, store) as alone:
            extract_graph(graph, embedder, ExtractSettings(describe=True), alone)
        assert len(fake.paid) == paid.total()
    assert dump(graph) == found


def up_to(stage: str, graph: Graph, source: ReplySource, workers: Workers | None) -> Any:
    """From an empty graph up to a stage, which alone is run by workers; what it reported."""
    embedder = SmallEmbedder()
    load_documents(emptied(graph), embedder, documents(24), LoadSettings())
    if stage == "generate":
        return generate_queries(graph, embedder, GenerateSettings(), source, workers=workers)
    extract_graph(graph, embedder, ExtractSettings(), source)
    build_communities(graph, CommunitySettings(maximum_size=3))
    return write_reports(graph, embedder, ReportSettings(), source, workers=workers)


@pytest.mark.parametrize(
    ("stage", "asked"), [("generate", "You write study questions"), ("report", "You write a report")]
)
def test_a_worker_that_is_killed_while_it_asks_leaves_the_graph_of_one_process(
    stage: str, asked: str, graph: Graph, store: ReplyStore, workers: RayWorkers
) -> None:
    calls: list[int] = []
    killer = Killer(0)

    def at_the_second(number: int, body: Body) -> Manner:
        if body["messages"][0]["content"].startswith(asked):
            calls.append(number)
        return killer(number, body) if len(calls) >= 2 else slow(number, body)

    with endpoint(at_the_second) as fake:
        with model(fake, store) as shared:
            report = up_to(stage, graph, shared, workers)
            found, paid = dump(graph), Counter(map(prompt_of, fake.paid))
        assert (killer.killed, report.missing) == (1, ())
        assert sum(number - 1 for number in paid.values()) <= 2  # what was under way in the killed one
        fake.script = answer
        with model(fake, store) as alone:
            up_to(stage, graph, alone, None)
        assert len(fake.paid) == paid.total()
    assert dump(graph) == found


class SlowEmbedder(SmallEmbedder):
    """Takes its time, so that a load can be killed in the middle."""

    def embed(self, texts: Any) -> Any:
        time.sleep(0.1)
        return super().embed(texts)


def test_a_worker_that_is_killed_while_it_loads_leaves_the_graph_of_one_process(
    graph: Graph, workers: RayWorkers
) -> None:
    settings = LoadSettings(chunks_per_transaction=1)
    killed: list[int] = []

    def progress(done: int, _: int | None) -> None:
        if done >= 2 and not killed:
            killed.append(running("Worker.run")[0])
            os.kill(killed[0], signal.SIGKILL)

    report = load_documents(graph, SlowEmbedder(), documents(24), settings, progress, workers=workers)
    found = dump(graph)
    assert killed
    assert report.rejected == 0
    load_documents(emptied(graph), SmallEmbedder(), documents(24), settings)
    assert dump(graph) == found


def test_an_error_of_a_worker_is_that_of_one_process(graph: Graph, store: ReplyStore, workers: RayWorkers) -> None:
    load_documents(graph, SmallEmbedder(), documents(24), LoadSettings())

    def refuse(number: int, body: Body) -> Manner:
        return answer(number, body) if number <= 6 else Fail(401, f"wrong key {SECRETS['key']}")

    errors = []
    for who in (workers, None):
        with endpoint(refuse) as fake, model(fake, store) as source, pytest.raises(LanguageModelError) as caught:
            generate_queries(graph, SmallEmbedder(), GenerateSettings(), source, workers=who)
        errors.append(str(caught.value).replace(fake.url, "…"))
        assert SECRETS["key"] not in errors[-1]
    assert errors[0] == errors[1]
    assert len(list(store.export())) >= 6  # what was answered is kept
    with endpoint(answer) as fake, model(fake, store) as source:
        assert not generate_queries(graph, SmallEmbedder(), GenerateSettings(), source, workers=workers).missing


@pytest.mark.parametrize("is_here", [True, False], ids=["the store's file", "the run's store"])
def test_a_text_that_the_model_refuses_is_asked_once(
    graph: Graph, store: ReplyStore, workers: RayWorkers, monkeypatch: pytest.MonkeyPatch, is_here: bool
) -> None:
    monkeypatch.setattr(workers, "_is_ours", is_here)
    bad = SourceDocument("bad", passages=("The poison of chapter 2.",))
    load_documents(graph, SmallEmbedder(), [*documents(6), bad], LoadSettings())

    def script(number: int, body: Body) -> Manner:
        is_refused = "poison" in str(body["messages"])
        return Fail(400, "It was filtered.", code="content_filter") if is_refused else answer(number, body)

    with endpoint(script) as fake, model(fake, store) as source:
        for _ in range(2):
            report = generate_queries(graph, SmallEmbedder(), GenerateSettings(), source, workers=workers)
            assert len(report.missing) == 1
    assert "refused before, so not asked again" in report.missing[0].reason
    assert sum("poison" in str(body["messages"]) for body in fake.calls) == 1


def test_the_budget_is_one_for_all(graph: Graph, store: ReplyStore, workers: RayWorkers) -> None:
    load_documents(graph, SmallEmbedder(), documents(24), LoadSettings())
    prices = {"input_price": 0.0, "output_price": 1_000_000.0, "max_output_tokens": 50, "max_cost": 400.0}
    with endpoint(answer) as fake, model(fake, store, **prices) as source:
        with pytest.raises(SpentError, match="--max-cost 400"):
            generate_queries(graph, SmallEmbedder(), GenerateSettings(), source, workers=workers)
        assert isinstance(source, LiveModel)
        assert source.endpoint.budget.spent == 40 * len(fake.paid)  # what the endpoint says that a call takes
    assert 8 <= len(fake.paid) <= 10


def test_recorded_replies_and_those_of_the_store(
    graph: Graph, store: ReplyStore, workers: RayWorkers, monkeypatch: pytest.MonkeyPatch
) -> None:
    embedder = SmallEmbedder()
    load_documents(graph, embedder, documents(6), LoadSettings())
    recording, settings = Recording([SAMPLE / "pairs.jsonl"]), GenerateSettings(source="replies")
    told: list[int] = []

    def progress(done: int, _: int | None) -> None:
        told.append(done)

    assert generate_queries(graph, embedder, settings, recording, workers=workers, progress=progress).written == 6
    assert told == sorted(told)  # also where an item is over before the mailbox has said how far it is
    assert told[-1] == 6
    store.add(recording_lines())
    monkeypatch.setattr(workers, "_is_ours", False)
    assert generate_queries(graph, embedder, settings, StoredReplies(store), workers=workers).missing == ()


def recording_lines() -> Iterator[Any]:
    from qcg_neo4j.models.replies import read_recording

    return iter(list(read_recording(SAMPLE / "pairs.jsonl", "generate/pairs")))


def test_a_run_that_is_interrupted_while_it_answers_ends_and_holds_nothing(
    graph: Graph, store: ReplyStore, workers: RayWorkers, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(workers, "_is_ours", False)
    load_documents(graph, SmallEmbedder(), documents(24), LoadSettings())
    prices = {"input_price": 0.0, "output_price": 1_000_000.0, "max_output_tokens": 50, "max_cost": 4000.0}

    def interrupted(done: int, _: int | None) -> None:
        if done >= 2:
            raise KeyboardInterrupt

    with endpoint(slow) as fake, model(fake, store, **prices) as source:
        with pytest.raises(KeyboardInterrupt):
            generate_queries(graph, SmallEmbedder(), GenerateSettings(), source, workers=workers, progress=interrupted)
        assert isinstance(source, LiveModel)
        assert source.endpoint.budget.spent == 40 * len(fake.paid)
        assert not generate_queries(graph, SmallEmbedder(), GenerateSettings(), source, workers=workers).missing
        assert len(fake.paid) == 24


def test_what_workers_held_that_have_gone_is_free(store: ReplyStore) -> None:
    with endpoint(answer) as fake, model(fake, store, max_cost=10.0, input_price=1.0, output_price=1.0) as source:
        asked = Named("generate/pairs", "0f" * 32, "p")
        first, second = RunResources(source), RunResources(source)
        assert first.answer(0, "hold", [8.0]) is True
        assert first.answer(0, "acquire", [asked]) is True
        assert (second.answer(1, "hold", [8.0]), second.answer(1, "acquire", [asked])) == (False, False)
        first.close()
        assert isinstance(second.answer(1, "hold", [8.0]), SpentError)  # it may have been spent
        assert second.answer(1, "acquire", [asked]) is True
        second.close()


def die(_: Graph, __: Any, ___: Any, span: Span, progress: Progress) -> Tally:
    os.kill(os.getpid(), signal.SIGKILL)
    return Tally()


def test_workers_that_die_again_and_again_end_the_run(graph: Graph, workers: RayWorkers) -> None:
    with graph.writing("nothing"), pytest.raises(WorkerError, match="3 workers died one after the other"):
        list(workers.run(graph, SmallEmbedder(), None, die, [Span()], lambda *_: None))
    assert workers.count == COUNT


def test_nothing_secret_is_left_behind(graph: Graph, store: ReplyStore, workers: RayWorkers) -> None:
    """After the kills and errors of all tests above: neither in Ray's logs nor in what is printed of an assignment."""
    import ray

    from qcg_neo4j.indexing.workers.assignment import assignment

    with endpoint(answer) as fake, model(fake, store) as source, graph.writing("nothing"):
        shown = repr(assignment(graph, SmallEmbedder(), source, is_here=True))
    node: Any = ray._private.worker._global_node
    folder = Path(node.get_session_dir_path())
    logs = [file for file in folder.rglob("*") if file.is_file()]
    assert len(logs) > 5
    for secret in (SECRETS["key"].encode(), graph.address.password.encode()):
        assert secret.decode() not in shown
        assert not [file for file in logs if secret in file.read_bytes()]


def test_without_the_process_between_the_run_ends(
    graph: Graph, store: ReplyStore, workers: RayWorkers, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The last of the tests that share a Ray: that process does not come back."""
    monkeypatch.setattr(workers, "_is_ours", False)
    load_documents(graph, SmallEmbedder(), documents(24), LoadSettings())

    def gone(number: int, body: Body) -> Manner:
        if number == 4:
            os.kill(running("Mailbox")[0], signal.SIGKILL)
        return slow(number, body)

    with endpoint(gone) as fake, model(fake, store) as source:
        with pytest.raises(WorkerError, match="between workers and run has ended"):
            generate_queries(graph, SmallEmbedder(), GenerateSettings(), source, workers=workers)
        assert not generate_queries(graph, SmallEmbedder(), GenerateSettings(), source).missing


class Shrunk:
    """A Ray of two machines that has lost one, whose worker has the item."""

    def __getattr__(self, _: str) -> Any:
        return self

    def __call__(self, *_: Any, **__: Any) -> Any:
        return self

    def wait(self, *_: Any, **__: Any) -> Any:
        return [], []

    def cluster_resources(self) -> dict[str, float]:
        return {"CPU": 1.0}


def test_a_machine_that_is_gone_is_not_awaited_for_ever(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("_LONGEST_START", "_LONGEST_STOP", "_LOOK"):
        monkeypatch.setattr(ray_workers, name, 0.05)
    ray = Shrunk()
    run = ray_workers._Run(
        ray, [1, 2], ray, "a", lambda *_: object(), RunResources(None), lambda *_: None, lambda _: None
    )
    with pytest.raises(WorkerError, match="Ray has 1 processors left for 2 workers: a machine is gone"):
        list(run.results(["one", "other"]))


@pytest.mark.parametrize("kind", [ConnectionError, pytest.importorskip("grpc").RpcError])
def test_a_connection_to_ray_that_has_ended_is_told(kind: type[Exception]) -> None:
    def start(*_: object) -> None:
        raise kind("Client is shutting down.")

    ray = Shrunk()
    run = ray_workers._Run(ray, [1], ray, "a", start, RunResources(None), lambda *_: None, lambda _: None)
    with pytest.raises(WorkerError, match="The connection to Ray has ended: Client is shutting down"):
        list(run.results(["one"]))


# What cannot be


@pytest.mark.parametrize("address", ["", "spark", "ray:4", "ray://", "ray://host", "ray://host:x", "ray://h:70000"])
def test_an_address_that_is_none(address: str) -> None:
    with pytest.raises(InputError, match="Workers are found at 'ray' or ray://HOST:PORT"):
        RayWorkers(address)


def test_a_number_that_is_none() -> None:
    with pytest.raises(InputError, match="at least 1"):
        RayWorkers("ray", 0)


@pytest.mark.parametrize("failures", [1, 2])
@pytest.mark.parametrize(
    "reason",
    [
        "RuntimeError: Starting Ray client server failed. See ray_client_server_23000.err for detailed logs.",
        "psutil.ZombieProcess: PID still exists but it's a zombie (pid=4711)",
    ],
)
def test_a_cluster_that_cannot_serve_a_client_is_asked_again_once(
    monkeypatch: pytest.MonkeyPatch, reason: str, failures: int
) -> None:
    ray = pytest.importorskip("ray")
    asked: list[str] = []

    def init(address: str, **_: Any) -> None:
        asked.append(address)
        if len(asked) <= failures:
            told = f'Traceback (most recent call last):\n  File "proxier.py", line 764, in Datapath\n{reason}\n'
            raise ConnectionAbortedError(f"Initialization failure from server:\n{told}")

    # The Ray of the other tests may be running in this process, and stays.
    for name, instead in (("init", init), ("is_initialized", lambda: False), ("shutdown", lambda: None)):
        monkeypatch.setattr(ray, name, instead)
    with socket.create_server(("127.0.0.1", 0)) as listening, ExitStack() as opened:
        address = f"ray://127.0.0.1:{listening.getsockname()[1]}"
        if failures == 2:
            opened.enter_context(pytest.raises(WorkerError, match=re.escape(f"cannot be used: {reason}")))
        opened.enter_context(session(address, None))
    assert asked == [address, address]


def test_without_ray_the_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "ray", None)
    with pytest.raises(MissingPackageError, match=r"pip install 'qcg-neo4j\[ray\]'"), RayWorkers():
        pass


def command(graph: Graph, *arguments: str, **environment: str) -> tuple[list[str], dict[str, str]]:
    address = graph.address
    place = {"NEO4J_URI": address.uri, "NEO4J_USERNAME": address.user, "NEO4J_PASSWORD": address.password}
    return [sys.executable, "-m", "qcg_neo4j", *arguments], {**os.environ, **place, **environment}


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (["--workers", "ray://127.0.0.1:1"], 6, "No Ray cluster answers at ray://127.0.0.1:1"),
        (["--workers", "dask"], 2, "Workers are found at 'ray' or ray://HOST:PORT, not at 'dask'"),
        (["--worker-count", "2"], 2, "Give --workers ray as well"),
        (["--workers", "ray", "--batch"], 2, "--batch asks for all at once"),
    ],
)
def test_the_command_says_what_is_wrong(
    graph: Graph, arguments: list[str], code: int, message: str, tmp_path: Path
) -> None:
    load_documents(graph, SmallEmbedder(), documents(3), LoadSettings())
    model = ["--llm", "x@http://127.0.0.1:9/v1", "--store", "s.sqlite"]
    line, environment = command(graph, "generate", *model, *arguments)
    done = subprocess.run(line, env=environment, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == code, done.stderr
    assert message in done.stderr
    assert "Traceback" not in done.stderr


@pytest.fixture
def embedding(httpserver: HTTPServer) -> list[str]:
    """Options that name an endpoint which embeds as the small embedder does."""
    embedder = SmallEmbedder()

    def embed(request: Request) -> Response:
        vectors = embedder.embed(json.loads(request.data)["input"]).tolist()
        data = [{"index": place, "embedding": vector} for place, vector in enumerate(vectors)]
        return Response(json.dumps({"object": "list", "data": data, "model": "small"}), mimetype="application/json")

    httpserver.expect_request("/v1/embeddings").respond_with_handler(embed)
    place = ["--embedding", f"small@{httpserver.url_for('/v1')}"]
    return [*place, "-s", "embedding.tokenizer=all-MiniLM-L6-v2", "-s", "embedding.window_tokens=254"]


@pytest.fixture
def cluster() -> Iterator[str]:
    """A cluster of one machine that clients reach, by its address."""
    pytest.importorskip("grpc", reason="a client of Ray needs grpcio")
    port, *others = (str(free_port()) for _ in range(3))
    ray = [sys.executable, "-m", "ray.scripts.scripts", "start", "--head", "--block", "--num-cpus", "2"]
    ports = ["--ray-client-server-port", port, "--port", others[0], "--dashboard-agent-listen-port", others[1]]
    line, environment = [*ray, *ports, "--include-dashboard", "false"], {**os.environ, **TOKEN}
    with subprocess.Popen(line, env=environment, stdout=subprocess.DEVNULL) as running:
        until = time.monotonic() + 60
        while not is_open(int(port)) and time.monotonic() < until:
            time.sleep(0.2)
        yield f"ray://127.0.0.1:{port}"
        running.send_signal(signal.SIGINT)


def is_open(port: int) -> bool:
    with socket.socket() as tried:
        return tried.connect_ex(("127.0.0.1", port)) == 0


def free_port() -> int:
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        return int(found.getsockname()[1])


def test_the_command_is_interrupted_and_goes_on(graph: Graph, embedding: list[str], tmp_path: Path) -> None:
    the_command(graph, embedding, tmp_path, "ray", interrupted=True)


def test_the_command_on_a_cluster(graph: Graph, embedding: list[str], tmp_path: Path, cluster: str) -> None:
    the_command(graph, embedding, tmp_path, cluster, interrupted=False)


def the_command(graph: Graph, embedding: list[str], folder: Path, where: str, *, interrupted: bool) -> None:
    load_documents(graph, SmallEmbedder(), documents(24), LoadSettings())
    with endpoint(lambda number, body: answer(number, body, seconds=0.3)) as fake:
        model = [
            "--llm",
            f"small@{fake.url}",
            "--store",
            str(folder / "s.sqlite"),
        ]
        model += ["-s", "llm.concurrency=1", "--worker-count", "2", "--workers", where, "--json"]
        line, environment = command(graph, "generate", *model, *embedding, OPENAI_API_KEY=SECRETS["key"], **TOKEN)
        if interrupted:
            with subprocess.Popen(
                line, env=environment, stderr=subprocess.PIPE, text=True, start_new_session=True
            ) as running:
                while len(fake.paid) < 4 and running.poll() is None:
                    time.sleep(0.05)
                os.killpg(running.pid, signal.SIGINT)  # as a terminal does, Ray's processes included
                _, told = running.communicate(timeout=120)
            assert (running.returncode, "Stopped. What is done is kept" in told) == (130, True), told
            assert "Traceback" not in told
        done = subprocess.run(line, env=environment, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
        report = json.loads(done.stdout)
        assert (report["chunks"], report["missing"]) == (24, [])
        assert len(fake.paid) == 24  # what was under way when it was interrupted was waited for, and kept
        assert set(fake.keys) == {f"Bearer {SECRETS['key']}"}
