"""The perspective for Bloom: its form, that it fits the graph, and that everything in it finds something there."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import jsonschema
import neo4j
import pytest
from bloom_schema import PERSPECTIVE
from click.testing import CliRunner
from conftest import SAMPLE
from small_embedder import SmallEmbedder

from qcg_neo4j.cli import qcg
from qcg_neo4j.database.corpora import KINDS, mark
from qcg_neo4j.database.graph import Graph
from qcg_neo4j.indexing.extract import ExtractSettings, extract_graph
from qcg_neo4j.indexing.generate import GenerateSettings, generate_queries
from qcg_neo4j.indexing.load import LoadSettings, load_documents, read_documents
from qcg_neo4j.indexing.train import QuestionSettings, write_questions
from qcg_neo4j.interfaces.bloom import PHRASES, SCENE_ACTIONS, perspective
from qcg_neo4j.interfaces.palette import LOOKS, PROPERTIES, RELATIONSHIP_PROPERTIES, SEGMENTS
from qcg_neo4j.models.replies import Recording

NEW = perspective()
NOT_IN_SAMPLE = ("SyntheticQuery", "Claim")
TYPES: dict[str, type | tuple[type, ...]] = {"string": str, "bigint": int, "number": (int, float)}


def test_the_file_has_the_form_that_bloom_exports() -> None:
    outcome = CliRunner().invoke(qcg, ["bloom"])
    assert outcome.exit_code == 0
    jsonschema.validate(json.loads(outcome.stdout), PERSPECTIVE)
    assert json.loads(outcome.stdout) == NEW


def test_colours_and_captions_are_those_of_the_style() -> None:
    for category in NEW["categories"]:
        look = LOOKS[category["name"]]
        assert category["labels"] == [mark(category["name"])]
        assert (category["color"], category["captionKeys"]) == (look.colour, [look.caption])
        assert look.caption in {item["name"] for item in category["properties"]}
    assert set(PROPERTIES) == set(LOOKS)


def check_properties(graph: Graph, label: str) -> None:
    """There are nodes of the label, with an id, a caption and values of the types that the perspective names."""
    found = graph.driver.execute_query(f"MATCH (n:{label}) RETURN properties(n) AS held LIMIT 500").records
    assert found
    category = next(category for category in NEW["categories"] if category["name"] == label)
    for declared in category["properties"]:
        name = declared["name"]
        values = [record["held"][name] for record in found if name in record["held"]]
        assert all(isinstance(value, TYPES[declared["dataType"]]) for value in values), (label, name)
    for held in (record["held"] for record in found):
        untitled = label == "Community" and held["size"] == 1  # without a report there is no title
        assert ({"id"} if untitled else {"id", LOOKS[label].caption}) <= set(held)


@pytest.mark.parametrize("label", [label for label in PROPERTIES if label not in NOT_IN_SAMPLE])
def test_properties_are_in_the_graph_with_their_types(sample_reports: Graph, label: str) -> None:
    check_properties(sample_reports, label)


@pytest.mark.rest
def test_kinds_that_the_sample_lacks_have_their_properties_too(graph: Graph, tmp_path: Path) -> None:
    embedder = SmallEmbedder()
    documents = list(read_documents((str(SAMPLE / "passages.jsonl"),), LoadSettings().largest_document))[:2]
    load_documents(graph, embedder, documents)
    claim = {"subject": "Li Hua", "type": "promise", "status": "true", "description": "Li Hua will come."}
    lines = [json.loads(line) for line in (SAMPLE / "graph.jsonl").read_text(encoding="utf-8").splitlines()]
    claims = [{"task": "extract/claims", "key": line["key"], "reply": {"claims": [claim]}} for line in lines]
    (tmp_path / "claims.jsonl").write_text("\n".join(map(json.dumps, claims)), encoding="utf-8")
    recording = Recording([SAMPLE / "graph.jsonl", tmp_path / "claims.jsonl"])
    extract_graph(graph, embedder, ExtractSettings(source="replies", claims=True), recording)
    pairs = Recording([SAMPLE / "pairs.jsonl"], "generate/pairs")
    generate_queries(graph, embedder, GenerateSettings(source="replies"), pairs)
    write_questions(graph, embedder, QuestionSettings(source="queries"))
    for label in NOT_IN_SAMPLE:
        check_properties(graph, label)


@pytest.mark.parametrize("kind", RELATIONSHIP_PROPERTIES)
def test_relationships_have_their_properties(sample_reports: Graph, kind: str) -> None:
    text = f"MATCH ()-[r:{kind}]->() RETURN properties(r) AS held LIMIT 50"
    found = sample_reports.driver.execute_query(text).records
    assert found
    assert all(set(RELATIONSHIP_PROPERTIES[kind]) <= set(record["held"]) for record in found)


def test_the_graph_joins_no_labels_that_the_perspective_does_not_know(sample_reports: Graph) -> None:
    text = (
        "MATCH (one)-[r]->(other) WHERE none(node IN [one, other] WHERE node:Alias) "
        "RETURN DISTINCT head([label IN labels(one) WHERE label IN $kinds]) AS source, type(r) AS kind, "
        "head([label IN labels(other) WHERE label IN $kinds]) AS target"
    )
    for record in sample_reports.driver.execute_query(text, kinds=list(KINDS)).records:
        assert (record["source"], record["target"]) in SEGMENTS[record["kind"]]


def suggested(graph: Graph, parameter: dict[str, Any]) -> list[Any]:
    """Values that Bloom would suggest; a number where nothing can be suggested."""
    if parameter["suggestionLabel"] is None:
        assert parameter["dataType"] == "Integer"
        return [5]
    label, name = parameter["suggestionLabel"], parameter["suggestionProp"]
    text = f"MATCH (n:{label}) WHERE n.{name} IS NOT NULL RETURN DISTINCT n.{name} AS value ORDER BY value LIMIT 40"
    return [record["value"] for record in graph.driver.execute_query(text).records]


@pytest.mark.parametrize("template", NEW["templates"], ids=[phrase.path for phrase in PHRASES])
@pytest.mark.rest
def test_every_phrase_draws_something_for_what_it_suggests(sample_reports: Graph, template: dict[str, Any]) -> None:
    assert set(re.findall(r"\$\w+", template["text"])) == {parameter["name"] for parameter in template["params"]}
    assert len(template["params"]) == 1
    parameter = template["params"][0]
    name = parameter["name"].removeprefix("$")
    for value in suggested(sample_reports, parameter):
        records = sample_reports.driver.execute_query(template["cypher"], {name: value}).records
        if any(drawn(record) for record in records):
            return
    pytest.fail(f"{template['text']} draws nothing")


def drawn(record: neo4j.Record) -> list[neo4j.graph.Node]:
    """The nodes that a row brings into the scene."""
    values = [item for value in record.values() for item in (value if isinstance(value, list) else [value])]
    paths = [node for value in values if isinstance(value, neo4j.graph.Path) for node in value.nodes]
    return paths + [value for value in values if isinstance(value, neo4j.graph.Node)]


@pytest.mark.parametrize("action", NEW["sceneActions"], ids=[action.path for action in SCENE_ACTIONS])
@pytest.mark.rest
def test_every_action_draws_something_for_what_it_is_offered_for(sample_reports: Graph, action: dict[str, Any]) -> None:
    labels = [NEW["categories"][number - 1]["name"] for number in action["categories"]]
    assert labels
    for label in labels:
        text = (
            f"MATCH (n:{label}) WITH n ORDER BY COUNT {{ (n)--() }} DESC LIMIT 20 RETURN collect(elementId(n)) AS ids"
        )
        selected = sample_reports.driver.execute_query(text).records[0]["ids"]
        if label == "Claim":  # the sample has none
            assert not selected
            continue
        records = sample_reports.driver.execute_query(action["cypher"], nodes=selected).records
        assert any(drawn(record) for record in records), label
