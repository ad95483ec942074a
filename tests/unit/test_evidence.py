"""How evidence looks on a terminal: a line per thing that was found, best first, no passage as its own evidence."""

from __future__ import annotations

import pytest

from qcg_neo4j.cli.evidence import excerpt, nearest, print_evidence, ways_to
from qcg_neo4j.cli.terminal import notices, print_table, results
from qcg_neo4j.core.records import Evidence, Passage, Step

HIT = "HIT"


def passage(*paths: tuple[Step, ...], text: str = "Li Hua trains at FitZone.", identity: str = "c1") -> Passage:
    return Passage(identity, "d1", 0, text, 1.5, 6, paths=paths)


def test_the_best_comes_first_and_nothing_twice() -> None:
    atom = Step("Atom", "a", "FitZone is near.", "MENTIONS", 0.5)
    found = passage(
        (Step("Query", "q", "Where does Li Hua train?", HIT, 0.3),),
        (Step("Entity", "e", "Li Hua", HIT, 1.0), atom),
        (Step("Atom", "a", "FitZone is near.", HIT, 0.5),),
    )
    ways = ways_to(found, {})
    assert [(way.number, way.kind, way.text) for way in ways] == [
        ("0.50", "fact", "FitZone is near.  ← Li Hua (1.00)"),
        ("0.30", "query", "Where does Li Hua train?"),
    ]


def test_what_adds_to_a_score_has_a_sign_and_other_passages_have_numbers() -> None:
    walked = (Step("Chunk", "c2", "Somewhere else", HIT), Step("Entity", "e", "Li Hua", "FROM_CHUNK", 0.6, 1.8))
    query = (Step("Query", "q", "Where?", HIT, 0.4, 0.4),)
    lines = [(way.number, way.kind, way.text) for way in ways_to(passage(query, walked), {"c2": 2})]
    assert lines == [("+1.80", "entity", "Li Hua  ← passage 2"), ("+0.40", "query", "Where?")]
    assert ways_to(passage(walked), {})[0].text == "Li Hua  ← passage “Somewhere else”"


def test_a_passage_is_not_shown_as_its_own_evidence(capsys: pytest.CaptureFixture[str]) -> None:
    found = passage((Step("Chunk", "c1", "Li Hua trains at FitZone.", HIT, 0.7),))
    print_evidence(Evidence("Where?", "vector", (found,)))
    shown = capsys.readouterr().out
    assert shown.count("Li Hua trains at FitZone.") == 1
    assert "0.70 text   the passage itself" in shown


def test_a_line_stays_one_line(capsys: pytest.CaptureFixture[str]) -> None:
    found = passage((Step("Query", "q", "word " * 70, HIT, 0.7, 0.7),))
    print_evidence(Evidence("Where?", "layers", (found,)))
    lines = [line for line in capsys.readouterr().out.splitlines() if "word" in line]
    assert len(lines) == 1
    assert lines[0].rstrip().endswith("…")


def test_how_near_the_nearest_is_is_told(capsys: pytest.CaptureFixture[str]) -> None:
    far = passage((Step("Query", "q", "Where?", HIT, 0.21, 0.21),), (Step("Chunk", "c1", "Where?", HIT, 1.0, 1.0),))
    evidence = Evidence("What is mercury?", "layers", (far,))
    found = nearest(evidence)
    assert found is not None
    assert found.id == "q"  # words in common are no nearness in meaning
    print_evidence(evidence)
    assert "Nearest to the question by meaning: 0.21, a query" in capsys.readouterr().out
    assert nearest(Evidence("?", "fulltext", ())) is None


def test_a_long_passage_is_shown_around_the_sentence_that_was_found(capsys: pytest.CaptureFixture[str]) -> None:
    long = "Nothing of it matters here. " * 40 + "Li Hua trains at FitZone on Sundays. " + "The rest is filler. " * 40
    found = passage((Step("Query", "q", "Where does Li Hua train on Sundays?", HIT, 0.7),), text=long)
    shown = excerpt(found, "Where is the gym?")
    assert "Li Hua trains at FitZone on Sundays." in shown.plain
    assert len(shown.plain) <= 402
    (bold,) = shown.spans
    assert shown.plain[bold.start : bold.end] == "Li Hua trains at FitZone on Sundays."
    assert len(excerpt(found, "?", full=True).plain) == len(long.strip())
    print_evidence(Evidence("Where?", "vector", (found,)))
    lines = capsys.readouterr().out.splitlines()
    assert all(line == line.rstrip() for line in lines)


def test_names_that_look_like_markup_are_printed_as_text(capsys: pytest.CaptureFixture[str]) -> None:
    name = "[/red]Anna"
    print_evidence(Evidence(name, name, (passage((Step("Query", "q", name, HIT, 0.7),), text=name),)))
    print_table(name, (name,), [(name,)])
    results().print(name)
    notices().print(name, style="yellow")
    told = capsys.readouterr()
    assert told.out.count(name) >= 6
    assert name in told.err
