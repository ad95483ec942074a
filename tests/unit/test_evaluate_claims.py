"""Claims of answers: likeness, clusters and means reckoned by hand, over a scripted endpoint."""

from __future__ import annotations

import csv
import io
import itertools
import json
from contextlib import closing
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner
from endpoint import Body, Fail, FakeEndpoint, Manner, Say, Script, endpoint, material

from qcg_neo4j.cli import qcg
from qcg_neo4j.core.errors import LanguageModelError, MissingReplyError
from qcg_neo4j.evaluation import Answers, ClaimsResult, ClaimsSettings, count_claims
from qcg_neo4j.evaluation.claims.lists import THRESHOLDS, cluster_counts, common_length, distance, distinct, words
from qcg_neo4j.models.llm import LanguageModelSettings, LiveModel
from qcg_neo4j.models.replies import Recording, ReplyStore

# Likeness


def test_words_are_those_of_any_script() -> None:
    assert words("The gym's fee: 30 EUR, ÜBER-cheap.") == ("the", "gym", "s", "fee", "30", "eur", "über", "cheap")
    assert words("李华 met 王芳。") == ("李", "华", "met", "王", "芳")
    assert words("… !?") == ()


def test_distance_by_hand() -> None:
    """Five of six words in the same order: 1 − 10/12; in the other order one word is all they share."""
    assert distance(words("The cat sat on the mat"), words("the cat lay on the mat.")) == 2 / 12
    assert distance(("a", "b", "c"), ("c", "b", "a")) == pytest.approx(2 / 3)
    assert distance(("a",), ("b",)) == 1
    assert distance(("a", "b"), ("a", "b")) == 0


def twin(first: tuple[str, ...], second: tuple[str, ...]) -> int:
    """The longest common subsequence by the table of all prefixes."""
    table = [[0] * (len(second) + 1) for _ in range(len(first) + 1)]
    for i, j in itertools.product(range(len(first)), range(len(second))):
        table[i + 1][j + 1] = table[i][j] + 1 if first[i] == second[j] else max(table[i][j + 1], table[i + 1][j])
    return table[-1][-1]


def test_common_subsequences_against_the_twin() -> None:
    generator = np.random.default_rng(4)
    for _ in range(300):
        first, second = (tuple(generator.choice(list("abcd"), generator.integers(0, 90)).tolist()) for _ in range(2))
        assert common_length(first, second) == twin(first, second)


def test_claims_with_the_same_words_are_one() -> None:
    assert distinct(["Li met Adam.", "li met adam", "Adam met Li.", "—", ""]) == ["Li met Adam.", "Adam met Li."]


@pytest.mark.parametrize(
    ("claims", "counts"),
    [
        ([], (0, 0, 0, 0)),
        (["a b c"], (1, 1, 1, 1)),
        (["a b", "c d"], (2, 2, 2, 2)),
        # 1/2 apart, which is not more than the first threshold.
        (["a b", "a c"], (1, 1, 1, 1)),
        # 3/5, 7/10 and 4/5 apart: each joins at the threshold that it lies on.
        (["a b c d e", "a b x y z"], (2, 1, 1, 1)),
        (["a b c d e f g h i j", "a b c 1 2 3 4 5 6 7"], (2, 2, 1, 1)),
        (["a b c d e", "a 1 2 3 4"], (2, 2, 2, 1)),
        # A chain: its ends are 1 apart, and complete linkage looks at the farthest two.
        (["a b", "b c", "c d"], (2, 2, 2, 2)),
    ],
)
def test_clusters_by_hand(claims: list[str], counts: tuple[int, ...]) -> None:
    assert cluster_counts(claims) == counts


# Counting over HTTP


def each_line(_: int, body: Body) -> Manner:
    """Every line of the answer is a claim."""
    return Say(json.dumps({"claims": material(body).split("Answer:\n")[1].splitlines()}))


LONG = "Alpha met Beta.\nAlpha met Gamma.\nalpha met beta\nDelta sang songs."  # 3 claims, two of them 1/3 apart
SHORT = "Alpha met Beta."
GIVEN = Answers(
    ("long", "short"),
    ("q0", "q1", "q2"),
    {
        **{("long", question): LONG for question in ("q0", "q1", "q2")},
        ("short", "q0"): SHORT,
        ("short", "q1"): "Epsilon left.\nZeta stayed there.",
        ("short", "q2"): "",
    },
    ("q3",),
)


def run(script: Script, folder: Path, given: Answers = GIVEN) -> tuple[ClaimsResult, FakeEndpoint]:
    with endpoint(script) as fake, ReplyStore(folder / "r.sqlite") as store:
        model = LanguageModelSettings(endpoint=fake.url, model="small", retries=0, concurrency=1)
        with closing(LiveModel(model, store)) as live:
            return count_claims(given, live, folder / "out", ClaimsSettings(resamples=1000), command="qcg x"), fake


def test_means_are_those_reckoned_by_hand(tmp_path: Path) -> None:
    result, fake = run(each_line, tmp_path)
    assert len(fake.paid) == 5  # nothing is asked about an empty answer
    long, short = result.rows
    assert [found.mean for found in long.figures.values()] == [3, 2, 2, 2, 2]
    assert [found.mean for found in short.figures.values()] == [1] * 5
    assert (long.duplicates, long.empty, short.duplicates, short.empty) == (3, 0, 0, 1)
    claims = result.contrasts[0]
    # 3 − 1, 3 − 2 and 3 − 0: all positive, two of eight signs are as uneven.
    assert (claims.difference.mean, claims.effect, claims.p, claims.p_holm) == pytest.approx((2, 1, 2 / 8, 2 / 8))
    clusters = result.contrasts[1]
    # 2 − 1, 2 − 2 and 2 − 0: one takes no part, two of four signs are as uneven.
    assert (clusters.difference.mean, clusters.effect, clusters.p) == pytest.approx((1, 1, 2 / 4))
    assert len(result.contrasts) == 1 + len(THRESHOLDS)


def test_what_is_written_is_whole(tmp_path: Path) -> None:
    run(each_line, tmp_path)
    folder = tmp_path / "out"
    assert {file.name for file in folder.iterdir()} == {"claims.md", "claims.csv", "claims.jsonl"}
    text = (folder / "claims.md").read_text()
    assert text.startswith("# Claims of answers\n\n    qcg x\n\n- 3 questions.\n- Claims listed by small.\n")
    assert "| short | 1.00 (0.00 to 2.00) | 1.00 (0.00 to 2.00) |" in text
    assert "| claims | long | short | +2.00 (+1.00 to +3.00) | +1.00 | 0.2500 | 0.2500 |" in text
    assert "1 question has not been answered by every system and is left out: q3." in text
    lines = [json.loads(line) for line in (folder / "claims.jsonl").read_text().splitlines()]
    assert lines[0] == {
        "system": "long",
        "question": "q0",
        "claims": ["Alpha met Beta.", "Alpha met Gamma.", "Delta sang songs."],
        "clusters": [2, 2, 2, 2],
    }
    rows = list(csv.DictReader(io.StringIO((folder / "claims.csv").read_text())))
    assert [(row["measure"], row["system"], row["against"], row["mean"]) for row in rows[::5]] == [
        ("claims", "long", "", "3"),
        ("claims", "short", "", "1"),
        ("claims", "long", "short", "2"),
    ]


def test_unknown_claims_are_counted_and_asked_for_again(tmp_path: Path) -> None:
    def broken(number: int, body: Body) -> Manner:
        text = material(body)
        if "q0" in text and "Delta" in text:
            return Fail(500)
        return Say("none") if "q1" in text and "Zeta" in text else each_line(number, body)

    result, _ = run(broken, tmp_path)
    assert (result.questions, result.unknown) == (1, ("q0", "q1"))
    long, short = result.rows
    assert (long.failed, long.unparsable, short.failed, short.unparsable) == (1, 0, 0, 1)
    assert (long.figures["claims"].mean, short.figures["claims"].mean) == (3, 0)
    text = (tmp_path / "out/claims.md").read_text()
    assert "The claims of 2 answers are not known (1 request failed, 1 reply was unparsable)" in text
    assert sum('"failed"' in line for line in (tmp_path / "out/claims.jsonl").read_text().splitlines()) == 2
    again, fake = run(each_line, tmp_path)
    assert len(fake.calls) == 2
    assert (again.questions, again.unknown) == (3, ())


def test_an_interrupted_run_goes_on_and_pays_nothing_twice(tmp_path: Path) -> None:
    with pytest.raises(LanguageModelError, match="refuses the key"):
        run(lambda number, body: each_line(number, body) if number <= 2 else Fail(401), tmp_path)
    _, fake = run(each_line, tmp_path)
    assert len(fake.calls) == 3
    _, fake = run(each_line, tmp_path)
    assert fake.calls == []


def test_equal_answers_are_asked_about_once(tmp_path: Path) -> None:
    given = Answers(("a", "b"), ("q",), {("a", "q"): LONG, ("b", "q"): LONG})
    result, fake = run(each_line, tmp_path, given)
    assert len(fake.paid) == 1
    assert [row.figures["claims"].mean for row in result.rows] == [3, 3]
    assert result.contrasts[0].p == 1


def test_one_system_has_means_and_no_differences(tmp_path: Path) -> None:
    result, _ = run(each_line, tmp_path, Answers(("long",), ("q0",), {("long", "q0"): LONG}))
    assert result.contrasts == ()
    assert "## Differences" not in (tmp_path / "out/claims.md").read_text()


def test_without_any_claims_there_is_no_table(tmp_path: Path) -> None:
    with pytest.raises(MissingReplyError, match=r"no question with the claims.*holds no reply to evaluate/claims"):
        count_claims(GIVEN, Recording([]), tmp_path)
    assert list(tmp_path.iterdir()) == []


def test_the_command_reads_answers_and_writes_a_folder(tmp_path: Path) -> None:
    path = tmp_path / "C0.jsonl"
    path.write_text(json.dumps({"question": "q", "answer": LONG}) + "\n", encoding="utf-8")
    with endpoint(each_line) as fake:
        chosen = ["evaluate", "claims", path, "--output", tmp_path / "out", "--store", tmp_path / "r"]
        chosen += ["--llm", f"small@{fake.url}"]
        estimated = CliRunner().invoke(qcg, [*map(str, chosen), "--estimate"])
        assert "1 call (0 of 1 replies are known)" in estimated.stderr
        assert fake.calls == []
        found = CliRunner().invoke(qcg, [*map(str, chosen), "--json"])
    assert found.exit_code == 0, found.output
    assert json.loads(found.stdout)["rows"][0]["figures"]["claims"]["mean"] == 3
    assert (tmp_path / "out/claims.md").is_file()
