"""What a new user does: install the package into an empty environment, run the demonstration, ask documents."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import tarfile
import zipfile
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import build
import pytest
from copying_model import copying
from endpoint import endpoint
from own_documents import FILES

from qcg_neo4j.cli.demo import NEXT_QUESTION, UNANSWERED_QUESTION
from qcg_neo4j.database.graph import Graph
from qcg_neo4j.server import ServerAddress, default_cache, stop

ROOT = Path(__file__).parents[2]
UV = (sys.executable, "-m", "uv", "--quiet")
MADE = shutil.ignore_patterns(".*", "target", "dist", "reproduced", "__pycache__", "*.jar")
JARS = {f"qcg_neo4j/server/plugins/{module.jar}" for module in build.MODULES}


# A question for each file, and what its answer holds.
ASKED = {
    "How many days of annual leave does everybody have?": ("handbook.docx", "28 days"),
    "Where does a second shop open?": ("deck.pptx", "Harburg"),
    "What did the oven repair in January cost?": ("expenses.xlsx", "840"),
    "Which supplier from Celle delivers rye flour?": ("suppliers.csv", "Brandt"),
    "What is a sourdough starter fed with every twelve hours?": ("book.epub", "rye flour and water"),
    "When does the butter come, and how late is the cream?": ("letter.eml", "Thursday"),
    "What is to be checked before lighting the oven?": ("guide.rst", "gas valve"),
    "What is fitted to the door of the cold store by June?": ("report.pdf", "A new seal"),
    "Whose rye loaf won the first prize of the jury?": ("festival.html", "Greta Ahlers"),
    "How long does rye flour of type 1150 keep?": ("notes.md", "six months"),
}
QUESTIONS = {file: question for question, (file, _) in ASKED.items()}
SCRIPT = """
import json, sys
from qcg_neo4j import Graph, Layers
with Graph.connect() as graph:
    found = {question: Layers().retrieve(graph, question).as_dict()["passages"] for question in json.load(sys.stdin)}
json.dump(found, sys.stdout)
"""


@pytest.fixture(scope="session")
def clone(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The project as it comes from version control: without the plug-ins."""
    folder = tmp_path_factory.mktemp("clone") / "project"
    shutil.copytree(ROOT, folder, ignore=MADE)
    return folder


@pytest.fixture(scope="session")
def built(clone: Path) -> Path:
    """What ``make dist`` leaves: an sdist that was built from the clone, and the wheel built from the sdist."""
    ready = f"{sys.prefix}/ready-for-demo"  # the environment of the tests is not installed anew
    subprocess.run(["make", "-C", clone, "dist", f"VENV={sys.prefix}", f"--old-file={ready}"], check=True)
    return clone / "dist"


@pytest.fixture(scope="session")
def installed(built: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The programs of an environment with the wheel, what documents and an embedded server need, and nothing else."""
    environment = tmp_path_factory.mktemp("environment")
    programs = environment / ("Scripts" if os.name == "nt" else "bin")
    (wheel,) = built.glob("*.whl")
    subprocess.run([*UV, "venv", environment, "--allow-existing", "--python", sys.executable], check=True)
    what = f"qcg-neo4j[documents,embedded] @ {wheel.as_uri()}"
    subprocess.run([*UV, "pip", "install", "--python", programs / "python", what], check=True)
    return programs


def newcomer(home: Path) -> dict[str, str]:
    """The variables of a person who has set nothing; the server's files are not downloaded again for each test."""
    hasty = {"JDK_JAVA_OPTIONS": os.environ["JDK_JAVA_OPTIONS"]}
    return {"HOME": str(home), "PATH": os.defpath, "XDG_CACHE_HOME": str(default_cache().parents[1]), **hasty}


@pytest.mark.slow
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
    with (project / "procedures/qcg/src/main/java/qcg/procedure/About.java").open("a") as source:
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


OLDEST_PIP = "22.3"  # which Python 3.11.0 brings
READ = """
import sys
from qcg_neo4j import read_documents
print([item.text for item in read_documents(sys.argv[1:])])
"""


@pytest.mark.slow
def test_web_pages_are_read_after_an_installation_with_the_oldest_pip(built: Path, tmp_path: Path) -> None:
    (wheel,) = built.glob("*.whl")
    page = tmp_path / "page.html"
    page.write_text(
        "<html><body><article>" + "<p>The rye loaf won the first prize.</p>" * 9 + "</article></body></html>"
    )
    subprocess.run([sys.executable, "-m", "venv", tmp_path / "old"], check=True)
    python = tmp_path / "old" / ("Scripts" if os.name == "nt" else "bin") / "python"
    subprocess.run([python, "-m", "pip", "install", "-q", f"pip=={OLDEST_PIP}"], check=True)
    subprocess.run(
        [python, "-m", "pip", "install", "-q", "--no-compile", f"qcg-neo4j[html] @ {wheel.as_uri()}"], check=True
    )
    read = subprocess.run([python, "-c", READ, page], capture_output=True, text=True, check=True)
    assert "The rye loaf won the first prize." in read.stdout


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
    unanswered, _, others = others.partition("layers, 1 passage")
    assert nearest(answered) > 0.8  # of the sample's own questions none is below 0.56
    assert nearest(unanswered) < 0.45  # of questions about something else none is above
    queries, _, triples = others.partition("qcg, 5 passages")
    assert re.search(r"0\.86 query +Which gym did Wolfgang Schulz recommend to Li Hua\? FitZone\.", queries)
    assert "FitZone" in triples
    assert "Subgraph: " in triples
    _, _, atoms = triples.partition("kg-cqr, 2 passages")
    assert "Facts: 25, best first." in atoms
    assert "FitZone" in atoms.partition("atomic, 2 passages")[0]
    assert "FitZone" in atoms.partition("atomic, 2 passages")[2].partition("lp, 2 passages")[0]
    assert "Link predictor: the one of the package" in shown.stderr
    assert 'CALL qcg.retrieve.atomic("Which gym did Wolfgang recommend to Li Hua?", {passages: 2})' in triples
    assert 'CALL qcg.retrieve.kgCqr("Which gym did Wolfgang recommend to Li Hua?", {passages: 2})' in triples


@dataclass(frozen=True)
class Newcomer:
    """A person with an installed package, and the variables that say where server and model are."""

    programs: Path
    environment: dict[str, str] = field(repr=False)

    def qcg(self, *arguments: str) -> str:
        return self._run([str(self.programs / "qcg"), *arguments])

    def answer(self, question: str) -> dict[str, Any]:
        found: dict[str, Any] = json.loads(self.qcg("answer", question, "--json"))
        return found

    def passages(self) -> dict[str, list[dict[str, Any]]]:
        """What Python finds for every question."""
        found: dict[str, list[dict[str, Any]]] = json.loads(
            self._run([str(self.programs / "python"), "-c", SCRIPT], json.dumps(list(ASKED)))
        )
        return found

    def _run(self, command: list[str], told: str | None = None) -> str:
        done = subprocess.run(
            command, env=self.environment, input=told, capture_output=True, text=True, check=False, timeout=300
        )
        assert done.returncode == 0, done.stderr
        return done.stdout


def cited(found: dict[str, Any]) -> set[str]:
    """The names of the files that an answer cites."""
    return {Path(one["document"]).name for one in found["evidence"]["passages"] if one["id"] in found["citations"]}


def test_a_folder_is_indexed_asked_changed_and_asked_again(
    installed: Path, server: ServerAddress, graph: Graph, tmp_path: Path
) -> None:
    folder = tmp_path / "documents"
    folder.mkdir()
    for name, (write, *_) in FILES.items():
        write(folder / name)
    assert len(FILES) == 10
    with endpoint(copying) as running:
        environment = {
            **newcomer(tmp_path),
            "NEO4J_URI": server.uri,
            "NEO4J_PASSWORD": server.password,
            "QCG_LLM": f"copyist@{running.url}",
        }
        person = Newcomer(installed, environment)
        assert "10 new, 0 changed, 0 as they were, 0 removed" in person.qcg("index", str(folder))
        _every_question_is_answered(person, ASKED)
        leave = person.answer(QUESTIONS["handbook.docx"])
        assert "28 days" in leave["text"]
        assert cited(leave) == {"handbook.docx"}
        paid = len(running.calls)
        assert "0 new, 0 changed, 10 as they were, 0 removed" in person.qcg("index", str(folder))
        assert len(running.calls) == paid

        notes = folder / "notes.md"
        notes.write_text(notes.read_text(encoding="utf-8").replace("six months", "nine months"), encoding="utf-8")
        (folder / "letter.eml").unlink()
        (folder / "prices.txt").write_text("From May on, a rye loaf costs 5 euro.\n", encoding="utf-8")
        assert "1 new, 1 changed, 8 as they were, 1 removed" in person.qcg("index", str(folder))
        flour, butter = person.answer(QUESTIONS["notes.md"]), person.answer(QUESTIONS["letter.eml"])
        assert "nine months" in flour["text"]
        assert cited(flour) == {"notes.md"}
        assert not any("letter.eml" in passage["document"] for passage in butter["evidence"]["passages"])
        assert cited(person.answer("What does a rye loaf cost from May on?")) == {"prices.txt"}


def _every_question_is_answered(person: Newcomer, asked: dict[str, tuple[str, str]]) -> None:
    """The file that answers is among the first three passages, with the words that answer."""
    for question, passages in person.passages().items():
        file, words_of_answer = asked[question]
        texts = [passage["text"] for passage in passages[:3] if Path(passage["document"]).name == file]
        assert any(words_of_answer in text for text in texts), question
