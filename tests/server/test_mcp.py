"""The server for agents, asked by the protocol's own client: over standard input and output, over HTTP, in process."""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from importlib import import_module
from types import SimpleNamespace
from typing import Any

import pytest
from click.testing import CliRunner
from conftest import SAMPLE, TestServer
from endpoint import Say, endpoint
from graph_dump import query
from mcp import Client, StdioServerParameters
from mcp_client import tokens_of, with_client
from small_embedder import SmallEmbedder

from qcg_neo4j.cli import qcg
from qcg_neo4j.cli.demo import UNANSWERED_QUESTION
from qcg_neo4j.core.errors import GraphError, InputError, MissingPackageError
from qcg_neo4j.database.connection import Call
from qcg_neo4j.database.graph import Graph
from qcg_neo4j.database.statements import Statement, statement
from qcg_neo4j.interfaces.mcp import McpSettings, Tools, server_of
from qcg_neo4j.interfaces.mcp.tools import statements
from qcg_neo4j.models.llm import Endpoint, LanguageModelSettings
from qcg_neo4j.models.replies import Recording, ReplySource
from qcg_neo4j.retrieval import METHODS, Layers, LayersSettings
from qcg_neo4j.retrieval.reasons import TELLING, in_line

ATOMS = "MATCH (a:QcgAtom)-[:FROM_CHUNK]->()-[:FROM_DOCUMENT]->(d) RETURN a.id AS id, coalesce(d.title, d.id) AS title"
QUESTION = "Which gym did Wolfgang recommend to Li Hua?"
READ = [name for name in METHODS if name not in ("d2q", "d2q--")]  # the sample has not got their vectors
NAMES = {"retrieve", "answer", "inspect", "load", "status"}


def asked(target: Any, tool: str, **arguments: Any) -> Any:
    """The structured result of one call."""
    found = with_client(target, lambda client: client.call_tool(tool, arguments))
    assert not found.is_error, found.content[0].text
    return found.structured_content


def refused(target: Any, tool: str, **arguments: Any) -> str:
    """The message of a call that fails."""
    found = with_client(target, lambda client: client.call_tool(tool, arguments))
    assert found.is_error
    return str(found.content[0].text)


def served(
    graph: Graph,
    settings: McpSettings | None = None,
    model: Callable[[], Endpoint] | None = None,
    source: ReplySource | None = None,
) -> Any:
    return server_of(Tools(graph, settings or McpSettings(), SmallEmbedder, model, source))


def environment(server: TestServer) -> dict[str, str]:
    """For a process of its own: the way to the server, and nothing that the test's own environment says of it."""
    return {**os.environ, "QCG_HOME": str(server.home), "NEO4J_URI": ""}


@pytest.fixture(params=["stdio", "http"])
def started(request: pytest.FixtureRequest, sample_server: TestServer, sample_reports: Graph) -> Iterator[Any]:
    """What a client connects to: the command as an agent starts it, or its address."""
    if request.param == "stdio":
        arguments = ["-m", "qcg_neo4j", "mcp"]
        yield StdioServerParameters(command=sys.executable, args=arguments, env=environment(sample_server))
    else:
        with over_http(sample_server) as address:
            yield address


@contextmanager
def over_http(server: TestServer) -> Iterator[str]:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    command = [sys.executable, "-m", "qcg_neo4j", "mcp", "--http", "--port", str(port)]
    with subprocess.Popen(command, env=environment(server), stderr=subprocess.PIPE, text=True) as process:
        try:
            for _ in range(300):
                with socket.socket() as probe:
                    if probe.connect_ex(("127.0.0.1", port)) == 0:
                        break
                assert process.poll() is None
                time.sleep(0.1)
            yield f"http://127.0.0.1:{port}/mcp"
        finally:
            process.terminate()
            process.communicate(timeout=30)


def test_both_transports_retrieve_and_inspect(started: Any, sample_reports: Graph) -> None:
    async def work(client: Client) -> tuple[set[str], Any, Any, Any]:
        listed = await client.list_tools()
        found = await client.call_tool("retrieve", {"question": QUESTION, "passages": 3})
        rows = await client.call_tool("inspect", {"statement": "contents"})
        wrong = await client.call_tool("load", {"documents": [{"id": "x", "text": "y"}]})
        return {tool.name for tool in listed.tools}, found.structured_content, rows.structured_content, wrong

    names, found, rows, wrong = with_client(started, work)
    assert names == NAMES - {"load"}
    assert found["method"] == "layers"
    expected = Layers(LayersSettings(passages=3)).retrieve(sample_reports, QUESTION)
    assert [item["id"] for item in found["passages"]] == [passage.id for passage in expected.passages]
    assert found["passages"][0]["reasons"]
    assert {row["kind"] for row in rows["rows"]} >= {"Document", "Chunk", "Query"}
    assert wrong.is_error
    assert wrong.content[0].text == "Unknown tool: load"


def lines(*calls: dict[str, Any]) -> str:
    """What a client writes: its greeting, and calls of tools."""
    about = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "test", "version": "1"}}
    greeting: list[dict[str, Any]] = [
        {"id": 0, "method": "initialize", "params": about},
        {"method": "notifications/initialized"},
    ]
    asking = [{"id": number, "method": "tools/call", "params": call} for number, call in enumerate(calls, start=1)]
    return "".join(json.dumps({"jsonrpc": "2.0", **message}) + "\n" for message in [*greeting, *asking])


@pytest.mark.rest
def test_half_characters_are_answered(sample_server: TestServer, sample_reports: Graph) -> None:
    calls = [
        {"name": "inspect", "arguments": {"statement": "a\ud800"}},
        {"name": "inspect", "arguments": {"statement": "duplicates", "parameters": {"\udfff": "\ud800"}}},
        {"name": "retrieve", "arguments": {"question": "Who \ud800 is Li?", "passages": 1}},
    ]
    command = [sys.executable, "-m", "qcg_neo4j", "mcp"]
    with subprocess.Popen(
        command, env=environment(sample_server), stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdin.write(lines(*calls))
        process.stdin.flush()
        answers: dict[int, Any] = {}
        while len(answers) < 4:
            message = json.loads(process.stdout.readline())
            answers[message.get("id")] = message.get("result")
        process.stdin.close()
        process.wait(30)
    assert "no statement" in answers[1]["content"][0]["text"]
    assert answers[2]["isError"]
    assert not answers[3].get("isError")


@pytest.mark.parametrize("method", ["qcg", "kg-cqr", "atomic", "graphrag-local", "fulltext"])
def test_every_method_is_offered(sample_reports: Graph, method: str) -> None:
    found = asked(served(sample_reports), "retrieve", question=QUESTION, method=method, passages=2)
    assert found["method"] == method
    assert len(found["passages"]) == 2


def test_nodes_and_paths_become_plain_values_without_vectors(sample_reports: Graph) -> None:
    found = asked(served(sample_reports), "inspect", statement="synonyms", parameters={"limit": 2})
    entity, relation, other = found["rows"][0]["path"]
    assert entity["labels"] == other["labels"] == ["Entity"]
    assert relation["type"] == "SYNONYM_OF"
    assert {relation["source"], relation["target"]} == {entity["id"], other["id"]}
    assert "embedding" not in entity


def test_limits_hold(sample_reports: Graph) -> None:
    server = served(sample_reports, McpSettings(rows=3, passages=2, characters=100))
    found = asked(server, "inspect", statement="inspect/hierarchy")
    assert (len(found["rows"]), found["truncated"]) == (3, True)
    orphans = asked(server, "inspect", statement="shares")
    assert orphans["truncated"]
    assert "from 1 to 2" in refused(server, "retrieve", question=QUESTION, passages=3)
    rows = asked(server, "inspect", statement="document", parameters={"document": "20260111_08:00"})["rows"]
    assert max(len(text) for text in texts_of(rows)) == 100


def test_texts_of_evidence_are_cut(sample_reports: Graph) -> None:
    """To the part around the hit, or with ``full`` to the limit; a reason is the hit itself."""
    server = served(sample_reports, McpSettings(characters=100))
    whole = Layers(LayersSettings(passages=5)).retrieve(sample_reports, QUESTION).passages
    found = asked(server, "retrieve", question=QUESTION, full=True)
    assert [item["text"] for item in found["passages"]] == [passage.text[:99] + "…" for passage in whole]
    found = asked(server, "retrieve", question=QUESTION)
    assert max(len(item["text"]) for item in found["passages"]) == 100
    assert all(item["text"].strip("…") in in_line(one.text) for item, one in zip(found["passages"], whole, strict=True))
    short = asked(served(sample_reports), "retrieve", question=QUESTION)["passages"][0]
    assert "FitZone" in short["text"]
    assert len(short["text"]) <= 300 < len(whole[0].text)
    assert (
        asked(served(sample_reports), "retrieve", question=QUESTION, full=True)["passages"][0]["text"] == whole[0].text
    )
    reports = asked(server, "retrieve", question=QUESTION, method="graphrag-global")["reports"]
    assert [len(item["text"]) for item in reports] == [100] * 5


@pytest.mark.rest
def test_what_an_agent_reads_is_short(sample_reports: Graph) -> None:
    """Tokens of the list of tools, and of answers to the sample's questions; the page has them, too."""
    lines = (SAMPLE / "questions.jsonl").read_text(encoding="utf-8").splitlines()[:10]
    listing, longest = tokens_of(served(sample_reports), [json.loads(line)["question"] for line in lines], READ)
    print(f"tokens: {listing:,} of the list of tools; of the longest answer {longest}")  # noqa: T201 - for the page
    assert listing <= 2000
    assert {method: most for method, most in longest.items() if most > 1500} == {}


def test_reports_have_numbers_that_reasons_name(sample_reports: Graph) -> None:
    found = asked(served(sample_reports), "retrieve", question=QUESTION, method="graphrag-global")
    assert [item["number"] for item in found["reports"]] == [1, 2, 3, 4, 5]
    assert not any(item["text"].startswith(item.get("title", "\0")) for item in found["reports"])
    assert any("← report 1 (" in reason for passage in found["passages"] for reason in passage["reasons"])


def test_nothing_is_said_twice_or_of_nothing(sample_reports: Graph) -> None:
    server = served(sample_reports)
    told = asked(server, "retrieve", question=QUESTION, method="atomic")
    stated = [reason for passage in told["passages"] for reason in passage["reasons"]]
    assert not [item for item in told.get("atoms", ()) if any(item["text"] in reason for reason in stated)]
    assert len(asked(server, "retrieve", question=QUESTION, method="atomic", full=True)["atoms"]) == 25
    found = asked(server, "retrieve", question=QUESTION)
    assert not {"reports", "atoms"} & set(found)
    for passage in found["passages"]:
        assert None not in passage.values()
        assert len(passage["reasons"]) == len(set(passage["reasons"])) <= TELLING
    listed = with_client(server, lambda client: client.list_tools()).tools
    assert not {"title", "null"} & set(texts_of([tool.input_schema for tool in listed]))
    plain = with_client(server, lambda client: client.call_tool("retrieve", {"question": QUESTION}))
    assert json.loads(plain.content[0].text) == found
    assert plain.content[0].text.startswith('{"question":')


@pytest.mark.parametrize(("method", "kind"), [("atomic", "atoms"), ("graphrag-global", "reports")])
def test_settings_of_a_method_do_not_lift_the_limits(sample_reports: Graph, method: str, kind: str) -> None:
    server = served(sample_reports, McpSettings(rows=3))
    found = asked(server, "retrieve", question=QUESTION, method=method, passages=1, settings={kind: 50}, full=True)
    assert len(found[kind]) == 3
    assert f"{kind} are left out" in found["notes"][-1]
    lifted = asked(server, "retrieve", question=QUESTION, method=method, passages=1, settings={"passages": 50})
    assert len(lifted["passages"]) <= 1


def texts_of(value: Any) -> list[str]:
    """Every text within plain values."""
    match value:
        case str():
            return [value]
        case dict():
            return [text for item in value.values() for text in texts_of(item)]
        case list():
            return [text for item in value for text in texts_of(item)]
    return []


@pytest.fixture
def slow(monkeypatch: pytest.MonkeyPatch) -> None:
    """Lets the statement inspect/counts take an hour."""
    text = "UNWIND range(1, 10000000000) AS n RETURN sum(n % 7) AS number"
    endless = Statement("inspect/counts", "A number.", (), text)
    monkeypatch.setattr(
        "qcg_neo4j.database.connection.statement", lambda path: endless if path == endless.path else statement(path)
    )


def test_a_statement_that_takes_too_long_is_stopped(
    sample_server: TestServer, sample_reports: Graph, slow: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The command with ``--seconds``, as far as what it serves."""
    messages: list[str] = []

    def serve(tools: Tools) -> None:
        assert tools.graph.time_limit == 0.5
        messages.append(refused(server_of(tools), "inspect", statement="counts"))

    monkeypatch.setattr(import_module("qcg_neo4j.cli.mcp"), "serve", serve)
    start = time.monotonic()
    found = CliRunner().invoke(qcg, ["mcp", "-s", "seconds=0.5", "--home", str(sample_server.home)])
    assert found.exit_code == 0, found.output
    assert "Ask for less, or allow more seconds." in messages[0]
    assert time.monotonic() - start < 60


@pytest.mark.parametrize(
    "ask",
    [
        lambda graph: graph.rows("inspect/counts"),
        lambda graph: graph.rows("inspect/counts", 1),
        lambda graph: graph.run("inspect/counts"),
        lambda graph: graph.write(Call("inspect/counts")),
    ],
    ids=["rows", "first rows", "run", "write"],
)
def test_the_limit_of_time_is_that_of_every_transaction(
    sample_reports: Graph, slow: None, monkeypatch: pytest.MonkeyPatch, ask: Callable[[Graph], Any]
) -> None:
    monkeypatch.setattr(sample_reports, "time_limit", 0.5)
    with pytest.raises(GraphError, match="allow more seconds"):
        ask(sample_reports)


@pytest.mark.parametrize(
    ("tool", "arguments", "message"),
    [
        ("retrieve", {"question": " "}, "The question is empty"),
        ("retrieve", {"question": "x", "method": "qgc"}, "Did you mean 'qcg'"),
        ("retrieve", {"question": "x", "method": "qcg", "settings": {"hop": 1}}, "Did you mean 'hops'"),
        ("inspect", {"statement": "../load/documents"}, "There is no statement"),
        ("inspect", {"statement": "MATCH (n) DETACH DELETE n"}, "There is no statement"),
        ("inspect", {"statement": "entity"}, r"needs $name"),
        ("inspect", {"statement": "entity", "parameters": {"title": "x"}}, "has no parameter $title"),
        ("answer", {"question": "x", "style": "loud"}, "no style 'loud'"),
    ],
)
def test_what_is_wrong_is_said_with_the_remedy(
    sample_reports: Graph, tool: str, arguments: dict[str, Any], message: str
) -> None:
    assert message in refused(served(sample_reports), tool, **arguments)


def test_an_answer_without_a_model_is_the_evidence_and_says_so(sample_reports: Graph) -> None:
    found = asked(served(sample_reports), "answer", question=QUESTION, passages=2)
    assert found["text"] is None
    assert len(found["passages"]) == 2
    assert found["passages"][0]["number"] == 1
    assert "no language model is configured" in found["notes"][-1]


def test_an_answer_by_a_model_cites_its_passages(sample_reports: Graph) -> None:
    said = ["It is FitZone [2].", "It is FitZone."]
    with endpoint(lambda count, _: Say(said[count - 1])) as fake:
        settings = LanguageModelSettings(endpoint=fake.url, model="test")
        server = served(sample_reports, model=lambda: Endpoint(settings, None))
        found = asked(server, "answer", question=QUESTION, passages=2)
        unsupported = asked(server, "answer", question=QUESTION, passages=2)
    assert found["text"] == "It is FitZone [2]."
    assert [(item["number"], item["index"]) for item in found["passages"]] == [(2, 0)]
    assert unsupported["text"] == "It is FitZone."
    assert "passages" not in unsupported
    assert "no passage supports this answer" in unsupported["notes"]


def test_what_a_model_cites_of_atoms_has_a_title(sample_reports: Graph) -> None:
    with endpoint(lambda *_: Say("It is FitZone [2].")) as fake:
        settings = LanguageModelSettings(endpoint=fake.url, model="test")
        server = served(sample_reports, model=lambda: Endpoint(settings, None))
        found = asked(server, "answer", question=QUESTION, method="atomic")
    titles = {row["id"]: row["title"] for row in query(sample_reports, ATOMS)}
    assert [(item["number"], item["title"]) for item in found["atoms"]] == [(2, titles[found["atoms"][0]["id"]])]


def test_a_method_asks_the_language_model_of_the_server(sample_reports: Graph) -> None:
    question = json.loads((SAMPLE / "questions.jsonl").read_text(encoding="utf-8").splitlines()[0])["question"]
    arguments = {"question": question, "method": "auto", "settings": {"analysis": "model"}}
    recording = Recording([SAMPLE / "analyses.jsonl"])
    found = asked(served(sample_reports, source=recording), "retrieve", **arguments)
    assert "its analysis finds the question complex" in found["notes"][0]
    assert found["passages"]
    assert "require a language model, and none is given" in refused(served(sample_reports), "retrieve", **arguments)


def test_a_question_may_have_a_history(sample_reports: Graph) -> None:
    turn = {"question": QUESTION, "answer": "FitZone"}
    for tool in ("retrieve", "answer"):
        found = asked(served(sample_reports), tool, question="And when?", history=[turn])
        assert found["question"].startswith("And when? (")
    assert "question and an answer" in refused(served(sample_reports), "retrieve", question="And?", history=[{"q": ""}])


def test_status_names_model_and_stages(sample_reports: Graph) -> None:
    found = asked(served(sample_reports), "status")
    assert found["embedding_model"] == "all-MiniLM-L6-v2"
    assert {stage["name"] for stage in found["stages"]} >= {"load", "generate", "extract"}


def test_loading_is_allowed_by_setting_and_changes_nothing_the_second_time(graph: Graph) -> None:
    server = served(graph, McpSettings(allow_write=True, documents=2))
    documents = [{"id": "a", "text": "Li Hua went to the gym."}, {"id": "b", "text": "Wolfgang slept.", "title": "B"}]
    assert asked(server, "load", documents=documents)["added"] == 2
    again = asked(server, "load", documents=documents)
    assert (again["added"], again["unchanged"]) == (0, 2)
    assert graph.rows("inspect/counts")[0]["number"] == 2
    assert "at most 2" in refused(server, "load", documents=documents * 2)
    assert "no field 'txt'" in refused(server, "load", documents=[{"id": "a", "txt": "x"}])
    assert "text is None" in refused(server, "load", documents=[{"id": "a"}])


def test_a_reading_server_changes_nothing(graph: Graph) -> None:
    assert refused(served(graph), "load", documents=[{"id": "a", "text": "x"}]) == "Unknown tool: load"
    meanings = asked(served(graph), "inspect")["statements"]
    assert "entity(name: STRING): What the graph knows about an entity" in " ".join(meanings)
    assert graph.rows("inspect/counts")[0]["number"] == 0


def test_hints_tell_what_only_reads(sample_reports: Graph) -> None:
    listed = with_client(
        served(sample_reports, McpSettings(allow_write=True)), lambda client: client.list_tools()
    ).tools
    assert {tool.name: tool.annotations.read_only_hint for tool in listed} == {name: name != "load" for name in NAMES}
    described = next(tool.description for tool in listed if tool.name == "inspect")
    assert all(f"{name}(" in described for name in statements())


def test_each_parameter_says_what_it_takes(sample_reports: Graph) -> None:
    listed = with_client(
        served(sample_reports, McpSettings(allow_write=True)), lambda client: client.list_tools()
    ).tools
    for tool in listed:
        for name, schema in tool.input_schema["properties"].items():
            assert schema.get("description"), (tool.name, name)


def test_the_telling_reasons_and_how_near_they_are(sample_reports: Graph) -> None:
    server = served(sample_reports)
    found = asked(server, "retrieve", question=QUESTION)
    assert (found["nearest"]["kind"], found["nearest"]["word"]) == ("query", "found")
    assert [reason.split()[0] for reason in found["passages"][0]["reasons"]] == ["fact", "query", "triple"]
    assert asked(server, "retrieve", question=UNANSWERED_QUESTION)["nearest"]["word"] == "nothing near"
    assert asked(server, "retrieve", question=QUESTION, method="fulltext").get("nearest") is None


def test_named_statements_are_those_for_people() -> None:
    assert "contents" in statements()
    assert not [name for name in statements() if name.startswith(("load", "delete"))]
    with pytest.raises(InputError, match="There are: "):
        Tools(SimpleNamespace(restriction=None), McpSettings(), SmallEmbedder).inspect("x")  # type: ignore[arg-type]


def test_without_the_package_its_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "mcp.server.mcpserver", None)
    with pytest.raises(MissingPackageError, match=r"qcg-neo4j\[mcp\]"):
        server_of(Tools(None, McpSettings(), SmallEmbedder))  # type: ignore[arg-type]
