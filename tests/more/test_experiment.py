"""GraphRAG's experiment in one command: six conditions answer questions without a reference, a judge compares them."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from conftest import TestServer
from endpoint import Body, FakeEndpoint, Manner, Say, endpoint, material

from qcg_neo4j.cli import qcg
from qcg_neo4j.core.errors import InputError

QUESTIONS = ("What do the people in the chats do for sport?", "What do they quarrel about?")
CONDITIONS = ["C0", "C1", "C2", "C3", "TS", "SS"]


def sentences(text: str) -> list[str]:
    return [one for one in re.split(r"(?<=\.)\s+", text.strip()) if one]


def model(_: int, body: Body) -> Manner:
    """Writes a sentence about each item that it is shown, and prefers the answer of more sentences."""
    task, text = body["response_format"]["json_schema"]["name"], material(body)
    if task in ("answer_map", "answer_reduce"):
        items = re.findall(r"^\[(\d+)\] \((.*)\)$", text, re.MULTILINE)
        said = " ".join(f"There is {title.replace('.', ' ')} as number {number} [{number}]." for number, title in items)
        return Say(json.dumps({"answer": said, "score": 50, "citations": ["1"]}))
    if task == "evaluate_claims":
        return Say(json.dumps({"claims": sentences(text.split("Answer:\n")[1])}))
    first, second = (len(sentences(one)) for one in text.split("Answer 1:\n")[1].split("Answer 2:\n"))
    return Say(json.dumps({"reasoning": "So.", "winner": 0 if first == second else 1 if first > second else 2}))


def arguments(folder: Path, fake: FakeEndpoint, output: str = "out") -> list[str]:
    lines = [{"id": place, "question": text, "type": "global", "evidence": []} for place, text in enumerate(QUESTIONS)]
    (folder / "global.jsonl").write_text("".join(f"{json.dumps(line)}\n" for line in lines))
    given = ["evaluate", "answers", str(folder / "global.jsonl"), "--conditions", "--llm", f"m@{fake.url}"]
    given += ["--output", str(folder / output), "--store", str(folder / f"{output}.sqlite"), "-s", "llm.concurrency=1"]
    settings = ("judge.concurrency=1", "evaluate_pairwise.replicates=1", "resamples=100")
    return [*given, *(part for one in settings for part in ("-s", one))]


def run(given: Sequence[str], server: TestServer) -> Any:
    place = {"NEO4J_URI": server.uri, "NEO4J_USERNAME": server.user, "NEO4J_PASSWORD": server.password}
    found = CliRunner().invoke(qcg, given, env=place)
    if found.exception and not isinstance(found.exception, SystemExit):
        raise found.exception
    return found


def kill_after(calls: int, given: Sequence[str], server: TestServer, fake: FakeEndpoint) -> None:
    place = {"NEO4J_URI": server.uri, "NEO4J_USERNAME": server.user, "NEO4J_PASSWORD": server.password}
    command = [sys.executable, "-m", "qcg_neo4j", *given]
    quiet: dict[str, Any] = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    with subprocess.Popen(command, env={**os.environ, **place}, **quiet) as process:
        deadline = time.monotonic() + 120
        while len(fake.paid) < calls and time.monotonic() < deadline and process.poll() is None:
            time.sleep(0.005)
        os.kill(process.pid, signal.SIGKILL)


@pytest.mark.usefixtures("sample_reports")
def test_one_command_makes_the_whole_experiment_and_pays_nothing_twice(
    sample_server: TestServer, tmp_path: Path
) -> None:
    with endpoint(model) as fake:
        estimated = run([*arguments(tmp_path, fake), "--estimate", "--json"], sample_server)
        assert fake.calls == []
        whole = run([*arguments(tmp_path, fake), "--json"], sample_server)
        calls = len(fake.paid)
        again = run(arguments(tmp_path, fake), sample_server)
        assert len(fake.paid) == calls
        fake.paid.clear()
        kill_after(calls // 2, arguments(tmp_path, fake, "killed"), sample_server, fake)
        assert calls // 2 <= len(fake.paid) < calls
        killed = run([*arguments(tmp_path, fake, "killed"), "--json"], sample_server)
        assert len(fake.paid) in (calls, calls + 1)  # the call under way
    result = json.loads(whole.stdout)
    expected = json.loads(estimated.stdout)
    for name, paid in result["usage"].items():  # equal answers of two conditions are judged once
        assert expected[name]["usage"]["calls"] >= paid["calls"] > 0
    assert [row["name"] for row in result["rows"]] == CONDITIONS
    assert all(row["settings"]["style"] == "multiple paragraphs" for row in result["rows"])
    assert (result["questions"], result["without_reference"]) == (2, 2)
    assert result["pairwise"]["criteria"] == ["comprehensiveness", "diversity", "empowerment", "directness"]
    assert len(result["pairwise"]["comparisons"]) == 4 * 15
    assert {"normality", "p_holm"} <= set(result["pairwise"]["comparisons"][0]["rate"])
    assert [row["system"] for row in result["claims"]["rows"]] == CONDITIONS
    by_claims = result["agreement"][0]
    # The judge prefers more sentences, and each is a claim.
    assert (by_claims["measure"], by_claims["compared"], by_claims["equal"]) == ("claims", 30, 0)
    assert by_claims["decided"] == by_claims["agreed"] > 5
    assert [one["measure"] for one in result["agreement"][1:]] == [f"clusters at 0.{digit}" for digit in (5, 6, 7, 8)]
    told = " ".join(again.stderr.split())
    assert "2 questions have no reference answer and are left out of the measures that need one." in told
    assert (tmp_path / "out/pairwise.png").is_file()
    for name in ("answers.md", "pairwise.md", "claims.md", "agreement.md"):
        remarks = [(tmp_path / folder / name).read_text().partition("How to read") for folder in ("out", "killed")]
        assert remarks[0][1:] == remarks[1][1:]
    assert result["agreement"] == json.loads(killed.stdout)["agreement"]


def test_measures_that_need_a_reference_alone_are_refused(tmp_path: Path, sample_server: TestServer) -> None:
    with endpoint(model) as fake, pytest.raises(InputError, match="None of the chosen questions") as caught:
        run([*arguments(tmp_path, fake), "--measure", "match"], sample_server)
    assert "pairwise, claims" in caught.value.remedy
