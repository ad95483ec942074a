"""A server that takes no jars, as Aura Free: what can run without plug-ins does, the rest names what is missing."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import reference_kg_cqr
from conftest import SAMPLE
from small_embedder import SmallEmbedder

from qcg_neo4j.build import (
    AtomSettings,
    BuildSettings,
    SynonymSettings,
    build_atoms,
    build_communities,
    build_queries,
    build_synonyms,
)
from qcg_neo4j.errors import MissingPluginError
from qcg_neo4j.extract import ExtractSettings, extract_graph
from qcg_neo4j.generate import GenerateSettings, generate_queries
from qcg_neo4j.graph import Graph
from qcg_neo4j.load import LoadSettings, load_documents, read_documents
from qcg_neo4j.replies import Recording
from qcg_neo4j.retrieve import METHODS, KgCqr, KgCqrSettings, method
from qcg_neo4j.server import ServerSettings, start, stop
from qcg_neo4j.server.artefacts import fetch
from qcg_neo4j.server.lock import PLUGIN, Artefact
from qcg_neo4j.statements import paths, statement
from qcg_neo4j.status import status

TABLE = (Path(__file__).parents[1] / "docker/README.md").read_text(encoding="utf-8")
QUESTION = "Which gym did Wolfgang recommend to Li Hua?"
QUESTIONS = (QUESTION, "Who cooks?", "What does Jennifer plan for the weekend?", "Where is the meeting?")
DOCUMENTS = 12
# As one made elsewhere: communities come from Graph Data Science, and are read without it.
COMMUNITY = """
CREATE (community:QcgCommunity:Community {id: 'c', level: 0, leaf: true, size: 2, title: 'All', summary: 'All.',
                                          rating: 5.0, report: 'All of it.', reportSource: 'extractive'})
WITH community MATCH (entity:Entity) CREATE (entity)-[:IN_COMMUNITY]->(community)
WITH DISTINCT community CALL db.create.setNodeVectorProperty(community, 'embedding', $vector)
"""


@pytest.fixture(scope="module")
def plain(new_home: Callable[[str], Path]) -> Iterator[Graph]:
    """The first documents of the sample on a server without any plug-in."""
    home = new_home("plain")

    def without_plugins(*given: Any) -> Mapping[Artefact, Path]:
        return {jar: path for jar, path in fetch(*given).items() if jar.folder != PLUGIN}

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("qcg_neo4j.server.control.fetch", without_plugins)
        patch.setattr("qcg_neo4j.server.configuration.PLUGIN", home / "none/qcg.jar")
        address = start(home, ServerSettings(heap="512m", page_cache="64m", embedding=False))
    try:
        with Graph.connect(address.uri, address.user, address.password) as graph:
            fill(graph, home)
            yield graph
    finally:
        stop(home)


def fill(graph: Graph, home: Path) -> None:
    graph.embedder = embedder = SmallEmbedder()
    lines = (SAMPLE / "passages.jsonl").read_text(encoding="utf-8").splitlines(keepends=True)
    file = home / "passages.jsonl"
    file.write_text("".join(lines[:DOCUMENTS]), encoding="utf-8")
    load_documents(graph, embedder, read_documents((str(file),), LoadSettings().largest_document))
    pairs = Recording([SAMPLE / "pairs.jsonl"], "generate/pairs")
    generate_queries(graph, embedder, GenerateSettings(source="replies"), pairs, with_baselines=True)
    extract_graph(graph, embedder, ExtractSettings(source="replies"), Recording([SAMPLE / "graph.jsonl"]))
    build_queries(graph, BuildSettings(neighbours=5))
    build_synonyms(graph)
    build_atoms(graph)
    vector = embedder.embed(["All of it."])[0].astype(float).tolist()
    graph.driver.execute_query(COMMUNITY, vector=vector)


def named(beginning: str) -> set[str]:
    """The methods that a row of the table names."""
    row = next(line for line in TABLE.splitlines() if line.startswith(beginning))
    return set(re.findall(r"`([\w-]+)`", row.split("|")[1])) & set(METHODS)


def test_the_server_has_no_plugin(plain: Graph) -> None:
    facts = plain.facts()
    assert (facts.gds_version, facts.plugin_version) == (None, None)


def test_the_stages_run_as_the_table_says(plain: Graph) -> None:
    made = {row["kind"] for row in plain.rows("inspect/contents") if row["number"]}
    assert made >= {"Document", "Query", "Entity", "Atom", "Query SIMILAR_TO Query", "Atom SIMILAR_TO Atom"}
    assert {stage.name for stage in status(plain).stages} >= {"load", "generate", "extract"}


@pytest.mark.parametrize("name", sorted(METHODS))
def test_a_method_runs_or_names_what_is_missing(plain: Graph, name: str) -> None:
    runs, needs_jar = named("| `qcg retrieve` by"), named("| by `atomic`")
    assert runs | needs_jar == set(METHODS)
    if name in runs:
        assert method(name, {"passages": 3}).retrieve(plain, QUESTION).passages
    else:
        with pytest.raises(MissingPluginError, match=r"^The server lacks the plug-in qcg\."):
            method(name).retrieve(plain, QUESTION)


@pytest.mark.parametrize("completion", ["beam", "all"])
def test_kg_cqr_completes_the_subgraph_in_plain_cypher(plain: Graph, completion: str) -> None:
    chosen = KgCqrSettings(context="none", completion=completion, triples=10, candidate_factor=100)
    triples, added = reference_kg_cqr.read_triples(plain), 0
    for question in QUESTIONS:
        found = KgCqr(chosen).retrieve(plain, question).subgraph
        assert found is not None
        vector = plain.embed_question(question).astype(np.float64)
        expected, extra = reference_kg_cqr.subgraph(triples, vector, chosen)
        assert [triple.id for triple in found.triples] == expected
        added += len(extra)
    assert added


@pytest.mark.parametrize(
    "make",
    [
        build_communities,
        lambda graph: build_queries(graph, BuildSettings(strategy="gds")),
        lambda graph: build_synonyms(graph, SynonymSettings(strategy="gds")),
        lambda graph: build_atoms(graph, AtomSettings(strategy="gds")),
    ],
    ids=["communities", "queries", "synonyms", "atoms"],
)
def test_what_needs_graph_data_science_says_so(plain: Graph, make: Callable[[Graph], Any]) -> None:
    with pytest.raises(MissingPluginError, match="The server has no Graph Data Science"):
        make(plain)
    assert plain.rows("inspect/contents")  # what was there still is


def test_training_needs_no_plugin() -> None:
    texts = [statement(path).text for path in paths() if path.startswith("train/")]
    assert texts
    assert not [text for text in texts if re.search(r"\b(gds|qcg)\.", text)]
