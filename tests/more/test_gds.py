"""Our graphs as graphs of the client of Graph Data Science: its algorithms find what was built."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from typing import Any

import pytest
from graph_dump import query
from graphdatascience import GraphDataScience
from test_aura import PROJECTED

from qcg_neo4j.core.errors import SettingsError
from qcg_neo4j.database import stages
from qcg_neo4j.database.graph import Graph
from qcg_neo4j.interfaces.gds import GRAPHS, client_of, project

# Of pandas 3.1, to the client of a server without Arrow.
pytestmark = pytest.mark.filterwarnings("ignore:The inplace keyword in DataFrame:DeprecationWarning")
WALK = """
MATCH (entity:QcgEntity) WITH entity ORDER BY COUNT { (entity)--() } DESC, entity.id LIMIT 1
CALL qcg.pageRank.push([entity], {damping: 0.3}) YIELD node, score
WITH entity, node, score WHERE node:QcgAtom ORDER BY score DESC, node.id LIMIT 25
RETURN id(entity) AS seed, collect({id: node.id, score: score}) AS found
"""


@pytest.fixture
def client(sample_reports: Graph) -> Iterator[GraphDataScience]:
    made = client_of(sample_reports)
    yield made
    for name in query(sample_reports, PROJECTED)[0]["names"]:
        made.graph.drop(name)


@pytest.mark.parametrize("what", GRAPHS)
def test_a_session_has_the_graph_that_the_database_projects(
    what: str, sample_reports: Graph, client: GraphDataScience
) -> None:
    assert shape(sample_reports, client, what, sent=True) == shape(sample_reports, client, what, sent=False)


def shape(graph: Graph, client: GraphDataScience, what: str, *, sent: bool) -> Any:
    projected, ids = project(graph, what, client, sent=sent)
    degrees = client.degree.stream(projected, relationship_weight_property="weight")
    weights = zip(ids(degrees["nodeId"].tolist()), degrees["score"].round(4).tolist(), strict=True)
    kinds = {label: sorted(names) for label, names in projected.node_properties().items()}
    found = (kinds, sorted(projected.relationship_types()), projected.relationship_count(), sorted(weights))
    projected.drop()
    return found


def test_knn_finds_the_neighbours_that_were_joined(sample_reports: Graph, client: GraphDataScience) -> None:
    queries, ids = project(sample_reports, "queries", client)
    # The descent finds 94 % of five nearest when it looks for five, and nearly all of them among twenty.
    rows = client.knn.stream(queries, node_properties=["embedding"], top_k=20, random_seed=42, concurrency=1)
    near = zip(ids(rows["node1"].tolist()), ids(rows["node2"].tolist()), strict=True)
    joined = query(sample_reports, "MATCH (q:QcgQuery)-[:SIMILAR_TO]->(o:QcgQuery) RETURN q.id AS q, o.id AS o")
    pairs = {(row["q"], row["o"]) for row in joined}
    assert len(pairs & set(near)) > 0.99 * len(pairs)


def test_leiden_finds_communities_as_good_as_those_that_were_built(
    sample_reports: Graph, client: GraphDataScience
) -> None:
    entities, _ = project(sample_reports, "entities", client)
    found = client.leiden.stats(entities, relationship_weight_property="weight", random_seed=42, concurrency=1)
    built = stages.recorded(sample_reports)["communities"].figures["modularity"]
    assert found.modularity == pytest.approx(built, abs=0.01)


def test_pagerank_ranks_as_the_walk_of_atomic(sample_reports: Graph, client: GraphDataScience) -> None:
    walk = query(sample_reports, WALK)[0]
    atoms, ids = project(sample_reports, "atoms", client)
    ranks = client.page_rank.stream(
        atoms,
        source_nodes=[walk["seed"]],
        damping_factor=0.3,
        max_iterations=100,
        tolerance=1e-10,
        relationship_weight_property="weight",
    )
    scores: dict[str, float] = defaultdict(float, zip(ids(ranks["nodeId"].tolist()), ranks["score"], strict=True))
    assert [scores[row["id"]] for row in walk["found"]] == pytest.approx(
        [row["score"] for row in walk["found"]], abs=1e-5
    )


def test_another_graph_is_refused(sample_reports: Graph, client: GraphDataScience) -> None:
    with pytest.raises(SettingsError, match="Choose one of queries, entities, atoms"):
        project(sample_reports, "chunks", client)
