"""What a model that is not well sends: one unusable reply is one missing reply, never the end of a run."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from endpoint import Body, Manner, Raw, Say, endpoint, material, pairs, request

from qcg_neo4j.core.records import Usage
from qcg_neo4j.models.llm import Endpoint, LanguageModelSettings, LiveModel
from qcg_neo4j.models.replies import Failure, Reply, ReplyStore

GOOD = '{"pairs": [{"question": "Who?", "answer": "Li."}]}'
TOLD = {"prompt_tokens": 100, "completion_tokens": 40}
DEEP = "[" * 100_000


def body(message: Any = None, usage: Any = TOLD, **changes: Any) -> Raw:
    choice = {"index": 0, "message": message or {"role": "assistant", "content": GOOD}, "finish_reason": "stop"}
    return Raw(json.dumps({"choices": [choice], "usage": usage, **changes}).encode())


def ask(manner: Manner, tmp_path: Path) -> list[Reply | Failure]:
    """The results of three requests, of which the second gets that manner."""

    def script(_: int, asked: Body) -> Manner:
        return manner if material(asked) == "Text 1, by Li." else Say(pairs(asked))

    with endpoint(script) as fake, ReplyStore(tmp_path / "store") as store:
        model = LiveModel(LanguageModelSettings(endpoint=fake.url, model="small", retries=0, concurrency=1), store)
        requests = [request(f"Text {number}, by Li.") for number in range(3)]
        found = sorted(
            model.replies(requests), key=lambda one: requests.index(one.request)
        )  # they come as they are done
        model.close()
    assert isinstance(found[0], Reply)
    assert isinstance(found[2], Reply)
    return found


@pytest.mark.parametrize(
    "manner",
    [
        body(choices=None),
        body(choices={}),
        body(choices=[]),
        body(choices=[None]),
        body(choices=[{"index": 0}]),
        body(choices=[{"message": "text"}]),
        body({"role": "assistant"}),
        body({"content": None}),
        body({"content": {"text": GOOD}}),
        body({"content": [None, 3, {"type": "image"}]}),
        Raw(b"null"),
        Raw(b"[1]"),
        Raw(b"\xff\xfe"),
        Raw(DEEP.encode()),
        Raw(b'{"a":' * 100_000),
        Raw(b'{"choices": ' + b"7" * 10_000 + b"}"),
        Say(DEEP),
        Say('{"a":' * 100_000),
        Say('{"pairs": ' + DEEP),
        Say('{"pairs": [{"question": "Who?", "answer": ' + "[" * 990 + "]" * 990 + "}]}"),
        Say('{"pairs": [{"question": 1e999, "answer": NaN}]}'),
        Say('{"pairs": ' + "7" * 5000 + "}"),
        Say('{"pairs": NaN}'),
    ],
)
def test_one_unusable_reply_is_one_missing_reply(manner: Manner, tmp_path: Path) -> None:
    missing = ask(manner, tmp_path)[1]
    assert isinstance(missing, Failure)
    assert len(missing.reason) < 600


@pytest.mark.parametrize(
    "message",
    [
        {"content": [{"type": "text", "text": GOOD[:20]}, {"type": "text", "text": GOOD[20:]}]},
        {"content": [GOOD]},
        {"content": GOOD, "refusal": 3},
        {"content": GOOD.replace("Who?", "Who\\ud800?")},
        {"content": GOOD[:-1] + ', "\\ud800": {"\\udfff": 1}}'},
    ],
)
def test_what_can_be_read_is_taken(message: Any, tmp_path: Path) -> None:
    reply = ask(body(message), tmp_path)[1]
    assert isinstance(reply, Reply), reply
    assert reply.value["pairs"][0]["answer"] == "Li."
    assert json.dumps(reply.value, ensure_ascii=False).encode()


@pytest.mark.parametrize(
    "usage",
    [
        None,
        "many",
        [],
        {},
        {"prompt_tokens": "100", "completion_tokens": 40},
        {"prompt_tokens": 2**64, "completion_tokens": 40},
        {"prompt_tokens": -1, "completion_tokens": 40},
        {"prompt_tokens": True, "completion_tokens": None},
    ],
)
def test_usage_that_is_none_is_not_told(usage: Any, tmp_path: Path) -> None:
    reply = ask(body(usage=usage), tmp_path)[1]
    assert isinstance(reply, Reply), reply
    assert reply.usage == Usage(1, untold=1)


@pytest.mark.parametrize(
    "event",
    [
        b"null",
        b"[]",
        b'{"choices": null}',
        b'{"choices": [null]}',
        b'{"choices": [{"delta": null}]}',
        b'{"choices": [{"delta": {"content": [{"type": "text", "text": ""}]}}], "usage": "none"}',
    ],
)
def test_events_of_a_stream_that_say_nothing(event: bytes) -> None:
    said = b'data: {"choices": [{"delta": {"content": "Adam"}}]}\n\n'
    sent = b"data: " + event + b"\n\n" + said + b"data: [DONE]\n\n"
    with endpoint(lambda *_: Raw(sent, kind="text/event-stream")) as fake:
        stream = Endpoint(LanguageModelSettings(endpoint=fake.url, model="small")).stream([])
        assert "".join(stream) == "Adam"
    assert stream.usage == Usage(1, untold=1)
