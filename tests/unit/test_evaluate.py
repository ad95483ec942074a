"""Evaluation without a database: questions, line-ups, measures, statistics, table, picture, stored results."""

from __future__ import annotations

import csv
import io
import itertools
import json
import math
import resource
from dataclasses import asdict, replace
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner
from filelock import FileLock
from matplotlib import colors, image
from scipy import stats

from qcg_neo4j.cli import qcg
from qcg_neo4j.cli.evaluation_options import fitting, show
from qcg_neo4j.cli.terminal import print_table
from qcg_neo4j.core.errors import InputError, QcgError
from qcg_neo4j.core.records import Passage
from qcg_neo4j.evaluation import (
    EvaluateSettings,
    Lineup,
    Question,
    RetrievalResult,
    lineup_of,
    read_lineup,
    read_questions,
    select,
)
from qcg_neo4j.evaluation import figures as figures_module
from qcg_neo4j.evaluation.figures import bootstrap_intervals, holm, sign_flip_p
from qcg_neo4j.evaluation.folder import Kept, open_kept
from qcg_neo4j.evaluation.page import LOOKS, as_csv
from qcg_neo4j.evaluation.retrieval.outcomes import DOCUMENTS, KINDS, TIMES, Asked, Outcome, documents
from qcg_neo4j.evaluation.retrieval.page import MOST_ROWS, as_markdown, breakdown, figure_table, plot, record
from qcg_neo4j.evaluation.retrieval.result import MEASURES, ceilings, measure, rows_of, values_of
from qcg_neo4j.models.replies import Recording

GOLDEN = Path(__file__).parents[1] / "golden/evaluate_retrieval.md"


def write(path: Path, text: str | bytes) -> Path:
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return path


# Questions


def test_questions_are_read_as_they_stand(tmp_path: Path) -> None:
    text = (
        '\ufeff{"id": 7, "question": " Who? ", "evidence": ["a", "b", "a"], "type": "multi", "answer": "He"}\n\n'
        '{"question": "What?", "evidence": []}'
    )
    assert read_questions(write(tmp_path / "q.jsonl", text)) == [
        Question("7", "Who?", ("a", "b"), "multi", "He", 0),
        Question("1", "What?", (), "", None, 1),
    ]


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ("{", "not JSON"),
        ("[1]", "not a JSON object"),
        (b"\xff", "not UTF-8: byte 0xff at position 0"),
        ('{"evidence": []}', "'question' is missing"),
        ('{"question": 3, "evidence": []}', "'question' is not a text"),
        ('{"question": "  ", "evidence": []}', "The question is empty."),
        ('{"question": "' + "x" * 20_001 + '", "evidence": []}', "at most 20,000"),
        ('{"question": "q"}', "'evidence' is missing"),
        ('{"question": "q", "evidence": "a"}', "not a list of document ids"),
        ('{"question": "q", "evidence": ["a", 1]}', "not a list of document ids"),
        ('{"question": "q", "evidence": [""]}', "not a list of document ids"),
        ('{"question": "q", "evidence": [], "type": 1}', "'type' is not a text"),
        ('{"question": "q", "evidence": [], "answer": ["a"]}', "'answer' is not a text"),
        ('{"question": "q", "evidence": [], "id": true}', "'id' is neither"),
        ('{"question": "q", "evidence": [], "id": "0"}', "the id '0' is that of line 1 as well"),
        ('{"question": "q\\ud83d", "evidence": []}', "'question' contains an unpaired surrogate"),
        ('{"question": "q", "evidence": ["\\ud83d"]}', "a text contains an unpaired surrogate"),
        ("[" * 100_000, "not JSON"),
    ],
)
def test_a_wrong_line_is_named(tmp_path: Path, line: str | bytes, reason: str) -> None:
    good = b'{"question": "q", "evidence": ["a"]}\n'
    path = write(tmp_path / "q.jsonl", good + (line if isinstance(line, bytes) else line.encode()) + b"\n")
    with pytest.raises(InputError) as caught:
        read_questions(path)
    assert caught.value.problem.startswith(f"{path}:2: ")
    assert reason in caught.value.problem
    assert "A line looks like" in caught.value.remedy


def test_many_wrong_lines_are_counted(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="… and 4 more"):
        read_questions(write(tmp_path / "q.jsonl", "{\n" * 9))


@pytest.mark.parametrize(("content", "reason"), [(None, "cannot be read"), ("\n \n", "is empty")])
def test_a_file_without_questions(tmp_path: Path, content: str | None, reason: str) -> None:
    path = tmp_path / "q.jsonl" if content is None else write(tmp_path / "q.jsonl", content)
    with pytest.raises(InputError, match=reason):
        read_questions(path)


def many(number: int) -> list[Question]:
    kinds = ("single", "multi", "single")
    return [Question(str(n), f"Question {n}?", (f"d{n}",), kinds[n % 3], None, n) for n in range(number)]


def test_a_selection_is_half_then_type_then_limit() -> None:
    assert [item.position for item in select(many(10), "even")] == [0, 2, 4, 6, 8]
    assert [item.position for item in select(many(10), "odd", ["single"], 2)] == [3, 5]
    assert len(select(many(10))) == 10


@pytest.mark.parametrize(("types", "half", "reason"), [(["multy"], "all", "multy"), (["multi"], "even", "no question")])
def test_an_empty_selection_is_refused(types: list[str], half: str, reason: str) -> None:
    with pytest.raises(InputError, match=reason):
        select(many(2), half, types)


# Groups of questions


def test_figures_by_type_and_by_number_of_documents() -> None:
    questions = [
        Question("1", "a?", ("a",), "single"),
        Question("2", "b?", ("b", "c"), "multi"),
        Question("3", "c?", ("a",), ""),
        Question("4", "d?", tuple("abcde"), "multi"),
    ]
    rankings = {"good": [["a"], ["c", "b"], ["x", "a"], list("abcde")], "bad": [["x"], ["b"], [], ["x", "y", "z", "a"]]}
    values = {system: measure(questions, found) for system, found in rankings.items()}
    page = breakdown(questions, values, "the command")
    assert page.startswith("# Retrieval by groups of questions\n\n    the command\n")
    types, numbers = (part.splitlines() for part in page.split("## ")[1:])
    assert types[2].count("(2)") == 2
    assert [cell.split(",")[-1].strip() for cell in types[2].split("|")[2:-1:2]] == [
        "multi (2)",
        "single (1)",
        "without a type (1)",
    ]
    assert types[4] == "| good | 100.0 | 100.0 | 100.0 | 100.0 | 100.0 | 50.0 |"
    # Multi: recall (1/2 + 1/5) / 2 and reciprocal ranks (1 + 1/4) / 2.
    assert types[5] == "| bad | 35.0 | 62.5 | 0.0 | 0.0 | 0.0 | 0.0 |"
    assert numbers[4] == "| good | 100.0 | 75.0 | 100.0 | 100.0 | 100.0 | 100.0 |"
    assert numbers[5] == "| bad | 0.0 | 0.0 | 50.0 | 100.0 | 20.0 | 25.0 |"


# Line-ups


def test_a_lineup_is_read_and_sweeps_are_multiplied_out(tmp_path: Path) -> None:
    path = write(
        tmp_path / "s.toml",
        'note = "n"\n[[system]]\nmethod = "vector"\n[[system]]\nname = "mean"\nmethod = "vector"\nscoring = "mean"\n'
        '[[sweep]]\nname = "q"\nmethod = "qcg"\nhops = [0, 1]\nqueries = [5, 10]\nminimum_score = 1.5\n',
    )
    lineup = read_lineup(path)
    assert [system.name for system in lineup.systems] == [
        "vector",
        "mean",
        *(f"q: hops {h}, queries {n}" for h, n in itertools.product((0, 1), (5, 10))),
    ]
    assert (lineup.baseline, lineup.note) == ("vector", "n")
    assert vars(lineup.systems[4].retriever.settings).items() >= {"hops": 1, "queries": 5, "minimum_score": 1.5}.items()
    assert read_lineup(path, "mean").baseline == "mean"


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("system = ", "not TOML"),
        ("", "lists no system"),
        ('[[systems]]\nmethod = "qcg"', "'systems'.*\n.*'system'"),
        ('[system]\nmethod = "qcg"', "not a list of tables"),
        ('[[system]]\nname = "x"', "system 1 has no method"),
        ('[[system]]\nmethod = "qgc"', "'qgc'.*\n.*'qcg'"),
        ('[[system]]\nmethod = "qcg"\nhop = 1', "'hop'.*\n.*'hops'"),
        ('[[system]]\nmethod = "qcg"\nhops = 101', "hops is 101, but must be 0 to 100"),
        ('[[system]]\nmethod = "qcg"\nhops = [1]', "must be of type int"),
        ('[[system]]\nmethod = "vector"\nhops = 1', "no setting 'hops'"),
        ('[[system]]\nmethod = "qcg"\n[[system]]\nmethod = "qcg"', "Two systems have the name 'qcg'"),
        ("[[system]]\nmethod = 1", "'method' is not a text"),
        ('baseline = "vectr"\n[[system]]\nmethod = "vector"', "baseline 'vectr'.*\n.*'vector'"),
        ('[[sweep]]\nmethod = "qcg"\nhops = 1', "no list of values"),
        ('[[sweep]]\nmethod = "qcg"\nhops = []', "no list of values"),
        ('[[sweep]]\nmethod = "qcg"\nhops = [0, 107]', "hops is 107"),
        (f'[[sweep]]\nmethod = "qcg"\nqueries = {list(range(200))}\npassages = {list(range(200))}', "40,000 systems"),
    ],
)
def test_a_wrong_lineup_is_named(tmp_path: Path, text: str, reason: str) -> None:
    path = write(tmp_path / "s.toml", text)
    with pytest.raises(QcgError, match=reason) as caught:
        read_lineup(path)
    assert "baseline" in reason or str(path) in str(caught.value) or "Two systems" in reason


def test_methods_by_name() -> None:
    assert lineup_of(["qcg", "qcg"]).systems == lineup_of(["qcg"]).systems
    assert lineup_of(["qcg"]).baseline is None
    assert lineup_of([]).baseline == "vector"
    assert {"qcg", "vector", "fulltext", "hybrid", "d2q", "d2q--"} <= {system.name for system in lineup_of([]).systems}


def test_the_deep_ranking_changes_only_what_is_returned() -> None:
    own = lineup_of(["qcg"]).systems[0]
    deep = own.at_depth(50).settings
    assert (deep.passages, deep.context_tokens > 10**9) == (50, True)
    assert replace(deep, passages=5, context_tokens=6000) == own.retriever.settings


# Measures


def twin(evidence: tuple[str, ...], ranking: list[str]) -> dict[str, float]:
    """The measures in plain Python."""
    found = [place for place, document in enumerate(ranking, start=1) if document in evidence]

    def top(k: int) -> int:
        return sum(place <= k for place in found)

    ideal = sum(1 / math.log2(place + 1) for place in range(1, min(10, len(evidence)) + 1))
    return {
        **{f"recall@{k}": top(k) / len(evidence) for k in (1, 2, 5, 10, 25)},
        **{f"hit@{k}": float(top(k) > 0) for k in (1, 5, 10)},
        "MRR": 1 / found[0] if found else 0.0,
        "mAP": sum(top(place) / place for place in found) / len(evidence),
        "nDCG@10": sum(1 / math.log2(place + 1) for place in found if place <= 10) / ideal,
        **{
            f"filtered recall@{k}": sum(place - n < k for n, place in enumerate(found, 1)) / len(evidence)
            for k in (2, 5)
        },
    }


def test_measures_by_hand() -> None:
    question = Question("x", "q", ("b", "z"))
    values = {name: float(found[0]) for name, found in measure([question], [["a", "b", "c"]]).items()}
    assert values == pytest.approx(
        {"recall@1": 0, "recall@2": 0.5, "recall@5": 0.5, "recall@10": 0.5, "recall@25": 0.5}
        | {"hit@1": 0, "hit@5": 1, "hit@10": 1}
        | {"MRR": 0.5, "mAP": 0.25, "nDCG@10": (1 / math.log2(3)) / (1 + 1 / math.log2(3))}
        | {"filtered recall@2": 0.5, "filtered recall@5": 0.5}
    )


def test_filtered_recall_leaves_out_the_other_right_documents() -> None:
    """Four right documents, of which plain recall@2 can find half."""
    question = Question("x", "q", ("a", "b", "c", "d"))
    values = measure([question], [["a", "b", "x", "c", "y", "d"]])
    assert (values["recall@2"][0], values["filtered recall@2"][0]) == (0.5, 0.75)
    assert values["filtered recall@5"][0] == 1
    assert ceilings([question, Question("y", "q", ("a",))]) == {"recall@1": 0.625, "recall@2": 0.75}
    assert not ceilings([Question("y", "q", ("a",))])


def test_measures_against_the_twin() -> None:
    generator = np.random.default_rng(3)
    names = [f"d{number}" for number in range(40)]
    questions, rankings = [], []
    for number in range(60):
        evidence = tuple(generator.choice(names, generator.integers(1, 6), replace=False).tolist())
        rankings.append(generator.permutation(names)[: generator.integers(0, 30)].tolist())
        questions.append(Question(str(number), "q", evidence))
    values = measure(questions, rankings)
    assert set(values) == set(MEASURES)
    for place, (question, ranking) in enumerate(zip(questions, rankings, strict=True)):
        assert {name: found[place] for name, found in values.items()} == pytest.approx(twin(question.evidence, ranking))


def test_documents_stand_where_their_first_passage_stands() -> None:
    passages = [Passage(f"p{n}", name, 0, "", 1.0, 1) for n, name in enumerate(["b", "a", "b", "c", "a"])]
    assert documents(passages) == ("b", "a", "c")


# Statistics


@pytest.fixture(scope="module")
def values() -> np.ndarray:
    generator = np.random.default_rng(5)
    return np.stack([generator.random(120) < 0.8, generator.beta(0.5, 0.3, 120)]).astype(float)


def test_intervals_are_those_of_scipy(values: np.ndarray) -> None:
    low, high = bootstrap_intervals(values, 20_000, seed=1)
    for row, found in zip(values, zip(low, high, strict=True), strict=True):
        expected = stats.bootstrap(
            (row,), np.mean, method="percentile", n_resamples=20_000, rng=np.random.default_rng(2)
        ).confidence_interval
        # A percentile of shares is one of the steps between them.
        step = 1 / len(row) if set(row) <= {0.0, 1.0} else 0.004
        assert found == pytest.approx(tuple(expected), abs=step + 1e-9)


def test_intervals_do_not_depend_on_portions(values: np.ndarray, monkeypatch: pytest.MonkeyPatch) -> None:
    whole = bootstrap_intervals(values, 1000, seed=1)
    monkeypatch.setattr(figures_module, "_NUMBERS_AT_ONCE", 7 * values.shape[1])
    np.testing.assert_allclose(whole, bootstrap_intervals(values, 1000, seed=1), rtol=1e-12)
    assert np.any(whole[0] != bootstrap_intervals(values, 1000, seed=2)[0])


def test_p_is_that_of_all_sign_flips() -> None:
    differences = np.array([[0.5, 1.0, -0.25, 1.0, 0.0, 0.5, 0.75, -0.5, 1.0, 1.0], [0.0] * 10, [1.0, -1.0] * 5])
    signs = np.array(list(itertools.product((-1, 1), repeat=10)))
    exact = (np.abs(signs @ differences.T) >= np.abs(differences.sum(axis=1)) - 1e-12).mean(axis=0)
    assert exact[0] < 0.06
    assert sign_flip_p(differences, 40_000, seed=0) == pytest.approx(exact, abs=0.006)


def test_p_is_never_zero() -> None:
    assert sign_flip_p(np.ones((1, 60)), 1000, seed=0)[0] == pytest.approx(1 / 1001)


def test_holm_by_hand() -> None:
    assert holm([0.04, 0.01, 0.03, 0.9]) == pytest.approx([0.09, 0.04, 0.09, 0.9])
    assert holm([0.5, 0.6]) == [1.0, 1.0]
    assert holm([]) == []


# Table and picture

STAGES = {
    "load": {"settings": {"chunk_tokens": 1200, "strict": False}, "figures": {}},
    "build": {"settings": {"neighbours": 3}, "figures": {"queries": 1920, "recall": 0.9973}},
    "generate": {"settings": None, "figures": {}},
}


def made(systems: int = 2) -> RetrievalResult:
    """A result computed from outcomes that are given: system s ranks question n's document at place 1 + (n + s) % 4."""
    questions = many(8)
    lineup = lineup_of(["vector", "fulltext"])
    if systems > 2:
        system = lineup.systems[0]
        lineup = Lineup(tuple(replace(system, name=f"s {n}") for n in range(systems)), "s 0")
    outcomes: dict[str, list[Outcome | None]] = {}
    for s, system in enumerate(lineup.systems):
        rankings = [[*(f"x{k}" for k in range((n + s) % 4)), f"d{n}"] if n + s < 8 else [] for n in range(8)]
        outcomes[system.name] = [
            Outcome(tuple(ranking), len(ranking), 100 * s + n, 0.001 * (n + 1), n != 3)
            for n, ranking in enumerate(rankings)
        ]
    settings = EvaluateSettings(resamples=1000)
    asked = Asked(outcomes)
    rows = rows_of(lineup, asked, values_of(asked, questions), settings)
    graph = {"model": "m", "dimension": 384, "stages": STAGES, "stale": {"build": "stale: generate changed since"}}
    return RetrievalResult(
        rows=rows,
        baseline=lineup.baseline,
        questions=8,
        without_evidence=3,
        settings=vars(settings),
        graph=graph,
        command="qcg evaluate retrieval q.jsonl",
        note="A | note.",
        missing=("d1", "d2"),
        embedding_seconds=(0.01, 0.02, 0.03),
        left_out={"d2q": "There is no index."},
        ceilings={"recall@2": 0.883},
    )


def test_the_table_is_the_golden_one() -> None:
    assert as_markdown(made()) == GOLDEN.read_text(encoding="utf-8")


def test_a_long_table_shows_the_best_and_says_so() -> None:
    text = as_markdown(made(MOST_ROWS + 5))
    assert f"Of {MOST_ROWS + 5} systems the best {MOST_ROWS} by recall@5 are shown" in text
    assert sum(line.startswith("| s ") and "{" not in line for line in text.splitlines()) <= 3 * MOST_ROWS
    assert csv_of(made(MOST_ROWS + 5)).count("\n") == MOST_ROWS + 6


def csv_of(result: RetrievalResult) -> str:
    return as_csv([record(row) for row in result.rows])


def test_the_csv_holds_every_figure() -> None:
    result = made()
    rows = list(csv.DictReader(io.StringIO(csv_of(result))))
    assert [row["system"] for row in rows] == ["vector", "fulltext"]
    for row, made_row in zip(rows, result.rows, strict=True):
        for name, figure in made_row.figures.items():
            found = [float(row[column]) for column in (name, f"{name} low", f"{name} high")]
            assert found == pytest.approx([figure.mean, figure.low, figure.high], rel=1e-5)
        assert json.loads(row["settings"]) == made_row.settings
    assert rows[0]["MRR difference"] == ""
    assert float(rows[1]["MRR p_holm"]) == pytest.approx(result.rows[1].differences["MRR"].p_holm, rel=1e-5)


def test_rows_count_what_was_odd() -> None:
    vector, fulltext = made().rows
    assert (vector.nothing_found, fulltext.nothing_found) == (0, 1)
    assert vector.same == pytest.approx(7 / 8)
    assert vector.latency is not None
    assert vector.latency.median == pytest.approx(0.0045)
    assert vector.figures["recall@1"].mean == pytest.approx(2 / 8)


def test_a_terminal_shows_the_columns_that_it_has_room_for(capsys: pytest.CaptureFixture[str]) -> None:
    table = figure_table(made(3), intervals=("recall@5",))
    shown = fitting(table, 80)
    assert shown.columns == ["system", "recall@1", "recall@5", "MRR", "tokens", "ms (median)"]
    print_table("", shown.columns, shown.rows)
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) == 4 + 3  # borders and head, and a line for each system
    assert max(map(len, lines)) <= 80
    long = [[f"a system with a long name: hops 2, passages {row[0]}", *row[1:]] for row in table.rows]
    assert fitting(replace(table, rows=long), 80).columns[-1] == "ms (median)"
    assert fitting(table, 300) == table
    show(made(3), as_json=False, tables=[replace(table, rows=[[*map("long ".__add__, row)] for row in table.rows])])
    assert "9 columns have no room here" in capsys.readouterr().err


@pytest.mark.parametrize("systems", [2, 50])
def test_the_picture_shows_every_measure(tmp_path: Path, systems: int) -> None:
    plot(made(systems), tmp_path / "recall.png")
    pixels = image.imread(tmp_path / "recall.png")[..., :3]
    assert pixels.shape[0] > (250 if systems == 2 else 1900)
    for _, colour in LOOKS:
        near = np.abs(pixels - np.array(colors.to_rgb(colour))).max(axis=2) < 0.02
        assert near.sum() > 20 * min(systems, 30)


# Stored results

OUTCOME = Outcome(("a", "ü"), 3, 250, 0.01, True)


def test_results_are_kept_and_half_a_line_is_cut_off(tmp_path: Path) -> None:
    path = tmp_path / "new/folder/runs.jsonl"
    with open_kept(path, KINDS) as kept:
        kept.add(DOCUMENTS, "k1", OUTCOME, {"system": "s", **asdict(OUTCOME)})
        kept.add(TIMES, "t", (0.5, 0.25), {TIMES: [0.5, 0.25]})
    whole = path.read_bytes()
    path.write_bytes(whole + whole.splitlines()[0][:-5])
    with open_kept(path, KINDS) as kept:
        assert [kept.value(DOCUMENTS, key) for key in ("k1", "k2")] == [OUTCOME, None]
        assert kept.value(TIMES, "t") == (0.5, 0.25)
        kept.add(DOCUMENTS, "k2", OUTCOME, asdict(OUTCOME))
    with open_kept(path, KINDS) as kept:
        assert kept.value(DOCUMENTS, "k2") == OUTCOME
    assert path.read_bytes().startswith(whole)


@pytest.mark.parametrize("line", ["{", "[]", '{"key": "k"}', '{"documents": []}', "\x00"])
def test_a_foreign_line_is_named(tmp_path: Path, line: str) -> None:
    path = write(tmp_path / "runs.jsonl", f"{line}\n")
    with pytest.raises(InputError, match=r"runs.jsonl:1 is no result"):
        Kept(path, KINDS)
    assert path.read_text() == f"{line}\n"


def test_a_file_of_somebody_elses_keeps_its_last_line(tmp_path: Path) -> None:
    path = tmp_path / "runs.jsonl"
    for content in ('{"question": "Who?"}', '{"key": "k"}\n{"key": "l"'):  # no final newline
        path.write_text(content)
        with pytest.raises(InputError, match=r"runs.jsonl:1 is no result"):
            Kept(path, KINDS)
        assert path.read_text() == content


def test_what_fails_while_a_folder_is_open_keeps_its_own_message(tmp_path: Path) -> None:
    with pytest.raises(ConnectionResetError), open_kept(tmp_path / "runs.jsonl", KINDS):
        raise ConnectionResetError(104, "Connection reset by peer")


def test_a_full_disk_is_told_with_the_file(tmp_path: Path) -> None:
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    with open_kept(tmp_path / "runs.jsonl", KINDS) as kept:
        resource.setrlimit(resource.RLIMIT_FSIZE, (10, limits[1]))
        try:
            with pytest.raises(InputError, match=r"runs.jsonl cannot be written: File too large"):
                kept.add(DOCUMENTS, "k", OUTCOME, asdict(OUTCOME))
        finally:
            resource.setrlimit(resource.RLIMIT_FSIZE, limits)


def test_one_evaluation_at_a_time_writes_to_a_folder(tmp_path: Path) -> None:
    with (
        FileLock(tmp_path / ".runs.lock"),
        pytest.raises(InputError, match="Another evaluation is writing"),
        open_kept(tmp_path / "runs.jsonl", KINDS),
    ):
        pass


def test_an_output_that_is_a_file_is_refused(tmp_path: Path) -> None:
    path = write(tmp_path / "file", "")
    with pytest.raises(InputError, match="cannot be written"), open_kept(path / "runs.jsonl", KINDS):
        pass


# The command, as far as it goes before there is a database


@pytest.mark.parametrize(
    ("more", "reason"),
    [
        (["--method", "qcg", "--systems", "s.toml"], "Both --systems and --method"),
        (["--baseline", "vectro"], "The baseline 'vectro' is none of the systems"),
        (["--systems", "absent.toml"], "absent.toml cannot be read"),
        (["--depth", "5"], "must be 10 to 1000"),
        (["--type", "double"], "No question has the type 'double'"),
    ],
)
def test_a_wrong_call_is_one_clear_error(tmp_path: Path, more: list[str], reason: str) -> None:
    path = write(tmp_path / "q.jsonl", '{"question": "q", "evidence": ["a"], "type": "single"}')
    arguments = ["evaluate", "retrieval", str(path), "--output", str(tmp_path / "out"), *more]
    result = CliRunner().invoke(qcg, arguments)
    assert isinstance(result.exception, InputError)
    assert reason in result.exception.problem
    assert not (tmp_path / "out").exists()


REPRODUCTION = Path(__file__).parents[1] / "reproduction/lihuaworld"
FIGURES = ("reference", "expected", "overview")
SYSTEMS = {
    "systems": 11,
    "truncated": 4,
    "conditions": 4,
    "sweep": 265,
    "kg_cqr": 19,
    "kg_cqr_parts": 3,
    "kg_cqr_truncated": 7,
    "graphrag": 11,
    "layers": 19,
    "atomic": 22,
    "atomic_grid": 25,
    "lp": 7,
    "tuned": 16,
    "chains": 11,
    "auto": 2,
}


@pytest.mark.parametrize("path", [path for path in REPRODUCTION.glob("*.toml") if path.stem not in FIGURES])
def test_the_reproductions_systems_can_be_read(path: Path) -> None:
    lineup = read_lineup(path, source=Recording([]))
    assert lineup.baseline is not None
    assert len(lineup.systems) == SYSTEMS[path.stem]
