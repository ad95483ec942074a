"""The tutorial: its commands are run one after the other on a new server, and print what it shows."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pages
import pytest
from test_pages import fenced

from qcg_neo4j.database.graph import Graph
from qcg_neo4j.server import ServerAddress

PAGE = pages.ROOT / "qcg_neo4j/samples/README.md"


def missing(shown: list[str], printed: str) -> list[str]:
    """The lines of an example that are not in what was printed, in their order; ``…`` is anything."""
    lines = iter(printed.splitlines())
    wanted = [line.rstrip() for line in shown if line.strip() not in ("…", "")]
    return [start for start in wanted if not any(line.startswith(start) for line in lines)]


@pytest.mark.rest
@pytest.mark.timeout(900)
def test_the_tutorial_prints_what_it_shows(server: ServerAddress, graph: Graph, tmp_path: Path) -> None:
    programs = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    environment = {**os.environ, "PATH": programs, "COLUMNS": "200", "XDG_DATA_HOME": str(tmp_path / "data")}
    environment |= {"NEO4J_URI": server.uri, "NEO4J_USERNAME": "neo4j", "NEO4J_PASSWORD": server.password}

    def run(command: str) -> str:
        done = subprocess.run(
            ["bash", "-c", command], cwd=tmp_path, env=environment, capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, f"{command}\n{done.stderr}"
        return done.stdout + done.stderr

    for _, text in sorted([*fenced(PAGE, "sh"), *fenced(PAGE, "console")]):
        if "pip install" in text or "qcg server" in text:
            continue  # tests/more/test_install.py installs; the server of the test runs
        if not text.startswith("$ "):
            run(text)
            continue
        for example in text.removeprefix("$ ").split("\n$ "):
            command, *shown = example.splitlines()
            printed = run(command)
            assert missing(shown, printed) == [], f"{command}\n{printed}"
