"""How evidence looks on a terminal: what tells most first, nothing twice, no passage as its own evidence."""

from __future__ import annotations

import re

import pytest

from qcg_neo4j.cli.retrieve import print_evidence
from qcg_neo4j.cli.terminal import notices, print_table, results
from qcg_neo4j.core.records import Evidence, Passage, Step
from qcg_neo4j.models.embedding.known_models import DEFAULT_MODEL
from qcg_neo4j.retrieval.reasons import Excerpt, Nearness, excerpt, nearness, reasons, telling, way, with_nearest

HIT = "HIT"


def passage(*paths: tuple[Step, ...], text: str = "Li Hua trains at FitZone.", identity: str = "c1") -> Passage:
    return Passage(identity, "d1", 0, text, 1.5, 6, paths=paths)


def ways(found: Passage, places: dict[str, int] | None = None) -> list[tuple[str, str]]:
    return [(reason.kind, way(reason, found, places or {})) for reason in reasons(found)]


def marked(shown: Excerpt) -> str:
    return shown.text[shown.first : shown.last]


def test_what_tells_most_comes_first_and_nothing_twice() -> None:
    atom = Step("Atom", "a", "FitZone is near.", "MENTIONS", 0.5)
    walked = (Step("Chunk", "c2", "Somewhere else", HIT), Step("Entity", "e", "Li Hua", "FROM_CHUNK", 0.6, 1.8))
    chain = (
        Step("Entity", "n", "The Circle", HIT),
        Step("Chunk", "c3", "The Circle is a film.", "FROM_CHUNK"),
        Step("RELATED_TO", "t", "The Circle is by Ann.", "FROM_CHUNK"),
        Step("Entity", "b", "Ann", "FROM_CHUNK", 0.9, 9.0, "Entity"),
    )
    found = passage(
        (Step("Chunk", "c1", "the question's words in its text", HIT, 1.0, 1.0, "words"),),
        chain,
        walked,
        (Step("Query", "q", "Where does Li Hua train?", HIT, 0.3),),
        (Step("Entity", "e2", "Li Hua", HIT, 1.0), atom),
        (Step("Atom", "a", "FitZone is near.", HIT, 0.5),),
    )
    assert ways(found, {"c2": 2}) == [
        ("fact", "FitZone is near.  ← Li Hua (1.00)"),
        ("query", "Where does Li Hua train?"),
        ("chain", "The Circle → passage “The Circle is a film.” → The Circle is by Ann. → Ann"),
        ("entity", "Li Hua  ← passage 2"),
        ("words", "the question's words in its text"),
    ]
    assert [reason.kind for reason in telling(found)] == ["fact", "query", "chain"]


def test_of_one_kind_the_best_are_told() -> None:
    hits = [(Step("Query", str(number), f"Question {number}?", HIT, number / 10),) for number in range(6)]
    found = passage(*hits, (Step("Atom", "a", "A fact.", HIT, 0.1),))
    assert [reason.last.text for reason in telling(found)] == ["A fact.", "Question 5?", "Question 4?"]


def test_without_a_language_model_a_sentence_is_told_once_and_called_so(capsys: pytest.CaptureFixture[str]) -> None:
    """It is the query, the fact and the triple; what they add is added."""
    text = "Li Hua trains at FitZone."
    steps = [Step(kind, kind, text, HIT, 0.4, 0.4, kind) for kind in ("Query", "Atom", "RELATED_TO")]
    found = passage(*((step,) for step in steps), text=f"It rains.\n{text} He  sleeps.")
    assert ways(found) == [("sentence", text)]
    print_evidence(Evidence("Where?", "layers", (found,)))
    shown = capsys.readouterr().out
    assert f"+1.20 sentence {text}" in shown
    assert "sentence: one of the passage." in shown
    assert not re.search("query|fact|triple|written", shown.partition("Nearest")[0])
    assert marked(excerpt(found, "Where?")) == text


def test_what_adds_to_a_score_has_a_sign(capsys: pytest.CaptureFixture[str]) -> None:
    walked = (Step("Chunk", "c2", "Somewhere else", HIT), Step("Entity", "e", "Li Hua", "FROM_CHUNK", 0.6, 1.8))
    query = (Step("Query", "q", "Where?", HIT, 0.4, 0.4),)
    print_evidence(Evidence("Where?", "layers", (passage(walked, query),)))
    shown = capsys.readouterr().out
    assert shown.index("+0.40 query    Where?") < shown.index("+1.80 entity   Li Hua  ← passage “Somewhere else”")


def test_a_passage_is_not_shown_as_its_own_evidence(capsys: pytest.CaptureFixture[str]) -> None:
    found = passage((Step("Chunk", "c1", "Li Hua trains at FitZone.", HIT, 0.7),))
    print_evidence(Evidence("Where?", "vector", (found,)))
    shown = capsys.readouterr().out
    assert shown.count("Li Hua trains at FitZone.") == 1
    assert "0.70 text     the passage itself" in shown


def test_a_line_stays_one_line(capsys: pytest.CaptureFixture[str]) -> None:
    found = passage((Step("Query", "q", "word " * 70, HIT, 0.7, 0.7),))
    print_evidence(Evidence("Where?", "layers", (found,)))
    lines = [line for line in capsys.readouterr().out.splitlines() if "word" in line]
    assert len(lines) == 1
    assert lines[0].rstrip().endswith("…")


@pytest.mark.parametrize(("cosine", "word"), [(0.86, "found"), (0.45, "weak"), (0.13, "nothing near")])
def test_how_near_the_nearest_is_is_told(capsys: pytest.CaptureFixture[str], cosine: float, word: str) -> None:
    """The words are for the model that they were measured with; those of others have another scale."""
    found = passage(
        (Step("Query", "q", "Where?", HIT, cosine, cosine),), (Step("Chunk", "c1", "words", HIT, 1.0, 1.0, "words"),)
    )
    evidence = Evidence("What is mercury?", "layers", (found,))
    assert nearness(evidence, DEFAULT_MODEL) == Nearness("query", cosine, word)  # words in common are no nearness
    assert nearness(evidence, "multilingual-e5-small") == Nearness("query", cosine, None)
    assert with_nearest(evidence, DEFAULT_MODEL)["nearest"] == {"kind": "query", "similarity": cosine, "word": word}
    print_evidence(evidence, DEFAULT_MODEL)
    assert f"meaning: {cosine:.2f}, a query (1 is the same, 0 has nothing to do with it): {word}." in " ".join(
        capsys.readouterr().out.split()
    )
    assert nearness(Evidence("?", "fulltext", ()), DEFAULT_MODEL) is None


def test_a_long_passage_is_shown_around_the_sentence_that_was_found(capsys: pytest.CaptureFixture[str]) -> None:
    long = "Nothing of it matters here. " * 40 + "Li Hua trains at FitZone on Sundays. " + "The rest is filler. " * 40
    found = passage((Step("Query", "q", "Where does Li Hua train on Sundays?", HIT, 0.7),), text=long)
    shown = excerpt(found, "Where is the gym?")
    assert marked(shown) == "Li Hua trains at FitZone on Sundays."
    assert len(shown.text) <= 402
    assert len(excerpt(found, "?", None).text) == len(long.strip())
    print_evidence(Evidence("Where?", "vector", (found,)))
    lines = capsys.readouterr().out.splitlines()
    assert all(line == line.rstrip() for line in lines)


@pytest.mark.parametrize(
    ("sentence", "question"),
    [
        ("核桃面包每天下午四点出炉。", "核桃面包什么时候出炉？"),
        ("दंत चिकित्सक तीसरी मंज़िल पर बैठते हैं।", "दंत चिकित्सक कहाँ बैठते हैं?"),
    ],
)
def test_the_sentence_is_marked_in_other_scripts(sentence: str, question: str) -> None:
    other = "图书馆星期一闭馆。" if sentence.endswith("。") else "पुस्तकालय सोमवार को बंद है। "
    found = passage(text=other * 60 + sentence + other * 60)
    assert marked(excerpt(found, question)) == sentence


def test_names_that_look_like_markup_are_printed_as_text(capsys: pytest.CaptureFixture[str]) -> None:
    name = "[/red]Anna"
    print_evidence(Evidence(name, name, (passage((Step("Query", "q", name, HIT, 0.7),), text=name),)))
    print_table(name, (name,), [(name,)])
    results().print(name)
    notices().print(name, style="yellow")
    told = capsys.readouterr()
    assert told.out.count(name) >= 6
    assert name in told.err
