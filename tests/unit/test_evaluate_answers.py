"""Answers scored: figures known by hand from a judge over real HTTP, what fails, what is paid, null questions."""

from __future__ import annotations

import csv
import json
import os
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Sequence
from contextlib import closing
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner
from endpoint import Body, Fail, FakeEndpoint, Manner, Say, Script, endpoint, material
from small_embedder import SmallEmbedder

from qcg_neo4j.cli import qcg
from qcg_neo4j.core.errors import InputError, LanguageModelError, MissingReplyError, SettingsError
from qcg_neo4j.core.records import Usage
from qcg_neo4j.evaluation import (
    AnswerRun,
    Answers,
    AnswersResult,
    AnswersSettings,
    Lineup,
    Measuring,
    Question,
    System,
    evaluate_given,
)
from qcg_neo4j.evaluation.answers.answer_run import NOTHING_FOUND, read_by
from qcg_neo4j.evaluation.answers.measures import exact_match, refuses, token_f1
from qcg_neo4j.evaluation.answers.result import macro_accuracy, mean_cost
from qcg_neo4j.evaluation.answers.trials import FILE, KINDS, Context, Metered, Trial, Written, trials_of
from qcg_neo4j.evaluation.answers.verdicts import statements_f1
from qcg_neo4j.evaluation.folder import open_kept
from qcg_neo4j.evaluation.questions import read_answers
from qcg_neo4j.evaluation.settings import JudgeSettings, PairwiseSettings
from qcg_neo4j.evaluation.systems_run import GraphState
from qcg_neo4j.models.embedding.embedder import Vectors
from qcg_neo4j.models.llm import LiveModel
from qcg_neo4j.models.llm.budget import SpentError
from qcg_neo4j.models.prompts import task
from qcg_neo4j.models.replies import Recording, ReplyStore, Request, recorded_line
from qcg_neo4j.retrieval import VectorBaseline
from qcg_neo4j.retrieval.answer.map_reduce import NOTHING
from qcg_neo4j.retrieval.answer.writing import DECLINED
from qcg_neo4j.retrieval.around.wrapper import Answering

QUESTIONS = (
    Question("0", "Who?", (), answer="The Red Fox", aliases=("Vulpes",)),
    Question("1", "When?", (), answer="5 May 2026", position=1),
    Question("2", "Where?", (), "null", "Insufficient information", 2),
    Question("3", "Why?", (), answer="Because of rain", position=3),
)
TEXTS = {
    "A": ("red fox!", "May 2026", "unknown", "rain"),
    "B": ("a vulpes", "June", "Berlin", "Because of the rain"),
}
ANSWERS = Answers(
    ("A", "B"),
    tuple(question.text for question in QUESTIONS),
    {(name, asked.text): text for name in TEXTS for asked, text in zip(QUESTIONS, TEXTS[name], strict=True)},
)
ALL = ("match", "verdict", "gpt-score", "acc")
# What the judge says of an answer, the first and the second time.
VERDICTS = {
    "red fox!": ("correct", "correct"),
    "May 2026": ("correct", "incorrect"),
    "unknown": ("refused", "correct"),  # the reference says so as well: both are a refusal
    "rain": ("refused", "refused"),
    "a vulpes": ("correct", "correct"),
    "June": ("incorrect", "incorrect"),
    "Berlin": ("incorrect", "incorrect"),
    "Because of the rain": ("", "correct"),  # the endpoint fails the first time
}


def asked_task(body: Body) -> str:
    return str(body["response_format"]["json_schema"]["name"]).replace("_", "/", 1)


def answer_in(body: Body) -> str:
    """The answer that a judge is shown: the last part of the material."""
    return material(body).rpartition(":\n")[2]


class Judge:
    """Says what `VERDICTS` has; scores 4, 3 and 5; every word is a claim; one statement fits and one is missing."""

    def __init__(self, *, failing: bool = True) -> None:
        self.times: Counter[str] = Counter()
        self.failing = failing

    def __call__(self, _: int, body: Body) -> Manner:
        said: dict[str, Any] = {"reasoning": "So."}
        task, text = asked_task(body), answer_in(body)
        if task == "evaluate/verdict":
            verdict = VERDICTS[text][self.times[text] % 2]
            self.times[text] += 1
            if not verdict and self.failing:
                return Fail(500)
            said["verdict"] = verdict or "correct"
        elif task == "evaluate/scores":
            said |= {"correctness": 4, "faithfulness": 3, "relevance": 5 if text == "rain" else 2}
        elif task == "evaluate/claims":
            said = {"claims": text.split()}
        else:
            said |= {"supported": [1, 1, 99], "missing": [1]}
        return Say(json.dumps(said))


class Flat:
    """Every text is like every other."""

    name = "flat"
    window_tokens = 254

    def embed(self, texts: Sequence[str]) -> Vectors:
        return np.ones((len(texts), 1), np.float32)


def scored(
    script: Script, store: Path, output: Path, *, groups: Sequence[str] = ALL, baseline: str | None = "A", **more: Any
) -> tuple[AnswersResult, FakeEndpoint]:
    with endpoint(script) as fake, ReplyStore(store) as opened:
        # One call at a time, so that the judge may count.
        model = JudgeSettings(endpoint=fake.url, model="judge", retries=0, concurrency=1)
        with closing(LiveModel(model, opened)) as live:
            settings = AnswersSettings(resamples=1000, **more)
            measuring = Measuring(tuple(groups), live, settings, Flat, "qcg x")  # type: ignore[arg-type] # embeds only
            return evaluate_given(ANSWERS, QUESTIONS, output, measuring, baseline=baseline), fake


# Without a judge


@pytest.mark.parametrize(
    ("answer", "references", "exact", "f1"),
    [
        ("The  fox.", ["fox"], 1, 1),
        ("U.S.", ["us", "America"], 1, 1),
        ("red fox", ["the fox runs", "a hare"], 0, 0.5),
        ("May 2026", ["5 May 2026"], 0, 0.8),
        ("fox fox", ["fox"], 0, 2 / 3),
        ("", ["fox"], 0, 0),
        ("the", [""], 1, 1),
    ],
)
def test_words_are_compared_as_in_squad(answer: str, references: list[str], exact: float, f1: float) -> None:
    assert exact_match(answer, references) == exact
    assert token_f1(answer, references) == pytest.approx(f1)


def test_usual_refusals_are_known() -> None:
    said = ("Unknown.", "Insufficient information", "The passages do not mention it.", "I don't know.", "I don’t know.")
    assert [text for text in (*said, DECLINED, NOTHING) if not refuses(text)] == []
    assert not refuses("He did not say goodbye to the Unknown Soldier")


def test_f1_of_statements() -> None:
    assert statements_f1(2, 1, 1) == pytest.approx(2 / 3)
    assert (statements_f1(0, 0, 3), statements_f1(3, 0, 0)) == (0, 1)


# With a judge


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> tuple[AnswersResult, FakeEndpoint, Path]:
    folder = tmp_path_factory.mktemp("answers")
    return *scored(Judge(), folder / "store", folder / "out"), folder


Run = tuple[AnswersResult, FakeEndpoint, Path]


def test_figures_are_those_reckoned_by_hand(run: Run) -> None:
    rows = {row.name: {name: figure.mean for name, figure in row.figures.items()} for row in run[0].rows}
    facts = {"A": (1 / 2 + 1 / 2 + 2 / 3) / 3, "B": (1 / 2 + 2 / 3 + 1 / 3) / 3}
    expected = {
        "A": {"exact match": 1 / 3, "F1": (1 + 0.8 + 0.5) / 3, "judged": (1 + 0.5 + 1 + 0) / 4}
        | {"refused (null)": 1, "refused (others)": 1 / 3, "correctness": 4, "relevance": (2 + 2 + 5) / 3},
        "B": {"exact match": 2 / 3, "F1": 2 / 3, "judged": (1 + 0 + 0 + 1) / 4}
        | {"refused (null)": 0, "refused (others)": 0, "correctness": 4, "relevance": 2},
    }
    for name, figures in expected.items():
        assert rows[name] == pytest.approx(figures | {"FC": facts[name], "SS": 1, "ACC": 0.75 * facts[name] + 0.25})
    assert run[0].rows[0].questions["judged"] == 4
    assert run[0].rows[0].questions["F1"] == 3


def test_repetitions_differences_and_missing_verdicts_are_told(run: Run) -> None:
    first, second = run[0].rows
    assert first.replicates["judged"] == pytest.approx((3 / 4, 2 / 4))
    assert second.replicates["judged"] == pytest.approx((1 / 3, 2 / 4))
    assert first.differences == {}
    assert second.differences["judged"].mean == pytest.approx(-1 / 8)
    assert second.differences["exact match"].p_holm == 1  # one question of three differs
    counts = {name: (found.asked, found.failed, found.unparsable) for name, found in second.verdicts.items()}
    assert counts["evaluate/verdict"] == (8, 1, 0)
    assert counts["evaluate/statements"] == counts["evaluate/scores"] == (6, 0, 0)
    page = (run[2] / "out/answers.md").read_text()
    assert "| A | 33.3 (0.0 to 100.0) | 76.7 (50.0 to 100.0) | 62.5 (" in page
    assert "Of 40 verdicts 1 failed and 0 were unparsable" in page
    assert page.splitlines()[2] == "    qcg x"
    assert "ACC = 0.75 · FC + 0.25 · SS" in page


def test_nothing_is_paid_twice_and_what_failed_is_asked_again(run: Run) -> None:
    result, fake, folder = run
    # 16 verdicts, 12 scores, 9 texts to list claims of, 12 comparisons; one verdict failed.
    assert (len(fake.calls), result.usage["verdicts"].calls) == (16 + 12 + 9 + 12, 16 + 12 + 9 + 12 - 1)
    again, second = scored(Judge(failing=False), folder / "store", folder / "out")
    assert len(second.calls) == 1
    assert answer_in(second.calls[0]) == "Because of the rain"
    assert not any(sum(vars(counts).values()) > counts.asked for row in again.rows for counts in row.verdicts.values())
    same, third = scored(Judge(), folder / "store", folder / "out")
    assert third.calls == []
    assert same.rows == again.rows


def test_an_answer_that_is_judged_twice_is_one_answer(run: Run) -> None:
    assert run[0].replicates == 2
    assert [(row.answers, row.without) for row in run[0].rows] == [(len(QUESTIONS), 0)] * 2


def test_files_hold_every_figure_and_every_answer(run: Run) -> None:
    with (run[2] / "out/answers.csv").open() as file:
        rows = {row["system"]: row for row in csv.DictReader(file)}
    assert float(rows["A"]["judged"]) == pytest.approx(0.625)
    assert float(rows["B"]["judged difference mean"]) == pytest.approx(-0.125, abs=0.25)
    lines = [json.loads(line) for line in (run[2] / "out/scores.jsonl").read_text().splitlines()]
    assert len(lines) == 16
    assert lines[0]["answer"] == "red fox!"
    assert lines[0]["judged"] == lines[0]["F1"] == 1.0
    assert (run[2] / "out/answers.png").read_bytes().startswith(b"\x89PNG")


def test_the_weight_of_acc_can_be_chosen(run: Run) -> None:
    result, fake = scored(Judge(), run[2] / "store", run[2] / "weighed", groups=["acc"], accuracy_weight=0.7)
    assert fake.calls == []
    facts = result.rows[0].figures["FC"].mean
    assert result.rows[0].figures["ACC"].mean == pytest.approx(0.7 * facts + 0.3)


def test_the_similarity_of_acc_can_be_chosen(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Flat, "embed", lambda _, texts: np.array([[(-1) ** place] for place in range(len(texts))]))
    found = {}
    for kind in ("scaled", "cosine"):
        result, _ = scored(Judge(), run[2] / "store", run[2] / kind, groups=["acc"], accuracy_similarity=kind)
        found[kind] = result.rows[0].figures["SS"].mean
        assert ("(1 + cosine)/2" in (run[2] / kind / "answers.md").read_text()) == (kind == "scaled")
    assert found["cosine"] == pytest.approx(2 * found["scaled"] - 1)
    assert found["cosine"] < found["scaled"]


def test_the_similarity_of_acc_is_that_of_whole_answers_and_an_empty_one_has_none(tmp_path: Path) -> None:
    start, asked, embedder = "The weather was fine all day. " * 40, QUESTIONS[0], SmallEmbedder(64)
    texts = {"A": start, "B": f"{start} {'It was the Red Fox. ' * 40}", "C": ""}
    answers = Answers(tuple(texts), (asked.text,), {(name, asked.text): text for name, text in texts.items()})
    with (
        endpoint(Judge()) as fake,
        ReplyStore(tmp_path / "store") as store,
        closing(LiveModel(JudgeSettings(endpoint=fake.url, model="judge", retries=0), store)) as live,
    ):
        measuring = Measuring(("acc",), live, AnswersSettings(resamples=100), lambda: embedder)
        rows = evaluate_given(answers, [asked], tmp_path / "out", measuring).rows
    likeness = {row.name: row.figures["SS"].mean for row in rows}
    assert likeness["B"] > likeness["A"] + 0.1
    assert (likeness["C"], embedder.texts[""]) == (0, 0)


def test_scores_alone_have_their_page(run: Run) -> None:
    result, fake = scored(Judge(), run[2] / "store", run[2] / "scores", groups=["gpt-score"], baseline=None)
    assert fake.calls == []
    assert result.measures == ("refused (null)", "refused (others)", "correctness", "relevance")
    page = (run[2] / "scores/answers.md").read_text()
    assert "| A | 100.0 (100.0 to 100.0) | 0.0 (0.0 to 0.0) | 4.00 (4.00 to 4.00) | 3.00 (" in page
    assert "Against" not in page
    assert "answered once" in page  # however often it is judged


def test_without_a_judge_refusals_are_known_by_their_words(tmp_path: Path) -> None:
    measuring = Measuring(("match",), None, AnswersSettings(resamples=100), Flat)  # type: ignore[arg-type]
    result = evaluate_given(ANSWERS, QUESTIONS, tmp_path, measuring)
    assert {row.name: row.figures["refused (null)"].mean for row in result.rows} == {"A": 1, "B": 0}
    assert result.measures == ("exact match", "F1", "refused (null)", "refused (others)")


def test_answers_of_files_count_once_where_no_judge_is_asked_twice(tmp_path: Path) -> None:
    measuring = Measuring(("match",), None, AnswersSettings(resamples=100), Flat)  # type: ignore[arg-type]
    texts = {({"A": "vector"}.get(name, name), asked): text for (name, asked), text in ANSWERS.texts.items()}
    result = evaluate_given(replace(ANSWERS, systems=("vector", "B"), texts=texts), QUESTIONS, tmp_path, measuring)
    assert [row.answers for row in result.rows] == [len(QUESTIONS)] * 2
    assert result.replicates == 1
    assert len((tmp_path / "scores.jsonl").read_text().splitlines()) == 2 * len(QUESTIONS)
    assert result.baseline == "vector"  # as for systems that answer


def test_a_failing_endpoint_ends_the_run_and_the_next_one_goes_on(tmp_path: Path) -> None:
    judge = Judge(failing=False)

    def script(number: int, body: Body) -> Manner:
        return judge(number, body) if number <= 10 else Fail(401)

    with pytest.raises(LanguageModelError, match="refuses the key"):
        scored(script, tmp_path / "store", tmp_path / "out", groups=["verdict"])
    result, fake = scored(Judge(failing=False), tmp_path / "store", tmp_path / "out", groups=["verdict"])
    assert len(fake.paid) == 16 - 10
    assert all(counts.failed == 0 for row in result.rows for counts in row.verdicts.values())


def test_replies_of_the_wrong_form_are_counted(tmp_path: Path) -> None:
    result, _ = scored(
        lambda _, body: Judge()(0, body) if "fox" in answer_in(body) else Say("no JSON"),
        tmp_path / "store",
        tmp_path / "out",
        groups=["verdict"],
    )
    assert [vars(row.verdicts["evaluate/verdict"]) for row in result.rows] == [
        {"asked": 8, "failed": 0, "unparsable": 6},
        {"asked": 8, "failed": 0, "unparsable": 8},
    ]
    assert "judged" not in result.rows[1].figures


def test_without_any_verdict_there_is_no_table(tmp_path: Path) -> None:
    with pytest.raises(MissingReplyError, match=r"gave no verdict.*two replies could not be used"):
        scored(lambda *_: Say("no JSON"), tmp_path / "store", tmp_path / "out", groups=["verdict"])


def test_an_exported_store_is_a_recording(run: Run, tmp_path: Path) -> None:
    with ReplyStore(run[2] / "store") as store:
        (tmp_path / "recorded.jsonl").write_text("".join(map(recorded_line, store.export())))
    settings = AnswersSettings(resamples=1000)
    measuring = Measuring(ALL, Recording([tmp_path / "recorded.jsonl"]), settings, Flat)  # type: ignore[arg-type]
    result = evaluate_given(ANSWERS, QUESTIONS, tmp_path, measuring, baseline="A")
    assert result.rows[0].figures == run[0].rows[0].figures


# The command


def files(folder: Path) -> list[str]:
    lines: list[dict[str, Any]] = [
        {"question": asked.text, "evidence": [], "type": asked.type, "answer": asked.answer, "aliases": asked.aliases}
        for asked in QUESTIONS
    ]
    (folder / "questions.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    for name, texts in TEXTS.items():
        pairs = [{"question": asked.text, "answer": text} for asked, text in zip(QUESTIONS, texts, strict=True)]
        (folder / f"{name}.jsonl").write_text("".join(json.dumps(pair) + "\n" for pair in pairs))
    given = [str(folder / "questions.jsonl"), "--output", str(folder / "out"), "--store", str(folder / "store")]
    return [*given, *(part for name in TEXTS for part in ("--answers", str(folder / f"{name}.jsonl")))]


def command(*arguments: str, **environment: str) -> Any:
    return CliRunner().invoke(qcg, ["evaluate", "answers", *arguments], env=environment)


def test_the_estimate_counts_the_calls_that_are_then_made(tmp_path: Path) -> None:
    given = [*files(tmp_path), "--measure", "verdict", "--measure", "gpt-score", "-s", "resamples=100"]
    with endpoint(Judge(failing=False)) as fake:
        judge = ["--judge", f"strict@{fake.url}", "-s", "judge.concurrency=1"]
        estimated = command(*given, *judge, "--estimate", "--json")
        assert fake.calls == []
        verdicts = json.loads(estimated.stdout)["verdicts"]
        found = command(*given, *judge, "--baseline", "A", "--json", QCG_JUDGE_API_KEY="judges-own")
        assert verdicts["usage"]["calls"] == len(fake.calls) == 16 + 12
        assert {body["model"] for body in fake.calls} == {"strict"}
        assert {body["temperature"] for body in fake.calls} == {0}
        assert set(fake.keys) == {"Bearer judges-own"}
    assert [row["figures"]["judged"]["mean"] for row in json.loads(found.stdout)["rows"]] == [0.625, 0.5]
    assert "Paid for verdicts: 28 calls, 2,800 input and 1,120 output tokens." in found.stderr


def test_the_limit_of_a_command_is_the_judges_too(tmp_path: Path) -> None:
    given = [*files(tmp_path), "--measure", "verdict", "-s", "llm.input_price=0", "-s", "llm.output_price=10"]
    with endpoint(Judge(failing=False)) as fake:
        model = ["--llm", f"strict@{fake.url}", "-s", "judge.concurrency=1", "-s", "judge.max_output_tokens=100"]
        found = command(*given, *model, "--max-cost", "0.002")
        assert isinstance(found.exception, SpentError), found
        assert 0 < len(fake.calls) < 16
        elsewhere = command(*given, *model, "--max-cost", "1", "--judge", f"other@{fake.url}")
        assert isinstance(elsewhere.exception, SettingsError)
        assert "--set judge.input_price" in str(elsewhere.exception)


def test_tokens_that_no_endpoint_reports_are_not_free() -> None:
    told, untold = (Written("Yes.", "m", usage) for usage in (Usage(1, 100, 40), Usage(1, untold=1)))
    context = Context("", 1, 10, None)
    costs = [mean_cost([told, untold], [context]), mean_cost([untold], [context])]
    assert [(cost.calls, cost.input_tokens, cost.output_tokens) for cost in costs if cost] == [
        (1, 100, 40),
        (1, None, None),
    ]


def test_a_picture_that_cannot_be_written_is_told_when_the_tables_are_there(tmp_path: Path) -> None:
    (tmp_path / "out/answers.png").mkdir(parents=True)
    found = command(*files(tmp_path), "--measure", "match")
    assert isinstance(found.exception, InputError)
    assert "answers.png cannot be written: Is a directory" in str(found.exception)
    assert (tmp_path / "out/answers.md").is_file()


def test_the_table_is_printed(tmp_path: Path) -> None:
    printed = command(*files(tmp_path), "--measure", "match")
    assert printed.exit_code == 0, printed.output
    assert "4 questions, shares in percent" in printed.stdout
    assert "76.7" in printed.stdout


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--measure", "match", "--baseline", "C"], "baseline 'C' is none of the systems"),
        (["--method", "vector"], "Give only one"),
        (["--where", 'id = "d"'], "--where is for systems that retrieve"),
        ([], "verdict need a judge"),
        (["--measure", "match", "--estimate"], "nothing to estimate"),
    ],
)
def test_what_cannot_be_done_is_told(tmp_path: Path, arguments: list[str], message: str) -> None:
    found = command(*files(tmp_path), *arguments)
    assert isinstance(found.exception, InputError)
    assert message in " ".join(str(found.exception).split())


def test_one_of_the_ways_must_be_given(tmp_path: Path) -> None:
    assert "Give one." in str(command(files(tmp_path)[0]).exception)


def test_questions_without_a_reference_cannot_be_scored(tmp_path: Path) -> None:
    measuring = Measuring(("match",), None, AnswersSettings(), Flat)  # type: ignore[arg-type]
    with pytest.raises(InputError, match="None of the chosen questions has a reference answer") as caught:
        evaluate_given(ANSWERS, [Question("0", "Who?", ())], tmp_path, measuring)
    assert "pairwise, claims" in caught.value.remedy


def test_answers_without_a_reference_are_compared_with_each_other(tmp_path: Path) -> None:
    def script(_: int, body: Body) -> Manner:
        if asked_task(body) == "evaluate/claims":
            return Say(json.dumps({"claims": answer_in(body).split()}))
        if asked_task(body) == "evaluate/verdict":
            return Say(json.dumps({"reasoning": "So.", "verdict": "correct"}))
        first, second = material(body).split("Answer 1:\n")[1].split("\n\nAnswer 2:\n")
        return Say(json.dumps({"reasoning": "So.", "winner": 1 if len(first.split()) > len(second.split()) else 2}))

    asked = [*QUESTIONS[:2], replace(QUESTIONS[3], answer=None)]
    with endpoint(script) as fake, ReplyStore(tmp_path / "store") as store:
        model = JudgeSettings(endpoint=fake.url, model="judge", retries=0, concurrency=1)
        with closing(LiveModel(model, store)) as live:
            groups, settings = ("match", "verdict", "pairwise", "claims"), AnswersSettings(resamples=100)
            often = PairwiseSettings(replicates=1)
            measuring = Measuring(groups, live, settings, Flat, pairwise=often)  # type: ignore[arg-type]
            result = evaluate_given(ANSWERS, asked, tmp_path, measuring)
            again = evaluate_given(ANSWERS, asked, tmp_path, measuring)
    # Two answers of two systems, twice, in pairs by four criteria and both orders, and the claims of all six.
    assert len(fake.calls) == 2 * 2 * 2 + 3 * 4 * 2 + 6
    assert (result.questions, result.without_reference) == (3, 1)
    assert {row.name: row.questions["judged"] for row in result.rows} == {"A": 2, "B": 2}
    assert {row.name: row.answers for row in result.rows} == {"A": 3, "B": 3}  # however often they are judged
    assert result.pairwise
    assert (result.pairwise.questions, result.claims and result.claims.questions) == (3, 3)
    # "red fox!" and "a vulpes" are equally long, so the judge prefers the second shown: no majority.
    assert [(one.decided, one.agreed) for one in result.agreement[:1]] == [(2, 2)]
    assert (again.pairwise, again.claims and again.claims.usage.calls) == (
        replace(result.pairwise, usage=again.pairwise.usage) if again.pairwise else None,
        0,
    )


@pytest.mark.rest
def test_a_killed_run_pays_at_most_for_the_call_under_way_again(tmp_path: Path) -> None:
    slow = Judge(failing=False)

    def script(number: int, body: Body) -> Manner:
        said = slow(number, body)
        return Say(said.text, seconds=0.05) if isinstance(said, Say) else said

    with endpoint(script) as fake:
        given = [*files(tmp_path), "--judge", f"j@{fake.url}", "-s", "judge.concurrency=1"]
        arguments = [sys.executable, "-m", "qcg_neo4j", "evaluate", "answers", *given, "-s", "resamples=100"]
        with subprocess.Popen(arguments, stderr=subprocess.DEVNULL, stdout=subprocess.DEVNULL) as process:
            deadline = time.monotonic() + 60
            while len(fake.paid) < 5 and time.monotonic() < deadline:
                time.sleep(0.01)
            os.kill(process.pid, signal.SIGKILL)
        before = len(fake.paid)
        assert 5 <= before < 16
        assert command(*given, "-s", "resamples=100").exit_code == 0
        assert len(fake.paid) in (16, 17)


# What a model writes from passages that are found


def written_from(
    context: Context, reply: dict[str, Any], folder: Path, style: str = "passages"
) -> tuple[Written | None, FakeEndpoint]:
    """The answer from a context that is kept already, so that no graph is asked."""
    trial = Trial("vector", QUESTIONS[0], 1)
    with (
        endpoint(lambda *_: Say(json.dumps(reply))) as fake,
        ReplyStore(folder / "store") as store,
        open_kept(folder / FILE, KINDS) as kept,
        closing(LiveModel(JudgeSettings(endpoint=fake.url, model="m", retries=0), store)) as live,
    ):
        lineup = Lineup((System("vector", Answering(VectorBaseline())),))
        run = AnswerRun(None, GraphState("", {}), kept, lineup, [trial], style, Metered(live))  # type: ignore[arg-type]
        kept.add("context", run._context_key(trial), context, {"context": asdict(context)})
        run.write()
        return run.written(trial), fake


@pytest.mark.parametrize(("style", "text"), [("passages", "The sign says: Answer: Fox."), ("precise", "Fox.")])
def test_only_styles_that_reason_first_are_cut(tmp_path: Path, style: str, text: str) -> None:
    reply = {"reasoning": "So.", "answer": "The sign says: Answer: Fox [1].", "citations": []}
    written, _ = written_from(Context("[1] (d)\nFox.", 1, 5, None), reply, tmp_path, style)
    assert written
    assert written.text == text


def test_an_empty_search_has_no_documents_and_unknown_ones_are_no_empty_search(tmp_path: Path) -> None:
    reply = {"answer": "Unknown.", "citations": []}
    for text, cited in ((NOTHING_FOUND, ()), ("[1] (d)\nFox.", None)):
        written, fake = written_from(Context(text, 0, 5, None), reply, tmp_path)
        assert written
        assert (written.cited, len(fake.calls)) == (cited, 1)
        (tmp_path / FILE).unlink()


def test_what_is_not_relevant_is_declined_without_a_call(tmp_path: Path) -> None:
    written, fake = written_from(Context(NOTHING_FOUND, 0, 5, 0.5, declined=True), {}, tmp_path)
    assert fake.calls == []
    assert written == Written(DECLINED, "", Usage(), 0.5, ())


def test_an_answer_in_its_own_way_is_judged_by_what_it_read() -> None:
    def asked(name: str, text: str) -> Request:
        return Request(task(f"answer/{name}"), text, {"items": text})

    windows = [asked("map", "one"), asked("map", "two")]
    assert read_by([*windows, asked("reduce", "partial answers")]) == ["one", "two"]
    assert read_by([asked("reduce", "nearest chunks")]) == ["nearest chunks"]
    assert read_by([asked("local", "a window")]) == ["a window"]


# What was read and cited


def test_refusals_are_told_apart_by_what_was_read_and_right_answers_by_what_they_cite(tmp_path: Path) -> None:
    asked = [replace(question, evidence=("d1", "d2")) for question in QUESTIONS]
    lines = [
        {"system": "A", "question": "Who?", "answer": "red fox!", "documents": ["d1", "d2"], "cited": ["d2", "d9"]},
        {"system": "A", "question": "When?", "answer": "May 2026", "documents": ["d1", "d2"], "cited": ["d9"]},
        {"system": "A", "question": "Where?", "answer": "unknown", "documents": ["d1"]},
        {"system": "A", "question": "Why?", "answer": "rain", "documents": ["d1", "d3"]},
    ]
    given, output = tmp_path / "given.jsonl", tmp_path / "out"
    given.write_text("".join(json.dumps(line) + "\n" for line in lines))
    with (
        endpoint(Judge()) as fake,
        ReplyStore(tmp_path / "store") as store,
        closing(LiveModel(JudgeSettings(endpoint=fake.url, model="judge", retries=0, concurrency=1), store)) as live,
    ):
        settings = AnswersSettings(resamples=100, replicates=1)
        measuring = Measuring(("verdict",), live, settings, Flat, "qcg x")  # type: ignore[arg-type] # not called
        (row,) = evaluate_given(read_answers([given]), asked, output, measuring).rows
    assert row.figures["refused (others)"].mean == pytest.approx(1 / 3)
    assert row.figures["refused, all evidence read"].mean == 0
    assert row.figures["refused, some missing"].mean == pytest.approx(1 / 3)
    assert row.figures["right ones that cite evidence"].mean == 0.5
    assert row.questions["right ones that cite evidence"] == 2
    assert "right ones that cite evidence: of the answers judged right" in (output / "answers.md").read_text()


def test_what_the_command_printed_names_what_was_read_and_cited(tmp_path: Path) -> None:
    passages = [
        {"id": "c1", "document": "d1", "also": [{"id": "d3", "title": None}]},
        {"id": "c2", "document": "d2", "also": []},
    ]
    evidence = {"question": "Why?", "passages": passages, "atoms": []}
    found = {"text": "So [1].", "citations": ["c1"], "evidence": evidence}
    path = tmp_path / "own.json"
    path.write_text(json.dumps(found, indent=1))
    answers = read_answers([path])
    assert answers.texts == {("own", "Why?"): "So."}
    assert answers.read == {("own", "Why?"): frozenset({"d1", "d2", "d3"})}
    assert answers.cited == {("own", "Why?"): frozenset({"d1", "d3"})}
    path.write_text('{"question": "Why?", "answer": "So.", "cited": "d1"}')
    with pytest.raises(InputError, match="'cited' is not a list of texts"):
        read_answers([path])


def test_the_macro_accuracy_counts_each_type_of_questions_alike() -> None:
    kinds = ("single", "single", "single", "multi")
    questions = [Question(str(place), f"Q{place}?", (), kind) for place, kind in enumerate(kinds)]
    trials = trials_of(["a"], questions, 2)
    assert macro_accuracy(trials, np.array([1.0, 1.0, 0.0, 0.5])) == pytest.approx((2 / 3 + 0.5) / 2)
    assert macro_accuracy(trials, np.array([1.0, 1.0, 0.0, np.nan])) is None


# Against an earlier run


def test_a_run_says_how_it_compares_with_an_earlier_one(tmp_path: Path) -> None:
    given = [*files(tmp_path), "--measure", "match"]
    assert command(*given).exit_code == 0
    earlier = tmp_path / "scores.jsonl"
    earlier.write_bytes((tmp_path / "out/scores.jsonl").read_bytes())
    lines = [{"question": asked.text, "answer": asked.answer} for asked in QUESTIONS]
    (tmp_path / "A.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    printed = command(*given, "--earlier", str(earlier))
    assert printed.exit_code == 0, printed.output
    assert "Against the earlier run" in printed.stdout
    page = (tmp_path / "out/answers.md").read_text()
    # Of three questions that have an answer the first run had one word for word, this one has all.
    (exact,) = (line for line in page.splitlines() if line.startswith("| A | exact match | 3 |"))
    assert exact.startswith("| A | exact match | 3 | 33.3 | 100.0 | +66.7 (")
    assert exact.endswith("| 33.3 |")
    assert "| B | F1 | 3 | 66.7 | 66.7 | +0.0 (+0.0 to +0.0) | 1.0000 | 100.0 |" in page
    assert f"The earlier run is that of {earlier}" in page


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (None, "cannot be read"),
        ("", "holds no score"),
        ('{"system": "A", "question": "Who?"}\n', "holds no score"),
        ('{"system": "A", "question": "Who?", "F1": "much"}\n', "scores.jsonl:1: 'F1' is no number"),
        ('{"system": "A", "question": "Who?", "F1": NaN}\n', "scores.jsonl:1: 'F1' is no number"),
        ("\nno JSON\n", "scores.jsonl:2: not JSON"),
    ],
)
def test_an_earlier_run_that_cannot_be_used_is_named_before_anything_is_paid(
    tmp_path: Path, content: str | None, message: str
) -> None:
    given = files(tmp_path)
    if content is not None:
        (tmp_path / "scores.jsonl").write_text(content)
    with endpoint(Judge()) as fake:
        found = command(*given, "--judge", f"j@{fake.url}", "--earlier", str(tmp_path / "scores.jsonl"))
        assert isinstance(found.exception, InputError)
        assert message in str(found.exception)
        assert fake.calls == []


def test_an_earlier_run_of_other_systems_is_noted(tmp_path: Path) -> None:
    (tmp_path / "scores.jsonl").write_text('{"system": "C", "question": "Who?", "F1": 0.5}\n')
    found = command(*files(tmp_path), "--measure", "match", "--earlier", str(tmp_path / "scores.jsonl"))
    assert "has no measure of these systems and questions" in " ".join(found.stderr.split())
    assert "Against the earlier run" not in found.stdout


@pytest.mark.parametrize(("measure", "drawn"), [("match", True), ("gpt-score", False)])
def test_the_picture_is_named_where_it_is_drawn(tmp_path: Path, measure: str, drawn: bool) -> None:
    output = tmp_path / "out"
    with endpoint(Judge()) as fake:
        found = command(*files(tmp_path), "--measure", measure, "--judge", f"j@{fake.url}", "--output", str(output))
    assert ("answers.png" in found.output, (output / "answers.png").exists()) == (drawn, drawn)


def test_what_an_earlier_run_alone_has_written_does_not_stay(tmp_path: Path) -> None:
    output = tmp_path / "out"
    output.mkdir()
    for name in ("answers.png", "agreement.md", "pairwise.md"):
        (output / name).write_text("earlier")
    with endpoint(Judge()) as fake:
        command(*files(tmp_path), "--measure", "gpt-score", "--judge", f"j@{fake.url}")
    # `qcg evaluate pairwise` writes to the same folder.
    assert {path.name for path in output.iterdir()} == {"answers.csv", "answers.md", "pairwise.md", "scores.jsonl"}
