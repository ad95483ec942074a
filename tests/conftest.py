"""Servers for the tests: one per line and run, each in a home that goes away with the tests."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from qcg_neo4j.server import Address, ServerSettings, start, stop


@dataclass(frozen=True)
class TestServer(Address):
    """A running server with the folder that it lives in."""

    __test__ = False  # no test class

    home: Path


@pytest.fixture(scope="session")
def new_home(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Callable[[str], Path]]:
    """Makes homes whose servers are stopped when the tests end, also when these are interrupted or killed."""
    folder = tmp_path_factory.mktemp("homes")
    watchdog = Path(__file__).with_name("watchdog.py")
    with subprocess.Popen(
        [sys.executable, watchdog, folder], stdin=subprocess.PIPE, start_new_session=True
    ) as watching:
        yield lambda name: folder / name
        assert watching.stdin is not None
        watching.stdin.close()
        assert watching.wait(120) == 0


@pytest.fixture(scope="session")
def server_2026(new_home: Callable[[str], Path]) -> Iterator[TestServer]:
    """A server of the 2026.01 line."""
    yield from _server(new_home("2026.01"), "2026.01")


@pytest.fixture(scope="session")
def server_5_26(new_home: Callable[[str], Path]) -> Iterator[TestServer]:
    """A server of the 5.26 line; needs Java 17 or 21 on the machine."""
    yield from _server(new_home("5.26"), "5.26")


@pytest.fixture(scope="session")
def server(server_2026: TestServer) -> TestServer:
    """The server that most tests use."""
    return server_2026


def _server(home: Path, line: str) -> Iterator[TestServer]:
    found = start(home, ServerSettings(line=line, heap="768m", page_cache="64m"))
    yield TestServer(found.uri, found.user, found.password, found.http_uri, home)
    stop(home)
