"""Evaluation on a real server: figures against a plain computation, resumption, what the graph cannot serve."""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import Iterable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from conftest import TestServer, emptied
from small_embedder import SmallEmbedder

from qcg_neo4j.cli import qcg
from qcg_neo4j.core.errors import GraphError, InputError, MissingReplyError
from qcg_neo4j.core.records import SourceDocument
from qcg_neo4j.database.graph import Graph
from qcg_neo4j.database.schema import await_indexes
from qcg_neo4j.evaluation import EvaluateSettings, Lineup, Question, System, evaluate_retrieval, lineup_of
from qcg_neo4j.indexing.build import BuildSettings, build_queries
from qcg_neo4j.indexing.generate import GenerateSettings, generate_queries
from qcg_neo4j.indexing.load import load_documents
from qcg_neo4j.models.replies import Failure, Reply, Request
from qcg_neo4j.models.replies import Result as Replied
from qcg_neo4j.retrieval import method
from qcg_neo4j.retrieval.catalogue import AroundSettings, compose

FAST = EvaluateSettings(resamples=100, depth=10)
WORDS = "amber basil cedar delta ember flint grove heron inlet jetty kayak lemon maple north ocean pearl quill"


def text_of(number: int) -> str:
    """Three sentences of words drawn by the number."""
    draw = random.Random(number)  # noqa: S311 - no secret
    return " ".join(f"The {' '.join(draw.sample(WORDS.split(), 5))} of house {number}." for _ in range(3))


def questions_of(number: int) -> list[Question]:
    draw = random.Random(7)  # noqa: S311 - no secret
    return [
        Question(
            str(n),
            f"Which {' '.join(draw.sample(WORDS.split(), 4))}, asked {n}?",
            (f"d{n % 12}", f"d{12 + n % 7}"),
            "",
            None,
            n,
        )
        for n in range(number)
    ]


@pytest.fixture(scope="module")
def corpus(server: TestServer) -> Iterator[Graph]:
    """24 small documents, each sentence a query, by an embedder that needs no model."""
    with Graph.connect(server.uri, server.user, server.password) as graph:
        emptied(graph)
        graph.embedder = embedder = SmallEmbedder()
        documents = [SourceDocument(f"d{n}", passages=(text_of(n), text_of(n + 100))) for n in range(24)]
        load_documents(graph, embedder, documents)
        generate_queries(graph, embedder, GenerateSettings(source="sentences"))
        build_queries(graph, BuildSettings(neighbours=2))
        await_indexes(graph)
        yield graph


@pytest.mark.rest
def test_figures_are_those_of_the_methods_own_passages(corpus: Graph, tmp_path: Path) -> None:
    questions = [*questions_of(9), Question("null", "Nothing?", ())]
    lineup = Lineup(
        (
            System("qcg", method("qcg", {"neighbours": 2})),
            *lineup_of(["vector", "fulltext", "hybrid"]).systems,
        ),
        baseline="vector",
    )
    result = evaluate_retrieval(corpus, questions, lineup, tmp_path, FAST, command="qcg x")
    assert (result.questions, result.without_evidence, len(result.embedding_seconds)) == (9, 1, 9)
    for system, row in zip(lineup.systems, result.rows, strict=True):
        recalls, tokens = [], []
        for question in questions[:9]:
            deep = system.at_depth(10).retrieve(corpus, question.text).passages
            ranking = list(dict.fromkeys(passage.document for passage in deep))
            recalls.append(len(set(ranking[:5]) & set(question.evidence)) / len(question.evidence))
            tokens.append(sum(passage.token_count for passage in deep[:5]))
        assert row.figures["recall@5"].mean == pytest.approx(sum(recalls) / 9)
        assert row.figures["tokens"].mean == pytest.approx(sum(tokens) / 9)
        assert row.latency is not None
        assert 0 < row.latency.median <= row.latency.p95 < 60
    assert {row.name for row in result.rows if row.differences} == {"qcg", "fulltext", "hybrid"}
    written = sorted(path.name for path in tmp_path.glob("[!.]*"))
    assert written == ["by_type.md", "recall.png", "runs.jsonl", "table.csv", "table.md"]
    assert (tmp_path / "table.md").read_text().splitlines()[2] == "    qcg x"


def asked(folder: Path) -> int:
    return sum('"question"' in line for line in (folder / "runs.jsonl").read_text().splitlines())


@pytest.mark.rest
def test_a_finished_run_only_renders_and_a_changed_graph_is_asked_anew(corpus: Graph, tmp_path: Path) -> None:
    lineup, questions = lineup_of(["qcg", "fulltext"]), questions_of(4)
    first = evaluate_retrieval(corpus, questions, lineup, tmp_path, FAST)
    stored = (tmp_path / "runs.jsonl").read_bytes()
    seen: list[tuple[int, int | None]] = []
    again = evaluate_retrieval(
        corpus, questions, lineup, tmp_path, FAST, progress=lambda done, total: seen.append((done, total))
    )
    assert (again, seen, (tmp_path / "runs.jsonl").read_bytes()) == (first, [], stored)
    evaluate_retrieval(corpus, questions_of(5), lineup, tmp_path, FAST)
    assert asked(tmp_path) == 10
    evaluate_retrieval(corpus, questions, lineup, tmp_path, replace(FAST, depth=20))
    assert asked(tmp_path) == 18
    load_documents(corpus, SmallEmbedder(), [SourceDocument("new", "A new house by the ocean.")])
    evaluate_retrieval(corpus, questions, lineup, tmp_path, FAST)
    assert asked(tmp_path) == 26
    assert "The stage generate is stale" in (tmp_path / "table.md").read_text()


@pytest.mark.rest
def test_systems_with_the_same_settings_are_asked_once(corpus: Graph, tmp_path: Path) -> None:
    system = lineup_of(["fulltext"]).systems[0]
    lineup = Lineup((system, replace(system, name="twin")), "twin")
    result = evaluate_retrieval(corpus, questions_of(3), lineup, tmp_path, replace(FAST, latency=False))
    assert asked(tmp_path) == 3
    assert result.rows[0].figures == result.rows[1].figures
    assert result.rows[0].differences["MRR"].p == 1
    assert result.rows[0].latency is None
    assert "ms (median)" not in (tmp_path / "table.md").read_text()


def test_what_the_graph_cannot_serve_is_named_or_left_out(corpus: Graph, tmp_path: Path) -> None:
    corpus.run("schema/drop_index", name="qcg_chunk_d2q_all")
    lineup = lineup_of(["d2q", "fulltext"])
    with pytest.raises(GraphError, match=r"^d2q: "):
        evaluate_retrieval(corpus, questions_of(3), lineup, tmp_path, FAST)
    assert asked(tmp_path) == 0
    result = evaluate_retrieval(corpus, questions_of(3), lineup, tmp_path, FAST, skip_unusable=True)
    assert ([row.name for row in result.rows], list(result.left_out)) == (["fulltext"], ["d2q"])
    assert "d2q is left out: " in (tmp_path / "table.md").read_text()
    with pytest.raises(GraphError, match="serve none"):
        evaluate_retrieval(corpus, questions_of(3), lineup_of(["d2q"]), tmp_path, FAST, skip_unusable=True)


def test_evidence_that_the_graph_lacks(corpus: Graph, tmp_path: Path) -> None:
    lineup = lineup_of(["fulltext"])
    known, unknown = questions_of(1)[0], Question("u", "Who?", ("nobody", "none"))
    result = evaluate_retrieval(corpus, [known, unknown], lineup, tmp_path, FAST)
    assert (result.questions, result.missing) == (2, ("nobody", "none"))
    assert "2 documents that the questions name are not in the graph" in (tmp_path / "table.md").read_text()
    with pytest.raises(InputError, match=r"none of the 2 documents .*\(nobody, none\)"):
        evaluate_retrieval(corpus, [unknown], lineup, tmp_path, FAST)
    with pytest.raises(InputError, match="None of the chosen questions has evidence"):
        evaluate_retrieval(corpus, [replace(unknown, evidence=())], lineup, tmp_path, FAST)


def command(server: TestServer, *arguments: str | Path) -> tuple[list[str], dict[str, str]]:
    environment = {
        **os.environ,
        "NEO4J_URI": server.uri,
        "NEO4J_USERNAME": server.user,
        "NEO4J_PASSWORD": server.password,
    }
    return [sys.executable, "-c", "from qcg_neo4j.cli import main; main()", *map(str, arguments)], environment


def questions_file(folder: Path, number: int) -> Path:
    path = folder / "questions.jsonl"
    lines = [{"question": item.text, "evidence": item.evidence, "type": "single"} for item in questions_of(number)]
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    return path


def without_time(result: dict[str, Any]) -> dict[str, Any]:
    rows = [{name: value for name, value in row.items() if name != "latency"} for row in result["rows"]]
    return {**result, "rows": rows, "command": ""}


@pytest.mark.rest
def test_a_killed_run_goes_on_and_ends_as_an_undisturbed_one(server: TestServer, corpus: Graph, tmp_path: Path) -> None:
    path, number = questions_file(tmp_path, 150), 150
    arguments = ("evaluate", "retrieval", path, "--method", "fulltext", "-s", "resamples=100", "--json")
    line, environment = command(server, *map(str, arguments), "--output", tmp_path / "killed")
    stored = tmp_path / "killed/runs.jsonl"
    with subprocess.Popen(line, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as running:
        while running.poll() is None and (not stored.exists() or asked(tmp_path / "killed") < 5):
            time.sleep(0.005)
        running.send_signal(signal.SIGKILL)
    assert 5 <= asked(tmp_path / "killed") < number
    assert not (tmp_path / "killed/table.md").exists()
    before = stored.read_bytes()
    before = before[: before.rfind(b"\n") + 1]
    resumed = CliRunner(env=environment).invoke(qcg, [*map(str, arguments), "--output", str(tmp_path / "killed")])
    assert resumed.exit_code == 0, resumed.output
    assert stored.read_bytes().startswith(before)
    assert asked(tmp_path / "killed") == number
    undisturbed = CliRunner(env=environment).invoke(qcg, [*map(str, arguments), "--output", str(tmp_path / "other")])
    assert undisturbed.exit_code == 0, undisturbed.output
    assert without_time(json.loads(resumed.stdout)) == without_time(json.loads(undisturbed.stdout))


def test_the_command_shows_the_table_and_heads_it(server: TestServer, corpus: Graph, tmp_path: Path) -> None:
    path = questions_file(tmp_path, 6)
    chosen = ["--half", "odd", "--type", "single", "--method", "fulltext", "-s", "latency=false"]
    line, environment = command(server, "evaluate", "retrieval", path, *chosen, "--output", tmp_path / "my tables")
    done = subprocess.run(line, env=environment, capture_output=True, check=True, text=True)
    assert "3 questions, measures in percent" in done.stdout
    assert "Written to" in done.stderr
    head = (tmp_path / "my tables/table.md").read_text().splitlines()[2]
    assert head.endswith(f"evaluate retrieval {path} {' '.join(chosen)} --output '{tmp_path}/my tables'")
    assert server.password not in (tmp_path / "my tables/table.md").read_text()


@pytest.mark.rest
def test_figures_by_another_plugin_are_asked_anew(
    corpus: Graph, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What the procedures compute is in the jar alone, so the jar of the server is part of what a figure rests on."""
    lineup, questions = lineup_of(["layers"]), questions_of(3)
    evaluate_retrieval(corpus, questions, lineup, tmp_path, FAST)
    evaluate_retrieval(corpus, questions, lineup, tmp_path, FAST)
    assert asked(tmp_path) == 3
    monkeypatch.setattr(corpus, "plugin_digest", lambda: "that of a rebuilt jar")
    evaluate_retrieval(corpus, questions, lineup, tmp_path, FAST)
    assert asked(tmp_path) == 6


class Analyses:
    """A recording that holds the analyses of some questions alone."""

    name = "analyses.jsonl"

    def __init__(self, questions: list[Question]) -> None:
        self.texts = {question.text for question in questions}

    def known(self, request: Request) -> Reply | None:
        said = {"complexity": 0.1, "entities": [], "sub_questions": [], "scope": "local"}
        held = request.variables["question"] in self.texts
        return Reply(request, {**said, "hypothetical_passage": "The ocean."}, "m") if held else None

    def replies(self, requests: Iterable[Request]) -> Iterator[Replied]:
        for request in requests:
            yield self.known(request) or Failure(request, f"{self.name} holds no reply to it")


def expanded(name: str, known: list[Question]) -> System:
    return System(name, compose("fulltext", {}, AroundSettings(expand="hyde"), Analyses(known)), f"recording of {name}")


def test_a_question_without_a_reply_is_left_out_of_its_systems_figures(corpus: Graph, tmp_path: Path) -> None:
    questions, plain = questions_of(8), lineup_of(["fulltext"]).systems[0]
    lineup = Lineup((plain, expanded("some", questions[2:])), "fulltext")
    result = evaluate_retrieval(corpus, questions, lineup, tmp_path, FAST)
    whole, some = result.rows
    unanswered = tuple(question.text for question in questions[:2])
    assert (whole.without_reply, some.without_reply) == ((), unanswered)
    assert result.as_dict()["rows"][1]["without_reply"] == unanswered
    alone = evaluate_retrieval(corpus, questions[2:], lineup, tmp_path / "alone", FAST)
    assert some.figures == alone.rows[1].figures
    # The test is on the questions that both have answered.
    assert {name: found.p for name, found in some.differences.items()} == {
        name: found.p for name, found in alone.rows[1].differences.items()
    }
    assert some.differences["MRR"].mean == pytest.approx(alone.rows[1].differences["MRR"].mean)
    page = (tmp_path / "table.md").read_text()
    assert "some lacks a reply to 2 of the questions, which are left out of its figures and differences: " in page
    assert f"{unanswered[0]!r}, {unanswered[1]!r}." in page
    assert "analyses.jsonl holds no reply to it" in page
    assert asked(tmp_path) == 8 + 6


def test_a_reply_that_comes_later_completes_the_figures(corpus: Graph, tmp_path: Path) -> None:
    questions = questions_of(4)
    evaluate_retrieval(corpus, questions, Lineup((expanded("late", questions[1:]),)), tmp_path, FAST)
    assert asked(tmp_path) == 3
    result = evaluate_retrieval(corpus, questions, Lineup((expanded("late", questions),)), tmp_path, FAST)
    assert (asked(tmp_path), result.rows[0].without_reply) == (4, ())
    assert "lacks a reply" not in (tmp_path / "table.md").read_text()


def test_a_system_without_any_reply_is_left_out_and_named(corpus: Graph, tmp_path: Path) -> None:
    questions, none = questions_of(3), expanded("none", [])
    both = Lineup((none, *lineup_of(["fulltext"]).systems), "none")
    result = evaluate_retrieval(corpus, questions, both, tmp_path, FAST)
    assert ([row.name for row in result.rows], list(result.left_out), result.baseline) == (["fulltext"], ["none"], None)
    assert "none is left out: it lacks a reply to every question." in (tmp_path / "table.md").read_text()
    with pytest.raises(MissingReplyError, match="None of the systems can be measured"):
        evaluate_retrieval(corpus, questions, Lineup((none,)), tmp_path, FAST)


def test_an_empty_graph_is_refused(graph: Graph, tmp_path: Path) -> None:
    with pytest.raises(GraphError, match="The graph is empty"):
        evaluate_retrieval(graph, questions_of(2), lineup_of(["fulltext"]), tmp_path, FAST)
