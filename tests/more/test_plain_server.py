"""A server that takes no jars, as Aura Free: what can run without plug-ins does, the rest names what is missing."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import reference_atomic
import reference_kg_cqr
import reference_lp
from conftest import SAMPLE
from small_embedder import SmallEmbedder

from qcg_neo4j.core.errors import MissingPluginError
from qcg_neo4j.database.connection import Call
from qcg_neo4j.database.graph import Graph
from qcg_neo4j.database.statements import paths, statement
from qcg_neo4j.database.status import server_facts, status
from qcg_neo4j.indexing.build import (
    AtomSettings,
    BuildSettings,
    SynonymSettings,
    build_atoms,
    build_communities,
    build_queries,
    build_synonyms,
)
from qcg_neo4j.indexing.extract import ExtractSettings, extract_graph
from qcg_neo4j.indexing.generate import GenerateSettings, generate_queries
from qcg_neo4j.indexing.load import LoadSettings, load_documents, read_documents
from qcg_neo4j.indexing.report import ReportSettings, write_reports
from qcg_neo4j.indexing.train.network import Floats, read_network
from qcg_neo4j.indexing.train.stored import Trained, as_values
from qcg_neo4j.indexing.train.weights import MEAN, Layer, Scorer, Weights, encode
from qcg_neo4j.models.replies import Recording
from qcg_neo4j.retrieval import METHODS, Atomic, AtomicSettings, KgCqr, KgCqrSettings, Lp, LpSettings, method
from qcg_neo4j.server import ServerSettings, start, stop
from qcg_neo4j.server.artefacts import fetch
from qcg_neo4j.server.lines import PLUGIN, Artefact

TABLE = (Path(__file__).parents[2] / "docker/README.md").read_text(encoding="utf-8")
QUESTION = "Which gym did Wolfgang recommend to Li Hua?"
QUESTIONS = (QUESTION, "Who cooks?", "What does Jennifer plan for the weekend?", "Where is the meeting?")
DOCUMENTS = 12


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
    with_predictor(graph)
    assert build_communities(graph).leiden == "leidenalg"
    write_reports(graph, embedder, ReportSettings(source="extractive"))


def with_predictor(graph: Graph) -> None:
    """A predictor of random numbers: its scores must be right, not good."""
    random, network = np.random.default_rng(0), read_network(graph)

    def some(*size: int) -> Floats:
        return np.asarray(random.standard_normal(size) / np.sqrt(size[-1]), np.float32)

    layer = Layer(some(16, network.vectors.shape[1]), some(16, network.vectors.shape[1]), some(16))
    weights = Weights((layer,), MEAN, Scorer(some(8, 32), some(8), some(8), 0.1), 20.0, -12.0)
    encoded = encode(weights, network.vectors, *network.directed)
    values = as_values(Trained(weights, 0.0, SmallEmbedder.name, {}), encoded)
    graph.write(Call("train/write_predictor", {"values": values}))
    half = zip(network.atoms[::2], encoded.vectors[::2], strict=True)  # of the others they are computed
    graph.write_batches("train/write_vectors", ({"id": name, "vector": vector} for name, vector in half))
    graph.write(Call("train/ready", {"atoms_revision": 0}))


def named(beginning: str) -> set[str]:
    """The methods that a row of the table names."""
    row = next(line for line in TABLE.splitlines() if line.startswith(beginning))
    return set(re.findall(r"`([\w-]+)`", row.split("|")[1])) & set(METHODS)


def test_the_server_has_no_plugin(plain: Graph) -> None:
    facts = server_facts(plain)
    assert (facts.gds_version, facts.plugin_version) == (None, None)


def test_the_stages_run_as_the_table_says(plain: Graph) -> None:
    made = {row["kind"] for row in plain.rows("inspect/contents") if row["number"]}
    assert made >= {"Document", "Query", "Entity", "Atom", "Query SIMILAR_TO Query", "Atom SIMILAR_TO Atom"}
    assert made >= {"Community", "Community with a report", "LinkPredictor"}
    assert {stage.name for stage in status(plain).stages} >= {"load", "generate", "extract", "communities", "report"}


@pytest.mark.parametrize("name", sorted(METHODS))
def test_a_method_runs(plain: Graph, name: str) -> None:
    assert named("| `qcg retrieve` by") == set(METHODS)
    assert method(name, {"passages": 3}).retrieve(plain, QUESTION).passages


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


@pytest.mark.parametrize("preset", [{}, {"atom_weight": 1.0}, {"atom_weight": 0.01, "damping": 0.5}])
def test_atomic_walks_in_plain_cypher(plain: Graph, preset: dict[str, Any]) -> None:
    chosen, shares = AtomicSettings(candidate_factor=100, **preset), []
    aeg = reference_atomic.read_aeg(plain)
    for question in QUESTIONS:
        vector = plain.embed_question(question).astype(np.float64)
        names = [aeg.entities[name] for name in reference_atomic.named(aeg, question)]
        expected = dict(reference_atomic.best_atoms(aeg, aeg.edges(), vector, names, chosen))
        found = {atom.id for atom in Atomic(chosen).retrieve(plain, question).atoms}
        shares.append(len(found & expected.keys()) / len(expected))
    assert np.mean(shares) >= 0.99


def test_the_walk_of_graph_data_science_needs_the_plugin(plain: Graph) -> None:
    with pytest.raises(MissingPluginError, match=r"^The server lacks the plug-in qcg\."):
        Atomic(AtomicSettings(propagation="gds")).retrieve(plain, QUESTION)


def test_lp_scores_on_this_side(plain: Graph) -> None:
    model, atoms = reference_lp.read_model(plain), reference_lp.read_atoms(plain)
    layers = reference_lp.encoded(model, atoms)
    for question in QUESTIONS:
        vector = plain.embed_question(question).astype(np.float64)
        scores = {name: reference_lp.score(model, atoms, layers, vector, name) for name in atoms.vectors}
        best = sorted(scores, key=lambda name: (-scores[name], name))[:25]
        found = Lp(LpSettings(candidates=0)).retrieve(plain, question).atoms
        assert [atom.score for atom in found] == pytest.approx([scores[name] for name in best], abs=1e-4)


@pytest.mark.parametrize(
    "make",
    [
        lambda graph: build_queries(graph, BuildSettings(strategy="gds")),
        lambda graph: build_synonyms(graph, SynonymSettings(strategy="gds")),
        lambda graph: build_atoms(graph, AtomSettings(strategy="gds")),
    ],
    ids=["queries", "synonyms", "atoms"],
)
def test_what_needs_graph_data_science_says_so(plain: Graph, make: Callable[[Graph], Any]) -> None:
    with pytest.raises(MissingPluginError, match="The server has no Graph Data Science"):
        make(plain)
    assert plain.rows("inspect/contents")  # what was there still is


def test_training_needs_no_plugin() -> None:
    texts = [statement(path).text for path in paths() if path.startswith("train/")]
    assert texts
    assert not [text for text in texts if re.search(r"\b(gds|qcg)\.", text)]
