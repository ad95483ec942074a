"""Merging entities: what is proposed, that nothing is lost, and that it can be undone."""

from __future__ import annotations

import json
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result
from graph_dump import dump, query
from small_embedder import SmallEmbedder

from qcg_neo4j.cli.build import resolve as command
from qcg_neo4j.core.errors import InputError
from qcg_neo4j.core.records import SourceDocument
from qcg_neo4j.database.graph import Graph
from qcg_neo4j.database.schema import await_indexes
from qcg_neo4j.indexing.extract import ExtractSettings, extract_graph
from qcg_neo4j.indexing.extract.findings import entity_id
from qcg_neo4j.indexing.load import LoadSettings, delete_documents, load_documents
from qcg_neo4j.indexing.resolve import Merge, ResolveSettings, merge, merged, part, propose
from qcg_neo4j.models.replies import Recording, key_of

EMBEDDER = SmallEmbedder()


def reply(*entities: str | tuple[str, str]) -> dict[str, Any]:
    """Entities, each related to the next; one atom that mentions all."""
    pairs = [(entity, "") if isinstance(entity, str) else entity for entity in entities]
    names = [name for name, _ in pairs]
    return {
        "entities": [{"name": name, "type": kind, "description": f"{name} is here."} for name, kind in pairs],
        "relations": [
            {"source": one, "predicate": "knows", "target": other, "strength": 5, "ttr": f"{one} knows {other}."}
            for one, other in pairwise(names)
        ],
        "atoms": [{"text": " ".join(names), "entities": names}],
    }


def extracted(graph: Graph, tmp_path: Path, replies: dict[str, dict[str, Any]], name: str | None = None) -> None:
    """A document for each reply, its text the key, and so is its name unless one is given."""
    documents = [SourceDocument(name or text, passages=(text,)) for text in replies]
    load_documents(graph, EMBEDDER, documents, LoadSettings())
    file = tmp_path / "graph.jsonl"
    with file.open("a", encoding="utf-8") as lines:
        for text, value in replies.items():
            lines.write(json.dumps({"task": "extract/graph", "key": key_of(text), "reply": value}) + "\n")
    extract_graph(graph, EMBEDDER, ExtractSettings(source="replies"), Recording([file]))


ONE = {
    "first": reply("Li Hua", "Wolfgang Schulz", "LiHua", "FitZone"),
    "second": reply("Li Hua", "Wolfgang Schultz", "Adam"),
    "third": reply("Wolfgang Schulz", "Li-Hua"),
}
EXPECTED = {("LiHua", "Li Hua"), ("Li-Hua", "Li Hua"), ("Wolfgang Schultz", "Wolfgang Schulz")}
# The small embedder's vectors say little about meaning.
SETTINGS = ResolveSettings(similarity=0.3)


def proposed(graph: Graph, settings: ResolveSettings = SETTINGS) -> list[Merge]:
    await_indexes(graph)
    return propose(graph, settings)


def test_what_is_proposed(graph: Graph, tmp_path: Path) -> None:
    extracted(graph, tmp_path, ONE)
    before = dump(graph)
    found = proposed(graph)
    assert {(item.alias_name, item.entity_name) for item in found} == EXPECTED
    assert [item.score for item in found][:2] == [1.0, 1.0]
    assert dump(graph) == before
    assert len(proposed(graph, ResolveSettings(similarity=0.3, spelling=0.99))) == 2


@pytest.mark.parametrize(
    "names",
    [
        ("Room 101", "Room 102"),
        ("2019", "2018"),
        ("Ann", "Anna"),
        (("Victoria", "person"), ("Victoria.", "person"), ("Victoria!x", "place")),
        ("李华", "李花"),
    ],
)
def test_what_is_not_proposed(graph: Graph, tmp_path: Path, names: Any) -> None:
    extracted(graph, tmp_path, {"text": reply(*names)})
    assert proposed(graph, ResolveSettings(similarity=-1)) == []


def test_merged_and_parted_is_as_before(graph: Graph, tmp_path: Path) -> None:
    extracted(graph, tmp_path, ONE)
    before = dump(graph)
    merge(graph, EMBEDDER, proposed(graph))
    names = {row["name"] for row in query(graph, "MATCH (e:Entity) RETURN e.name AS name")}
    assert names == {"Li Hua", "Wolfgang Schulz", "FitZone", "Adam"}
    assert {(item.alias_name, item.entity_name) for item in merged(graph)} == EXPECTED
    assert proposed(graph) == []
    relations = query(
        graph, "MATCH (s)-[r:RELATED_TO]->(t) RETURN s.name AS s, t.name AS t, r.ttr AS x, r.embedding AS e"
    )
    assert {(row["s"], row["t"], row["x"]) for row in relations} >= {
        ("Li Hua", "FitZone", "LiHua knows FitZone."),
        ("Wolfgang Schulz", "Li Hua", "Wolfgang Schulz knows Li-Hua."),
        ("Wolfgang Schulz", "Li Hua", "Wolfgang Schulz knows LiHua."),
        ("Wolfgang Schulz", "Adam", "Wolfgang Schultz knows Adam."),
    }
    assert len(relations) == 6
    assert all(len(row["e"]) == EMBEDDER.dimension for row in relations)
    part(graph, EMBEDDER, merged(graph))
    assert dump(graph) == before
    assert merged(graph) == []


def test_what_is_extracted_later_goes_to_the_merged_entity(graph: Graph, tmp_path: Path) -> None:
    extracted(graph, tmp_path, {**ONE, "fourth": reply("LiHua", "Adam"), "fifth": reply("Eve", "Li-Hua")})
    merge(graph, EMBEDDER, proposed(graph))
    expected = dump(graph)
    delete_documents(graph, ["fourth", "fifth"])
    extracted(graph, tmp_path, {"fourth": reply("LiHua", "Adam"), "fifth": reply("Eve", "Li-Hua")})
    assert dump(graph) == expected


def test_merges_outlast_a_change_of_the_only_document_that_states_a_name(graph: Graph, tmp_path: Path) -> None:
    extracted(graph, tmp_path, ONE)
    merge(graph, EMBEDDER, proposed(graph))
    extracted(graph, tmp_path, {"third, corrected": ONE["third"]}, "third")
    assert {(item.alias_name, item.entity_name) for item in merged(graph)} == EXPECTED
    assert not query(graph, "MATCH (entity:Entity {name: 'Li-Hua'}) RETURN entity")


def test_the_extraction_after_a_deletion_takes_unused_aliases_along(graph: Graph, tmp_path: Path) -> None:
    extracted(graph, tmp_path, ONE)
    merge(graph, EMBEDDER, proposed(graph))
    delete_documents(graph, ["third"])
    extracted(graph, tmp_path, {})
    assert {item.alias_name for item in merged(graph)} == {"LiHua", "Wolfgang Schultz"}
    delete_documents(graph, ["first", "second"])
    assert query(graph, "MATCH (n:Entity|Alias|Atom) RETURN n") == []


def test_an_entity_with_aliases_is_merged_with_them(graph: Graph, tmp_path: Path) -> None:
    extracted(graph, tmp_path, ONE)
    before = dump(graph)
    ids = {name: entity_id(name) for name in ("LiHua", "Li-Hua", "Li Hua")}
    for alias, entity in (("LiHua", "Li-Hua"), ("Li-Hua", "Li Hua")):
        merge(graph, EMBEDDER, [Merge(ids[alias], alias, ids[entity], entity, 1.0)])
    assert {(item.alias_name, item.entity_name) for item in merged(graph)} == {
        ("LiHua", "Li Hua"),
        ("Li-Hua", "Li Hua"),
    }
    part(graph, EMBEDDER, merged(graph))
    assert dump(graph) == before


# The command


def run(graph: Graph, monkeypatch: pytest.MonkeyPatch, *arguments: str) -> Result:
    address = graph.address
    values = {"NEO4J_URI": address.uri, "NEO4J_USERNAME": address.user, "NEO4J_PASSWORD": address.password}
    for name, value in values.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setattr("qcg_neo4j.cli.build.embedder_of", lambda *_: EMBEDDER)
    return CliRunner().invoke(command, ["--similarity", "0.3", *arguments])


def test_command(graph: Graph, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    extracted(graph, tmp_path, ONE)
    await_indexes(graph)
    before = dump(graph)
    shown = run(graph, monkeypatch)
    assert shown.exit_code == 0, shown.output
    assert "Wolfgang Schultz" in shown.stdout
    assert "Nothing is changed" in shown.stderr
    assert dump(graph) == before
    told = json.loads(run(graph, monkeypatch, "LiHua", "--apply", "--json").stdout)
    assert [item["alias_name"] for item in told["merges"]] == ["LiHua"]
    assert len(merged(graph)) == 1
    assert run(graph, monkeypatch, "--undo").exit_code == 0
    assert dump(graph) == before
    assert isinstance(run(graph, monkeypatch, "Nobody").exception, InputError)
