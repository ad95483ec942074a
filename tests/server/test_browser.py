"""What Browser takes: the style names every label, the guide's statements run, the route lets Browser read."""

from __future__ import annotations

import io
import re
import signal
import subprocess
import sys
import zipfile
from html import unescape
from itertools import combinations
from pathlib import Path
from urllib.error import HTTPError
from urllib.request import Request, urlopen

import numpy as np
import pytest
from click.testing import CliRunner
from conftest import TestServer

from qcg_neo4j.cli import qcg
from qcg_neo4j.core.errors import InputError
from qcg_neo4j.database.corpora import MARK
from qcg_neo4j.database.graph import Graph
from qcg_neo4j.interfaces.browser import FILES, GuideRoute, favourites, guide, inspecting, style
from qcg_neo4j.interfaces.palette import DRAWN, LOOKS, Look

GUIDE = guide("http://here/qcg.grass", "http://here/qcg-favourites.zip")
RUNNABLE = [unescape(text) for text in re.findall(r'<pre [^>]*runnable">([^:].*?)</pre>', GUIDE, re.DOTALL)]
# Not drawn: how the graph keeps its own books.
BOOKS = {"Corpus", "Stage", "Alias", "LinkPredictor", "Lock"}


def test_the_style_has_a_rule_for_all_that_the_graph_holds(sample_reports: Graph) -> None:
    rules = style()
    for record in sample_reports.driver.execute_query("CALL db.labels() YIELD label RETURN label").records:
        assert record["label"].removeprefix(MARK) in BOOKS or f"node.{record['label']} {{" in rules
    kinds = sample_reports.driver.execute_query(
        "CALL db.relationshipTypes() YIELD relationshipType AS kind RETURN kind"
    )
    for record in kinds.records:
        assert f"relationship.{record['kind']} {{" in rules


@pytest.mark.parametrize("label", LOOKS)
def test_the_caption_is_a_property_that_nodes_have(sample_reports: Graph, label: str) -> None:
    # A community of one entity has no report, and so no title.
    found = f"MATCH (n:{label}) WHERE NOT (n:Community AND n.size = 1)"
    text = f"{found} RETURN count(n) AS number, count(n.{LOOKS[label].caption}) AS named"
    record = sample_reports.driver.execute_query(text).records[0]
    assert record["named"] == record["number"]


# Machado, Oliveira and Fernandes 2009, severity 1: linear RGB as seen without red and without green cones.
BLINDNESS = {
    "none": np.eye(3),
    "protanopia": np.array([[0.152, 1.053, -0.205], [0.115, 0.786, 0.099], [-0.004, -0.048, 1.052]]),
    "deuteranopia": np.array([[0.367, 0.861, -0.228], [0.280, 0.673, 0.047], [-0.012, 0.043, 0.969]]),
}


def lab(colour: str, seen: np.ndarray) -> np.ndarray:
    """CIE L*a*b* of a colour as somebody with such eyes sees it."""
    values = np.array([int(colour[start : start + 2], 16) / 255 for start in (1, 3, 5)])
    linear = np.where(values <= 0.04045, values / 12.92, ((values + 0.055) / 1.055) ** 2.4)
    linear = np.clip(seen @ linear, 0, 1)
    to_xyz = np.array([[0.4124, 0.3576, 0.1805], [0.2126, 0.7152, 0.0722], [0.0193, 0.1192, 0.9505]])
    x, y, z = to_xyz @ linear / [0.9505, 1, 1.089]
    f = [value ** (1 / 3) if value > 0.008856 else 7.787 * value + 16 / 116 for value in (x, y, z)]
    return np.array([116 * f[1] - 16, 500 * (f[0] - f[1]), 200 * (f[1] - f[2])])


@pytest.mark.parametrize("eyes", BLINDNESS)
def test_layers_differ_for_all_eyes(eyes: str) -> None:
    looks = [*LOOKS.values(), *DRAWN.values()]
    for one, other in combinations(looks, 2):
        if one.layer != other.layer:
            distance = np.linalg.norm(lab(one.colour, BLINDNESS[eyes]) - lab(other.colour, BLINDNESS[eyes]))
            assert distance > 12, (one, other)


@pytest.mark.parametrize("look", [*LOOKS.values(), *DRAWN.values()], ids=lambda look: str(look.colour))
def test_text_is_readable_on_its_colour(look: Look) -> None:
    light = [lab(colour, BLINDNESS["none"])[0] for colour in (look.colour, look.text_colour)]
    assert abs(light[0] - light[1]) > 45


def test_the_guide_leads_to_style_and_favourites() -> None:
    assert '<pre class="highlight pre-scrollable code runnable">:style http://here/qcg.grass</pre>' in GUIDE
    assert 'href="http://here/qcg-favourites.zip"' in GUIDE
    assert "{{" not in GUIDE
    assert GUIDE.count("<slide") == GUIDE.count("</slide>") >= 5


@pytest.mark.rest
@pytest.mark.parametrize("text", RUNNABLE, ids=range(len(RUNNABLE)))
def test_every_statement_of_the_guide_returns_rows(sample_reports: Graph, text: str) -> None:
    assert sample_reports.driver.execute_query(text).records


def test_favourites_are_the_statements_for_people() -> None:
    with zipfile.ZipFile(io.BytesIO(favourites())) as archive:
        texts = {name: archive.read(name).decode() for name in archive.namelist()}
    assert len(texts) == len(inspecting())
    for name, text in texts.items():
        assert name.startswith("qcg/")
        assert text.startswith("// qcg: ")
    assert '//   :param question => "' in texts["qcg/answer_qcg.cypher"]
    assert favourites() == favourites()


def test_the_route_serves_what_browser_asks_for() -> None:
    with GuideRoute() as route:
        for name, kind in FILES.items():
            with urlopen(f"{route.address}/{name}") as answer:  # noqa: S310 - our own address
                assert answer.headers["Content-Type"] == kind
                assert answer.headers["Access-Control-Allow-Origin"] == "*"
                body = answer.read()
            if name == "guide.html":
                assert f"style {route.address}/qcg.grass" in body.decode()
        asked = Request(route.guide, method="OPTIONS", headers={"Access-Control-Request-Headers": "pragma"})  # noqa: S310
        with urlopen(asked) as answer:  # noqa: S310
            assert answer.headers["Access-Control-Allow-Headers"] == "*"
        with pytest.raises(HTTPError, match="404"):
            urlopen(f"{route.address}/password")  # noqa: S310


@pytest.mark.rest
def test_open_serves_the_guide_until_it_is_interrupted(server: TestServer) -> None:
    command = [sys.executable, "-m", "qcg_neo4j", "server", "open", "--home", str(server.home)]
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env={"PATH": "", "BROWSER": "true"}
    ) as opened:
        assert opened.stderr is not None
        assert "until Ctrl-C" in opened.stderr.readline()
        opened.send_signal(signal.SIGINT)
        printed = opened.communicate(timeout=30)[0]
    assert opened.returncode == 0
    address = re.search(r"&arg=(http://localhost:\d+/guide\.html)", printed.replace("\n", "").replace(" ", ""))
    assert address


def test_the_server_lets_browser_load_from_this_machine_alone(server: TestServer) -> None:
    text = (server.home / "conf" / "neo4j.conf").read_text(encoding="utf-8")
    assert "browser.remote_content_hostname_whitelist=127.0.0.1,localhost\n" in text
    with Graph.connect(server.uri, server.user, server.password) as graph:
        asked = "SHOW SETTINGS 'browser.remote_content_hostname_whitelist' YIELD value RETURN value"
        assert graph.driver.execute_query(asked).records[0]["value"] == "127.0.0.1,localhost"


def test_files_for_other_servers(tmp_path: Path) -> None:
    outcome = CliRunner().invoke(qcg, ["server", "guide", str(tmp_path / "out"), "--address", "https://example.org/q/"])
    assert outcome.exit_code == 0
    assert {file.name for file in (tmp_path / "out").iterdir()} == set(FILES)
    assert "style https://example.org/q/qcg.grass" in (tmp_path / "out/guide.html").read_text(encoding="utf-8")
    (tmp_path / "file").touch()
    refused = CliRunner().invoke(
        qcg, ["server", "guide", str(tmp_path / "file" / "in"), "--address", "https://example.org"]
    )
    assert isinstance(refused.exception, InputError)
