"""The reproductions: expected figures come from the committed tables, a run is held to them, a fast part runs here."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import tomllib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import answer_latency
import answers
import click
import expect
import folder as any_folder
import lihuaworld
import making
import medical
import misses
import musique
import pytest
import sample as packaged
import shown
import transfer
import twowiki
from click.testing import CliRunner
from conftest import SAMPLE
from expected import (
    Deviation,
    Expected,
    OutsideError,
    as_toml,
    check,
    conclude,
    conditions,
    deviations,
    read_expected,
    read_figures,
    write_reference,
)
from link_prediction import SEEDS, VARIANTS, Kept, write_rows
from overview import draw_overview, read_point
from published import as_markdown
from relevance_floor import learned
from small_embedder import SmallEmbedder

from qcg_neo4j.core.errors import InputError
from qcg_neo4j.core.records import SourceDocument
from qcg_neo4j.database.graph import Graph
from qcg_neo4j.evaluation import EvaluateSettings, Question, evaluate_retrieval, lineup_of, read_lineup
from qcg_neo4j.indexing.load import load_documents
from qcg_neo4j.models.replies import Recording

ROOT = Path(__file__).parents[2]
SHARED = Path(os.environ.get("QCG_DATA") or ROOT.parent / "shared/data")
QUICK = EvaluateSettings(latency=False, resamples=100)
HEAD = "system,recall@2,recall@5,MRR\n"
TABLE = Expected("t", "python x", {"half": "all"}, 0.3, {"a": {"recall@5": 80.0, "MRR": 61.21}})


def named(corpus: expect.Corpus) -> str:
    return corpus.here.name


def made(folder: Path, *lines: str) -> Path:
    (folder / "t").mkdir(parents=True)
    (folder / "t/table.csv").write_text(HEAD + "".join(f"{line}\n" for line in lines), encoding="utf-8")
    return folder


# What stands in the project


@pytest.mark.parametrize("corpus", expect.CORPORA, ids=named)
def test_the_expected_figures_are_those_of_the_committed_tables(corpus: expect.Corpus) -> None:
    tables, file = corpus.expected(), corpus.here / "expected.toml"
    assert bool(tables) == file.exists(), "run `make expected`"
    if tables:
        assert file.read_text(encoding="utf-8") == as_toml(tables), "run `make expected`"
        assert {path.parent.name for path in corpus.here.glob("tables/*/table.csv")} == {one.name for one in tables}
        check(file, corpus.here / "tables")


@pytest.mark.parametrize("corpus", expect.CORPORA[:2], ids=named)
def test_the_references_name_systems_and_their_page_is_current(corpus: expect.Corpus, tmp_path: Path) -> None:
    tables = {table.name: table for table in corpus.tables}
    figures = tomllib.loads((corpus.here / "reference.toml").read_text(encoding="utf-8"))["figure"]
    for figure in figures:
        table = tables[figure["table"]]
        lineup = read_lineup(corpus.here / table.systems, source=Recording([]))
        trained = [variant.name for variant in VARIANTS] if table.links else []
        assert figure["system"] in [*(system.name for system in lineup.systems), *trained]
    page = (corpus.here / "tables/reference.md").read_text(encoding="utf-8")
    shutil.copytree(corpus.here / "tables", tmp_path / "tables")
    assert write_reference(corpus.here, tmp_path / "tables", corpus.command) == page, "run `make expected`"


def test_the_conditions_are_what_differs_from_the_defaults() -> None:
    table = next(table for table in lihuaworld.TABLES if table.name == "kept-share-0.2")
    assert conditions(table) == {
        "systems": "conditions.toml",
        "load": {},
        "generate": {"source": "replies", "kept_share": 0.2},
        "graph": "recorded",
        "half": "all",
    }


@pytest.mark.parametrize("name", ["lihuaworld", "musique"])
def test_the_picture_is_drawn_from_the_tables(name: str, tmp_path: Path) -> None:
    here = lihuaworld.HERE.parent / name
    shutil.copytree(here, tmp_path / name, ignore=shutil.ignore_patterns("home", "*.png", "runs.jsonl"))
    assert draw_overview(tmp_path / name)
    assert (tmp_path / name / "tables/overview.png").read_bytes().startswith(b"\x89PNG")
    assert (here / "tables/overview.png").exists()


def test_a_system_that_a_table_lacks_is_an_error_and_a_table_not_made_yet_is_none(tmp_path: Path) -> None:
    made(tmp_path, "a,0.5,0.6,0.7", "s,0.1,0.2,0.3", "s,0.1,0.4,0.3")
    assert read_point("x", tmp_path / "other", "a") is None
    with pytest.raises(InputError, match="has no system 'b'"):
        read_point("x", tmp_path / "t", "b")
    several = read_point("x", tmp_path / "t", "s")
    assert several is not None
    assert (several.low, several.high, several.seeds) == (20, 40, 2)
    assert several.value == pytest.approx(30)


def test_the_page_shows_at_most_ten_rows_of_a_table() -> None:
    for table in tomllib.loads(shown.SHOWN.read_text(encoding="utf-8")).values():
        assert len(table["rows"]) <= 10


def test_a_system_that_is_not_in_its_table_is_named() -> None:
    with pytest.raises(InputError, match="nobody"):
        shown.Column("lihuaworld", "layers", "recall@5").figure({"system": "nobody"})


def test_published_figures_stand_apart_from_ours() -> None:
    lines = as_markdown().splitlines()
    paper = next(line for line in lines if line.startswith("| QCG-RAG | 73.16"))
    own = next(line for line in lines if line.startswith("| BM25 | 32.3 | 41.2"))
    figures = read_figures(musique.HERE / "tables/methods/table.csv")["BM25"]
    assert f"| {figures['recall@2']:.1f} | {figures['recall@5']:.1f} (" in own
    assert "qcg, paper's LiHua-World setting" in paper


# How a run is held to it


def test_toml_comes_back_as_it_was_written(tmp_path: Path) -> None:
    odd = replace(TABLE, name='"t" \\ é', figures={'a "b", α': {"recall@5": 80.123}})
    (tmp_path / "expected.toml").write_text(as_toml([TABLE, odd]), encoding="utf-8")
    assert read_expected(tmp_path / "expected.toml") == [
        TABLE,
        replace(odd, figures={'a "b", α': {"recall@5": 80.12}}),
    ]


def test_what_is_outside_its_tolerance_or_missing_is_named() -> None:
    assert list(deviations(TABLE, {"a": {"recall@5": 80.3, "MRR": 60.91}})) == []
    assert list(deviations(TABLE, {"a": {"recall@5": 80.4, "MRR": 60.8}})) == [
        Deviation("t", "a", "recall@5", 80.0, 80.4, 0.3),
        Deviation("t", "a", "MRR", 61.21, 60.8, 0.3),
    ]
    assert [one.measured for one in deviations(TABLE, {"b": {}})] == [None, None]


def test_what_is_found_by_communities_may_differ_more(tmp_path: Path) -> None:
    figures = {"graphrag-global, C1": {"MRR": 70.0}, "layers": {"MRR": 70.0}}
    table = replace(TABLE, figures=figures, communities=4.0)
    (tmp_path / "expected.toml").write_text(as_toml([table]), encoding="utf-8")
    assert read_expected(tmp_path / "expected.toml") == [table]
    for measured, outside in ((73.0, ["layers"]), (75.0, ["graphrag-global, C1", "layers"])):
        found = deviations(table, {system: {"MRR": measured} for system in figures})
        assert [one.system for one in found] == outside


def test_a_run_is_compared_at_its_end(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    output = made(tmp_path / "tables", "a,0.1,0.79,0.6121")
    conclude(tmp_path, output, None)
    assert "there are no expected figures" in capsys.readouterr().out
    (tmp_path / "expected.toml").write_text(as_toml([TABLE]), encoding="utf-8")
    conclude(tmp_path, output, 5)
    assert "Not compared" in capsys.readouterr().out
    with pytest.raises(OutsideError, match=r"(?s)1 of 2 figures.*\| t \| a \| recall@5 \| 80.00 \| 79.00 \| 0.3 \|"):
        conclude(tmp_path, output, None)
    conclude(tmp_path, tmp_path / "nothing made", None)
    assert "0 figures of 0 tables" in capsys.readouterr().out


def test_figures_of_several_seeds_are_their_mean_and_times_take_no_part(tmp_path: Path) -> None:
    made(tmp_path, "a,0.1,0.2,0.3", "a,0.2,0.4,0.3")
    assert read_figures(tmp_path / "t/table.csv")["a"] == pytest.approx({"recall@2": 15, "recall@5": 30, "MRR": 30})
    rows: list[medical.Row] = [{"system": "a", "Fact Retrieval": 0.5, "all": 0.25, "median seconds": 0.01}]
    medical.write_table(tmp_path / "m", rows, 3, "python x")
    assert read_figures(tmp_path / "m/table.csv") == {"a": {"Fact Retrieval": 50, "all": 25}}
    assert "| a | 50.0 | 25.0 | 10 |" in (tmp_path / "m/table.md").read_text(encoding="utf-8")


# Predictors elsewhere


def test_half_of_the_documents_comes_later_and_those_of_one_question_stay_together() -> None:
    questions = [Question(str(n), f"{n}?", (f"{n}", f"{n + 1}"), position=n) for n in range(0, 40, 4)]
    documents = tuple(SourceDocument(f"{n}", "Text.") for n in range(80))
    data = making.Data(documents, questions, Path(), {}, Path(), Path(), "")
    halves = [transfer.later_half(data, seed) for seed in SEEDS]
    assert halves[0] == transfer.later_half(data, 0)
    assert len(set(halves)) == len(halves)
    for half in halves:
        assert 35 <= len(half) <= 45  # of 70 groups 35 are drawn, ten of which are pairs
        assert half < {document.id for document in documents}
        assert all(len(half & set(question.evidence)) in (0, 2) for question in questions)


def test_rows_of_an_interrupted_run_are_kept_and_a_system_has_a_line_for_all_its_seeds(tmp_path: Path) -> None:
    figures = {"recall@2": 50.0, "recall@5": 60.0, "MRR": 70.0}
    Kept(tmp_path).add({"variant": "a", "seed": "", **figures}, {"variant": "s", "seed": 0, **figures})
    kept = Kept(tmp_path)
    assert kept.has("s", 0)
    assert not kept.has("s", 1)
    kept.add({"variant": "s", "seed": 1, **figures, "MRR": 80.0})
    write_rows(tmp_path, "# Page\n", kept.rows)
    assert (tmp_path / "table.csv").read_text("utf-8").splitlines()[1:] == [
        "a,,0.5,0.6,0.7",
        "s,0,0.5,0.6,0.7",
        "s,1,0.5,0.6,0.8",
    ]
    assert "| s | 50.0 (50.0 to 50.0) | 60.0 (60.0 to 60.0) | 75.0 (70.0 to 80.0) |" in (
        tmp_path / "table.md"
    ).read_text("utf-8")


# What is missing


@pytest.mark.parametrize(
    ("main", "missing"),
    [
        (lihuaworld.main, "passages.jsonl, questions.jsonl, recorded/pairs.jsonl"),
        (twowiki.main, "passages.jsonl, questions.jsonl, recorded/pairs.jsonl"),
        (musique.main, "questions.json, openie.json, recorded/passages.jsonl"),
        (medical.main, "chunks.json, questions.json"),
        (any_folder.main, "passages.jsonl, questions.jsonl"),
    ],
)
def test_missing_files_are_named_before_a_server_starts(main: click.Command, missing: str, tmp_path: Path) -> None:
    found = CliRunner().invoke(main, [str(tmp_path)])
    assert isinstance(found.exception, InputError)
    assert f"lacks {missing}" in found.exception.problem
    assert found.exception.remedy
    assert isinstance(CliRunner().invoke(main, [str(tmp_path / "none")]).exception, InputError)
    assert not list(tmp_path.iterdir())


def test_both_data_sets_are_needed_before_a_server_starts(tmp_path: Path) -> None:
    found = CliRunner().invoke(transfer.main, [str(tmp_path), str(tmp_path)])
    assert isinstance(found.exception, InputError)
    assert "lacks passages.jsonl, questions.jsonl, recorded/pairs.jsonl" in found.exception.problem
    assert not list(tmp_path.iterdir())


def test_a_script_ends_with_one_message_and_an_exit_code(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        making.run(any_folder.main, [str(tmp_path)])
    assert ended.value.code == 2
    assert capsys.readouterr().err.startswith(f"Error: {tmp_path} lacks passages.jsonl, questions.jsonl.\n")


@pytest.mark.parametrize("data", [[], ["DATA=/no/such/folder"]])
@pytest.mark.parametrize("target", ["reproduce", "reproduce-lihuaworld", "reproduce-musique", "reproduce-medical"])
def test_make_asks_for_the_data_first(target: str, data: list[str], tmp_path: Path) -> None:
    if not shutil.which("make"):
        pytest.skip("make is not there")
    done = subprocess.run(
        ["make", "--makefile", ROOT / "Makefile", target, *data],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 2
    assert "DATA=FOLDER" in done.stderr
    assert not list(tmp_path.iterdir())


def test_misses_are_counted_by_what_would_have_found_them() -> None:
    questions = [Question(str(number), f"Who {number}?", (f"{number}",), type="one hop") for number in range(3)]
    nowhere: dict[str, int | None] = dict.fromkeys(["all layers", *misses.ALONE, "with sub-questions"])
    found = [
        misses.Miss(questions[0], "0", {**nowhere, "atom": 5, "all layers": 7}, "9"),
        misses.Miss(questions[1], "1", {**nowhere, "atom": 6, "with sub-questions": 1}, "9"),
    ]
    table = misses.page(found, questions, "python x")
    assert "| one hop | 3 | 2 | 2 | 1 | 1 | 1 |" in table
    assert "| Who 0? | one hop | 0 | 7 | – | – | 5 | – | – | – | – | – | 9 |" in table


def test_a_file_that_is_not_json_is_named(tmp_path: Path) -> None:
    (tmp_path / "chunks.json").write_text("[", encoding="utf-8")
    with pytest.raises(InputError, match=r"chunks.json is not JSON"):
        making.read_json(tmp_path / "chunks.json")


def test_what_asks_a_model_is_known() -> None:
    asking = {path.stem for path in lihuaworld.HERE.glob("*.toml") if making.asks(path)}
    assert {"kg_cqr", "atomic", "atomic_grid"} <= asking
    assert not asking & {"layers", "systems", "sweep", "conditions"}


# A fast part, on a real server


def write_lines(path: Path, lines: list[dict[str, object]]) -> None:
    path.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")


@pytest.fixture
def small(tmp_path: Path) -> Path:
    """A folder in the format, without recordings."""
    facts = [
        "The kiln stands in Avila. It burns at night.",
        "Mara keeps bees. Her hives are blue.",
        "Rain fell on Oslo.",
    ]
    write_lines(
        tmp_path / "passages.jsonl", [{"document": f"d{n}", "index": 0, "text": text} for n, text in enumerate(facts)]
    )
    asked = ["Where does the kiln stand?", "Who keeps bees?", "Where did rain fall?"]
    write_lines(
        tmp_path / "questions.jsonl",
        [{"id": str(n), "question": text, "evidence": [f"d{n}"]} for n, text in enumerate(asked)],
    )
    return tmp_path


def test_any_folder_gives_the_tables_that_its_recordings_allow(
    small: Path, graph: Graph, monkeypatch: pytest.MonkeyPatch
) -> None:
    @contextmanager
    def here(home: Path) -> Iterator[Graph]:
        assert home == small / "home"
        yield graph

    monkeypatch.setattr(making, "own_graph", here)
    monkeypatch.setattr(making, "open_embedder_of", lambda *_: SmallEmbedder())
    first = CliRunner().invoke(any_folder.main, [str(small)])
    assert first.exit_code == 0, (first.output, str(first.exception))
    made = sorted(path.parent.name for path in (small / "tables").glob("*/table.csv"))
    assert made == ["no-model", "text-sentences"]
    left_out = [line.partition(" is left out: ")[0] for line in first.stdout.splitlines() if "is left out" in line]
    assert left_out == [table.name for table in any_folder.TABLES if table.name not in made]
    assert "kg-cqr is left out: there is no pairs.jsonl and no graph.jsonl and no analyses.jsonl." in first.stdout
    page = (small / "tables/text-sentences/table.md").read_text(encoding="utf-8")
    assert f"{small.name}: 3 documents, 3 questions." in page
    assert CliRunner().invoke(expect.main, [str(small)]).exit_code == 0
    again = CliRunner().invoke(any_folder.main, [str(small)])
    assert "figures of 2 tables are those of" in again.stdout
    file = small / "expected.toml"
    file.write_text(file.read_text(encoding="utf-8").replace("MRR = ", "MRR = 1"), encoding="utf-8")
    assert isinstance(CliRunner().invoke(any_folder.main, [str(small)]).exception, OutsideError)


def test_the_sample_has_its_expected_figures(sample: Graph, tmp_path: Path) -> None:
    table, data = packaged.TABLES[0], packaged.data(packaged.SAMPLE)
    lineup = read_lineup(packaged.HERE / table.systems, source=data.source)
    evaluate_retrieval(sample, data.questions, lineup, tmp_path / table.name, QUICK)
    assert "24 figures of 1 tables" in check(packaged.HERE / "expected.toml", tmp_path)


@pytest.mark.parametrize(("name", "folder"), [("lihuaworld", "lihuaworld"), ("musique", "musique-train100")])
def test_recorded_answers_have_the_committed_table(name: str, folder: str, tmp_path: Path) -> None:
    if not (SHARED / folder).is_dir():
        pytest.skip(f"{SHARED / folder} is not there")
    done = CliRunner().invoke(answers.main, [name, str(SHARED / folder), "--output", str(tmp_path)])
    assert done.exit_code == 0, done.output
    for written in ("answers.md", "answers.csv"):
        committed = answers.HERE / name / "tables/answers" / written
        assert (tmp_path / written).read_text("utf-8") == committed.read_text("utf-8")


def test_the_words_of_the_whole_benchmark_find_what_the_table_says(graph: Graph, tmp_path: Path) -> None:
    """BM25 needs no vectors, so all of LiHua-World takes seconds with an embedder that knows nothing."""
    if not (SHARED / "lihuaworld").is_dir():
        pytest.skip(f"{SHARED / 'lihuaworld'} is not there")
    data = lihuaworld.data(SHARED / "lihuaworld")
    graph.embedder = embedder = SmallEmbedder()
    load_documents(graph, embedder, iter(data.documents))
    result = evaluate_retrieval(graph, data.questions, lineup_of(["fulltext"]), tmp_path, QUICK)
    table = next(one for one in read_expected(lihuaworld.HERE / "expected.toml") if one.name == "atomic")
    words = replace(table, figures={"BM25": table.figures["BM25"]})
    measured = {name: 100 * figure.mean for name, figure in result.rows[0].figures.items()}
    assert list(deviations(words, {"BM25": measured})) == []


def test_the_passages_of_an_answer_are_timed_beside_five(sample: Graph) -> None:
    questions = [json.loads(line)["question"] for line in (SAMPLE / "questions.jsonl").read_text().splitlines()]
    few, answer = answer_latency.measured(sample, questions[: answer_latency.WARM_UP + 2], "x").rows
    assert (few.size, few.ratio, few.returned) == (2, 1, 5)
    assert 5 <= (answer.returned or 0) <= 25
    assert (answer.ratio or 0) > 0


def test_the_floor_that_is_advised_was_learned_and_costs_what_the_page_says(sample: Graph) -> None:
    """Even questions to learn: the floor that parts them best. Odd ones to report, as the page has it."""
    lines = [json.loads(line) for line in (SAMPLE / "questions.jsonl").read_text().splitlines()]
    own = [(line["question"], frozenset(line["evidence"])) for line in lines if line["evidence"]]
    best, costs = learned(sample, own)
    rows = [f"| {' | '.join(row)} |" for row in costs]
    page = (ROOT / "qcg_neo4j/retrieval/README.md").read_text()
    told = "\n".join([f"learned: {best:g}", *rows])
    assert f"{best:g} is best" in page, told
    assert all(each in page for each in rows), told
