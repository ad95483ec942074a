"""Batches over real HTTP: nothing is lost and nothing paid twice, whatever is killed and however a batch ends."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing
from dataclasses import asdict
from pathlib import Path
from typing import Any

import pytest
from batch_endpoint import BatchEndpoint, batch_endpoint
from click.testing import CliRunner
from conftest import TestServer as ServerAddress
from copying_model import copying
from endpoint import GOOD, KEY, Body, Fail, Manner, Say, normal, pairs, prompt_of, request

from qcg_neo4j.cli import qcg as command_line
from qcg_neo4j.core.errors import LanguageModelError, QcgError, WaitingError
from qcg_neo4j.core.records import Usage
from qcg_neo4j.database.graph import Graph
from qcg_neo4j.models.llm import BatchModel, Completion, LanguageModelSettings, LiveModel, batch_prices, estimate
from qcg_neo4j.models.prompts import task
from qcg_neo4j.models.replies import Failure, Reply, ReplyStore, Request, Result

MANY = [request(f"Text {number}.") for number in range(12)]


@pytest.fixture
def store(tmp_path: Path) -> Iterator[ReplyStore]:
    with ReplyStore(tmp_path / "replies.sqlite") as opened:
        yield opened


def run(
    fake: BatchEndpoint, store: ReplyStore, requests: list[Request] = MANY, *, wait: bool = False, **changes: Any
) -> tuple[list[Result], BatchModel, list[str]]:
    settings = LanguageModelSettings(**{"endpoint": fake.url, "model": "small", "retries": 0, **changes})
    told: list[str] = []
    live = LiveModel(settings, store, KEY, changes.get("budget"))
    with closing(BatchModel(live, store, wait=wait, told=told.append)) as model:
        return list(model.replies(requests)), model, told


def replies(results: list[Result]) -> list[Reply]:
    return [result for result in results if isinstance(result, Reply)]


def reasons(results: list[Result]) -> set[str]:
    return {result.reason for result in results if isinstance(result, Failure)}


def paid(fake: BatchEndpoint) -> list[str]:
    return [prompt_of(body) for body in fake.paid]


def test_a_run_submits_and_the_next_one_collects(store: ReplyStore) -> None:
    with batch_endpoint() as fake:
        first, model, told = run(fake, store)
        assert (len(replies(first)), len(fake.paid)) == (1, 1)  # one is asked at once
        assert model.waiting == ("batch_1 (in_progress, 11 requests)",)
        assert reasons(first) == {"waits for batch batch_1 (in_progress, 11 requests)"}
        assert told == ["Submitted batch batch_1 (in_progress, 11 requests)."]
        line = fake.lines(fake.sent["batch_1"])[0]
        assert {name: line[name] for name in ("method", "url")} == {"method": "POST", "url": "/v1/chat/completions"}
        assert line["body"] == fake.calls[0] | {"messages": line["body"]["messages"]}
        again, *_ = run(fake, store)
        assert (len(replies(again)), len(fake.sent), len(fake.calls)) == (1, 1, 1)
        fake.end()
        last, model, told = run(fake, store)
        assert [result.request for result in last] == MANY
        assert sum((result.usage for result in last), Usage()) == Usage(11, 1100, 440)
        assert replies(last)[-1].value["pairs"][0]["question"] == "Who said: Text 11.?"
        assert told == ["Collected batch batch_1, completed: 11 replies."]
        assert (model.waiting, store.batches.under_way()) == ((), [])
        known, *_ = run(fake, store)
        assert (len(replies(known)), len(fake.calls), len(fake.sent)) == (12, 12, 1)


def test_who_waits_gets_everything_in_one_run(store: ReplyStore) -> None:
    with batch_endpoint() as fake:
        fake.after = lambda what: fake.end() if what == "GET /batches/batch_1" else None
        results, model, told = run(fake, store, [*MANY, *MANY], wait=True)
        assert (len(replies(results)), len(set(paid(fake))), len(fake.paid)) == (24, 12, 12)
        assert sum((result.usage for result in results), Usage()).calls == 12
        assert model.waiting == ()
        assert told[-1] == "Collected batch batch_1, completed: 11 replies."


def test_the_limits_of_a_batch_make_several(store: ReplyStore) -> None:
    with batch_endpoint() as fake:
        run(fake, store, batch_requests=4)
        assert [len(fake.lines(batch)) for batch in fake.sent.values()] == [4, 4, 3]
        fake.end()
        assert len(replies(run(fake, store)[0])) == 12
    with batch_endpoint() as fake, ReplyStore(store.path.with_name("other")) as other:
        size = 2 * len(json.dumps(fake_line(fake, other))) + 300
        run(fake, other, batch_bytes=size)
        assert all(len(fake.files[batch.file][1]) <= size for batch in fake.sent.values())
        assert sum(len(fake.lines(batch)) for batch in fake.sent.values()) == 11 - 1
        assert len(fake.sent) == 1 + 5


def fake_line(fake: BatchEndpoint, store: ReplyStore) -> Any:
    """A line of a batch of two requests, of which the first is asked at once."""
    run(fake, store, MANY[:2])
    return fake.lines(fake.sent["batch_1"])[0]


@pytest.mark.parametrize(
    ("state", "answered", "reason", "told"),
    [
        ("failed", None, "token limit", "batch batch_1 (failed) brought no reply: line 1: token limit"),
        ("cancelled", 4, "", "This request was not begun: cancelled."),
    ],
)
def test_what_fails_is_told_once_and_asked_by_the_next_run(
    store: ReplyStore, state: str, answered: int | None, reason: str, told: str
) -> None:
    with batch_endpoint() as fake:
        run(fake, store)
        fake.end(state, answered=answered, reason=reason)
        results, model, _ = run(fake, store)
        assert len(replies(results)) == 1 + (answered or 0)
        (why,) = reasons(results)
        assert told in why
        assert (model.waiting, len(fake.sent)) == ((), 1)
        run(fake, store)
        fake.end()
        assert len(replies(run(fake, store)[0])) == len(set(paid(fake))) == len(fake.paid) == 12


def test_what_expired_is_submitted_again_at_once(store: ReplyStore) -> None:
    with batch_endpoint() as fake:
        run(fake, store)
        fake.end("expired", answered=5)
        results, model, _ = run(fake, store)
        assert (len(replies(results)), len(fake.sent)) == (7, 2)  # and one of the seven asked at once
        assert "batch_2" in model.waiting[0]
        fake.end()
        assert len(replies(run(fake, store)[0])) == len(fake.paid) == 12


def test_lines_that_fail_are_named_with_their_reason(store: ReplyStore) -> None:
    def script(_: int, body: Body) -> Manner:
        return Fail(400, "no such tone") if "Text 7." in str(body["messages"]) else Say(pairs(body))

    with batch_endpoint(script) as fake:
        run(fake, store)
        fake.end()
        results, *_ = run(fake, store)
        assert len(replies(results)) == 11
        assert reasons(results) == {f"{fake.url} failed with status 400: no such tone"}


@pytest.mark.parametrize(
    ("refusal", "asked"),
    [(Fail(400, "prompt is too long: 9 tokens"), 0), (Fail(429, "tokens per minute: you exceed the maximum"), 1)],
)
def test_a_text_is_refused_for_good_where_the_status_says_so(store: ReplyStore, refusal: Fail, asked: int) -> None:
    with batch_endpoint(lambda _, body: refusal if "Text 7." in str(body["messages"]) else Say(pairs(body))) as fake:
        run(fake, store)
        fake.end()
        run(fake, store)
        fake.script = normal
        results, *_ = run(fake, store)
        assert len(replies(results)) == 11 + asked


def test_a_reply_may_hold_characters_that_elsewhere_end_a_line(store: ReplyStore) -> None:
    said = GOOD.replace("text", "text \x85 or \u2028 or \u2029")
    with batch_endpoint(lambda *_: Say(said)) as fake:
        run(fake, store)
        fake.end()
        results, *_ = run(fake, store)
        assert [reply.value for reply in replies(results)] == [json.loads(said)] * 12


def test_what_another_task_has_submitted_is_left_to_it(store: ReplyStore) -> None:
    """It is told what its replies cost and which of them failed; else it would ask, and pay, for these for ever."""
    more = {"types": "person", "mark": "", "about": "", "examples": ""}
    others = [Request(task("extract/graph"), text, {"text": text, **more}) for text in ("Li met Adam.", "Li met Wu.")]

    def script(_: int, body: Body) -> Manner:
        if "Text 7." in str(body["messages"]):
            return Fail(400, "no such tone")
        named = "met" in str(body["messages"][-1])
        return Say('{"entities": [], "relations": [], "atoms": []}' if named else GOOD)

    with batch_endpoint(script) as fake:
        run(fake, store)
        fake.end()
        *_, told = run(fake, store, others)
        assert not any("Collected" in each for each in told)
        results, *_ = run(fake, store)
        assert reasons(results) == {f"{fake.url} failed with status 400: no such tone"}
        assert sum((result.usage for result in results), Usage()).calls == 10


def test_a_wrong_reply_is_corrected_in_the_next_batch(store: ReplyStore) -> None:
    def script(_: int, body: Body) -> Manner:
        asked = str(body["messages"])
        if "Text 8." in asked:
            return Say("", finish_reason="length") if body["max_tokens"] == 4096 else Say(GOOD)
        return Say(GOOD if "Text 9." not in asked or "cannot be used" in asked else '{"pairs": "none"}')

    with batch_endpoint(script) as fake:
        run(fake, store)
        fake.end()
        results, model, _ = run(fake, store)
        assert (len(replies(results)), len(fake.sent)) == (11, 2)  # of two the first is asked at once
        assert "1 request)" in model.waiting[0]
        fake.end()
        results, *_ = run(fake, store)
        assert len(replies(results)) == 12
        assert store.find_paid(MANY[9], "small") == (json.loads(GOOD), Usage(1, 200, 80))
        assert store.find_paid(MANY[8], "small") == (json.loads(GOOD), Usage(1, 200, 80))
        assert len(fake.paid) == 14


def test_what_a_killed_run_has_received_is_not_asked_for_again(store: ReplyStore) -> None:
    usable, wrong = Completion(GOOD, Usage(1, 100, 40)), Completion("no", Usage(1, 100, 40))
    two = [MANY[0], request("Whose text? Li.")]
    for turn, came in enumerate((wrong, wrong)):
        store.journal.deliver(MANY[1], "small", turn, asdict(came))
    store.journal.deliver(two[1], "small", 0, asdict(usable))
    with batch_endpoint() as fake:
        results, *_ = run(fake, store, [*two, MANY[1]])
    assert (len(replies(results)), len(fake.paid), fake.sent) == (2, 1, {})
    assert "two replies could not be used" in reasons(results).pop()
    assert store.journal.delivered(MANY[1], "small") == []


def test_a_live_run_leaves_alone_what_is_in_a_batch(store: ReplyStore) -> None:
    with batch_endpoint() as fake:
        run(fake, store)
        with closing(LiveModel(LanguageModelSettings(endpoint=fake.url, model="small"), store)) as live:
            results = list(live.replies(MANY))
        assert len(replies(results)) == len(fake.calls) == 1
        (why,) = reasons(results)
        assert why.endswith("--batch collects it")
        assert live.waiting == ("batch_1 (in_progress, 11 requests)",)


def test_refusals_submit_nothing_and_leave_nothing_behind(store: ReplyStore) -> None:
    for what, status in (("POST files", 404), ("POST batches", 400), ("POST batches", 401)):
        with batch_endpoint() as fake:
            fake.refuse[what] = Fail(status, f"no batches for {KEY}")
            with pytest.raises(LanguageModelError, match=r"no batches for \*\*\*"):
                run(fake, store)
            assert (store.batches.under_way(), fake.sent) == ([], {})


def test_a_creation_that_may_have_happened_is_looked_for(store: ReplyStore) -> None:
    with batch_endpoint() as fake:
        created = fake.answer

        def broken(method: str, path: str, body: bytes, kind: str) -> tuple[int, bytes]:
            told = created(method, path, body, kind)
            return (500, b"{}") if (method, path) == ("POST", "/v1/batches") else told

        fake.answer = broken  # type: ignore[method-assign]
        with pytest.raises(LanguageModelError, match="status 500"):
            run(fake, store)
        assert [batch.id for batch in store.batches.under_way()] == [None]
        fake.end()
        results, *_ = run(fake, store)
        assert len(replies(results)) == 12
        assert (len(fake.sent), len(fake.paid)) == (1, 12)


def test_a_batch_that_the_endpoint_has_lost_is_for_a_person_to_forget(store: ReplyStore) -> None:
    with batch_endpoint() as fake:
        run(fake, store)
        (batch,) = store.batches.under_way()
        del fake.sent["batch_1"]
        with pytest.raises(LanguageModelError, match=f"qcg replies forget {batch.name}"):
            run(fake, store)
        results, _, told = run(fake, store, [request("Text new.")])  # those of the batch are not needed any more
        assert (len(replies(results)), len(told)) == (1, 1)
        assert f"qcg replies forget {batch.name}" in told[0]
        assert len(store.batches.under_way()) == 1


def test_a_batch_stays_within_the_most_that_a_run_may_cost(store: ReplyStore) -> None:
    prices: dict[str, Any] = {"input_price": 1.0, "output_price": 10.0, "max_output_tokens": 100}
    inputs = sum(len(message["content"].encode()) + 16 for message in MANY[0].messages())
    most = (inputs + 1000) / 1e6  # of a call; in a batch it costs half of that
    with batch_endpoint() as fake:
        with pytest.raises(LanguageModelError, match="could pass --max-cost"):
            run(fake, store, max_cost=4.1 * most, **prices)
        # the first one, asked at once, takes less than its most
        assert 6 <= len(fake.lines(fake.sent["batch_1"])) <= 8


def test_the_estimate_is_half_and_leaves_out_what_is_under_way(store: ReplyStore) -> None:
    settings = LanguageModelSettings(endpoint="http://localhost/v1", model="small", input_price=2, output_price=4)
    with batch_endpoint() as fake:
        run(fake, store)
        with closing(LiveModel(LanguageModelSettings(endpoint=fake.url, model="small"), store)) as live:
            more = [*MANY, request("New.")]
            usual, half = (
                estimate(more, live, each, len, lambda _: 100.0, "") for each in (settings, batch_prices(settings))
            )
    assert (usual.known, usual.usage.calls) == (12, 1)
    assert usual.cost
    assert half.cost == pytest.approx(usual.cost / 2)


def test_stages_of_a_graph_are_paid_in_batches(server: ServerAddress, graph: Graph, tmp_path: Path) -> None:
    """From the command line: what waits ends with an exit code of its own, and `qcg status` shows it."""
    (tmp_path / "notes.txt").write_text("\n\n".join(f"Ann met Bert on day {number}. " * 8 for number in range(12)))
    at = ["--uri", server.uri, "--user", server.user, "--home", str(tmp_path)]

    def qcg(*arguments: str) -> Any:
        done = CliRunner().invoke(command_line, [*arguments, *at], env={"NEO4J_PASSWORD": server.password})
        assert done.exception is None or isinstance(done.exception, SystemExit | QcgError), done
        return done

    assert qcg("load", str(tmp_path / "notes.txt"), "--chunk-tokens", "60", "--overlap-tokens", "5").exit_code == 0
    with batch_endpoint(copying) as fake:
        model = ("--llm", f"small@{fake.url}")
        for stage in ("generate", "extract"):
            asked, turns = (stage, "--batch", *model), 0
            while isinstance((done := qcg(*asked)).exception, WaitingError):
                turns += 1
                assert "Run the same with --batch to collect them" in str(done.exception)
                status = qcg("status").stdout
                assert re.search(rf"batch_{len(fake.sent)} .* small .* in_progress", status), status
                if turns == 1:
                    assert f"Submitted batch batch_{len(fake.sent)}" in done.stderr
                fake.end()
            assert done.exit_code == 0, done
            assert turns == (1 if stage == "generate" else 2)  # what was missed is asked for in another batch
        assert "Batches" not in qcg("status").stdout
        assert len(set(paid(fake))) == len(fake.paid)
        refused = qcg("generate", "--wait", *model).exception
        assert isinstance(refused, QcgError)
        assert refused.remedy == "Give --batch as well."


def test_an_index_run_is_paid_in_batches(server: ServerAddress, graph: Graph, tmp_path: Path) -> None:
    """What follows from a batch waits for it: no report is paid for on a part of the graph."""
    folder = tmp_path / "notes"
    folder.mkdir()
    for number in range(6):
        (folder / f"{number}.txt").write_text(f"Anna met Bert on day {number}. " * 8)
    options = ["--uri", server.uri, "--user", server.user, "--home", str(tmp_path), "-s", "load.chunk_tokens=60"]
    options += ["-s", "load.overlap_tokens=5"]
    with batch_endpoint(copying) as fake:
        asked = ["index", str(folder), "--batch", "--llm", f"small@{fake.url}"]
        runs: list[str] = []
        while isinstance((done := _invoked([*asked, *options], server)).exception, WaitingError):
            if not runs:
                live = _invoked([each for each in [*asked, *options] if each != "--batch"], server)
            runs.append(done.stdout)
            assert len(runs) < 9, runs
            fake.end()
        assert done.exit_code == 0, done
        assert "Done in" in done.stdout
    for name in ("build", "communities", "report"):
        for shown in (runs[0], live.stdout):
            assert re.search(rf"^{name} +waits for batches$", shown, re.MULTILINE), shown
    assert isinstance(live.exception, WaitingError)
    assert "Done in" not in "".join(runs)
    assert re.search(r"^report +[1-9]\d* reports?,", done.stdout, re.MULTILINE), done.stdout
    assert len(set(paid(fake))) == len(fake.paid)
    refused = _invoked([*asked, "--watch", *options], server).exception
    assert isinstance(refused, QcgError)
    assert "--watch continues" in str(refused)


def _invoked(arguments: list[str], server: ServerAddress) -> Any:
    done = CliRunner().invoke(command_line, arguments, env={"NEO4J_PASSWORD": server.password})
    assert done.exception is None or isinstance(done.exception, SystemExit | QcgError), done
    return done


def test_an_evaluation_writes_nothing_until_all_has_come(tmp_path: Path) -> None:
    answers = tmp_path / "answers.jsonl"
    rows = [{"question": f"Why {number}?", "answer": f"Since {number}.", "system": "A"} for number in range(4)]
    answers.write_text("".join(json.dumps(row) + "\n" for row in rows))
    output = tmp_path / "output"

    def claims(_: int, body: Body) -> Manner:
        return Say(json.dumps({"claims": [f"A claim of {len(json.dumps(body))}."]}))

    with batch_endpoint(claims) as fake:
        model = ("--llm", f"small@{fake.url}", "--home", str(tmp_path))
        asked = ["evaluate", "claims", str(answers), "--output", str(output), "--batch", *model]
        first = CliRunner().invoke(command_line, asked)
        assert isinstance(first.exception, WaitingError), first
        assert first.exception.exit_code == 75
        assert not list(output.glob("claims*"))
        fake.end()
        second = CliRunner().invoke(command_line, asked)
        assert second.exit_code == 0, second
        assert (output / "claims.jsonl").read_text().count("\n") == 4
        assert len(fake.paid) == 4


PROCESS = """
import os, pathlib, sys
sys.path[:0] = ["tests/more", "tests/server", "tests/materials", "tests/twins", "tests"]
import openai, filelock, jsonschema
from openai.resources import batches, files
from test_batch import MANY
from qcg_neo4j.models.llm import BatchModel, LanguageModelSettings, LiveModel
from qcg_neo4j.models.replies import Failure, ReplyStore
for _ in sys.stdin:
    child = os.fork()
    if child:
        print(child, flush=True)
        print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), flush=True)
        continue
    settings = LanguageModelSettings(endpoint=sys.argv[1], model="small", retries=0)
    with ReplyStore(pathlib.Path(sys.argv[2])) as store:
        model = BatchModel(LiveModel(settings, store), store)
        missing = [result for result in model.replies(MANY) if isinstance(result, Failure)]
    os._exit(7 if missing else 0)
"""
STEPS = ("POST /files", "POST /batches", "GET /batches/batch_1", "GET /files/file-2/content")


@pytest.mark.slow
def test_a_kill_at_any_step_loses_nothing_and_pays_nothing_twice(tmp_path: Path) -> None:
    """Each run is killed when the endpoint hears, or has done, the next step; then it is run to its end."""
    for moment in ("before", "after"):
        with batch_endpoint() as fake:
            command = [sys.executable, "-c", PROCESS, fake.url, str(tmp_path / moment)]
            with subprocess.Popen(
                command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, cwd=Path(__file__).parents[2]
            ) as process:
                codes = [_run_killed(fake, process, moment, step) for step in STEPS]
                assert codes == [-signal.SIGKILL] * len(STEPS), (moment, codes)
                assert _run_killed(fake, process, moment, None) == 0
                assert process.stdin
                process.stdin.close()
            assert len(set(paid(fake))) == len(fake.paid) == 12
            assert len(fake.sent) == 1
            assert len(fake.files) == 2  # no upload was lost either, but for one that was never sent
            with ReplyStore(tmp_path / moment) as store:
                assert (len(list(store.export())), store.batches.under_way(), store.journal.lost()) == (12, [], 0)


def _run_killed(fake: BatchEndpoint, process: Any, moment: str, step: str | None) -> int:
    """Run, and kill at a step; the batch has ended when its content is asked for."""
    process.stdin.write("\n")
    process.stdin.flush()
    child = int(process.stdout.readline())

    def hear(what: str) -> None:
        if what == step:
            os.kill(child, signal.SIGKILL)
        if what == STEPS[2]:
            fake.end()

    setattr(fake, moment, hear)
    return int(process.stdout.readline())
