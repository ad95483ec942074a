"""Pictures of answers, documents and the graph: what they hold, where it stands, files, and a notebook's output."""

from __future__ import annotations

import json
import re
from html import unescape
from pathlib import Path

import pytest
from click.testing import CliRunner
from conftest import TestServer

from qcg_neo4j.cli import qcg
from qcg_neo4j.core.errors import GraphError, InputError
from qcg_neo4j.core.records import Evidence, Passage, Step
from qcg_neo4j.database.graph import Graph
from qcg_neo4j.interfaces.palette import DRAWN, LOOKS
from qcg_neo4j.interfaces.show import (
    Dot,
    Line,
    Picture,
    community_picture,
    document_picture,
    evidence_picture,
    sample_picture,
)
from qcg_neo4j.interfaces.show.arrangement import arranged, through
from qcg_neo4j.retrieval import METHODS, method

QUESTION = "Which gym did Wolfgang recommend to Li Hua?"


def evidence() -> Evidence:
    hit = Step("Query", "q1", "Who?", "HIT", 0.9)
    next_one = Step("Query", "q2", "Where?", "SIMILAR_TO", 0.5, 0.8)
    itself = Step("Chunk", "c2", "The second.", "HIT", 0.4)
    return Evidence(
        "Why?",
        "qcg",
        (
            Passage("c1", "d1", 0, "The first.", 0.9, 3, "One", ((hit,), (hit, next_one))),
            Passage("c2", "d1", 1, "The second.", 0.4, 3, "One", ((itself,),)),
        ),
    )


def test_the_way_from_the_question_to_the_document_has_its_similarities() -> None:
    picture = evidence_picture(evidence())
    assert [(dot.id, dot.column) for dot in picture.dots] == [
        ("Question", 0),
        ("q1", 1),
        ("q2", 2),
        ("c1", 3),
        ("c2", 3),
        ("document d1", 4),
    ]
    assert set(picture.lines) == {
        Line("Question", "q1", "cosine", 0.9),
        Line("q1", "q2", "SIMILAR_TO", 0.8),
        Line("q1", "c1", "FROM_CHUNK"),
        Line("q2", "c1", "FROM_CHUNK"),
        Line("Question", "c2", "score", 0.4),
        Line("c1", "document d1", "FROM_DOCUMENT"),
        Line("c2", "document d1", "FROM_DOCUMENT"),
    }


@pytest.mark.parametrize("name", METHODS)
def test_every_methods_evidence_leads_from_the_question_to_every_document(sample_reports: Graph, name: str) -> None:
    found = method(name, {"passages": 3}).retrieve(sample_reports, QUESTION)
    picture = evidence_picture(found)
    reached = {"Question"}
    for _ in picture.dots:
        reached |= {line.target for line in picture.lines if line.source in reached}
    assert reached == {dot.id for dot in picture.dots}
    assert {dot.text for dot in picture.dots if dot.label == "Document"} == {
        passage.title or passage.document for passage in found.passages
    }
    assert all(dot.label in LOOKS | DRAWN for dot in picture.dots)


def test_nobody_stands_on_anybody() -> None:
    places = evidence_picture(evidence()).places()
    assert len(set(places.values())) == len(places)


def test_rows_follow_what_leads_to_them() -> None:
    dots = [Dot("a", "Query", "a", 0), Dot("b", "Query", "b", 0), Dot("x", "Chunk", "x", 1), Dot("y", "Chunk", "y", 1)]
    places = Picture.of("", dots, [Line("a", "y", "FROM_CHUNK"), Line("b", "x", "FROM_CHUNK")]).places()
    assert places["y"][1] < places["x"][1]


def test_no_column_has_more_boxes_than_a_person_takes_in() -> None:
    """The reason of each passage that tells most, where all would be too many; a chain before all else."""
    chain = (Step("Chunk", "c0", "Page.", "HIT"), Step("RELATED_TO", "t", "A by B.", "FROM_CHUNK"))
    bridge = Step("Entity", "b", "B", "FROM_CHUNK", 0.9, 9.0, "Entity")
    passages = [
        Passage(
            f"c{number}",
            f"d{number}",
            0,
            f"Text {number}.",
            1.0,
            3,
            paths=(
                (Step("Query", f"q{number}", f"Why {number}?", "HIT", 0.6, 0.6),),
                (Step("Atom", f"a{number}", f"Because {number}.", "HIT", 0.5, 0.5),),
                *([(*chain, bridge)] if number == 4 else []),
            ),
        )
        for number in range(5)
    ]
    picture = evidence_picture(Evidence("Why?", "layers", tuple(passages)))
    assert {dot.id for dot in picture.dots if dot.label == "Atom"} == {"a0", "a1", "a2", "a3"}
    assert {"t", "b"} <= {dot.id for dot in picture.dots}
    assert picture.tallest == 5
    few = evidence_picture(Evidence("Why?", "layers", tuple(passages[:2])))
    assert few.tallest == 4  # there is room for both reasons
    assert evidence_picture(Evidence("Why?", "layers", tuple(passages)), paths=3).tallest == 11


def test_lines_cross_only_where_they_must() -> None:
    edges = [("a", "y"), ("b", "x"), ("x", "m"), ("y", "n"), ("a", "n")]
    nodes = [("a", 0), ("b", 0), ("x", 1), ("y", 1), ("m", 2), ("n", 2)]
    placed = arranged(nodes, edges)
    order = [
        [name for name in names if placed[name][1] == min(placed[one][1] for one in names)]
        for names in ("ab", "xy", "mn")
    ]
    assert order in ([["a"], ["y"], ["n"]], [["b"], ["x"], ["m"]])
    # A line that passes a column has room there, so that it goes through no box.
    room = placed[through("a", "n", 1)]
    assert room[0] == 1
    assert room not in (placed["x"], placed["y"])


def test_a_documents_picture_holds_what_was_made_from_it(sample_reports: Graph) -> None:
    text = (
        "MATCH (d:Document)<-[:FROM_DOCUMENT]-()<-[:FROM_CHUNK]-(m) WITH d, collect(DISTINCT m.id) AS made "
        "RETURN d.id AS id, made ORDER BY size(made) DESC LIMIT 1"
    )
    record = sample_reports.driver.execute_query(text).records[0]
    picture = document_picture(sample_reports, record["id"])
    assert {record["id"], *record["made"]} <= {dot.id for dot in picture.dots}
    by_id = {dot.id: dot.label for dot in picture.dots}
    to_chunk = [line.name for line in picture.lines if by_id[line.target] == "Chunk" and by_id[line.source] == "Entity"]
    assert set(to_chunk) == {"FROM_CHUNK"}
    with pytest.raises(InputError, match="no document 'nothing'"):
        document_picture(sample_reports, "nothing")


def test_a_communitys_picture_holds_its_entities_and_where_they_are_stated(sample_reports: Graph) -> None:
    text = (
        "MATCH (c:Community {level: 0})<-[:IN_COMMUNITY]-(e:Entity) WITH c, collect(e.id) AS entities "
        "RETURN c.id AS id, entities ORDER BY size(entities) DESC, id LIMIT 1"
    )
    record = sample_reports.driver.execute_query(text).records[0]
    few, all_of_it = (community_picture(sample_reports, record["id"], number) for number in (3, 300))
    shown = {dot.id for dot in all_of_it.dots if dot.label == "Entity"}
    assert shown == set(record["entities"])
    assert sum(dot.label == "Entity" for dot in few.dots) == 3
    assert {dot.label for dot in all_of_it.dots} == {"Community", "Entity", "Chunk", "Document"}
    assert any({line.source, line.target} <= shown for line in all_of_it.lines)
    with pytest.raises(InputError, match="no community 'nothing'"):
        community_picture(sample_reports, "nothing")


def test_a_sample_has_all_layers(sample_reports: Graph) -> None:
    picture = sample_picture(sample_reports, 2, 3)
    assert {dot.look.layer for dot in picture.dots} == {look.layer for look in LOOKS.values()}
    assert sum(dot.label == "Document" for dot in picture.dots) == 2
    communities = [dot.text for dot in sample_picture(sample_reports, 60).dots if dot.label == "Community"]
    assert "Community of 1 entity" in communities  # it has no report
    assert not [text for text in communities if re.fullmatch(r"\d-[0-9a-f]+", text)]


def test_of_an_empty_graph_there_is_no_sample(graph: Graph) -> None:
    with pytest.raises(GraphError, match="empty"):
        sample_picture(graph)


@pytest.mark.parametrize(("name", "beginning"), [("a.png", b"\x89PNG"), ("a.svg", b"<?xml"), ("a.pdf", b"%PDF")])
def test_an_image_is_of_the_files_kind(tmp_path: Path, name: str, beginning: bytes) -> None:
    evidence_picture(evidence()).write(tmp_path / name)
    assert (tmp_path / name).read_bytes().startswith(beginning)


def test_a_wrong_ending_leaves_no_file(tmp_path: Path) -> None:
    for name in ("a.xyz", "a"):
        with pytest.raises(InputError, match="cannot be written"):
            evidence_picture(evidence()).write(tmp_path / name)
    assert not list(tmp_path.iterdir())


def test_a_picture_of_nothing_is_empty(tmp_path: Path) -> None:
    Picture.of("Nothing", [], []).write(tmp_path / "a.png")
    assert (tmp_path / "a.png").stat().st_size


def test_pictograms_do_not_spoil_an_image(tmp_path: Path) -> None:
    """Matplotlib warns of letters that its fonts lack, and a warning is an error here."""
    Picture.of("A chat", [Dot("c", "Chunk", "Great! \U0001f4aa\U0001f3fd \u2764\ufe0f See you", 0)], []).write(
        tmp_path / "a.png"
    )


def test_a_page_needs_nothing_else_and_is_what_a_notebook_shows(tmp_path: Path) -> None:
    picture = evidence_picture(evidence())
    picture.write(tmp_path / "a.html")
    page = (tmp_path / "a.html").read_text(encoding="utf-8")
    for dot in picture.dots:
        assert dot.text in page
        assert dot.look.colour.lower() in page.lower()
    assert not re.search(r"<(script|link|img)[^>]+(src|href)=[\"']?(https?:)?//", page)
    assert "Why?" in picture._repr_html_()
    assert "<title>Why? (qcg)</title>" in page
    legend, _ = json.JSONDecoder().raw_decode(page, page.rindex('"legend": ') + len('"legend": '))
    assert {entry["label"] for entry in legend["nodes"]["entries"]} == {dot.label for dot in picture.dots}
    (tmp_path / "link.html").symlink_to(tmp_path / "a.html")
    picture.write(tmp_path / "link.html")
    assert (tmp_path / "link.html").is_symlink()
    with pytest.raises(InputError, match="cannot be written"):
        picture.write(tmp_path / "missing" / "a.png")


def test_a_page_runs_no_script_but_those_that_it_was_written_with(tmp_path: Path) -> None:
    hostile = """</script><script>document.title='owned'</script><img src=x onerror="document.title='owned'">"""
    Picture.of(hostile, [Dot(hostile, "Chunk", hostile, 0)], []).write(tmp_path / "a.html")
    page = (tmp_path / "a.html").read_text(encoding="utf-8")
    assert hostile not in page
    found = re.match(
        r'<!doctype html>\s*<html[^>]*>\s*<head><meta http-equiv="Content-Security-Policy" content="(.*?)">', page
    )
    assert found
    scripts = unescape(found[1]).partition("script-src ")[2].split()
    assert len(scripts) == 1  # the viewer's own
    assert all(re.fullmatch(r"'sha256-[\w+/]+='", script) for script in scripts)
    assert "default-src 'none'" in unescape(found[1])


@pytest.mark.parametrize(
    "words",
    [
        ["answer", QUESTION],
        ["document", "DOCUMENT"],
        ["community", "COMMUNITY"],
        ["sample"],
        ["answer", QUESTION, "-m", "atomic"],
    ],
    ids=" ".join,
)
def test_the_commands_write_and_say_what(
    sample_server: TestServer, sample_reports: Graph, tmp_path: Path, words: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("QCG_HOME", str(sample_server.home))
    monkeypatch.delenv("NEO4J_URI", raising=False)
    first = sample_reports.driver.execute_query("MATCH (d:Document) RETURN min(d.id)").records[0][0]
    community = sample_reports.driver.execute_query("MATCH (c:Community) RETURN min(c.id)").records[0][0]
    words = [{"DOCUMENT": first, "COMMUNITY": community}.get(word, word) for word in words]
    file = tmp_path / "a.png"
    outcome = CliRunner().invoke(qcg, ["show", *words, str(file)])
    assert outcome.exit_code == 0, outcome.output
    assert re.search(r"[\d,]+ nodes and [\d,]+ relationships? (is|are) drawn", outcome.output)
    assert file.stat().st_size > 5000
