"""What the command line says beside its results: commands that reach the same graph, verbs that were meant, Ctrl-C."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
from io import StringIO
from pathlib import Path
from types import SimpleNamespace
from typing import NoReturn

import click
import pytest
from click.testing import CliRunner
from endpoint import Body, Manner, Say, endpoint, pairs, prompt_of

from qcg_neo4j.cli import BRIEF, VERBS, adopt, chat, following, qcg
from qcg_neo4j.cli.demo import _point_to_browser
from qcg_neo4j.cli.terminal import GIVEN, advice
from qcg_neo4j.core.errors import GraphError
from qcg_neo4j.database.graph import Graph
from qcg_neo4j.indexing.adopt import AdoptReport
from qcg_neo4j.retrieval.answer import Conversation
from qcg_neo4j.server import ServerAddress

KEPT = "Stopped. What is done is kept: run the same command to continue.\n"
COMMAND = (sys.executable, "-m", "qcg_neo4j")


def advised(text: str, verb: str, *arguments: str) -> str:
    """The text as the verb says it when it is called so."""
    with click.Context(qcg, info_name="qcg") as root:
        command = qcg.get_command(root, verb)
        assert command
        with command.make_context(verb, list(arguments), parent=root):
            return advice(text)


def test_an_advised_command_reaches_the_graph_that_this_one_was_told() -> None:
    text = "Run `qcg build atoms`, `qcg load FILE` or `qcg server start --heap`; see `other`."
    assert advised(text, "status", "--home", "my corpus") == (
        "Run `qcg build --home 'my corpus' atoms`, `qcg load --home 'my corpus' FILE` or "
        "`qcg server start --home 'my corpus' --heap`; see `other`."
    )
    # A server is started in a home; an address is nothing to it.
    assert advised("`qcg server start`, `qcg extract`", "retrieve", "why", "--uri", "bolt://db:1", "--user", "me") == (
        "`qcg server start`, `qcg extract --uri bolt://db:1 --user me`"
    )
    assert advised("`qcg load --home X`", "status", "--home", "Y") == "`qcg load --home X`"
    assert advised("`qcg load X`", "status", "--uri", "neo4j://me:secret@db:1") == "`qcg load --uri neo4j://db:1 X`"


def test_what_is_printed_along_the_way_reaches_the_same_graph(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def fails(*_: object) -> NoReturn:
        raise GraphError("The graph is empty.", "`qcg load FILE`")

    monkeypatch.setattr("sys.stdin", StringIO("why?\n"))
    with click.Context(qcg) as context:
        context.meta[GIVEN] = {"--corpus": "law"}
        adopt._tell(AdoptReport(), as_json=False)
        following._round(fails)
        chat._talk(Conversation(None, SimpleNamespace(retrieve=fails), None))  # type: ignore[arg-type]
    told = capsys.readouterr().err
    assert "`qcg status --corpus law` names" in told
    assert "`qcg adopt --corpus law --undo`" in told
    assert told.count("`qcg load --corpus law FILE`") == 2


def test_what_is_restored_is_started_in_its_home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("qcg_neo4j.server.restore", lambda *_, **__: None)
    told = CliRunner().invoke(qcg, ["server", "restore", "a.dump", "--home", str(tmp_path)]).output
    assert f"`qcg server start --home {tmp_path}`" in told


def test_what_the_environment_says_need_not_be_said_again(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("QCG_HOME", "corpus")
    assert advised("`qcg server logs`", "status") == "`qcg server logs`"
    assert advice("`qcg load FILE`") == "`qcg load FILE`"


def test_the_commands_after_the_demo_can_be_pasted(capsys: pytest.CaptureFixture[str]) -> None:
    _point_to_browser("", ServerAddress("bolt://x", "neo4j", "secret", "http://x"), Path("my demo"))
    told = capsys.readouterr().out
    assert told.count("--home 'my demo'") == 3
    assert "secret" not in told


def test_an_error_advises_the_home_that_was_given(tmp_path: Path) -> None:
    for verb in (["status"], ["retrieve", "why"], ["server", "open"]):
        found = CliRunner().invoke(qcg, [*verb, "--home", str(tmp_path / "home")])
        assert f"`qcg server start --home {tmp_path / 'home'}`" in str(found.exception)


def test_a_misspelt_verb_or_option_brings_what_was_meant() -> None:
    for written, meant in (
        (["retreive", "x"], "No such command 'retreive'. Did you mean 'retrieve'?"),
        (["server", "strat"], "'start'"),
        (["retrieve", "x", "--methd", "qcg"], "'--method'"),
    ):
        refused = CliRunner().invoke(qcg, written)
        assert refused.exit_code == 2
        assert meant in refused.stderr


@pytest.mark.parametrize("verb", ["build", "retrieve"])
def test_a_verb_that_is_interrupted_says_whether_to_run_it_again(verb: str, tmp_path: Path) -> None:
    """A server that takes the connection and never says a word."""
    with socket.create_server(("127.0.0.1", 0)) as silent:
        address = f"bolt://127.0.0.1:{silent.getsockname()[1]}"
        command = [*COMMAND, verb, "--uri", address, *(["why"] if verb == "retrieve" else [])]
        with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as running:
            silent.settimeout(60)
            with silent.accept()[0]:
                running.send_signal(signal.SIGINT)
                assert running.communicate(timeout=60)[1] == (KEPT if verb == "build" else "Stopped.\n")
            assert running.returncode == 130


def test_only_verbs_are_brief() -> None:
    assert set(BRIEF) < set(VERBS)


@pytest.mark.rest
def test_an_interrupted_stage_goes_on_where_it_stopped(server: ServerAddress, graph: Graph, tmp_path: Path) -> None:
    """Calls that were under way are waited for and kept, so that each is paid once."""
    (tmp_path / "notes.txt").write_text("\n\n".join(f"Sentence {number} is here. " * 8 for number in range(12)))
    at = ("--uri", server.uri, "--user", server.user, "--home", str(tmp_path))
    environment = {**os.environ, "NEO4J_PASSWORD": server.password}
    load = [*COMMAND, "load", str(tmp_path / "notes.txt"), "--chunk-tokens", "60", "--overlap-tokens", "5", *at]
    subprocess.run(load, env=environment, check=True, capture_output=True)

    def script(number: int, body: Body) -> Manner:
        if number == 3:
            running.send_signal(signal.SIGINT)
        return Say(pairs(body), seconds=0.2)

    with endpoint(script) as model:
        command = [*COMMAND, "generate", "--llm", f"test@{model.url}", *at]
        with subprocess.Popen(command, env=environment, stderr=subprocess.PIPE, text=True) as running:
            assert running.communicate(timeout=120)[1].endswith(KEPT)
        assert running.returncode == 130
        done = len(model.paid)
        subprocess.run(command, env=environment, check=True, capture_output=True)
    assert 3 <= done < len(model.paid) == len({prompt_of(body) for body in model.paid})
