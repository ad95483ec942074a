"""Answers side by side: their files, a judge over real HTTP whose right statistics are known by hand, the tables."""

from __future__ import annotations

import csv
import io
import json
import re
from collections import Counter
from collections.abc import Callable
from contextlib import closing
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner, Result
from endpoint import Body, Fail, FakeEndpoint, Manner, Say, Script, endpoint, material
from matplotlib import colormaps, image
from scipy import stats

from qcg_neo4j.cli import qcg
from qcg_neo4j.core.errors import InputError, LanguageModelError, MissingReplyError, QcgError
from qcg_neo4j.core.records import Evidence, Passage
from qcg_neo4j.evaluation import Answers, PairwiseResult, PairwiseSettings, compare_pairwise, read_answers
from qcg_neo4j.evaluation.figures import normality, signed_rank
from qcg_neo4j.evaluation.pairwise import COLOURS, matrix
from qcg_neo4j.evaluation.pairwise.verdicts import CRITERIA
from qcg_neo4j.models.llm import LanguageModelSettings, LiveModel
from qcg_neo4j.models.replies import Recording, ReplyStore
from qcg_neo4j.retrieval.answer.records import Answer

GOLDEN = Path(__file__).parents[1] / "golden/evaluate_pairwise.md"
SHOWN = re.compile(r"Question: (.*?)\n\nAnswer 1:\n(.*?)\n\nAnswer 2:\n(.*)\Z", re.DOTALL)
CRITERION = re.compile(r"by the criterion of (\w+)\?")


def write(path: Path, text: str | bytes) -> Path:
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return path


# Files of answers


def test_answers_come_from_lines_from_file_names_and_from_what_answer_prints(tmp_path: Path) -> None:
    lines = write(
        tmp_path / "many.jsonl",
        '\ufeff{"system": "A", "question": " Which? ", "answer": "These.\\n"}\n\n'
        '{"question": "Which?", "answer": "Those.", "more": 1}\n{"system": "A", "question": "Why?", "answer": "So."}',
    )
    evidence = Evidence("Which?", "vector", (Passage("p", "d", 0, "x", 0.5, 1),))
    printed = json.dumps(asdict(Answer("All.", ("p",), evidence, "m")), indent=2)
    pretty = write(tmp_path / "C0.json", f"{printed}\n{printed.replace('Which?', 'How?')}\n")
    documents = {("C0", asked): frozenset({"d"}) for asked in ("Which?", "How?")}
    assert read_answers([lines, pretty]) == Answers(
        ("A", "many", "C0"),
        ("Which?",),
        {("A", "Which?"): "These.", ("many", "Which?"): "Those.", ("A", "Why?"): "So."}
        | {("C0", "Which?"): "All.", ("C0", "How?"): "All."},
        ("Why?", "How?"),
        read=documents,
        cited=documents,
    )


GOOD = '{"question": "q", "answer": "a"}'


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("{", "1: not JSON: Expecting property name"),
        (f"{GOOD}\nnothing\n", "2: not JSON"),
        (f'{GOOD}\n{{\n  "question": "r",\n  "answer" 1\n}}\n', "4: not JSON: Expecting ':'"),
        ("[1]", "1: not a JSON object"),
        (b'{"question": "q"}\n\xff', "2: not UTF-8: byte 0xff"),
        ('\n{"answer": "a"}', "2: 'question' is missing"),
        ('{"question": 3, "answer": "a"}', "1: 'question' is not a text"),
        ('{"question": " ", "answer": "a"}', "1: The question is empty."),
        ('{"question": "q"}', "1: 'answer' is missing"),
        ('{"question": "q", "text": null}', "1: 'text' is null: this answer is missing"),
        ('{"question": "q", "answer": "\\ud83d"}', "1: 'answer' contains an unpaired surrogate"),
        ('{"question": "q", "answer": ["a"]}', "1: 'answer' is not a text"),
        ('{"question": "q", "answer": "a", "system": ""}', "1: 'system' is not a text"),
        (f"{GOOD}\n{GOOD}", r"2: 'x' has answered this question at .*x.jsonl:1 already"),
        ("[" * 100_000, "1: not JSON"),
    ],
)
def test_a_wrong_answer_is_named_with_file_and_line(tmp_path: Path, text: str | bytes, reason: str) -> None:
    with pytest.raises(InputError, match=f"x.jsonl:{reason}") as caught:
        read_answers([write(tmp_path / "x.jsonl", text)])
    assert "A line looks like" in caught.value.remedy


def test_all_mistakes_of_all_files_are_counted(tmp_path: Path) -> None:
    bad = write(tmp_path / "bad.jsonl", f'{{"question": 1}}\n{GOOD}\n' * 7)
    with pytest.raises(InputError) as caught:
        read_answers([bad, write(tmp_path / "good.jsonl", GOOD)])
    assert caught.value.problem.count("bad.jsonl:") == 5 + caught.value.problem.count("already")
    assert "… and 8 more" in caught.value.problem


def test_nothing_to_compare_is_said(tmp_path: Path) -> None:
    empty = write(tmp_path / "empty.jsonl", "\n")
    one, other = write(tmp_path / "one.jsonl", GOOD), write(tmp_path / "other.jsonl", GOOD.replace('"q"', '"r"'))
    for paths, reason in (([empty], "no answer in"), ([one, other], "answered by all of one, other")):
        with pytest.raises(InputError, match=reason):
            read_answers(paths)
    with pytest.raises(InputError, match=r"none.jsonl cannot be read"):
        read_answers([tmp_path / "none.jsonl"])


# Statistics


def test_signed_ranks_by_hand() -> None:
    """Six equal differences of which one is negative: of 64 signs 7 give as few negative ones, 7 as few positive."""
    found = signed_rank(np.array([100.0] * 5 + [-100.0, 0.0, 0.0]))
    assert found.p == pytest.approx(14 / 64)
    assert found.effect == pytest.approx(4 / 6)
    assert signed_rank(np.zeros(5)) == signed_rank(np.array([])) == type(found)(1.0, 0.0)


def test_differences_that_take_two_values_are_not_normal() -> None:
    p = normality(np.array([100.0, -100.0] * 10))
    assert p is not None
    assert p < 0.001
    even = normality(np.array([-50.0, -30.0, -10.0, 10.0, 30.0, 50.0]))
    assert even is not None
    assert even > 0.5
    assert (normality(np.array([1.0, 2.0])), normality(np.zeros(6))) == (None, None)


def test_signed_ranks_by_hand_without_ties() -> None:
    """Ranks 1 to 5, only the smallest is negative: sums of 14 and 1; of 32 signs two reach as far on each side."""
    found = signed_rank(np.array([2.0, -1.0, 3.0, 5.0, 4.0]))
    assert [found.p, found.effect] == pytest.approx([4 / 32, (14 - 1) / 15])


def test_large_samples_are_tested_as_in_the_paper() -> None:
    differences = np.random.default_rng(1).choice(np.arange(-80.0, 140.0, 20.0), 125)
    expected = stats.wilcoxon(differences, method="asymptotic").pvalue
    assert signed_rank(differences).p == pytest.approx(expected)


def test_what_differs_by_rounding_alone_is_tied() -> None:
    assert signed_rank(np.array([0.1 + 0.2, -0.3, 1e-12])) == signed_rank(np.array([0.3, -0.3]))


# Judges


def answers_of(systems: str = "ABC", questions: int = 6) -> Answers:
    """Each answer names its system and its question."""
    asked = tuple(f"Question {number}?" for number in range(questions))
    texts = {(system, question): f"{system} says on {question}" for system in systems for question in asked}
    return Answers(tuple(systems), asked, texts)


class Judge:
    """Decides by the names of the systems: ``better`` gets question number, first and second, and names the winner."""

    def __init__(self, better: Callable[[str, int, str, str, int], str | Manner]) -> None:
        self.better = better
        self.asked: Counter[tuple[str, str, str, str]] = Counter()

    def __call__(self, _: int, body: Body) -> Manner:
        found, criterion = SHOWN.search(material(body)), CRITERION.search(body["messages"][1]["content"])
        assert found
        assert criterion
        assert CRITERIA[criterion[1]] in body["messages"][1]["content"]
        question, first, second = found[1], found[2][0], found[3][0]
        place = (criterion[1], question, first, second)
        self.asked[place] += 1
        said = self.better(criterion[1], int(re.findall(r"\d+", question)[0]), first, second, self.asked[place])
        if not isinstance(said, str):
            return said
        winner = {first: 1, second: 2, "": 0}[said]
        return Say(json.dumps({"reasoning": f"{said or 'Neither'} is better.", "winner": winner}))


def by_hand(criterion: str, number: int, first: str, second: str, time: int) -> str:
    """What the expected figures below were reckoned from."""
    if criterion == "directness":
        return first
    if criterion == "diversity":
        return ""
    pair = min(first, second) + max(first, second)
    if criterion == "empowerment":  # a judge who changes its mind: the first of the alphabet in three of four
        return pair[first == pair[0] and time == 2]
    return {"AB": "A", "AC": "AC"[number == 0], "BC": "BC"[number < 3]}[pair]


def run(
    script: Script, store: Path, output: Path, given: Answers | None = None, *, replicates: int = 5, **more: Any
) -> tuple[PairwiseResult, FakeEndpoint]:
    settings = PairwiseSettings(replicates=replicates, resamples=1000)
    with endpoint(script) as fake, ReplyStore(store) as opened:
        # One call at a time, so that the judge may count.
        model = LanguageModelSettings(endpoint=fake.url, model="judge", retries=0, concurrency=1)
        with closing(LiveModel(model, opened)) as live:
            return compare_pairwise(given or answers_of(), live, output, settings, **more), fake


Judged = tuple[PairwiseResult, FakeEndpoint, Path]


@pytest.fixture(scope="module")
def judged(tmp_path_factory: pytest.TempPathFactory) -> Judged:
    folder = tmp_path_factory.mktemp("judged")
    store, output = folder / "replies.sqlite", folder / "out"
    return *run(Judge(by_hand), store, output, replicates=2, command="qcg evaluate pairwise a.jsonl"), folder


def figures(result: PairwiseResult, criterion: str) -> list[tuple[str, float, float, float, float]]:
    return [
        (found.first + found.second, found.rate.mean, found.rate.effect, found.rate.p, found.rate.p_holm)
        for found in result.of(criterion)
        if found.rate
    ]


@pytest.mark.rest
def test_every_order_and_every_repetition_is_a_call_of_its_own(judged: Judged) -> None:
    result, fake, _ = judged
    assert len(fake.paid) == result.usage.calls == 6 * 3 * 4 * 2 * 2
    places = Counter(
        (CRITERION.search(body["messages"][1]["content"])[1], SHOWN.search(material(body)).groups())  # type: ignore[index,union-attr]
        for body in fake.paid
    )
    assert set(places.values()) == {2}
    assert len(places) == 6 * 3 * 4 * 2


def test_win_rates_and_tests_are_those_reckoned_by_hand(judged: Judged) -> None:
    """Wins in 6, 5 and 3 of 6 questions: p 2/64, 14/64 and 1; Holm takes them times 3, 2 and 1."""
    expected = [
        ("AB", 100, 1, 2 / 64, 6 / 64),
        ("AC", 100 * 5 / 6, 4 / 6, 14 / 64, 28 / 64),
        ("BC", 50, 0, 1, 1),
    ]
    for found, by_reckoning in zip(figures(judged[0], "comprehensiveness"), expected, strict=True):
        assert found[0] == by_reckoning[0]
        assert found[1:] == pytest.approx(by_reckoning[1:])


def test_ties_are_half_a_win(judged: Judged) -> None:
    assert [found[1:] for found in figures(judged[0], "diversity")] == [(50, 0, 1, 1)] * 3
    assert all(found.counts.ties == found.counts.asked == 24 for found in judged[0].of("diversity"))


def test_a_judge_who_takes_the_first_cancels_out_and_is_remarked_on(judged: Judged) -> None:
    assert [found[1:] for found in figures(judged[0], "directness")] == [(50, 0, 1, 1)] * 3
    assert {found.shown_first for found in judged[0].of("directness")} == {100.0}
    assert {found.shown_first for found in judged[0].of("comprehensiveness")} == {50.0}
    text = (judged[2] / "out/pairwise.md").read_text()
    assert "the answer shown first scores: A against B (empowerment) 25.0, " in text
    assert "A against C (directness) 100.0 and 1 more." in text


def test_repetitions_are_averaged(judged: Judged) -> None:
    assert [found[1] for found in figures(judged[0], "empowerment")] == pytest.approx([75.0] * 3)
    counts = judged[0].of("empowerment")[0].counts
    assert (counts.wins, counts.losses, counts.ties) == (18, 6, 0)


def test_what_is_written_is_whole(judged: Judged) -> None:
    result, _, folder = judged
    assert {file.name for file in (folder / "out").iterdir()} == {
        *("pairwise.md", "pairwise.csv", "pairwise.png", "verdicts.jsonl"),
    }
    assert (folder / "out/pairwise.md").read_text(encoding="utf-8") == GOLDEN.read_text(encoding="utf-8")
    verdicts = [json.loads(line) for line in (folder / "out/verdicts.jsonl").read_text().splitlines()]
    assert len(verdicts) == 288
    assert verdicts[0] == {
        "criterion": "comprehensiveness",
        "question": "Question 0?",
        "shown": ["A", "B"],
        "replicate": 1,
        "winner": "A",
        "reasoning": "A is better.",
    }
    rows = list(csv.DictReader(io.StringIO((folder / "out/pairwise.csv").read_text())))
    assert len(rows) == len(result.comparisons) == 12
    assert float(rows[1]["win rate"]) == pytest.approx(100 * 5 / 6, rel=1e-5)
    assert float(rows[1]["p_holm"]) == pytest.approx(28 / 64)
    assert (rows[1]["wins"], rows[1]["losses"], rows[1]["questions"]) == ("20", "4", "6")
    assert float(rows[1]["win or tie"]) == pytest.approx(100 * 20 / 24, rel=1e-5)
    assert {row["normality"] == "" for row in rows} == {True, False}  # none where all differences are the same


def test_the_picture_shows_each_rate_in_its_colour(judged: Judged) -> None:
    result, _, folder = judged
    rates, marks = matrix(result, "comprehensiveness")
    np.testing.assert_allclose(rates, [[np.nan, 100, 250 / 3], [0, np.nan, 50], [50 / 3, 50, np.nan]])
    assert not marks.any()
    pixels = image.imread(folder / "out/pairwise.png")[..., :3]
    for rate in (100, 250 / 3, 75, 50, 25, 50 / 3, 0):
        near = np.abs(pixels - np.array(colormaps[COLOURS](rate / 100)[:3])).max(axis=2) < 0.01
        assert near.sum() > 1000, rate


# What goes wrong


def test_failed_and_unparsable_verdicts_are_counted_and_no_question_is_lost_silently(tmp_path: Path) -> None:
    """Question 0 loses one order, question 1 a single repetition; A wins the rest but for question 3."""

    def better(_: str, number: int, first: str, second: str, time: int) -> str | Manner:
        if number == 0 and first == "B":
            return Say("I like the first one.")
        if number == 1 and first == "A" and time == 1:
            return Fail(500)
        return "B" if number == 3 else "A"

    given = answers_of("AB", 5)
    result, fake = run(
        Judge(better), tmp_path / "r.sqlite", tmp_path / "out", given, replicates=2, criteria=["diversity"]
    )
    (found,) = result.comparisons
    assert (found.counts.failed, found.counts.unparsable, found.counts.asked) == (1, 2, 20)
    assert (found.counts.wins, found.counts.losses) == (13, 4)
    assert (found.questions, found.left_out) == (4, 1)
    assert found.rate is not None
    # Questions 1, 2 and 4 are won, 3 is lost: 10 of the 16 signs are as uneven.
    assert (found.rate.mean, found.rate.effect, found.rate.p) == pytest.approx((75, 0.5, 10 / 16))
    text = (tmp_path / "out/pairwise.md").read_text()
    assert "Of 20 verdicts 1 failed and 2 were unparsable." in text
    assert "Questions without a verdict in one of the orders are left out: A against B (diversity) 1." in text
    failures = [line for line in (tmp_path / "out/verdicts.jsonl").read_text().splitlines() if '"failed"' in line]
    assert len(failures) == 3

    again, second = run(
        Judge(lambda *_: "A"), tmp_path / "r.sqlite", tmp_path / "out", given, replicates=2, criteria=["diversity"]
    )
    assert len(second.calls) == 3
    assert again.comparisons[0].counts.failed == again.comparisons[0].counts.unparsable == 0
    assert len(fake.paid) == 17 + 2 * 2  # each unparsable reply was corrected once


def test_an_interrupted_run_goes_on_and_pays_nothing_twice(tmp_path: Path) -> None:
    def dying(number: int, body: Body) -> Manner:
        return Judge(by_hand)(number, body) if number <= 25 else Fail(401)

    given = answers_of("AB", 2)
    with endpoint(dying) as fake:
        model = LanguageModelSettings(endpoint=fake.url, model="judge", retries=0, concurrency=3)
        with ReplyStore(tmp_path / "r.sqlite") as store, closing(LiveModel(model, store)) as live:
            with pytest.raises(LanguageModelError, match="refuses the key"):
                compare_pairwise(given, live, tmp_path / "out")
            kept = len(list(store.export()))
    assert kept == len(fake.paid) == 25
    assert list((tmp_path / "out").iterdir()) == []
    result, second = run(Judge(by_hand), tmp_path / "r.sqlite", tmp_path / "out", given)
    assert len(second.calls) == 2 * 4 * 2 * 5 - 25
    assert all(found.counts.failed == 0 for found in result.comparisons)
    _, third = run(Judge(by_hand), tmp_path / "r.sqlite", tmp_path / "out", given)
    assert third.calls == []


def test_equal_answers_are_asked_about_in_both_orders_and_the_files_may_come_in_any(tmp_path: Path) -> None:
    texts = {("A", "1?"): "Same.", ("B", "1?"): "Same.", ("A", "2?"): "Other.", ("B", "2?"): "Another."}
    given = Answers(("A", "B"), ("1?", "2?"), texts)
    first = Say('{"reasoning": "The first.", "winner": 1}')
    result, fake = run(lambda *_: first, tmp_path / "r", tmp_path, given, replicates=3, criteria=["diversity"])
    assert len(fake.paid) == 2 * 6
    assert [found.rate.mean for found in result.comparisons if found.rate] == [50.0]
    turned = Answers(("B", "A"), given.questions, texts)  # the files in another order
    _, again = run(lambda *_: first, tmp_path / "r", tmp_path, turned, replicates=3, criteria=["diversity"])
    assert again.calls == []


def test_an_empty_answer_is_judged_as_empty(tmp_path: Path) -> None:
    given = Answers(("A", "B"), ("Question 1?",), {("A", "Question 1?"): "A.", ("B", "Question 1?"): ""})
    tie = Say('{"reasoning": "", "winner": 0}')
    _, fake = run(lambda *_: tie, tmp_path / "r", tmp_path, given, replicates=1, criteria=["diversity"])
    assert "Answer 2:\n(The answer is empty.)" in material(fake.paid[0])


def test_with_a_baseline_the_others_are_compared_with_it_alone(tmp_path: Path) -> None:
    result, fake = run(
        Judge(by_hand), tmp_path / "r", tmp_path, replicates=1, baseline="B", criteria=["comprehensiveness"]
    )
    assert [(found.first, found.second) for found in result.comparisons] == [("A", "B"), ("C", "B")]
    assert len(fake.paid) == 6 * 2 * 2
    assert [found.rate.p_holm for found in result.comparisons if found.rate] == pytest.approx([4 / 64, 1])


def test_without_a_single_verdict_there_is_no_table(tmp_path: Path) -> None:
    with pytest.raises(MissingReplyError, match=r"gave no verdict.*holds no reply to evaluate/pairwise"):
        compare_pairwise(answers_of(), Recording([]), tmp_path / "out")
    assert list((tmp_path / "out").iterdir()) == []


def test_a_comparison_without_any_verdict_stands_in_the_table(tmp_path: Path) -> None:
    judge = Judge(lambda criterion, *_: "" if criterion == "diversity" else Say("no"))
    result, _ = run(
        judge, tmp_path / "r", tmp_path, answers_of("AB", 1), replicates=1, criteria=["diversity", "directness"]
    )
    assert [found.rate is None for found in result.comparisons] == [False, True]
    assert "| A | B | – | – | – | – | 0 | 0 | 0 | 2 | – |" in (tmp_path / "pairwise.md").read_text()


# The command


def call(*arguments: object, **environment: str) -> Result:
    return CliRunner().invoke(qcg, ["evaluate", "pairwise", *map(str, arguments)], env=environment)


@pytest.fixture
def files(tmp_path: Path) -> list[Path]:
    given = answers_of("AB", 3)
    return [
        write(
            tmp_path / f"{system}.jsonl",
            "".join(json.dumps({"question": q, "answer": given.texts[system, q]}) + "\n" for q in given.questions),
        )
        for system in given.systems
    ]


def test_the_command_estimates_then_compares_then_only_renders(files: list[Path], tmp_path: Path) -> None:
    with endpoint(Judge(by_hand)) as fake:
        chosen = [*files, "-s", "replicates=2", "--limit", 2, "--output", tmp_path / "out", "--store", tmp_path / "r"]
        chosen += ["--llm", f"judge@{fake.url}"]
        estimated = call(*chosen, "--estimate", "--json")
        assert json.loads(estimated.stdout)["usage"]["calls"] == 4 * 2 * 2 * 2
        assert fake.calls == []
        found = call(*chosen)
        assert found.exit_code == 0, found.output
        assert len(fake.calls) == 32
        told = " ".join(found.stderr.split())
        assert "32 calls (0 of 32 replies are known)" in told
        assert "a token for four bytes" in told
        assert "comprehensiveness" in found.stdout
        text = (tmp_path / "out/pairwise.md").read_text()
        assert f"qcg evaluate pairwise {files[0]} {files[1]} -s replicates=2" in text
        again = call(*chosen, "--json")
        assert len(fake.calls) == 32
    assert json.loads(again.stdout)["comparisons"][0]["rate"]["mean"] == 100
    assert (tmp_path / "out/pairwise.md").read_text() == text.replace("/v1\n", "/v1 --json\n", 1)


@pytest.mark.parametrize(
    ("more", "reason"),
    [
        (["--llm", "m"], "given, but not where it runs"),
        (["-s", "replicates=0"], "must be 1 to 100"),
        (["--baseline", "Z", "--replies", "none"], "The baseline 'Z' is none of the systems"),
        (["--estimate", "--replies", "none"], "costs nothing"),
    ],
)
def test_a_wrong_call_is_one_clear_error(files: list[Path], tmp_path: Path, more: list[str], reason: str) -> None:
    write(tmp_path / "none", "")
    replaced = [str(tmp_path / "none") if item == "none" else item for item in more]
    result = call(*files, "--output", tmp_path / "out", "--store", tmp_path / "r", *replaced)
    assert isinstance(result.exception, QcgError)
    assert reason in result.exception.problem
    assert not (tmp_path / "out").exists()


def test_one_system_or_a_folder_that_is_a_file_are_refused(files: list[Path], tmp_path: Path) -> None:
    recording = write(tmp_path / "none", "")
    alone = call(files[0], "--replies", recording)
    assert isinstance(alone.exception, InputError)
    assert "only 'A'" in alone.exception.problem
    blocked = call(*files, "--replies", recording, "--output", files[0])
    assert blocked.exit_code == 2
