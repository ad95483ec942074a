"""What is kept of calls that are not settled: a killed run loses those under way, and the next one says how many."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from endpoint import GOOD, Body, FakeEndpoint, Manner, Say, endpoint, pairs, prompt_of, request

from qcg_neo4j.core.records import Usage
from qcg_neo4j.models.llm import LanguageModelSettings, LiveModel
from qcg_neo4j.models.llm.attempts import Attempt
from qcg_neo4j.models.replies import Reply, ReplyStore

PROCESS = """
import sys, pathlib
sys.path[:0] = ["tests/unit", "tests/materials"]
from endpoint import request
from qcg_neo4j.models.llm import LanguageModelSettings, LiveModel
from qcg_neo4j.models.replies import ReplyStore
settings = LanguageModelSettings(endpoint=sys.argv[1], model="small", concurrency=4)
model = LiveModel(settings, ReplyStore(pathlib.Path(sys.argv[2])))
for _ in model.replies(request(f"Text {number}.") for number in range(60)):
    pass
"""


def live(fake: FakeEndpoint, store: ReplyStore) -> LiveModel:
    return LiveModel(LanguageModelSettings(endpoint=fake.url, model="small", retries=0, concurrency=4), store)


@pytest.mark.rest
@pytest.mark.slow
def test_a_kill_loses_the_calls_under_way_and_they_are_told(tmp_path: Path) -> None:
    goes_on, enough = threading.Event(), 0

    def script(_: int, body: Body) -> Manner:
        if len(fake.paid) >= enough:
            goes_on.wait(60)
        return Say(pairs(body), seconds=0.05)

    with endpoint(script) as fake:
        lost = 0
        for _ in range(3):
            goes_on.clear()
            enough = len(fake.paid) + 9
            command = [sys.executable, "-c", PROCESS, fake.url, str(tmp_path / "store")]
            process = subprocess.Popen(command, cwd=Path(__file__).parents[2], env=os.environ)
            until = time.monotonic() + 60
            while (len(fake.paid) < enough or fake.busy < 4) and time.monotonic() < until:
                time.sleep(0.005)
            process.send_signal(signal.SIGKILL)
            process.wait()
            goes_on.set()
            while fake.busy and time.monotonic() < until:  # the endpoint writes what was under way
                time.sleep(0.005)
            with ReplyStore(tmp_path / "store") as store:
                told = live(fake, store).lost
                assert live(fake, store).lost == 0  # each is told once
            assert 1 <= told <= 4
            lost += told
        with ReplyStore(tmp_path / "store") as store:
            assert len(list(live(fake, store).replies(request(f"Text {number}.") for number in range(60)))) == 60
    assert len(set(map(prompt_of, fake.paid))) == 60
    assert len(fake.paid) - 60 <= lost <= 12


def test_what_came_is_there_before_it_is_looked_at(tmp_path: Path) -> None:
    wrong = '{"pairs": "none"}'

    def script(number: int, _: Body) -> Manner:
        return Say(wrong if number == 1 else GOOD)

    with endpoint(script) as fake:
        with ReplyStore(tmp_path / "store") as store:
            model = live(fake, store)
            model._call(request(), Attempt(request().messages(), 4096), 0)  # killed behind it
        with ReplyStore(tmp_path / "store") as store:
            model = live(fake, store)
            assert model.lost == 0
            (reply,) = model.replies([request()])
            assert isinstance(reply, Reply)
            assert (reply.usage, reply.paid) == (Usage(1, 100, 40), Usage(2, 200, 80))
            assert wrong in str(fake.calls[-1]["messages"])  # it goes on from what was wrong
            assert len(fake.calls) == 2
            assert store.journal.delivered(request(), "small") == []


def test_calls_of_another_process_are_not_lost(tmp_path: Path) -> None:
    with ReplyStore(tmp_path / "store") as mine, ReplyStore(tmp_path / "store") as other:
        with mine.asking(request()):
            mine.journal.send(request(), "small", 0)
            assert other.journal.lost() == 0
        assert other.journal.lost() == 1


def test_what_came_is_kept_while_the_disk_is_slow(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A kill while the disk still writes loses nothing that came, from this call or from others."""
    slow, path = threading.Event(), tmp_path / "store"
    with ReplyStore(path) as store, ThreadPoolExecutor(2) as pool, ReplyStore(path) as another:
        monkeypatch.setattr(os, "fsync", lambda _: slow.wait(60))
        numbers = (1, 2)
        kept = [
            pool.submit(store.journal.deliver, request(f"Text {number}."), "small", 0, {"text": str(number)})
            for number in numbers
        ]
        until = time.monotonic() + 30
        while time.monotonic() < until and not all(
            another.journal.delivered(request(f"Text {number}."), "small") for number in numbers
        ):
            time.sleep(0.01)
        found = [another.journal.delivered(request(f"Text {number}."), "small") for number in numbers]
        assert not any(future.done() for future in kept)  # each waits until the disk has it
        slow.set()
    assert found == [[{"text": "1"}], [{"text": "2"}]]
