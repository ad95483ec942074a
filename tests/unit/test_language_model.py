"""The language model against a real HTTP endpoint with bad manners."""

from __future__ import annotations

import json
import logging
import re
import stat
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing
from dataclasses import asdict
from pathlib import Path
from typing import Any

import pytest
from endpoint import (
    GOOD,
    KEY,
    Body,
    Fail,
    FakeEndpoint,
    Manner,
    Raw,
    Say,
    Script,
    endpoint,
    normal,
    pairs,
    prompt_of,
    request,
)

from qcg_neo4j.core.errors import InvalidReplyError, LanguageModelError
from qcg_neo4j.core.records import Usage
from qcg_neo4j.models.llm import Completion, Endpoint, LanguageModelSettings, LiveModel, estimate
from qcg_neo4j.models.replies import Failure, Reply, ReplyStore, Request, Result


@pytest.fixture
def store(tmp_path: Path) -> Iterator[ReplyStore]:
    with ReplyStore(tmp_path / "replies.sqlite") as opened:
        yield opened


def ask(script: Script, store: ReplyStore, *requests: Request, **settings: Any) -> tuple[list[Result], FakeEndpoint]:
    with endpoint(script) as fake:
        values = {"retries": 2, "timeout_seconds": 5.0, **settings}
        model = LiveModel(LanguageModelSettings(endpoint=fake.url, model="small", **values), store, KEY)
        try:
            return list(model.replies(requests or [request()])), fake
        finally:
            model.close()


def say(*manners: Manner) -> Script:
    """The manners one after the other; the last one stays."""
    return lambda number, _: manners[min(number, len(manners)) - 1]


def only(results: list[Result]) -> Result:
    assert len(results) == 1
    return results[0]


def test_normal_call_is_structured_and_sampled_as_set(store: ReplyStore) -> None:
    results, fake = ask(normal, store)
    reply = only(results)
    assert isinstance(reply, Reply)
    assert reply.value["pairs"][0]["question"] == "Who said: Li met Adam.?"
    assert (reply.model, reply.usage) == ("small", Usage(1, 100, 40))
    sent = fake.calls[0]
    assert (sent["temperature"], sent["top_p"], sent["max_tokens"]) == (0.7, 0.8, 4096)
    schema = sent["response_format"]["json_schema"]["schema"]
    assert schema["additionalProperties"] is False
    assert schema["properties"]["pairs"]["items"]["additionalProperties"] is False
    assert "20 pairs" in sent["messages"][1]["content"]
    assert fake.keys == [f"Bearer {KEY}"]


def test_the_second_time_nothing_is_asked(store: ReplyStore) -> None:
    ask(normal, store)
    results, fake = ask(normal, store)
    assert fake.calls == []
    reply = only(results)
    assert isinstance(reply, Reply)
    assert reply.usage == Usage()


def test_another_count_is_another_prompt(store: ReplyStore) -> None:
    ask(normal, store)
    _, fake = ask(normal, store, request(count=10))
    assert len(fake.calls) == 1


@pytest.mark.parametrize("copies", [2, 30])
def test_equal_requests_are_paid_once(store: ReplyStore, copies: int) -> None:
    results, fake = ask(lambda _, body: Say(pairs(body), seconds=0.05), store, *[request()] * copies)
    assert len(fake.calls) == 1
    assert len(results) == copies
    assert sum((result.usage for result in results), Usage()).calls == 1


@pytest.mark.parametrize(
    "text",
    [
        f"```json\n{GOOD}\n```",
        f"Here you are:\n{GOOD}\nAnything else?",
        GOOD.replace('"', "'"),
        GOOD[:-2] + ",]}",
        GOOD[:-2],
        '{pairs: [{question: "Whose text?", answer: "Li."}]} // done',
    ],
)
def test_near_json_is_repaired(store: ReplyStore, text: str) -> None:
    results, fake = ask(say(Say(text)), store)
    reply = only(results)
    assert isinstance(reply, Reply), reply
    assert reply.value == json.loads(GOOD)
    assert len(fake.calls) == 1


@pytest.mark.parametrize(
    ("bad", "shown"),
    [
        (Say("I would rather talk about the weather."), "is not of type 'object'"),
        (Say(""), "empty"),
        (Say('{"pairs": [{"question": "Who?"}]}'), "'answer' is a required property"),
        (Say('{"pairs": "none"}'), "pairs: 'none' is not of type 'array'"),
        (Say("", refusal="I must not."), "I must not."),
    ],
)
def test_a_wrong_reply_is_corrected_once(store: ReplyStore, bad: Say, shown: str) -> None:
    results, fake = ask(say(bad, Say(GOOD)), store)
    reply = only(results)
    assert isinstance(reply, Reply), reply
    assert reply.usage == Usage(2, 200, 80)
    assert shown in fake.calls[1]["messages"][-1]["content"]
    assert fake.calls[1]["messages"][-2]["role"] == "assistant"


def test_what_is_cut_off_is_asked_for_with_twice_the_limit(store: ReplyStore) -> None:
    results, fake = ask(say(Say(GOOD[:-9], finish_reason="length"), Say(GOOD)), store)
    assert isinstance(only(results), Reply), results
    assert [call["max_tokens"] for call in fake.calls] == [4096, 8192]
    assert prompt_of(fake.calls[0]) == prompt_of(fake.calls[1])
    assert fake.calls[0]["messages"] != fake.calls[1]["messages"]  # the mark around the material is random


@pytest.mark.parametrize(
    ("reason", "limit", "attempts"), [("content_filter", 4096, 2), ("abort", 8192, 2), ("eos_token", 4096, 1)]
)
def test_a_reply_that_ends_for_another_reason_is_whole_or_asked_for_again(
    store: ReplyStore, reason: str, limit: int, attempts: int
) -> None:
    results, fake = ask(say(Say(GOOD[:-2], finish_reason=reason), Say(GOOD)), store)
    assert isinstance(only(results), Reply), results
    assert (fake.calls[-1]["max_tokens"], len(fake.calls)) == (limit, attempts)
    assert ("content filter" in str(fake.calls[-1]["messages"])) == (reason == "content_filter")


def test_twice_the_limit_may_be_too_much_for_the_endpoint(store: ReplyStore) -> None:
    def script(_: int, body: Body) -> Manner:
        if body["max_tokens"] > 4096:
            return Fail(400, "max_tokens is too large: 8192", param="max_tokens")
        return Say(GOOD[:-9], finish_reason="length") if "one" in pairs(body) else Say(GOOD)

    results, fake = ask(script, store, request("Text one"), request("Text two"), concurrency=1)
    assert "too large" in getattr(results[0], "reason", "")
    assert isinstance(results[1], Reply)
    assert fake.calls[-1]["max_tokens"] == 4096


def test_a_limit_that_is_refused_by_name_is_learnt_at_any_length(store: ReplyStore) -> None:
    def script(_: int, body: Body) -> Manner:
        if "max_tokens" in body:
            return Fail(400, "Unsupported parameter: 'max_tokens'. Use 'max_completion_tokens' instead.")
        return Fail(400, "'temperature' does not support 0.7") if "temperature" in body else Say(GOOD)

    cut_off = Completion(GOOD[:-9], Usage(1, 100, 40), cut_off=True)  # in an earlier run
    store.journal.deliver(request(), "small", 0, asdict(cut_off))
    results, fake = ask(script, store)
    assert isinstance(only(results), Reply), results
    assert fake.calls[-1]["max_completion_tokens"] == 8192


def test_a_model_without_usable_replies_is_not_paid_to_the_end(store: ReplyStore) -> None:
    many = [request(f"Text {number}.") for number in range(60)]
    with endpoint(say(Say("no"))) as fake:
        settings = LanguageModelSettings(endpoint=fake.url, model="small", concurrency=2, unusable_in_a_row=3)
        with pytest.raises(LanguageModelError, match="3 requests in a row brought no reply that can be used"):
            list(LiveModel(settings, store).replies(many))
    assert len(fake.calls) <= 2 * 3 + 2  # those of the other thread are under way


def test_a_usable_reply_between_ends_the_row(store: ReplyStore) -> None:
    many = [request(f"Text {number}.") for number in range(12)]

    def script(_: int, body: Body) -> Manner:
        number = int(re.findall(r"Text (\d+)", str(body["messages"]))[0])
        return Say(pairs(body) if number % 3 == 0 else "no")

    results, _ = ask(script, store, *many, concurrency=1, unusable_in_a_row=3)
    assert sum(isinstance(result, Reply) for result in results) == 4


def test_two_wrong_replies_are_a_failure_and_are_not_stored(store: ReplyStore) -> None:
    results, fake = ask(say(Say("no")), store)
    failure = only(results)
    assert isinstance(failure, Failure)
    assert "two replies could not be used" in failure.reason
    assert failure.usage == Usage(2, 200, 80)
    assert list(store.export()) == []
    assert len(fake.calls) == 2


@pytest.mark.parametrize(
    "trouble",
    [
        Fail(429, "slow down", headers={"Retry-After": "0.05"}),
        Fail(500, "oops", headers={"Retry-After-Ms": "20"}),
        Fail(503, "busy", headers={"Retry-After-Ms": "20"}),
        Say(GOOD, seconds=3.0),
        Raw(b'{"choices": [', announced=500),
    ],
)
def test_passing_trouble_is_waited_out(store: ReplyStore, trouble: Manner) -> None:
    results, fake = ask(say(trouble, trouble, Say(GOOD)), store, timeout_seconds=1.5)
    assert isinstance(only(results), Reply), results
    assert len(fake.calls) == 3


@pytest.mark.parametrize(
    ("trouble", "said"),
    [
        (Fail(500, "oops"), "status 500: oops"),
        (Fail(429, "slow down"), "status 429: slow down"),
        (Say(GOOD, seconds=3.0), "did not reply in time"),
        (Raw(b"<html>hello</html>", kind="text/html"), "not an OpenAI-compatible endpoint"),
        (Raw(b'{"choices": [', kind="application/json"), ""),
        (
            Raw(b'{"error": {"message": "%s is at its limit", "code": 429}}' % KEY.encode()),
            "failed: *** is at its limit",
        ),
        (Raw(b"{}"), "not an OpenAI-compatible endpoint"),
        (Fail(400, "This model's maximum context length is 10 tokens; see max_tokens"), "status 400"),
    ],
)
def test_lasting_trouble_is_a_failure_of_that_request(store: ReplyStore, trouble: Manner, said: str) -> None:
    results, fake = ask(say(trouble), store, retries=0, timeout_seconds=1.5)
    failure = only(results)
    assert isinstance(failure, Failure)
    assert said in failure.reason
    assert len(fake.calls) == 1


@pytest.mark.parametrize(
    ("trouble", "said"),
    [
        (Fail(401, f"Incorrect API key provided: {KEY}"), "refuses the key"),
        (Fail(403, "not you"), "refuses the key"),
        (Fail(404, "no such model"), "does not know the model 'small'"),
        (Fail(429, "pay first", code="insufficient_quota"), "requires payment"),
        (Fail(500, "down"), "5 calls in a row failed"),
    ],
)
def test_an_endpoint_that_fails_for_good_ends_the_run_early(store: ReplyStore, trouble: Fail, said: str) -> None:
    many = [request(f"Text {number}.") for number in range(500)]
    calls: list[int] = []

    def script(number: int, body: Body) -> Manner:
        calls.append(number)
        return Say(pairs(body)) if number == 1 else trouble

    with pytest.raises(LanguageModelError, match=said) as caught:
        ask(script, store, *many, retries=0, concurrency=4)
    assert KEY not in f"{caught.value} {caught.value!r}"
    assert len(calls) < 20
    assert len(list(store.export())) == 1


def test_nobody_at_the_address(store: ReplyStore) -> None:
    settings = LanguageModelSettings(endpoint="http://me:hidden@127.0.0.1:9/v1", model="small", retries=0)
    with pytest.raises(LanguageModelError, match=r"connection to http://127.0.0.1:9/v1 failed") as caught:
        list(LiveModel(settings, store).replies([request()]))
    assert "hidden" not in str(caught.value)


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ({}, "No language model is configured"),
        ({"endpoint": "localhost", "model": "small"}, "not the address"),
        ({"model": "small@nowhere"}, r"no provider 'nowhere' of the language model 'small'.\nKnown are: openai"),
        ({"model": "small"}, r"not where it runs.\n.*--llm NAME@URL"),
        ({"endpoint": "http://localhost:1/v1"}, r"not which of its models.\n.*--llm NAME@URL"),
    ],
)
def test_without_an_endpoint(store: ReplyStore, settings: dict[str, Any], said: str) -> None:
    with pytest.raises(LanguageModelError, match=said):
        LiveModel(LanguageModelSettings(**settings), store)


@pytest.mark.parametrize(
    ("refusal", "without"),
    [
        (Fail(400, "response_format is not supported"), "response_format"),
        (Fail(400, "json_schema? never heard", param="response_format"), "response_format"),
        (Fail(422, "guided schema decoding is off"), "response_format"),
        (Fail(400, "temperature must be 1", param="temperature"), "temperature"),
        (Fail(400, "use max_completion_tokens", param="max_tokens"), "max_tokens"),
    ],
)
def test_what_the_endpoint_does_not_take_is_left_out_and_remembered(
    store: ReplyStore, refusal: Fail, without: str
) -> None:
    many = [request(f"Text {number}.") for number in range(4)]
    results, fake = ask(lambda _, body: refusal if without in body else Say(pairs(body)), store, *many, concurrency=1)
    assert all(isinstance(result, Reply) for result in results), results
    assert len(fake.calls) == 5
    assert without not in fake.calls[-1]
    assert ("max_completion_tokens" in fake.calls[-1]) == (without == "max_tokens")


def test_not_more_calls_at_once_than_allowed(store: ReplyStore) -> None:
    many = [request(f"Text {number}.") for number in range(24)]
    _, fake = ask(lambda _, body: Say(pairs(body), seconds=0.05), store, *many, concurrency=3)
    assert 2 <= fake.most_busy <= 3


def test_requests_are_taken_only_as_fast_as_they_are_answered(store: ReplyStore) -> None:
    taken = 0

    def endless() -> Iterator[Request]:
        nonlocal taken
        while True:
            taken += 1
            yield request(f"Text {taken}.")

    with endpoint() as fake:
        model = LiveModel(LanguageModelSettings(endpoint=fake.url, model="small", concurrency=2), store)
        results = model.replies(endless())
        for _ in range(5):
            next(results)
        assert taken < 15
        results.close()  # type: ignore[attr-defined] # a generator
        model.close()


def test_who_leaves_the_loop_still_keeps_what_is_under_way(store: ReplyStore) -> None:
    """Ctrl-C between two replies: the error's traceback holds the generator until after the model is closed."""
    many = [request(f"Text {number}.") for number in range(8)]
    with endpoint(lambda number, body: Say(pairs(body), seconds=0.0 if number == 1 else 0.3)) as fake:
        model = LiveModel(LanguageModelSettings(endpoint=fake.url, model="small", concurrency=4), store)
        replies = model.replies(many)
        next(replies)
        model.close()
        assert sum(model.known(asked) is not None for asked in many) == len(fake.paid) == len(fake.calls) < len(many)


def test_the_key_is_neither_logged_nor_stored(store: ReplyStore, caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.DEBUG):
        ask(say(Fail(429, KEY, headers={"Retry-After": "0.01"}), Say(GOOD)), store)
    logged = " ".join(record.getMessage() for record in caplog.records if not record.name.startswith("httpcore"))
    assert f"Bearer {KEY}" not in logged
    files = [file for file in store.path.parent.rglob("*") if file.is_file()]
    assert all(KEY.encode() not in file.read_bytes() for file in files)
    assert all(stat.S_IMODE(file.stat().st_mode) == 0o600 for file in files)


PROCESS = """
import sys, pathlib
sys.path[:0] = ["tests/unit", "tests/materials"]
from endpoint import request
from qcg_neo4j.models.llm import LanguageModelSettings, LiveModel
from qcg_neo4j.models.replies import ReplyStore
model = LiveModel(LanguageModelSettings(endpoint=sys.argv[1], model="small"), ReplyStore(pathlib.Path(sys.argv[2])))
print(sum(1 for reply in model.replies(request(f"Text {number}.") for number in range(40)) if reply.value))
"""


@pytest.mark.rest
def test_two_processes_pay_once(store: ReplyStore) -> None:
    with endpoint(lambda _, body: Say(pairs(body), seconds=0.02)) as fake:
        command = [sys.executable, "-c", PROCESS, fake.url, str(store.path)]
        root = Path(__file__).parents[2]
        running = [subprocess.Popen(command, cwd=root, stdout=subprocess.PIPE, text=True) for _ in range(2)]
        assert [process.communicate()[0].strip() for process in running] == ["40", "40"]
    assert len(fake.calls) == 40
    assert len(list(store.export())) == 40


def test_streamed_text_with_usage() -> None:
    with endpoint(say(Say("Adam met Li [1]."))) as fake:
        stream = Endpoint(LanguageModelSettings(endpoint=fake.url, model="small")).stream([])
        assert list(stream) == ["Adam ", "met ", "Li ", "[1]."]
    assert stream.usage == Usage(1, 100, 40)
    assert fake.calls[0]["stream_options"] == {"include_usage": True}


def test_a_stream_that_breaks_off() -> None:
    start = b'data: {"choices": [{"index": 0, "delta": {"content": "Adam"}}]}\n\n'
    with endpoint(say(Raw(start, announced=5000, kind="text/event-stream"))) as fake:
        stream = Endpoint(LanguageModelSettings(endpoint=fake.url, model="small")).stream([])
        with pytest.raises(LanguageModelError, match=r"127\.0\.0\.1"):
            list(stream)


@pytest.mark.parametrize(
    ("reason", "said"), [("length", "cut off; it could have 4096 tokens"), ("content_filter", "a content filter")]
)
def test_a_stream_that_is_not_whole_ends_with_an_error(reason: str, said: str) -> None:
    with endpoint(say(Say("Adam met", finish_reason=reason))) as fake:
        settings = LanguageModelSettings(endpoint=fake.url, model="small")
        with closing(Endpoint(settings)) as model:
            stream = model.stream([])
            pieces = iter(stream)
            assert [next(pieces), next(pieces)] == ["Adam ", "met"]
            with pytest.raises(InvalidReplyError, match=said):
                next(pieces)
    assert stream.usage == Usage(1, 100, 40)


def test_a_stream_that_never_began_costs_nothing() -> None:
    with endpoint(say(Fail(400, "no such tone"))) as fake:
        settings = LanguageModelSettings(endpoint=fake.url, model="small", input_price=1, output_price=1, max_cost=9)
        with closing(Endpoint(settings)) as model, pytest.raises(LanguageModelError, match="no such tone"):
            list(model.stream([]))
    assert model.budget.spent == 0


def test_a_page_instead_of_a_stream() -> None:
    with endpoint(say(Raw(b"<html>Log in first.</html>", kind="text/html"))) as fake:
        stream = Endpoint(LanguageModelSettings(endpoint=fake.url, model="small")).stream([])
        with pytest.raises(LanguageModelError, match="it is not an OpenAI-compatible endpoint"):
            list(stream)


def test_estimate_counts_what_is_still_to_pay(store: ReplyStore) -> None:
    ask(normal, store, request("Text 0."))
    settings = LanguageModelSettings(
        endpoint="http://127.0.0.1:9/v1", model="small", input_price=1.0, output_price=10.0
    )
    source = LiveModel(settings, store)
    found = estimate(
        [request(f"Text {number}.") for number in (0, 1, 2, 2)],
        source,
        settings,
        lambda text: len(text.split()),
        lambda _: 700.0,
        "35 tokens a pair",
    )
    words = sum(len(message["content"].split()) + 4 for message in request("Text 1.").messages())
    assert (found.requests, found.known, found.usage) == (4, 2, Usage(2, 2 * words, 1400))
    assert found.cost == pytest.approx((2 * words + 14_000) / 1e6)
