"""One run over a folder: only what changed, nothing paid twice, nothing removed by accident; and the command."""

from __future__ import annotations

import json
import os
import re
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result
from endpoint import Body, Fail, FakeEndpoint, Manner, Say, endpoint, pairs, prompt_of
from graph_dump import dump, told
from small_embedder import SmallEmbedder
from test_extract import NOTHING, graph_reply
from test_report import reply as report_reply

from qcg_neo4j.cli.index import index as command
from qcg_neo4j.cli.index_display import IndexDisplay
from qcg_neo4j.core.errors import InputError, LanguageModelError, MissingReplyError
from qcg_neo4j.database import stages
from qcg_neo4j.database.graph import Graph
from qcg_neo4j.database.status import status
from qcg_neo4j.indexing.load import LoadSettings, load_documents, read_documents
from qcg_neo4j.indexing.run import IndexReport, IndexSettings, Plan, StageSettings, Told, index_files
from qcg_neo4j.indexing.run import vanished as vanishing
from qcg_neo4j.indexing.run.vanished import Lines, vanished_documents
from qcg_neo4j.models.llm import LanguageModelSettings, LiveModel
from qcg_neo4j.models.replies import ReplyStore

TALKS = {
    "gym.txt": "Ann: The gym closes at ten.\nBob: I have the key of the gym.\nAnn: Then lock the door.",
    "kitchen/monday.md": "# Kitchen\n\nCarl: Who cleans the kitchen?\n\nDora: On Mondays Carl cleans it.",
    "kitchen/lunch.txt": "Dora: Lunch is at noon.\nEmil: I bring the soup.\nDora: Bring bread as well.",
}
KINDS = ("Document", "Chunk", "Query", "Entity", "Atom")


def script(_: int, body: Body) -> Manner:
    """A model that replies to every task of a run."""
    system = body["messages"][0]["content"]
    if system.startswith("You write study questions"):
        return Say(pairs(body))
    if system.startswith("You read"):
        return Say(graph_reply(body))
    if system.startswith("You decide"):  # in one of three passages it sees that something was missed, and finds nothing
        return Say('{"missed": "%s"}' % ("yes" if "The gym closes" in str(body) else "no"))
    return Say(NOTHING if system.startswith("You check") else report_reply(body))


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name, text in TALKS.items():
        (tmp_path / "talks" / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "talks" / name).write_text(text, encoding="utf-8")
    return tmp_path / "talks"


@pytest.fixture
def fake() -> Iterator[FakeEndpoint]:
    with endpoint(script) as running:
        yield running


def run(graph: Graph, folder: Path, fake: FakeEndpoint | None = None, **more: Any) -> IndexReport:
    """A run with the scripted model, or without any."""
    if fake is None:
        return index_files(graph, SmallEmbedder(), [folder], **more)
    settings = LanguageModelSettings(endpoint=fake.url, model="small", retries=0, concurrency=2)
    with ReplyStore(folder.parent / "replies.sqlite") as store:
        model = LiveModel(settings, store)
        try:
            return index_files(graph, SmallEmbedder(), [folder], model, **more)
        finally:
            model.close()


def documents(graph: Graph) -> list[str]:
    return [row["id"] for row in graph.driver.execute_query("MATCH (d:Document) RETURN d.id AS id ORDER BY id").records]


def number(graph: Graph, label: str) -> int:
    return int(next(row["number"] for row in graph.rows("inspect/counts") if row["kind"] == label))


def passed_over(report: IndexReport) -> dict[str, str | None]:
    return {step.stage: step.passed_over for step in report.steps}


# Without a language model


def test_everything_is_made_once_and_then_nothing(graph: Graph, folder: Path) -> None:
    report = run(graph, folder)
    assert (report.load.added, report.removed) == (3, 0)
    assert set(passed_over(report).values()) == {None}
    assert all(number(graph, label) for label in ("Query", "SIMILAR_TO", "Entity", "Atom", "Community"))
    assert not any(stage.stale for stage in status(graph).stages if stage.name not in ("questions", "link_predictor"))
    assert "index" not in stages.recorded(graph)  # no stage: tables of results say nothing of its folders
    before, revisions = dump(graph), graph.rows("stage/all")
    again = run(graph, folder)
    assert (again.load.unchanged, again.load.chunks) == (3, 0)
    assert set(passed_over(again).values()) == {"up to date"}
    assert dump(graph) == before
    assert [row["revision"] for row in graph.rows("stage/all")] == [row["revision"] for row in revisions]


@pytest.mark.rest
def test_the_graph_follows_what_changes(graph: Graph, folder: Path) -> None:
    run(graph, folder)
    (folder / "gym.txt").write_text(TALKS["gym.txt"] + "\nFred: The gym is closed on Sundays.", encoding="utf-8")
    os.utime(folder / "gym.txt", (0, 0))  # as after a clock that was set back: times of files say nothing
    (folder / "kitchen/lunch.txt").rename(folder / "kitchen/noon.txt")
    (folder / "garden.txt").write_text("Gina: The roses need water.", encoding="utf-8")
    report = run(graph, folder)
    loaded = report.load
    assert (loaded.added, loaded.changed, loaded.unchanged, report.removed) == (2, 1, 1, 1)
    assert [name.rpartition("/")[2] for name in documents(graph)] == ["garden.txt", "gym.txt", "monday.md", "noon.txt"]
    followed = told(graph, *KINDS)
    graph.driver.execute_query("MATCH (node) DETACH DELETE node")
    run(graph, folder)
    assert followed == told(graph, *KINDS)
    (folder / "gym.txt").unlink()
    kept = run(graph, folder, settings=IndexSettings(keep=True))
    assert (kept.removed, len(documents(graph))) == (0, 4)
    folder.rename(folder.with_name("away"))
    emptied = run(graph, folder, remove_all=True)
    assert (emptied.removed, documents(graph)) == (4, [])
    assert not [number(graph, label) for label in ("Query", "Entity", "Atom", "Community") if number(graph, label)]


def test_a_language_that_is_given_is_read_in_the_same_run(graph: Graph, folder: Path) -> None:
    run(graph, folder, stage_settings=StageSettings(load=LoadSettings(language="en")))
    german = StageSettings(load=LoadSettings(language="de"))
    again = run(graph, folder, stage_settings=german)
    assert (again.load.unchanged, passed_over(again)["extract"]) == (3, None)
    assert set(passed_over(run(graph, folder, stage_settings=german)).values()) == {"up to date"}


# What vanishes


@pytest.fixture
def loaded(graph: Graph, folder: Path) -> Graph:
    """The documents alone."""
    load_documents(graph, SmallEmbedder(), read_documents([folder]))
    return graph


def test_what_is_certainly_gone_has_vanished(loaded: Graph, folder: Path) -> None:
    assert vanished_documents(loaded, [folder]) == []
    (folder / "gym.txt").unlink()
    gone = vanished_documents(loaded, [folder])
    assert [name.rpartition("/")[2] for name in gone] == ["gym.txt"]
    assert vanished_documents(loaded, [folder / "kitchen", folder.with_name("talk"), folder / "gym"]) == []
    (folder / "gym.txt").symlink_to(folder / "gym.txt")  # it is there, and cannot be read
    assert vanished_documents(loaded, [folder]) == []


def test_a_folder_that_is_empty_or_away_is_asked_about(loaded: Graph, folder: Path) -> None:
    folder.rename(folder.with_name("away"))
    asked = r"Of the 3 documents that the graph holds from .*, 3 have no file any more\. Nothing was changed"
    with pytest.raises(InputError, match=asked) as error:
        vanished_documents(loaded, [folder])
    assert "--remove-all" in error.value.remedy
    folder.mkdir()
    with pytest.raises(InputError, match=asked):
        run(loaded, folder)
    assert len(documents(loaded)) == 3
    assert len(vanished_documents(loaded, [folder], all_of_them=True)) == 3


@pytest.mark.rest
def test_a_folder_that_was_moved_is_told(graph: Graph, folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Both go on answering; what is still there, or was never the same, is no such case."""
    before, after = folder, folder.with_name("moved")
    assert run(graph, before).moved_from == ()
    shutil.copytree(before, after)
    assert run(graph, after).moved_from == ()
    shutil.rmtree(before)
    (after / "more.txt").write_text("Gina: The roses need water.", encoding="utf-8")
    report = run(graph, after)
    assert sorted(report.moved_from) == sorted((before / name).as_posix() for name in TALKS)
    IndexDisplay(graph, SmallEmbedder(), None, as_json=False).finish(report)
    told = capsys.readouterr().err
    assert f"3 files of {before} are gone" in told
    assert f"qcg index {before} --remove-all" in told
    assert run(graph, before, remove_all=True).removed == 3
    assert len(documents(graph)) == 4


def written(file: Path, *names: str) -> Path:
    """A file of JSON Lines with a document of each name."""
    lines = [json.dumps({"id": name, "text": f"{name} keeps.", "source": "https://bread.example"}) for name in names]
    file.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    return file


def test_lines_that_vanish_are_followed(graph: Graph, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def gone(**more: bool) -> list[str]:
        lines = Lines()
        load_documents(graph, SmallEmbedder(), lines.noted(read_documents([tmp_path])))
        return sorted(lines.vanished(graph, [tmp_path], **more))

    file, other = written(tmp_path / "a.jsonl", "rye", "spelt", "oats"), written(tmp_path / "b.jsonl", "wheat")
    load_documents(graph, SmallEmbedder(), read_documents([file, other]))
    graph.driver.execute_query("MATCH (document:Document) REMOVE document.listedIn")  # as older versions loaded them
    assert gone() == []
    written(file, "rye", "wheat")
    other.write_text("", encoding="utf-8")  # its only document is listed elsewhere now
    assert gone() == ["oats", "spelt"]
    monkeypatch.setattr("qcg_neo4j.indexing.run.plan.missing_for_spacy", lambda _: "left out, to be quick")
    assert index_files(graph, SmallEmbedder(), [tmp_path]).removed == 2
    file.write_text(file.read_text(encoding="utf-8").splitlines()[0] + "\n{", encoding="utf-8")
    assert gone() == []  # the line that cannot be read may be that of the wheat
    written(file)
    with pytest.raises(InputError, match=r"holds from .*a\.jsonl, 2 have no line any more\. None was removed"):
        gone()
    assert gone(all_of_them=True) == documents(graph) == ["rye", "wheat"]


def test_what_comes_back_during_a_run_stays(loaded: Graph, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("qcg_neo4j.indexing.run.plan.missing_for_spacy", lambda _: "left out, to be quick")
    (folder / "gym.txt").unlink()

    def bring_back(_: Plan) -> None:
        (folder / "gym.txt").write_text("Bob has the key.", encoding="utf-8")

    report = run(loaded, folder, told=Told(plan=bring_back))
    assert (report.load.changed, report.removed, len(documents(loaded))) == (1, 0, 3)


def test_many_that_vanish_at_once_are_asked_about(loaded: Graph, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("gym.txt", "kitchen/lunch.txt"):
        (folder / name).unlink()
    assert len(vanished_documents(loaded, [folder])) == 2  # so few may well be meant
    monkeypatch.setattr(vanishing, "_MANY", 2)
    with pytest.raises(InputError, match=r"Of the 3 documents .* 2 have no file any more"):
        vanished_documents(loaded, [folder])


def test_without_spacy_extraction_is_left_out_and_said(
    graph: Graph, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("qcg_neo4j.indexing.run.plan.missing_for_spacy", lambda _: "spaCy is not installed")
    notes: list[str] = []
    report = run(graph, folder, told=quiet(notes))
    assert passed_over(report)["extract"] == "spaCy is not installed"
    assert passed_over(report)["report"] == "nothing to do it with"
    assert "entities and facts are left out" in notes[0]
    assert status(graph).next_step.command.startswith("qcg retrieve")


def quiet(notes: list[str]) -> Told:
    return Told(plan=lambda plan: notes.extend(plan.notes))


# With a language model


def test_a_model_is_asked_once(graph: Graph, folder: Path, fake: FakeEndpoint) -> None:
    report = run(graph, folder, fake)
    assert report.usage.calls == len(fake.paid) > 8
    before, paid = dump(graph), len(fake.paid)
    again = run(graph, folder, fake)
    assert set(passed_over(again).values()) == {"up to date"}
    assert (again.usage.calls, len(fake.calls), dump(graph)) == (0, paid, before)


@pytest.mark.rest
def test_what_a_model_wrote_is_not_replaced_by_nobodys_work(graph: Graph, folder: Path, fake: FakeEndpoint) -> None:
    run(graph, folder, fake)
    before = dump(graph)
    with pytest.raises(InputError, match=r"queries and .* by small, and no language model is configured now"):
        run(graph, folder)
    assert dump(graph) == before
    run(graph, folder, settings=IndexSettings(source="none"))
    assert {row["writer"] for row in graph.rows("index/writers")} == {
        "sentences",
        "spacy:en_core_web_sm",
        "extractive",
    }


@pytest.mark.rest
def test_what_has_no_reply_is_asked_for_by_the_next_run(graph: Graph, folder: Path) -> None:
    broken = {"now": True}

    def sometimes(count: int, body: Body) -> Manner:
        lunch = broken["now"] and "Lunch is at noon" in str(body)
        return Say("no") if lunch else script(count, body)

    with endpoint(sometimes) as fake:
        report = run(graph, folder, fake)
        assert len(report.missing) >= 2
        broken["now"] = False
        again = run(graph, folder, fake)
    assert (again.missing, passed_over(again)["generate"], passed_over(again)["extract"]) == ((), None, None)


PROCESS = """
import sys
from pathlib import Path
sys.path.insert(0, "tests/materials")
from small_embedder import SmallEmbedder
from qcg_neo4j.database.graph import Graph
from qcg_neo4j.indexing.run import index_files
from qcg_neo4j.models.llm import LanguageModelSettings, LiveModel
from qcg_neo4j.models.replies import ReplyStore
url, folder, store = sys.argv[1:]
settings = LanguageModelSettings(endpoint=url, model="small", retries=0, concurrency=2)
with Graph.connect() as graph, ReplyStore(Path(store)) as opened:
    index_files(graph, SmallEmbedder(), [folder], LiveModel(settings, opened))
"""


@pytest.mark.rest
def test_kill_and_resume(graph: Graph, folder: Path) -> None:
    address, store = graph.address, folder.parent / "replies.sqlite"
    names = ("NEO4J_URI", "NEO4J_USERNAME", "NEO4J_PASSWORD")
    environment = {**os.environ, **dict(zip(names, (address.uri, address.user, address.password), strict=True))}
    root = Path(__file__).parents[2]
    with endpoint(lambda count, body: Say(getattr(script(count, body), "text", ""), seconds=0.05)) as fake:
        for calls in (2, 6, 10):
            process = subprocess.Popen(
                [sys.executable, "-c", PROCESS, fake.url, str(folder), str(store)], cwd=root, env=environment
            )
            until = time.monotonic() + 120
            while len(fake.paid) < calls and process.poll() is None and time.monotonic() < until:
                time.sleep(0.005)
            process.send_signal(signal.SIGKILL)
            process.wait()
        run(graph, folder, fake)
        different = {prompt_of(body) for body in fake.paid}
        assert len(fake.paid) <= len(different) + 3 * 2  # each kill may cost the two calls that were under way
        paid = len(fake.paid)
        again = run(graph, folder, fake)
        assert (len(fake.paid), set(passed_over(again).values())) == (paid, {"up to date"})
    assert not any(status(graph).missing.values())


# The command


@pytest.fixture
def environment(graph: Graph, monkeypatch: pytest.MonkeyPatch) -> None:
    """The graph's address, and the small embedder in the place of the one that takes seconds to load."""
    address = graph.address
    values = {"NEO4J_URI": address.uri, "NEO4J_USERNAME": address.user, "NEO4J_PASSWORD": address.password}
    for name, value in {**values, "COLUMNS": "200"}.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setattr("qcg_neo4j.cli.index.embedder_of", lambda *_: SmallEmbedder())


def call(*arguments: str) -> Result:
    return CliRunner().invoke(command, list(arguments))


def model_options(fake: FakeEndpoint, folder: Path) -> list[str]:
    options = ["--llm", f"small@{fake.url}", "-s", "llm.retries=0"]
    prices = ["-s", "llm.input_price=1", "-s", "llm.output_price=2"]
    return [*options, *prices, "--store", str(folder.parent / "replies.sqlite")]


@pytest.mark.usefixtures("environment")
def test_command_says_what_it_does_without_a_model(folder: Path) -> None:
    (folder / "logo.png").write_bytes(b"x")
    (folder / "broken.txt").write_bytes(b"\x00")
    result = call(str(folder))
    assert result.exit_code == 0, result.output
    assert "No language model writes, since none is configured: queries are the texts' own sentences" in result.stderr
    assert re.search(r"of the evidence among five passages [\d.]+ % instead of [\d.]+ on LiHua-World", result.stderr)
    assert re.search(r"^load +3 new, 0 changed, 0 as they were, 0 removed, 2 left out$", result.stdout, re.MULTILINE)
    assert "1 file of unknown ending (.png 1)" in result.stderr
    assert "broken.txt: " in result.stderr
    told = json.loads(call(str(folder), "--json").stdout)
    assert (told["load"]["unchanged"], told["estimate"]) == (3, None)
    assert {step["passed_over"] for step in told["steps"]} == {"up to date"}
    alone = call(str(folder / "logo.png"))
    assert "Nothing was loaded" in str(alone.exception)
    assert "Done" not in alone.stdout
    shutil.rmtree(folder)
    gone = call(str(folder))
    assert "3 have no file any more" in str(gone.exception)
    assert "No language model writes" not in gone.stderr


@pytest.mark.usefixtures("environment")
@pytest.mark.rest
def test_command_estimates_before_anything_is_loaded_and_bills_after(
    graph: Graph, folder: Path, fake: FakeEndpoint
) -> None:
    options = model_options(fake, folder)
    sections = folder / "house.md"  # which stay together in one chunk
    sections.write_text("# House\n\n## Gym\n\nFred closes it.\n\n## Garden\n\nGina waters it.\n", encoding="utf-8")
    told = json.loads(call(str(folder), *options, "--estimate", "--json").stdout)
    assert (told["stages"]["generate"]["requests"], told["stages"]["extract"]["requests"]) == (4, 8)
    sections.unlink()
    told = json.loads(call(str(folder), *options, "--estimate", "--json").stdout)
    assert (documents(graph), fake.calls) == ([], [])
    assert (told["stages"]["generate"]["requests"], told["stages"]["extract"]["requests"]) == (3, 6)
    assert told["total"]["usage"]["calls"] == sum(stage["usage"]["calls"] for stage in told["stages"].values()) > 9
    assert told["total"]["cost"] == pytest.approx(sum(stage["cost"] for stage in told["stages"].values()))
    shown = call(str(folder), *options, "--estimate")
    assert "Together: " in shown.stderr
    result = call(str(folder), *options)
    assert result.exit_code == 0, result.output
    assert result.stderr.count("Estimate: ") == 1
    assert f"│ calls         │ {told['total']['usage']['calls']}" in result.stdout
    assert f"│ {len(fake.paid)} " in result.stdout
    again = call(str(folder), *options)
    assert "Estimate: " not in again.stderr
    told = json.loads(call(str(folder), *options, "--estimate", "--json").stdout)["stages"]["generate"]
    assert (told["requests"], told["known"]) == (3, 3)  # what is loaded and in the folder counts once


@pytest.mark.usefixtures("environment")
@pytest.mark.rest
def test_command_tells_what_is_missing(folder: Path) -> None:
    with endpoint(lambda count, body: Say("no") if "Lunch" in str(body) else script(count, body)) as fake:
        result = call(str(folder), *model_options(fake, folder))
    assert isinstance(result.exception, MissingReplyError)
    assert "have no reply of the language model" in str(result.exception)
    assert re.search(r"  \S*lunch\.txt, chunk 0: ", str(result.exception))  # no hash, which nobody can look up
    assert "without a reply" in result.stdout


@pytest.mark.usefixtures("environment")
def test_command_stops_when_the_endpoint_is_gone(graph: Graph, folder: Path) -> None:
    with endpoint(lambda _, __: Fail(401)) as fake:
        result = call(str(folder), *model_options(fake, folder))
    assert isinstance(result.exception, LanguageModelError)
    assert status(graph).next_step.command == f"qcg index {folder}"


@pytest.mark.usefixtures("environment")
@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["{folder}/none"], "There is no file or folder"),
        (["{folder}", "--source", "model"], "No language model is configured"),
        (["{folder}", "--watch", "--source", "model"], "No language model is configured"),
        (["{folder}/none", "--watch"], "There is no file or folder"),
        (["{folder}", "-s", "generate.pairs_per_chunk=0"], "pairs_per_chunk"),
    ],
)
def test_command_refuses(graph: Graph, folder: Path, arguments: list[str], said: str) -> None:
    result = call(*[argument.format(folder=folder) for argument in arguments])
    assert said in str(result.exception)
    assert documents(graph) == []


@pytest.mark.rest
def test_following_tells_what_is_wrong_and_goes_on(graph: Graph, folder: Path) -> None:
    """A round per change, a broken one in between, Ctrl-C at the end."""
    address, log = graph.address, folder.parent / "log"
    names = ("NEO4J_URI", "NEO4J_USERNAME", "NEO4J_PASSWORD")
    environment = {**os.environ, **dict(zip(names, (address.uri, address.user, address.password), strict=True))}
    environment |= {"COLUMNS": "200", "PYTHONUNBUFFERED": "1"}
    code = (
        "import sys; sys.path.insert(0, 'tests/materials')\nfrom small_embedder import SmallEmbedder\n"
        "import qcg_neo4j.cli.index as i\n"
        "import qcg_neo4j.indexing.run.plan as plan; plan.missing_for_spacy = lambda _: 'left out, to be quick'\n"
        f"i.embedder_of = lambda *_: SmallEmbedder()\nsys.argv = ['qcg', 'index', {str(folder)!r}, '--watch']\n"
        "from qcg_neo4j.cli import main\nmain()"
    )
    with log.open("w", encoding="utf-8") as out:
        process = subprocess.Popen(
            [sys.executable, "-X", "faulthandler", "-c", code],
            cwd=Path(__file__).parents[2],
            env=environment,
            stdout=out,
            stderr=out,
        )
        try:
            awaited(log, r"load +3 new[\s\S]*Following changes")
            (folder / "garden.txt").write_text("Gina: The roses need water.", encoding="utf-8")
            awaited(log, r"load +1 new, 0 changed, 3 as they were[\s\S]*Following changes")
            away = folder / "kitchen"
            for file in [*folder.glob("*.txt"), *away.iterdir()]:
                file.unlink()
            awaited(log, "4 have no file any more[\\s\\S]*Tried again after the next change")
            assert len(documents(graph)) == 4
            (folder / "gym.txt").write_text(TALKS["gym.txt"], encoding="utf-8")
            awaited(log, r"1 as they were, 3 removed")
        finally:
            process.send_signal(signal.SIGINT)
            try:
                code_of_exit = process.wait(60)
            except subprocess.TimeoutExpired:
                process.send_signal(signal.SIGABRT)  # with faulthandler it says where it was
                process.wait()
                raise AssertionError(log.read_text(encoding="utf-8")) from None
    text = log.read_text(encoding="utf-8")
    assert code_of_exit == 130, text
    assert "No longer following. What is done is kept" in text
    assert "Traceback" not in text
    assert text.count("No language model writes") == 1


def awaited(log: Path, pattern: str, seconds: float = 90) -> None:
    until = time.monotonic() + seconds
    while not re.search(pattern, text := log.read_text(encoding="utf-8")):
        assert time.monotonic() < until, text
        time.sleep(0.05)
