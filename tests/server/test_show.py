"""Pictures of the hierarchy: every community once, children under their parents; files that cannot be written."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path

import pytest
from click.testing import CliRunner
from matplotlib import image

from qcg_neo4j.cli import qcg
from qcg_neo4j.cli.show import write
from qcg_neo4j.core.errors import GraphError, InputError
from qcg_neo4j.database.graph import Graph
from qcg_neo4j.interfaces.show import hierarchy, write_html, write_picture
from qcg_neo4j.interfaces.show.picture import Dot, Line, Picture


def test_children_lie_under_their_parents_beside_each_other(sample_reports: Graph) -> None:
    places = hierarchy(sample_reports)
    by_id = {place.id: place for place in places}
    assert len(by_id) == len(places) == len(sample_reports.rows("inspect/hierarchy"))
    for place in places:
        if place.parent:
            above = by_id[place.parent]
            assert above.start <= place.start
            assert place.start + place.size <= above.start + above.size
            assert (place.level, place.colour) == (above.level + 1, above.colour)
    for one, other in pairwise(places):
        assert one.level < other.level or one.start + one.size <= other.start


@pytest.mark.parametrize(("name", "beginning"), [("a.png", b"\x89PNG"), ("a.svg", b"<?xml"), ("a.pdf", b"%PDF")])
def test_the_picture_is_of_the_files_kind(sample_reports: Graph, tmp_path: Path, name: str, beginning: bytes) -> None:
    write_picture(hierarchy(sample_reports), tmp_path / name)
    assert (tmp_path / name).read_bytes().startswith(beginning)


def test_the_page_holds_every_community(sample_reports: Graph, tmp_path: Path) -> None:
    places = hierarchy(sample_reports)
    write_html(places, tmp_path / "page.html")
    page = (tmp_path / "page.html").read_text(encoding="utf-8")
    assert all(place.id in page for place in places)


def test_without_communities_there_is_nothing_to_draw(graph: Graph) -> None:
    with pytest.raises(GraphError, match="no communities"):
        hierarchy(graph)


def test_what_cannot_be_drawn_says_why(sample_reports: Graph, tmp_path: Path) -> None:
    with pytest.raises(InputError, match="cannot be written"):
        write_picture(hierarchy(sample_reports), tmp_path / "missing" / "a.png")
    with pytest.raises(InputError, match="cannot be written"):
        write_html(hierarchy(sample_reports), tmp_path / "missing" / "a.html")
    outcome = CliRunner().invoke(qcg, ["show", "communities", "a.jpeg"])
    assert isinstance(outcome.exception, InputError)
    assert "ends in '.jpeg'" in str(outcome.exception)


@pytest.mark.parametrize(("name", "told"), [("a.svg", True), ("a.html", False)])
def test_an_image_says_what_it_leaves_out_and_a_page_has_all(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], name: str, told: bool
) -> None:
    write(Picture.of("Many", [Dot(str(number), "Chunk", "", 0) for number in range(60)], []), tmp_path / name)
    said = capsys.readouterr().err
    assert said.startswith("20 nodes" if told else "60 nodes")
    assert ("Left out: Chunk 40. A page shows all" in said) == told


def test_an_image_of_many_nodes_has_some_of_each_and_is_no_tower(tmp_path: Path) -> None:
    dots = [Dot(f"d{number}", "Document", "", 0) for number in range(2)]
    chunks = {f"c{number}": f"d{number // 200}" for number in range(400)}
    dots += [Dot(name, "Chunk", "", 1) for name in chunks]
    picture = Picture.of("", dots, [Line(name, document, "FROM_DOCUMENT") for name, document in chunks.items()])
    drawn = picture.write(tmp_path / "a.png")
    assert {line.target for line in drawn.lines} == {"d0", "d1"}
    assert image.imread(tmp_path / "a.png").shape[0] < 3000
