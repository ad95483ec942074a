"""The command line as a person and as a program meet it; everything that can be wrong gives one clear error."""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NoReturn

import pytest
from conftest import SAMPLE, TestServer
from endpoint import Body, Manner, Say, endpoint

from qcg_neo4j.cli import VERBS, main
from qcg_neo4j.cli.demo import UNANSWERED_QUESTION
from qcg_neo4j.database.graph import Graph
from qcg_neo4j.database.stages import MADE_FROM
from qcg_neo4j.retrieval import METHODS

QUESTION = "What is the name of the gym that Wolfgang recommended to Li Hua?"
NAMING = "What does Bronwyn think about the idea of stealth missions?"  # of an entity with a page


@dataclass(frozen=True)
class Result:
    code: int
    output: str
    errors: str


Run = Callable[..., Result]


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Run:
    """Runs ``qcg`` as `main` does, in this process, away from the settings of whoever runs the tests."""
    for name in ("NEO4J_URI", "NEO4J_USERNAME", "NEO4J_PASSWORD", "QCG_HOME", "OPENAI_API_KEY"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("COLUMNS", "140")

    def call(*arguments: str, **environment: str) -> Result:
        for name, value in environment.items():
            monkeypatch.setenv(name, value)
        monkeypatch.setattr(sys, "argv", ["qcg", *arguments])
        try:
            main()
            code: Any = 0
        except SystemExit as stop:
            code = stop.code
        captured = capsys.readouterr()
        return Result(int(code or 0), captured.out, captured.err)

    return call


@pytest.fixture
def ask(run: Run, sample_server: TestServer, sample_reports: Graph) -> Run:
    """Runs ``qcg`` against the sample."""
    return lambda *arguments, **environment: run(*arguments, **{"QCG_HOME": str(sample_server.home), **environment})


def test_the_demo_is_the_default_corpus_of_its_home(
    run: Run, server: TestServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    connected: list[Graph] = []

    def keep(graph: Graph, _: object) -> NoReturn:
        connected.append(graph)
        sys.exit()

    monkeypatch.setattr("qcg_neo4j.cli.demo._make_graph", keep)
    result = run("demo", "--home", str(server.home), NEO4J_DATABASE="theirs", QCG_CORPUS="law")
    assert [(graph.address.database, graph.address.corpus) for graph in connected] == [(None, "default")], result


@pytest.mark.parametrize("verb", VERBS)
def test_every_verb_has_help(run: Run, verb: str) -> None:
    result = run(verb, "--help")
    assert result.code == 0
    assert "Usage: qcg" in result.output


def test_retrieve_shows_evidence_with_paths(ask: Run) -> None:
    for options, method, shown in (
        ((), "layers", r"\+0\.\d\d query +Which gym"),
        (("-m", "qcg"), "qcg", r" 0\.\d\d query +\S"),
    ):
        result = ask("retrieve", QUESTION, *options)
        assert result.code == 0, result.errors
        assert "FitZone" in result.output
        assert re.search(shown, result.output)
        assert re.search(rf"{method}, 5 passages, \d+ ms", result.output)
        assert re.search(r"Nearest to the question by meaning: 0\.8\d, a query .*: found\.", result.output)
    assert ": nothing near." in ask("retrieve", UNANSWERED_QUESTION).output


@pytest.mark.parametrize("method", METHODS)
def test_retrieve_gives_json_by_every_method(ask: Run, method: str) -> None:
    result = ask("retrieve", QUESTION, "--method", method, "--json", "--set", "passages=3")
    assert result.code == 0, result.errors
    evidence = json.loads(result.output)
    name = {"auto": "auto (layers)"}.get(method, method)
    assert (evidence["question"], evidence["method"], len(evidence["passages"])) == (QUESTION, name, 3)
    assert (evidence["nearest"] or {"word": "found"})["word"] == "found"
    about = {"id", "document", "index", "text", "score", "token_count", "title", "page", "last_page", "headings"}
    assert set(evidence["passages"][0]) == about | {"paths", "also", "metadata"}


@pytest.mark.rest
@pytest.mark.parametrize("method", [name for name in METHODS if name != "auto"])
def test_the_printed_cypher_runs_as_it_is(ask: Run, sample: Graph, method: str) -> None:
    """What is to be pasted into Browser: parameters set line by line, then the statement, without any driver."""
    _, found = pasted(sample, ask("retrieve", QUESTION, "-m", method, "--cypher").output)
    expected = json.loads(ask("retrieve", QUESTION, "-m", method, "--json").output)
    assert found == [passage["id"] for passage in expected["passages"]]


def test_the_printed_cypher_starts_at_the_names_of_the_question(ask: Run, sample: Graph) -> None:
    parameters, found = pasted(sample, ask("retrieve", NAMING, "--cypher").output)
    assert [name["name"] for name in parameters["asked"]["names"]] == ["bronwyn"]
    assert found == [passage["id"] for passage in json.loads(ask("retrieve", NAMING, "--json").output)["passages"]]


def pasted(graph: Graph, printed: str) -> tuple[dict[str, Any], list[str]]:
    """The parameters of a printed script, and the ids of the passages that its statement finds."""
    parameters = dict(re.findall(r"^:param (\w+) => (.*);$", printed, re.MULTILINE))
    text = re.sub(r"^:param .*\n", "", printed, flags=re.MULTILINE)
    with graph.driver.session() as session:
        told = session.run(f"RETURN {{{', '.join(f'{name}: {value}' for name, value in parameters.items())}}} AS v")
        values = told.single(strict=True)["v"]
        rows = session.run(text, values).data()
    return values, [row["id"] for row in rows[0].get("passages", rows)]


def test_documents_are_listed(ask: Run) -> None:
    listed = json.loads(ask("documents", "--json").output)
    assert (len(listed), sum(document["chunks"] for document in listed)) == (60, 75)
    assert listed[0].keys() == {"id", "title", "published_at", "chunks", "source"}
    one = listed[7]["id"]
    permitted = json.loads(ask("documents", "--json", "--where", f'id = "{one}"').output)
    assert [document["id"] for document in permitted] == [one]
    shown = ask("documents", "--where", f'id = "{one}"')
    assert one in shown.output
    assert listed[8]["id"] not in shown.output
    assert shown.errors == "For --where: id (string).\n"
    nothing = ask("documents", "--where", 'id = "nothing"')
    assert (nothing.code, "There is no such document." in nothing.errors) == (2, True)


def test_settings_come_from_option_then_environment_then_file(ask: Run, tmp_path: Path) -> None:
    file = tmp_path / "qcg.toml"
    file.write_text("[retrieve.qcg]\npassages = 2\nhops = 0\n[build]\nneighbours = 7\n", encoding="utf-8")
    asked = ("retrieve", QUESTION, "--method", "qcg", "--settings", str(file), "--json")
    found = json.loads(ask(*asked).output)["settings"]
    assert (found["passages"], found["hops"]) == (2, 0)
    found = json.loads(ask(*asked, "-s", "passages=1").output)["settings"]
    assert (found["passages"], found["hops"]) == (1, 0)


def test_a_preset_comes_before_the_file_and_after_the_options(ask: Run, tmp_path: Path) -> None:
    file = tmp_path / "qcg.toml"
    file.write_text("[retrieve.qcg]\npassages = 2\nhops = 2\n", encoding="utf-8")
    asked = ("retrieve", QUESTION, "--method", "qcg", "--settings", str(file), "--json")
    found = json.loads(ask(*asked, "--preset", "tuned", "--set", "queries=7").output)["settings"]
    names = ("passages", "hops", "queries", "minimum_score", "aggregation")
    assert [found[name] for name in names] == [2, 0, 7, 0.0, "max"]
    found = json.loads(ask(*asked, "--preset", "paper").output)["settings"]
    assert [found[name] for name in names] == [2, 2, 15, 1.0, "mean"]


def test_auto_tells_which_method_it_took(ask: Run) -> None:
    result = ask("retrieve", "What are the main themes of these conversations?", "-m", "auto", "--set", "passages=1")
    assert result.code == 0, result.errors
    assert "auto (graphrag-global), 1 passage" in result.output
    assert "graphrag-global: the question's words ask about the whole collection" in result.output.replace("\n", " ")


def test_auto_answers_a_question_about_all_by_map_reduce_and_others_from_passages(ask: Run, tmp_path: Path) -> None:
    def script(_: int, body: Body) -> Manner:
        system = body["messages"][0]["content"]
        if system.startswith("You write the answer"):
            return Say(json.dumps({"answer": "Sport [1].", "citations": ["1"]}))
        if system.startswith("You help to answer"):
            return Say(json.dumps({"answer": "There is sport [1].", "score": 50, "citations": ["1"]}))
        return Say("FitZone [1].")

    with endpoint(script) as fake:
        model = ("--llm", f"small@{fake.url}")
        options = ("-m", "auto", *model, "--store", str(tmp_path / "replies.sqlite"), "--json")
        whole = json.loads(ask("answer", "What are the main themes of these conversations?", *options).output)
        plain = json.loads(ask("answer", QUESTION, *options).output)
    assert (whole["text"], whole["evidence"]["method"]) == ("Sport [1].", "auto (graphrag-global C1)")
    assert whole["costs"]["map"]["calls"] > 0
    assert (plain["text"], plain["evidence"]["method"]) == ("FitZone [1].", "auto (layers)")


def test_answer_without_a_model_says_so(ask: Run) -> None:
    result = ask("answer", QUESTION)
    assert result.code == 0
    assert "No language model is configured" in result.errors.replace("\n", " ")
    assert "FitZone" in result.output
    assert json.loads(ask("answer", QUESTION, "--json").output)["text"] is None


def test_answer_streams_and_names_what_it_cites(ask: Run) -> None:
    with endpoint(lambda _, __: Say("It is FitZone [1].")) as fake:
        options = ("--llm", f"a-model@{fake.url}")
        result = ask("answer", QUESTION, *options)
        as_json = json.loads(ask("answer", QUESTION, *options, "--json").output)
    assert as_json["evidence"]["nearest"]["word"] == "found"
    assert result.output.startswith("It is FitZone [1].")
    assert re.search(r"\[1\] \S+, chunk \d", result.output)
    assert as_json["citations"] == [as_json["evidence"]["passages"][0]["id"]]


def test_status_tells_what_is_there(ask: Run) -> None:
    result = ask("status")
    assert result.code == 0
    assert "all-MiniLM-L6-v2, 384 dimensions" in result.output
    assert "Vector indexes bring 40 candidates for ten wanted." in result.output
    found = json.loads(ask("status", "--json").output)
    assert found["counts"]["Chunk"] == 75
    stages = {stage["name"]: stage["stale"] for stage in found["stages"]}
    # The predictor of the sample is imported, so nobody has asked questions.
    assert stages == {**dict.fromkeys(MADE_FROM), "questions": "has not run"}
    assert not any(found["missing"].values())


def test_a_second_run_of_every_stage_changes_nothing(ask: Run, sample: Graph) -> None:
    before = sample.rows("stage/all")
    for command in (
        ("load", str(SAMPLE / "passages.jsonl")),
        ("generate", "--replies", str(SAMPLE / "pairs.jsonl"), "--baselines"),
        ("build", "--neighbours", "5"),
        ("extract", "--replies", str(SAMPLE / "graph.jsonl")),
    ):
        result = ask(*command)
        assert result.code == 0, result.errors
    after = sample.rows("stage/all")
    assert [row["revision"] for row in after] == [row["revision"] for row in before]


# Whatever is wrong gives one error: what, and what to do; no stack trace, no success.

BAD = {
    "no verb of that name": (["lod"], "No such command 'lod'"),
    "no question": (["retrieve"], "Missing argument 'QUESTION'"),
    "an empty question": (["retrieve", "  "], "The question is empty"),
    "a huge question": (["retrieve", "x" * 20_001], "20,001 characters"),
    "no such method": (["retrieve", "q", "-m", "qgc"], "'qgc' is not one of"),
    "no such setting": (["retrieve", "q", "-m", "qcg", "-s", "hop=1"], "Did you mean 'hops'"),
    "a setting without value": (["retrieve", "q", "-s", "hops"], "not of the form KEY=VALUE"),
    "a setting of the wrong type": (["retrieve", "q", "-m", "qcg", "-s", "hops=one"], "must be of type int"),
    "a method without presets": (["retrieve", "q", "--preset", "tuned"], "The method layers has no preset 'tuned'"),
    "no such preset": (["retrieve", "q", "-m", "qcg", "--preset", "best"], "'best' is not one of"),
    "a method without a single statement": (["retrieve", "q", "-m", "auto", "--cypher"], "no statement of its own"),
    "a statement of more than a method": (["retrieve", "q", "--then", "mmr=0.7", "--cypher"], "Leave --then"),
    "a setting out of range": (["retrieve", "q", "-m", "qcg", "-s", "hops=109"], "must be 0 to 100"),
    "a huge setting": (["retrieve", "q", "-s", "passages=1000000000"], "must be 1 to 1000"),
    "a missing settings file": (["retrieve", "q", "--settings", "{dir}/none.toml"], "none.toml cannot be read"),
    "a settings file that is not TOML": (["retrieve", "q", "--settings", "{dir}/bad.toml"], "bad.toml is not TOML"),
    "an unknown setting in a file": (["build", "--settings", "{dir}/unknown.toml"], "no setting 'neigbours'"),
    "an unknown table in a file": (["build", "--settings", "{dir}/table.toml"], "Did you mean 'build'"),
    "an unknown embedding model": (["retrieve", "q", "--embedding", "no-such-model"], "no-such-model"),
    "another embedding model": (["load", "{dir}/good.jsonl", "--embedding", "{dir}"], ""),
    "an unreachable server": (["status", "--uri", "bolt://127.0.0.1:1"], "No Neo4j server answers"),
    "an address that is none": (["status", "--uri", "localhost"], "localhost is no address of Bolt"),
    "a home without a server": (["status", "--home", "{dir}/nowhere"], "qcg server start"),
    "an unknown database": (["status", "--database", "nowhere"], "nowhere"),
    "a missing input file": (["load", "{dir}/none.jsonl"], "none.jsonl"),
    "an empty folder": (["load", "{dir}/empty"], "empty"),
    "a malformed line": (["load", "--strict", "{dir}/malformed.jsonl"], "malformed.jsonl:2"),
    "a line without text": (["load", "--strict", "{dir}/no-text.jsonl"], "no-text.jsonl:1"),
    "chunks of no tokens": (["load", "--chunk-tokens", "0", "{dir}/good.jsonl"], "chunk_tokens"),
    "overlap as long as the chunk": (
        ["load", "--chunk-tokens", "50", "--overlap-tokens", "50", "{dir}/good.jsonl"],
        "verlap",
    ),
    "a word for a number": (["build", "--neighbours", "many"], "must be of type int"),
    "no neighbours": (["build", "--neighbours", "0"], "must be 1 to 100"),
    "an unknown strategy": (["build", "--strategy", "guess"], "'guess' is not one of"),
    "a recording that is missing": (["generate", "--replies", "{dir}/none.jsonl"], "none.jsonl"),
    "a recording that is none": (["generate", "--replies", "{dir}/malformed.jsonl"], "malformed.jsonl"),
    "a share above one": (["generate", "--kept-share", "1.5", "--replies", "{dir}/good.jsonl"], "kept_share"),
    "no language model": (["generate"], "--llm NAME@URL"),
    "an unknown document to delete": (["delete", "no such document"], "no such document"),
    "questions that are missing": (["evaluate", "retrieval", "{dir}/none.jsonl"], "none.jsonl"),
    "a heap that is none": (["server", "start", "--home", "{dir}/home", "--heap", "much"], "heap"),
    "a line that does not exist": (["server", "start", "--home", "{dir}/home", "--line", "4.4"], "4.4"),
}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "empty").mkdir()
    (tmp_path / "bad.toml").write_text("[build\n", encoding="utf-8")
    (tmp_path / "unknown.toml").write_text("[build]\nneigbours = 3\n", encoding="utf-8")
    (tmp_path / "table.toml").write_text("[biuld]\nneighbours = 3\n", encoding="utf-8")
    good = '{"id": "a", "text": "Some text."}\n'
    (tmp_path / "good.jsonl").write_text(good, encoding="utf-8")
    (tmp_path / "malformed.jsonl").write_text(good + "{oops\n", encoding="utf-8")
    (tmp_path / "no-text.jsonl").write_text('{"id": "a"}\n', encoding="utf-8")
    return tmp_path


@pytest.mark.parametrize("case", BAD)
def test_bad_input(ask: Run, sample: Graph, folder: Path, sample_server: TestServer, case: str) -> None:
    arguments, problem = BAD[case]
    before = sample.rows("inspect/counts")
    result = ask(*[argument.format(dir=folder) for argument in arguments])
    assert result.code != 0
    assert problem in result.errors
    assert "Error: " in result.errors
    assert "Traceback" not in result.errors + result.output
    assert sample_server.password not in result.errors + result.output
    assert sample.rows("inspect/counts") == before


def test_a_wrong_password_is_explained(run: Run, sample_server: TestServer) -> None:
    result = run("status", "--uri", sample_server.uri, NEO4J_USERNAME="neo4j", NEO4J_PASSWORD="guess-it")
    assert result.code == 3
    assert "does not accept the user or the password" in result.errors
    assert "guess-it" not in result.errors
