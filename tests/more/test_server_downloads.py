"""Downloads of the embedded server: over real HTTP, with jars of the real lock file, into a cache of the test's own."""

from __future__ import annotations

import json
import os
import shutil
import socket
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from pytest_httpserver import HTTPServer
from werkzeug import Request, Response

from qcg_neo4j.core.errors import ServerError
from qcg_neo4j.server.artefacts import fetch
from qcg_neo4j.server.home import default_cache
from qcg_neo4j.server.lines import LINES, PLUGIN, REPOSITORY, Artefact, Line, read_lock

JARS = sorted(read_lock("2026.08"), key=lambda jar: jar.size)[:3]


@pytest.fixture(scope="session")
def contents() -> dict[Artefact, bytes]:
    return {jar: path.read_bytes() for jar, path in fetch(JARS, default_cache()).items()}


@pytest.fixture
def repository(httpserver: HTTPServer, contents: dict[Artefact, bytes]) -> Iterator[HTTPServer]:
    for jar, content in contents.items():
        httpserver.expect_request(f"/{jar.path}").respond_with_data(content)
    yield httpserver
    httpserver.check_assertions()


@pytest.fixture
def filled(tmp_path: Path, repository: HTTPServer) -> Path:
    fetch(JARS, tmp_path, repository=repository.url_for("/"))
    repository.clear_log()
    return tmp_path


@pytest.mark.parametrize("line", LINES.values(), ids=lambda line: line.name)
def test_a_lock_file_names_every_root_once(line: Line) -> None:
    jars = read_lock(line.name)
    names = [jar.coordinates for jar in jars]
    assert set(line.roots) <= set(names)
    assert len(set(names)) == len(names) == len({jar.file_name for jar in jars})
    assert all(len(jar.sha256) == 64 and jar.size > 0 for jar in jars)
    assert {jar.coordinates.split(":")[2] for jar in jars if jar.folder == PLUGIN} == {line.gds}


def test_downloads_tell_bytes_and_are_kept(tmp_path: Path, repository: HTTPServer) -> None:
    told: list[tuple[int, int | None]] = []
    files = fetch(JARS, tmp_path, lambda done, total: told.append((done, total)), repository.url_for("/"))
    total = sum(jar.size for jar in JARS)
    assert told[-1] == (total, total)
    assert [path.stat().st_size for path in files.values()] == [jar.size for jar in JARS]
    told.clear()
    fetch(JARS, tmp_path, lambda done, total: told.append((done, total)), "http://127.0.0.1:9/")
    assert told == []


@pytest.mark.parametrize(
    "damage",
    [
        pytest.param(lambda path: path.write_bytes(path.read_bytes()[:100]), id="truncated"),
        pytest.param(lambda path: path.write_bytes(b"\0" * path.stat().st_size), id="corrupted"),
        pytest.param(lambda path: path.unlink(), id="removed"),
    ],
)
def test_a_damaged_jar_alone_is_fetched_again(
    filled: Path, repository: HTTPServer, contents: dict[Artefact, bytes], damage: Callable[[Path], object]
) -> None:
    damage(filled / JARS[1].path)
    files = fetch(JARS, filled, repository=repository.url_for("/"))
    assert [request.path for request, _ in repository.log] == [f"/{JARS[1].path}"]
    assert {jar: path.read_bytes() for jar, path in files.items()} == contents


@pytest.mark.parametrize("text", ["", "{", "[]", '{"x": 1}'])
def test_lost_stamps_mean_a_full_check_and_no_download(filled: Path, text: str) -> None:
    (filled / "checked.json").write_text(text)
    fetch(JARS, filled, repository="http://127.0.0.1:9/")
    assert set(json.loads((filled / "checked.json").read_text())) >= {jar.path for jar in JARS}


def test_a_wrong_jar_is_refused_and_nothing_of_it_stays(tmp_path: Path, httpserver: HTTPServer) -> None:
    httpserver.expect_request(f"/{JARS[0].path}").respond_with_data(b"another" * 100)
    with pytest.raises(ServerError, match=f"{JARS[0].coordinates}.*SHA-256"):
        fetch(JARS[:1], tmp_path, repository=httpserver.url_for("/"))
    assert not list(tmp_path.rglob("*.jar"))
    assert not list(tmp_path.rglob("tmp*"))


def test_what_came_before_a_failure_is_kept(tmp_path: Path, repository: HTTPServer) -> None:
    missing = Artefact("org.example:missing:1", 1, "0" * 64, "lib")
    repository.expect_request(f"/{missing.path}").respond_with_data("no such file", 404)
    with pytest.raises(ServerError, match=r"1 of 4 files(.|\n)*org\.example:missing:1 from .*: 404"):
        fetch([*JARS, missing], tmp_path, repository=repository.url_for("/"))
    fetch(JARS, tmp_path, repository="http://127.0.0.1:9/")


def test_a_busy_repository_is_asked_again(
    tmp_path: Path, httpserver: HTTPServer, contents: dict[Artefact, bytes]
) -> None:
    answers = [Response("busy", 503), Response("slow down", 429), Response(contents[JARS[0]])]

    def answer(_: Request) -> Response:
        return answers.pop(0)

    httpserver.expect_request(f"/{JARS[0].path}").respond_with_handler(answer)
    fetch(JARS[:1], tmp_path, repository=httpserver.url_for("/"))
    assert answers == []


def test_a_broken_connection_leaves_nothing(tmp_path: Path, httpserver: HTTPServer) -> None:
    short = Response(b"x" * 10, headers={"Content-Length": "5000"})
    httpserver.expect_request(f"/{JARS[0].path}").respond_with_response(short)
    with pytest.raises(ServerError, match=JARS[0].coordinates):
        fetch(JARS[:1], tmp_path, repository=httpserver.url_for("/"))
    assert not list(tmp_path.rglob("*.jar"))


def test_without_a_network_the_error_names_what_is_missing(tmp_path: Path) -> None:
    with socket.socket() as closed:
        closed.bind(("127.0.0.1", 0))
        address = f"http://127.0.0.1:{closed.getsockname()[1]}/"
        with pytest.raises(ServerError) as raised:
            fetch(JARS, tmp_path, repository=address)
    assert "3 of 3 files" in raised.value.problem
    assert f"{JARS[0].coordinates} from {address}" in raised.value.problem
    assert "network" in raised.value.remedy


def test_a_cache_that_cannot_be_written_is_told(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(ServerError, match="cannot be written"):
        fetch(JARS, tmp_path / "file" / "cache")


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A disk of 64 KB."""
    disk = tmp_path / "disk"
    disk.mkdir()
    command = ["mount", "-t", "tmpfs", "-o", "size=64k", "tmpfs", str(disk)]
    if os.geteuid() or not shutil.which("mount") or subprocess.run(command, check=False).returncode:
        pytest.skip("a small disk can be mounted by the superuser alone")
    yield disk
    subprocess.run(["umount", str(disk)], check=True)


def test_a_full_disk_is_told_and_leaves_nothing_half_written(small_disk: Path, repository: HTTPServer) -> None:
    large = min(read_lock("2026.08"), key=lambda jar: abs(jar.size - 500_000))
    content = fetch([large], default_cache())[large].read_bytes()
    repository.expect_request(f"/{large.path}").respond_with_data(content)
    with pytest.raises(ServerError, match=r"cannot be written: No space left on device.*\nMake room"):
        fetch([large], small_disk, repository=repository.url_for("/"))
    assert not [path for path in small_disk.rglob("*") if path.is_file() and path.stat().st_size > 1000]


def test_the_repository_is_reached_encrypted() -> None:
    assert REPOSITORY.startswith("https://")
