"""One home of the embedded server through its life: starts, kills, stops, interrupts, and what can be wrong with it."""

from __future__ import annotations

import json
import os
import resource
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, suppress
from dataclasses import replace
from hashlib import sha256
from pathlib import Path
from typing import Any

import psutil
import pytest
from click.testing import CliRunner
from conftest import emptied, need_java
from graph_dump import dump, query
from small_embedder import SmallEmbedder

from qcg_neo4j.cli import qcg
from qcg_neo4j.core.errors import QcgError, ServerError
from qcg_neo4j.core.records import SourceDocument
from qcg_neo4j.database.graph import Graph
from qcg_neo4j.database.status import server_facts
from qcg_neo4j.indexing.load import load_documents
from qcg_neo4j.server import ServerSettings, running, start, status, stop
from qcg_neo4j.server.home import Home, Launch, Record, default_cache, read_launch, write_launch, write_record
from qcg_neo4j.server.machine import DEFAULT_BOLT, DEFAULT_HTTP, LOOPBACK, is_free

SMALL = ServerSettings(heap="512m", page_cache="32m")
COMMAND = [str(Path(sys.executable).with_name("qcg")), "server"]


def processes(home: Path) -> list[psutil.Process]:
    """The Java processes of a home."""
    named = f"--home-dir={home}"
    return [process for process in psutil.process_iter(["cmdline"]) if named in (process.info["cmdline"] or ())]


def qcg_server(*arguments: str) -> tuple[int, str, BaseException | None]:
    found = CliRunner().invoke(qcg, ["server", *arguments])
    return found.exit_code, found.output, found.exception


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
                listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
                with suppress(OSError):  # somebody else has taken it meanwhile
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


Homes = list[tuple[Path, dict[str, Any]]]


@pytest.fixture(scope="module")
def two_homes(new_home: Callable[[str], Path], tmp_path_factory: pytest.TempPathFactory) -> Homes:
    """Two that are started at the same second, with what each said; later tests go on with them."""
    homes = [new_home('één 文档 🙂 "b" \\ #$%:=;'), new_home("other " + 180 * "x")]
    small = ["--heap", "512m", "--page-cache", "32m", "--no-embedding", "--cache", str(default_cache()), "--json"]
    starts = [
        subprocess.Popen(
            [*COMMAND, "start", "--home", str(home), *small],
            stdout=subprocess.PIPE,
            env={**os.environ, "XDG_CACHE_HOME": str(tmp_path_factory.mktemp("cache"))},  # as two users have
        )
        for home in homes
    ]
    return [
        (home, json.loads(process.communicate(timeout=300)[0])) for home, process in zip(homes, starts, strict=True)
    ]


def test_two_homes_started_at_the_same_second_get_ports_of_their_own(two_homes: Homes) -> None:
    assert len({told[name] for _, told in two_homes for name in ("uri", "http_uri")}) == 4
    for home, told in two_homes:
        assert told["password_accepted"]
        with Graph.connect(home=home) as graph:
            assert graph.address.uri == told["uri"]


def contents(home: Path) -> dict[str, str]:
    """Digests of the files of a home's databases."""
    return {str(file): sha256(file.read_bytes()).hexdigest() for file in (home / "data").rglob("*") if file.is_file()}


def test_a_backup_is_restored_whole_or_not_at_all(two_homes: Homes, tmp_path: Path) -> None:
    (home, _), (other, _) = two_homes
    file, broken = tmp_path / "graph.dump", tmp_path / "broken.dump"
    small = ["--heap", "512m", "--no-embedding"]

    def archive(verb: str, path: Path, place: Path, *more: str) -> int:
        code, _, error = qcg_server(verb, str(path), "--home", str(place), *small, *more)
        return error.exit_code if isinstance(error, QcgError) else code

    def number(place: Path) -> int:
        with Graph.connect(home=place) as graph:
            return int(query(graph, "MATCH (n:Query) RETURN count(n) AS number")[0]["number"])

    assert number(home) == number(other) == 0
    with Graph.connect(home=home) as graph:
        query(graph, "UNWIND range(1, 100) AS id CREATE (:QcgQuery:Query {id: toString(id)})")
    assert archive("backup", file, home) == 4  # it runs
    stop(home)
    assert archive("backup", file, home) == 0
    assert file.stat().st_mode & 0o077 == 0
    assert archive("backup", file, home) == archive("restore", file, home) == 2  # neither takes a place unasked
    assert list(tmp_path.iterdir()) == [file]
    assert archive("restore", file, other, "--replace") == 4  # it runs
    stop(other)
    broken.write_bytes(file.read_bytes()[:-5000])
    before = contents(other)
    assert archive("restore", broken, other, "--replace") == 4
    broken.write_text("no dump", encoding="utf-8")
    assert archive("restore", broken, other, "--replace") == 2
    assert contents(other) == before
    assert archive("restore", file, other, "--replace") == 0
    start(other, replace(SMALL, embedding=False))
    assert number(other) == 100


def test_the_older_line_is_saved_and_restored_into_another_home(
    new_home: Callable[[str], Path], tmp_path: Path
) -> None:
    need_java("5.26")
    home, other, file = new_home("older"), new_home("older again"), tmp_path / "graph.dump"
    settings = replace(SMALL, line="5.26", embedding=False)
    start(home, settings)
    with Graph.connect(home=home) as graph:
        query(graph, "UNWIND range(1, 100) AS id CREATE (:QcgQuery:Query {id: toString(id)})")
    stop(home)
    for verb, place in (("backup", home), ("restore", other)):
        code, output, error = qcg_server(verb, str(file), "--home", str(place), "--line", "5.26", "--no-embedding")
        assert code == 0, (output, error)
    start(other, settings)
    with Graph.connect(home=other) as graph:
        assert query(graph, "MATCH (n:Query) RETURN count(n) AS number") == [{"number": 100}]
        assert server_facts(graph).version.startswith("5.26")
    stop(other)


@pytest.mark.skipif(not hasattr(resource, "prlimit"), reason="no other process can be limited here")
def test_a_load_that_meets_a_full_disk_says_so_and_goes_on_when_there_is_room(two_homes: Homes) -> None:
    """No file of the server may become longer, which it takes as it takes a full disk."""
    home, settings, embedder = two_homes[1][0], replace(SMALL, embedding=False), SmallEmbedder()
    text = "Bread {0} is baked, and rye {0} keeps. "
    documents = [SourceDocument(f"d{number}", 4 * text.format(number)) for number in range(600)]
    start(home, settings)
    with Graph.connect(home=home) as graph:
        load_documents(emptied(graph), embedder, documents[:1])
        (process,) = processes(home)
        longest = max(path.stat().st_size for path in (home / "data/transactions/neo4j").iterdir())
        resource.prlimit(process.pid, resource.RLIMIT_FSIZE, (longest + 1_000_000, resource.RLIM_INFINITY))
        with pytest.raises(QcgError, match="stopped writing") as told:
            load_documents(graph, embedder, documents)
        assert "Is its disk full? Make room" in told.value.remedy
    stop(home)
    start(home, settings)
    with Graph.connect(home=home) as graph:
        held = query(graph, "MATCH (d:Document) RETURN count(d) AS number")[0]["number"]
        assert 1 < held < len(documents)  # some were written before
        load_documents(graph, embedder, documents)
        found = dump(graph)
        load_documents(emptied(graph), embedder, documents)
        assert found == dump(graph)
    stop(home)


def free_ports() -> list[int]:
    with socket.socket() as one, socket.socket() as other:
        for each in (one, other):
            each.bind((LOOPBACK, 0))
        return [one.getsockname()[1], other.getsockname()[1]]


def test_after_kill_it_starts_again_on_its_ports_without_a_network(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (process,) = processes(home)
    process.kill()
    process.wait()
    assert running(home) is None
    assert status(home).state == "stopped"
    bolt, http = free_ports()  # as if the last start had got these, far from where other servers look
    write_record(Home(home), Record("2026.08", bolt, http))
    monkeypatch.setenv("HTTPS_PROXY", "http://127.0.0.1:9")
    address = start(home, SMALL)
    assert (address.uri, address.http_uri) == (f"bolt://{LOOPBACK}:{bolt}", f"http://{LOOPBACK}:{http}")
    assert [found.pid for found in processes(home)] != [process.pid]
    assert status(home).password_accepted


def test_stop_waits_for_a_clean_end(home: Path) -> None:
    assert processes(home)
    code, output, _ = qcg_server("stop", "--home", str(home))
    assert (code, output.strip()) == (0, "The server has stopped.")
    assert processes(home) == []
    assert "Stopped." in Home(home).log.read_text()
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


@pytest.mark.parametrize("is_asked", [True, False])
def test_run_tells_a_stop_and_a_death_apart(home: Path, *, is_asked: bool) -> None:
    arguments = [*COMMAND, "run", "--home", str(home), "--heap", "512m"]
    with subprocess.Popen(arguments, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        assert "Neo4j is running" in process.stdout.readline()
        if is_asked:
            assert stop(home)
        else:
            processes(home)[0].kill()
        output, errors = process.communicate(timeout=120)
    assert output.endswith("The server has stopped.\n") == is_asked
    assert (process.returncode, "The server has died.\n  " in errors) == ((0, False) if is_asked else (4, True))


def test_an_interrupted_start_leaves_nothing(home: Path) -> None:
    launch = Home(home).run / "launch.json"
    launch.unlink(missing_ok=True)  # that of a server that was killed
    arguments = [*COMMAND, "start", "--home", str(home), "--heap", "512m"]
    with subprocess.Popen(arguments, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        while not launch.exists() and process.poll() is None:
            time.sleep(0.0005)  # at once: in one of two cases the start knew nothing yet of what it had started
        process.send_signal(signal.SIGINT)
        process.communicate(timeout=120)
    assert process.returncode == 130
    assert processes(home) == []
    assert status(home).state == "stopped"


def test_a_number_that_now_belongs_to_another_is_left_alone(home: Path) -> None:
    Home(home).prepare()
    with subprocess.Popen(["sleep", "60"]) as foreign:
        write_launch(Home(home), Launch(foreign.pid, psutil.Process(foreign.pid).create_time(), "25", "512m", True))
        assert running(home) is None
        assert status(home).state == "stopped"
        assert not stop(home)
        assert foreign.poll() is None
        foreign.kill()
    assert read_launch(Home(home)) is None


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
    password_file = Home(home).password_file
    text = password_file.read_text()
    password_file.unlink()
    with pytest.raises(ServerError, match="password"):
        start(home, SMALL)
    password_file.write_text(text)
    password_file.chmod(0o600)
