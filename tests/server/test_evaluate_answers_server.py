"""Answers of systems on a real graph: what is asked, what it takes, what is kept, and who answers in its own way."""

from __future__ import annotations

import json
import re
from collections import Counter
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from batch_endpoint import batch_endpoint
from click.testing import CliRunner
from conftest import TestServer
from endpoint import Body, Fail, FakeEndpoint, Manner, Say, Script, endpoint, material, prompt_of

from qcg_neo4j.cli import qcg
from qcg_neo4j.core.errors import LanguageModelError, WaitingError
from qcg_neo4j.database.graph import Graph
from qcg_neo4j.evaluation import AnswerRun, AnswersResult, AnswersSettings, Measuring, Question, evaluate_answers
from qcg_neo4j.evaluation.answers import estimate_answers
from qcg_neo4j.evaluation.answers.systems import answering_lineup
from qcg_neo4j.evaluation.answers.trials import FILE, KINDS, Metered, trials_of
from qcg_neo4j.evaluation.folder import open_kept
from qcg_neo4j.evaluation.systems_run import graph_state
from qcg_neo4j.models.llm import Estimate, LanguageModelSettings, LiveModel
from qcg_neo4j.models.replies import ReplyStore

QUESTIONS = (
    Question("0", "What did Wolfgang and Li Hua plan for lunch?", (), answer="A good lunch"),
    Question("1", "Who is the landlord?", (), answer="Adam Smith", position=1),
)
REPLIES: dict[str, dict[str, Any]] = {
    "answer_precise": {"reasoning": "[1]", "answer": "Answer: Adam Smith [1].", "citations": ["1"]},
    "analyse_question": {"complexity": 0.1, "entities": [], "sub_questions": [], "hypothetical_passage": "A lunch."},
    "evaluate_verdict": {"reasoning": "So.", "verdict": "correct"},
    "evaluate_scores": {"reasoning": "So.", "correctness": 4, "faithfulness": 3, "relevance": 5},
    "answer_next_step": {"answer": "Adam Smith", "citations": [], "done": True},
    "answer_map": {"answer": "A lunch [1].", "score": 90, "citations": ["1"]},
    "answer_local": {"answer": "A good lunch [1].", "citations": ["1"]},
    "answer_reduce": {"answer": "A good lunch [1].", "citations": ["1"]},
}


def name_of(body: Body) -> str:
    return str(body["response_format"]["json_schema"]["name"])


def willing(_: int, body: Body) -> Manner:
    return Say(json.dumps(REPLIES[name_of(body)]))


def answered(
    graph: Graph, folder: Path, systems: str, script: Script = willing, *, output: str = "out"
) -> tuple[AnswersResult, FakeEndpoint, Estimate]:
    lineup_file = folder / "systems.toml"
    lineup_file.write_text(systems)
    with (
        endpoint(script) as fake,
        ReplyStore(folder / "store") as store,
        open_kept(folder / output / FILE, KINDS) as kept,
    ):
        model = LanguageModelSettings(endpoint=fake.url, model="m", retries=0, concurrency=2)
        with closing(LiveModel(model, store)) as live:
            meter, state = Metered(live), graph_state(graph)
            lineup = answering_lineup(lineup_file, (), None, meter)
            trials = trials_of([system.name for system in lineup.systems], QUESTIONS, 2)
            run = AnswerRun(graph, state, kept, lineup, trials, "precise", meter)
            run.gather(asking=False)
            expected = estimate_answers(run, live, model, store)
            settings = AnswersSettings(resamples=100)
            measuring = Measuring(("match",), None, settings, graph.question_embedder)
            return evaluate_answers(run, QUESTIONS, folder / output, measuring), fake, expected


def test_the_mean_number_of_steps_is_a_column(sample: Graph, tmp_path: Path) -> None:
    systems = '[[system]]\nmethod = "vector"\n[[system]]\nmethod = "vector"\nname = "several"\nsteps = 3\n'
    asked: dict[str, int] = {}

    def script(_: int, body: Body) -> Manner:
        if name_of(body) != "answer_next_step":
            return Say(json.dumps(REPLIES[name_of(body)]))
        question = QUESTIONS[0].text if QUESTIONS[0].text in prompt_of(body) else QUESTIONS[1].text
        asked[question] = asked.get(question, 0) + 1
        return Say(
            json.dumps({**REPLIES["answer_next_step"], "done": question == QUESTIONS[0].text or asked[question] > 1})
        )

    result, _, _ = answered(sample, tmp_path, systems, script)
    assert [row.cost.steps for row in result.rows if row.cost] == [1.0, 1.5]
    page = (tmp_path / "out/answers.md").read_text(encoding="utf-8")
    assert "| Iter |" in page


TWO = '[[system]]\nmethod = "vector"\n[[system]]\nmethod = "vector"\nname = "hyde"\nexpand = "hyde"\n'


def test_answers_are_scored_with_what_they_took(sample: Graph, tmp_path: Path) -> None:
    result, fake, expected = answered(sample, tmp_path, TWO)
    rows = {row.name: row for row in result.rows}
    assert {name: row.figures["exact match"].mean for name, row in rows.items()} == {"vector": 0.5, "hyde": 0.5}
    # Two questions, twice each; hyde asks for an analysis of each question besides.
    assert expected.usage.calls == 4
    assert result.usage["answers"].calls == len(fake.calls)
    costs = [rows[name].cost for name in ("vector", "hyde")]
    assert all(costs)
    assert all(cost.context_tokens > 2000 for cost in costs if cost)  # more than five passages, by their tokens
    assert [(cost.calls, cost.input_tokens, cost.output_tokens, cost.timed) for cost in costs if cost] == [
        (1, 100, 40, 4),
        (2, 200, 80, 4),
    ]
    page = (tmp_path / "out/answers.md").read_text()
    assert "answer_tokens 3000" in page
    assert "2 questions, each answered 2 times." in page  # and nobody judged
    again, silent, _ = answered(sample, tmp_path, TWO)
    assert silent.calls == []
    assert again.rows == result.rows


def test_the_documents_of_an_answer_and_of_its_citations_are_kept(sample: Graph, tmp_path: Path) -> None:
    answered(sample, tmp_path, '[[system]]\nmethod = "vector"\n')
    kept = [json.loads(line) for line in (tmp_path / "out/answers.jsonl").read_text().splitlines()]
    contexts = {line["question"]: line["context"]["documents"] for line in kept if "context" in line}
    written = [line for line in kept if "written" in line]
    assert len(written) == 4
    assert all(len(documents) > 5 for documents in contexts.values())
    assert all(line["written"]["cited"] == contexts[line["question"]][0] for line in written)  # each cites [1]


def test_a_new_folder_takes_paid_replies_and_knows_no_times(sample: Graph, tmp_path: Path) -> None:
    first, _, _ = answered(sample, tmp_path, TWO)
    second, fake, expected = answered(sample, tmp_path, TWO, output="second")
    assert fake.calls == []
    assert expected.usage.calls == 0
    for old, new in zip(first.rows, second.rows, strict=True):
        assert old.cost
        assert new.cost
        assert (new.cost.timed, new.cost.median_seconds, new.cost.calls) == (0, None, old.cost.calls)
        assert old.figures == new.figures


def test_an_endpoint_that_fails_ends_the_run_and_the_next_one_goes_on(sample: Graph, tmp_path: Path) -> None:
    def failing(number: int, body: Body) -> Manner:
        return willing(number, body) if number <= 3 else Fail(401)

    with pytest.raises(LanguageModelError, match="refuses the key"):
        answered(sample, tmp_path, TWO, failing)
    result, fake, _ = answered(sample, tmp_path, TWO)
    assert all(row.without == 0 for row in result.rows)
    assert result.missing == ()
    assert len(fake.paid) <= 7


def test_an_answer_without_a_reply_is_named_and_asked_again(sample: Graph, tmp_path: Path) -> None:
    def refusing(_: int, body: Body) -> Manner:
        return Fail(500) if "landlord" in body["messages"][1]["content"] else Say(json.dumps(REPLIES[name_of(body)]))

    vector = '[[system]]\nmethod = "vector"\n'
    result, _, _ = answered(sample, tmp_path, vector, refusing)
    assert [(row.answers, row.without) for row in result.rows] == [(4, 2)]
    assert result.missing[0][0] == "vector, Who is the landlord?"
    again, fake, _ = answered(sample, tmp_path, vector)
    assert len(fake.calls) == 2
    assert again.rows[0].without == 0


def place(server: TestServer, folder: Path) -> dict[str, str]:
    """The environment of a command that asks a server; the questions are a file in the folder."""
    asked: list[dict[str, Any]] = [{"question": item.text, "answer": item.answer, "evidence": []} for item in QUESTIONS]
    (folder / "questions.jsonl").write_text("".join(json.dumps(line) + "\n" for line in asked))
    return {"NEO4J_URI": server.uri, "NEO4J_USERNAME": server.user, "NEO4J_PASSWORD": server.password}


def test_the_command_estimates_then_answers(sample: Graph, sample_server: TestServer, tmp_path: Path) -> None:
    environment = place(sample_server, tmp_path)
    with endpoint(willing) as fake:
        given = ["evaluate", "answers", str(tmp_path / "questions.jsonl"), "--method", "vector", "--measure", "match"]
        given += ["--output", str(tmp_path / "out"), "--store", str(tmp_path / "store"), "--json"]
        given += ["--llm", f"m@{fake.url}"]
        estimated = CliRunner().invoke(qcg, [*given, "--estimate"], env=environment)
        assert estimated.exit_code == 0, estimated.output
        assert (json.loads(estimated.stdout)["answers"]["usage"]["calls"], fake.calls) == (4, [])
        found = CliRunner().invoke(qcg, given, env=environment)
        assert found.exit_code == 0, found.output
        assert len(fake.calls) == 4
        some = CliRunner().invoke(qcg, [*given, "--where", 'id < "20260817"'], env=environment)
        assert some.exit_code == 0, some.output
        assert len(fake.calls) == 8
        told = [re.findall(r"Time: (\d{8})", material(body)) for body in fake.calls]
        assert all(max(times) >= "20260817" for times in told[:4])
        assert all(max(times) < "20260817" for times in told[4:])
    assert json.loads(found.stdout)["rows"][0]["figures"]["exact match"]["mean"] == 0.5
    # Another model answers one question rightly that the first one did not, and the other one wrongly.
    lunch = {**REPLIES["answer_precise"], "answer": "A good lunch"}
    with endpoint(lambda _, body: Say(json.dumps(lunch))) as other:
        again = [*given[:-2], "--llm", f"n@{other.url}", "--earlier", str(tmp_path / "out/scores.jsonl")]
        again[again.index("--output") + 1] = str(tmp_path / "again")
        compared = CliRunner().invoke(qcg, again, env=environment)
        assert compared.exit_code == 0, compared.output
    exact = json.loads(compared.stdout)["earlier"][0]
    assert [exact[name] for name in ("system", "measure", "questions")] == ["vector", "exact match", 2]
    assert [exact[name] for name in ("earlier", "now", "alike")] == [0.5, 0.5, 0.0]
    assert "Paid for answers: 4 calls, 400 input and 160 output tokens." in found.stderr


def test_answers_and_verdicts_go_in_batches(sample: Graph, sample_server: TestServer, tmp_path: Path) -> None:
    (tmp_path / "systems.toml").write_text(TWO)
    environment = place(sample_server, tmp_path)
    with batch_endpoint(willing) as fake:
        given = ["evaluate", "answers", str(tmp_path / "questions.jsonl"), "--systems", str(tmp_path / "systems.toml")]
        given += ["--measure", "verdict", "--measure", "gpt-score", "--output", str(tmp_path / "out")]
        given += ["--store", str(tmp_path / "store"), "--batch"]
        given += ["--llm", f"m@{fake.url}"]
        runs: list[list[list[str]]] = []
        while isinstance((done := CliRunner().invoke(qcg, given, env=environment)).exception, WaitingError):
            assert not list((tmp_path / "out").glob("answers.md")), runs
            runs.append([sorted({name_of(line["body"]) for line in fake.lines(sent)}) for sent in fake.sent.values()])
            assert len(runs) < 4, runs
            fake.end()
        assert done.exit_code == 0, done.output
    # What finds passages is asked at once; both kinds of verdicts wait together.
    assert runs[0] == [["answer_precise"]]
    assert runs[1:] == [[*runs[0], ["evaluate_verdict"], ["evaluate_scores"]]]
    kinds = {"answer_precise", "evaluate_verdict", "evaluate_scores"}
    # The analysis is asked once, all else in two repetitions, of which none is paid for twice.
    paid = Counter((name_of(body), prompt_of(body)) for body in fake.paid)
    assert {(name, count) for (name, _), count in paid.items()} == {
        ("analyse_question", 1),
        *((kind, 2) for kind in kinds),
    }
    batched = [line["body"] for sent in fake.sent.values() for line in fake.lines(sent)]
    assert {name_of(body) for body in fake.paid if body not in batched} >= {"analyse_question"}
    assert (tmp_path / "out/answers.md").is_file()


def test_a_way_of_its_own_answers_in_it(sample_reports: Graph, tmp_path: Path) -> None:
    result, fake, _ = answered(sample_reports, tmp_path, '[[system]]\nmethod = "graphrag-global"\nlevel = 0\n')
    assert {name_of(body) for body in fake.calls} == {"answer_map", "answer_reduce"}
    row = result.rows[0]
    assert (row.method, row.figures["exact match"].mean) == ("graphrag-global", 0.5)
    assert row.cost
    assert row.cost.calls >= 2
    # The repetition is asked anew.
    assert len(fake.calls) == 4 * row.cost.calls


def test_what_a_way_of_its_own_has_read_is_kept_as_its_context(sample_reports: Graph, tmp_path: Path) -> None:
    result, fake, _ = answered(sample_reports, tmp_path, '[[system]]\nmethod = "graphrag-local"\n')
    lines = [json.loads(line) for line in (tmp_path / "out/answers.jsonl").read_text().splitlines()]
    read = [line["context"]["text"] for line in lines if "context" in line]
    assert [text in material(body) for text, body in zip(read, fake.calls, strict=True)] == [True] * 4
    assert result.rows[0].cost
    assert result.rows[0].cost.context_tokens > 1000  # whatever the answer cites of it
