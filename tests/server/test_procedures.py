"""The plug-in on running servers: its signatures, its version, its settings, and retrieval as Python does it."""

from __future__ import annotations

import json
import re
import zipfile
from collections.abc import Iterator
from hashlib import sha256
from importlib.metadata import version
from pathlib import Path
from typing import Any

import neo4j
import options
import pytest
from configurations import PROCEDURES
from conftest import SAMPLE, TestServer

from qcg_neo4j.core.errors import MissingPluginError
from qcg_neo4j.core.settings import default_of
from qcg_neo4j.database.conversion import camel
from qcg_neo4j.database.graph import Graph
from qcg_neo4j.database.statements import statement
from qcg_neo4j.database.status import server_facts
from qcg_neo4j.database.translation import check_plugin
from qcg_neo4j.retrieval import METHODS, method
from qcg_neo4j.retrieval.method import OneStatement
from qcg_neo4j.server import status
from qcg_neo4j.server.configuration import write_java_options
from qcg_neo4j.server.home import Home
from qcg_neo4j.server.plugins import PLUGIN, version_of

GOLDEN = Path(__file__).parents[1] / "golden/procedures.txt"
SEARCHED = {"question", "questionVector", "candidates"}
KINDS = {"PROCEDURES": "procedure", "FUNCTIONS": "function"}
# Procedure -> method of the package, of those that are one statement.
TWINS = {kind.procedure: name for name, kind in METHODS.items() if issubclass(kind, OneStatement)}
QUESTIONS = [
    *(json.loads(line)["question"] for line in (SAMPLE / "questions.jsonl").read_text("utf-8").splitlines()[::10]),
    "When does the special event at the bakery start, as Hailey told Li Hua on June 22nd, 2026?",
]
RETRIEVE = """
CALL {name}($question, $configuration) YIELD rank, score, chunk, document, paths
RETURN rank, score, chunk.id AS chunk, document.id AS document, paths
"""


def described(driver: neo4j.Driver) -> Iterator[str]:
    """Every procedure and function with its signature and all descriptions."""
    for command, kind in KINDS.items():
        shown = f"SHOW {command} YIELD * WHERE name STARTS WITH 'qcg.' RETURN * ORDER BY name"
        for record in driver.execute_query(shown).records:
            yield f"{kind} {record['signature']}\n  {record['description']}\n"
            for argument in record["argumentDescription"]:
                yield f"  {argument['name']}: {argument['description']}\n"
            for field in record["returnDescription"] if kind == "procedure" else ():
                yield f"  YIELD {field['name']}: {field['description']}\n"


def test_the_signatures_are_the_golden_ones(each_graph: Graph) -> None:
    assert "".join(described(each_graph.driver)) == GOLDEN.read_text(encoding="utf-8")


def test_the_version_is_the_packages(each_graph: Graph, server_2026: TestServer) -> None:
    each_graph.need_procedures()
    assert each_graph.plugin_version() == version("qcg-neo4j") == version_of(PLUGIN)
    assert server_facts(each_graph).plugin_version == status(server_2026.home).plugin == version("qcg-neo4j")


def test_the_digest_is_that_of_the_jar_that_the_server_runs(each_graph: Graph) -> None:
    assert each_graph.plugin_digest() == sha256(PLUGIN.read_bytes()).hexdigest()


def test_a_missing_or_old_plugin_is_told(tmp_path: Path) -> None:
    with pytest.raises(MissingPluginError, match=r"lacks the plug-in qcg\.\n"):
        check_plugin(None, "0.2.0")
    with pytest.raises(MissingPluginError, match=r"plug-in qcg is 0\.1\.0, the package is 0\.2\.0\.\n.*server stop"):
        check_plugin("0.1.0", "0.2.0")
    check_plugin("0.2.0", "0.2.0")
    assert version_of(tmp_path / "none.jar") is None


def test_a_start_replaces_another_plugin_and_only_that(tmp_path: Path) -> None:
    home = Home(tmp_path / "home")
    home.prepare()
    own, target = home.plugins / "own.jar", home.plugins / PLUGIN.name
    own.write_text("mine")
    target.write_text("old")
    written = []
    for _ in range(2):
        options = write_java_options(home, "512m", {}, more=("-Xint", "-Da=b c")).read_text(encoding="utf-8")
        assert '"-Xint"\n"-Da=b c"\n' in options
        assert target.read_bytes() == PLUGIN.read_bytes()
        assert own.read_text() == "mine"
        assert sorted(jar.name for jar in (home.run / "plugins").iterdir()) == ["own.jar", PLUGIN.name]
        assert str(target.relative_to(home.root)) in options
        written.append(target.stat().st_ino)
    assert written[0] == written[1]  # the second start left it alone
    assert not list(home.plugins.glob("*.fresh"))


def test_what_the_settings_declare_is_written_into_the_plugin() -> None:
    """`make plugins` writes the files."""
    assert options.DECLARED.read_text(encoding="utf-8") == options.declared()
    assert options.OPTIONS.read_text(encoding="utf-8") == options.table()
    assert options.MODELS.read_text(encoding="utf-8") == options.models()
    assert options.DAYS.read_text(encoding="utf-8") == options.days()
    assert GOLDEN.read_text(encoding="utf-8") == options.golden(GOLDEN.read_text(encoding="utf-8"))


def test_every_configuration_is_declared() -> None:
    shown = re.findall(r"^procedure (\S+?)\(.*\bconfiguration = ", GOLDEN.read_text(encoding="utf-8"), re.MULTILINE)
    assert shown == sorted(PROCEDURES)


def test_configurations_are_those_that_the_settings_declare(each_graph: Graph) -> None:
    rows = [record.data() for record in each_graph.driver.execute_query("CALL qcg.configuration()").records]
    for row in rows:
        row.pop("type")
    assert rows == [
        {
            "procedure": name,
            "key": camel(one.name),
            "defaultValue": list(default) if isinstance(default := default_of(one), tuple) else default,
            "minimum": one.metadata["minimum"],
            "maximum": one.metadata["maximum"],
            "choices": list(options.choices(one)) or None,
            "meaning": options.meaning(one),
        }
        for name, kind in sorted(PROCEDURES.items())
        for one in options.options(kind)
    ]


def test_the_jar_carries_the_statements() -> None:
    with zipfile.ZipFile(PLUGIN) as jar:
        for path in ("retrieve/qcg", "retrieve/layers", "retrieve/passages", "retrieve/as_graph"):
            assert jar.read(f"cypher/{path}.cypher").decode() == statement(path).text


@pytest.mark.parametrize("configuration", [{}, {"passages": 12, "context_tokens": 900}], ids=["default", "cut"])
@pytest.mark.parametrize("name", TWINS)
@pytest.mark.rest("cut")
def test_retrieval_is_that_of_the_package(name: str, configuration: dict[str, Any], sample: Graph) -> None:
    for question in QUESTIONS:
        vector = sample.embed_question(question)
        expected = method(TWINS[name], configuration).retrieve(sample, question, vector)
        given = {"text": question, "vector": vector.astype(float).tolist()}
        keys = {camel(key): value for key, value in configuration.items()}
        found = sample.driver.execute_query(RETRIEVE.format(name=name), question=given, configuration=keys).records
        assert [row["chunk"] for row in found] == [item.id for item in expected.passages]
        assert [row["document"] for row in found] == [item.document for item in expected.passages]
        assert [row["score"] for row in found] == pytest.approx([item.score for item in expected.passages], abs=1e-6)
        assert [row["rank"] for row in found] == list(range(1, len(found) + 1))
        for row, item in zip(found, expected.passages, strict=True):
            ways = [[node["id"] for node in path.nodes] for path in row["paths"]]
            assert len(ways) == len(item.paths)
            for way, path in zip(ways, item.paths, strict=True):
                own = [step.id for step in path if step.label != "RELATED_TO" and step.id != item.id]
                # A triple is a relationship on the way between two entities.
                assert way[-2:] == [item.id, item.document]
                assert way[: len(own)] == own or path[0].label == "RELATED_TO"


def test_the_mean_of_windows_is_a_choice(sample: Graph) -> None:
    vector = sample.embed_question(QUESTIONS[0])
    expected = method("vector", {"scoring": "mean"}).retrieve(sample, QUESTIONS[0], vector)
    values: dict[str, Any] = {"question": vector.astype(float).tolist(), "configuration": {"scoring": "mean"}}
    found = sample.driver.execute_query(RETRIEVE.format(name="qcg.retrieve.vector"), **values).records
    assert [row["chunk"] for row in found] == [item.id for item in expected.passages]


@pytest.mark.parametrize(
    ("call", "problem"),
    [
        ("qcg('  ')", "qcg.retrieve.qcg: the question is empty."),
        ("qcg(null)", "the question is null, but must be a text, a vector, or {text: …, vector: …}."),
        ("qcg(7)", "the question is of the type Long, but must be a text, a vector, or {text: …, vector: …}."),
        ("qcg({text: 'why'})", "a question that is a map must be {text: …, vector: …}."),
        ("qcg('why', {hop: 1})", "there is no configuration key 'hop'. Did you mean 'hops'?"),
        ("qcg('why', {hops: 103})", "hops is 103, but must be a whole number, 0 to 100."),
        ("qcg('why', {minimumScore: 'high'})", "minimumScore is 'high', but must be a number, 0.0 to 2.0."),
        ("qcg('why', {aggregation: 'median'})", "aggregation is 'median', but must be one of mean, max, sum."),
        ("fulltext([1.0])", "this method searches for words, so it needs the question as text."),
        ("hybrid([1.0])", "this method searches for words, so it needs the question as text."),
    ],
)
def test_what_does_not_fit_is_refused(call: str, problem: str, graph: Graph) -> None:
    with pytest.raises(neo4j.exceptions.ClientError) as refusal:
        graph.driver.execute_query(f"CALL qcg.retrieve.{call}")
    assert problem in str(refusal.value)
