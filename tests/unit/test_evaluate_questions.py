"""Questions that need the whole corpus: three levels of replies over a scripted endpoint."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result
from endpoint import Body, Fail, Manner, Say, endpoint, material

from qcg_neo4j.cli import qcg
from qcg_neo4j.core.errors import InputError, LanguageModelError, MissingReplyError, QcgError
from qcg_neo4j.evaluation import read_questions

ABOUT = "A year of chat messages between a student and the people around him."
PERSONAS, TASKS, QUESTIONS = "evaluate_personas", "evaluate_tasks", "evaluate_questions"


def task_of(body: Body) -> str:
    return str(body["response_format"]["json_schema"]["name"])


def imagined(body: Body, numbers: int) -> dict[str, Any]:
    """A good reply with so many items, each named after what it hangs on."""
    above = material(body)
    assert ABOUT in above
    if task_of(body) == PERSONAS:
        return {"personas": [{"name": f"Role {n}", "description": f"wants {n}."} for n in range(1, numbers + 1)]}
    persona = above.split("The person: Role ")[1][0]
    if task_of(body) == TASKS:
        return {"tasks": [f"Compare {persona}{n}" for n in range(1, numbers + 1)]}
    task = above.split("The task: Compare ")[1][:2]
    return {"questions": [f"What recurs in {task}{n}?" for n in range(1, numbers + 1)]}


def good(_: int, body: Body) -> Manner:
    return Say(json.dumps(imagined(body, 2)))


def call(folder: Path, url: str, *more: object) -> Result:
    arguments: list[object] = ["evaluate", "questions", "--output", folder / "q.jsonl", "--store", folder / "r"]
    arguments += ["--personas", 2, "--tasks", 2, "--questions", 2, "--llm", f"small@{url}"]
    arguments += ["-s", "llm.retries=0"]
    arguments += more or ["--description", ABOUT]
    return CliRunner().invoke(qcg, [str(argument) for argument in arguments])


def test_every_person_has_tasks_and_every_task_questions(tmp_path: Path) -> None:
    with endpoint(good) as fake:
        found = call(tmp_path, fake.url)
    assert found.exit_code == 0, found.output
    assert Counter(map(task_of, fake.paid)) == {PERSONAS: 1, TASKS: 2, QUESTIONS: 4}
    assert "Describe 2 people" in fake.paid[0]["messages"][1]["content"]
    lines = [json.loads(line) for line in (tmp_path / "q.jsonl").read_text(encoding="utf-8").splitlines()]
    assert len(lines) == 8
    assert lines[5] == {
        "id": "2.1.2",
        "question": "What recurs in 212?",
        "type": "global",
        "evidence": [],
        "persona": "Role 2: wants 2.",
        "task": "Compare 21",
    }
    questions = read_questions(tmp_path / "q.jsonl")  # as the other verbs read them
    assert [question.text for question in questions] == [line["question"] for line in lines]


def test_the_second_time_nothing_is_asked_and_nothing_changes(tmp_path: Path) -> None:
    with endpoint(good) as fake:
        call(tmp_path, fake.url)
        first = (tmp_path / "q.jsonl").read_bytes()
        assert call(tmp_path, fake.url).exit_code == 0
        assert len(fake.calls) == 7
    assert (tmp_path / "q.jsonl").read_bytes() == first


def test_the_estimate_knows_what_is_known(tmp_path: Path) -> None:
    description = tmp_path / "about.txt"
    description.write_text(f"\ufeff{ABOUT}\n", encoding="utf-8")
    with endpoint(good) as fake:
        before = json.loads(call(tmp_path, fake.url, description, "--estimate", "--json").stdout)
        assert (before["requests"], before["known"], before["usage"]["calls"]) == (7, 0, 7)
        assert before["usage"]["output_tokens"] == 2 * 70 + 2 * 2 * 30 + 4 * 2 * 30
        assert fake.calls == []
        assert not (tmp_path / "q.jsonl").exists()
        call(tmp_path, fake.url, description)
        after = json.loads(call(tmp_path, fake.url, "--description", f" {ABOUT} ", "--estimate", "--json").stdout)
    assert (after["known"], after["usage"]["calls"]) == (7, 0)


def test_replies_of_another_length_and_repeated_questions_are_counted(tmp_path: Path) -> None:
    """Three people instead of two; the second has one task; of its questions one is blank and one is known already."""

    def odd(_: int, body: Body) -> Manner:
        reply = imagined(body, 3 if task_of(body) == PERSONAS else 2)
        if task_of(body) == TASKS and "Role 2" in material(body):
            reply = {"tasks": ["Compare 21", " Compare  21 "]}
        if task_of(body) == QUESTIONS and "Compare 21" in material(body):
            reply = {"questions": ["what recurs in 111?", "  "]}
        return Say(json.dumps(reply))

    with endpoint(odd) as fake:
        report = json.loads(call(tmp_path, fake.url, "--description", ABOUT, "--json").stdout)
    assert (report["expected"], len(report["questions"])) == (8, 4)
    assert (report["duplicates"], report["not_given"], report["without_reply"]) == (1, 2 + 1, 0)


def test_what_failed_is_named_and_asked_for_again(tmp_path: Path) -> None:
    def broken(number: int, body: Body) -> Manner:
        if task_of(body) == TASKS and "Role 2" in material(body):
            return Say("No idea.")
        if task_of(body) == QUESTIONS and "Compare 12" in material(body):
            return Fail(500)
        return good(number, body)

    with endpoint(broken) as fake:
        found = call(tmp_path, fake.url, "--description", ABOUT, "--json")
        assert isinstance(found.exception, MissingReplyError)
        report = json.loads(found.stdout)
        assert (report["expected"], len(report["questions"]), report["without_reply"]) == (8, 2, 2 * 2 + 2)
        assert "2 requests have no usable reply" in found.exception.problem
        assert "evaluate/tasks 2: two replies could not be used" in found.exception.problem
        assert "evaluate/questions 1.2: " in found.exception.problem
        assert len((tmp_path / "q.jsonl").read_text().splitlines()) == 2
        fake.script, before = good, len(fake.calls)
        assert call(tmp_path, fake.url).exit_code == 0
        assert len(fake.calls) - before == 1 + 1 + 2  # the tasks of 2, the questions of 1.2, 2.1 and 2.2
    assert len((tmp_path / "q.jsonl").read_text().splitlines()) == 8


def test_an_interrupted_run_goes_on_and_pays_nothing_twice(tmp_path: Path) -> None:
    with endpoint(lambda number, body: good(number, body) if number <= 4 else Fail(401)) as fake:
        found = call(tmp_path, fake.url, "--description", ABOUT, "-s", "llm.concurrency=1")
        assert isinstance(found.exception, LanguageModelError)
        assert len(fake.paid) == 4
        assert not (tmp_path / "q.jsonl").exists()
        fake.script = good
        assert call(tmp_path, fake.url).exit_code == 0
        assert len(fake.paid) == 7


def test_recorded_replies_make_the_same_file(tmp_path: Path) -> None:
    with endpoint(good) as fake:
        call(tmp_path, fake.url)
        paid = len(fake.calls)
        first = (tmp_path / "q.jsonl").read_bytes()
        CliRunner().invoke(qcg, ["replies", "export", str(tmp_path / "rec.jsonl"), "--store", str(tmp_path / "r")])
        (tmp_path / "q.jsonl").unlink()
        found = call(tmp_path, fake.url, "--description", ABOUT, "--replies", tmp_path / "rec.jsonl")
        assert found.exit_code == 0, found.output
        assert len(fake.calls) == paid
    assert (tmp_path / "q.jsonl").read_bytes() == first


@pytest.mark.parametrize(
    ("more", "reason"),
    [
        (["--json"], "described by FILE or by --description"),
        (["about.txt", "--description", "x"], "described by FILE or by --description"),
        (["none.txt"], "none.txt cannot be read"),
        (["--description", "  "], "The description of the corpus is empty"),
        (["--description", "x" * 20_001], "at most 20,000"),
        (["--description", "x", "--tasks", "0"], "must be 1 to 100"),
        (["--description", "x", "--output", "."], "is a directory"),
        (["--description", "x", "--output", "about.txt/q.jsonl"], "about.txt cannot be written"),
    ],
)
def test_a_wrong_call_is_one_clear_error(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, more: list[str], reason: str
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "about.txt").write_text(ABOUT, encoding="utf-8")
    found = call(tmp_path, "http://127.0.0.1:9/v1", *more)
    told = found.exception.problem if isinstance(found.exception, QcgError) else found.output
    assert reason in told
    assert found.exit_code != 0


def test_a_description_that_is_no_text_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "about.txt"
    path.write_bytes(b"\xff\xfe")
    found = call(tmp_path, "http://127.0.0.1:9/v1", path)
    assert isinstance(found.exception, InputError)
    assert "is not UTF-8" in found.exception.problem


def test_where_every_request_fails_the_file_is_left_as_it_is(tmp_path: Path) -> None:
    (tmp_path / "q.jsonl").write_text("{}\n", encoding="utf-8")
    with endpoint(lambda *_: Say("No idea.")) as fake:
        found = call(tmp_path, fake.url)
    assert isinstance(found.exception, MissingReplyError)
    assert "There is no question to write" in found.exception.problem
    assert "evaluate/personas" in found.exception.problem
    assert (tmp_path / "q.jsonl").read_text(encoding="utf-8") == "{}\n"
