"""Sessions of Aura Graph Analytics: who opens one is a stand-in; what runs in it, a server's own Graph Data Science.

Aura itself is not reached. Both clients of the package graphdatascience have the same calls for what is used here.
"""

from __future__ import annotations

import inspect
import random
import sys
import warnings
from datetime import timedelta
from types import SimpleNamespace
from typing import Any

import graphdatascience.session
import pytest
from click.testing import CliRunner
from cliques import Rows, make, ring, state
from conftest import TestServer
from graph_dump import query
from graphdatascience import GraphDataScience
from graphdatascience.session import AlgorithmCategory, AuraApiError, CloudLocation, GdsSessions, SessionMemory
from requests import ConnectionError as NoConnection

from qcg_neo4j.cli import qcg
from qcg_neo4j.core.errors import (
    AuthenticationError,
    GraphError,
    MissingPackageError,
    QcgError,
    SettingsError,
    UnreachableError,
)
from qcg_neo4j.database.graph import Graph
from qcg_neo4j.indexing import aura
from qcg_neo4j.indexing.aura import AuraSettings, Size, open_session
from qcg_neo4j.indexing.build import CommunitySettings, build_communities

# Of pandas 3.1, to the client of a server without Arrow.
pytestmark = pytest.mark.filterwarnings("ignore:The inplace keyword in DataFrame:DeprecationWarning")
OURS = AuraSettings("id", "very secret", "project", "gcp/europe-west1", timedelta(minutes=30))
PROJECTED = "CALL gds.graph.list() YIELD graphName RETURN collect(graphName) AS names"
FINE = CommunitySettings(resolution=1.5, maximum_size=4)


class Sessions:
    """Opens sessions as `GdsSessions` does, and notes what it is asked."""

    def client(self) -> Any:
        return SimpleNamespace(close=lambda: None)

    fails: dict[str, BaseException] = {}  # noqa: RUF012 - by the name of the call
    offered: tuple[CloudLocation, ...] = (CloudLocation("gcp", "europe-west1"),)
    asked: list[tuple[Any, ...]]

    def __init__(self, credentials: Any) -> None:
        self._note("credentials", credentials.client_id, credentials.client_secret, credentials.project_id)

    def estimate(
        self,
        node_count: int,
        relationship_count: int,
        algorithm_categories: list[str],
        *,
        relationship_property_count: int,
    ) -> SessionMemory:
        self._note("estimate", node_count, relationship_count, *map(AlgorithmCategory, algorithm_categories))
        if node_count > 1_000_000:
            text = "The estimated memory `900GB` exceeds the maximum size supported by your Aura project (`8GB`)."
            warnings.warn(text, ResourceWarning, stacklevel=2)
        return SessionMemory.m_8GB

    def available_cloud_locations(self) -> list[CloudLocation]:
        return list(self.offered)

    def get_or_create(
        self,
        session_name: str,
        memory: SessionMemory,
        *,
        ttl: timedelta,
        cloud_location: CloudLocation,
        show_progress: bool,
    ) -> Any:
        self._note("create", session_name, memory, ttl, cloud_location)
        return self.client()

    def delete(self, *, session_name: str) -> bool:
        self._note("delete", session_name)
        return True

    def _note(self, call: str, *given: Any) -> None:
        self.asked.append((call, *given))
        if call in self.fails:
            raise self.fails[call]


@pytest.fixture
def sessions(monkeypatch: pytest.MonkeyPatch) -> type[Sessions]:
    """What opens sessions, for this test alone."""
    made = type("Sessions", (Sessions,), {"asked": [], "fails": {}})
    monkeypatch.setattr(graphdatascience.session, "GdsSessions", made)
    return made


@pytest.fixture
def rented(server: TestServer, sessions: type[Sessions], monkeypatch: pytest.MonkeyPatch) -> type[Sessions]:
    """Sessions on the server that most tests use."""
    return rented_on(server, sessions, monkeypatch)


def rented_on(server: TestServer, sessions: type[Sessions], monkeypatch: pytest.MonkeyPatch) -> type[Sessions]:
    """A session is a client of the server's own Graph Data Science; the environment has credentials."""
    for name in (aura.ID, aura.SECRET):
        monkeypatch.setenv(name, "secret")
    monkeypatch.setattr(
        sessions,
        "client",
        lambda _: GraphDataScience(server.uri, auth=(server.user, server.password), show_progress=False),
    )
    return sessions


def calls(sessions: type[Sessions]) -> list[str]:
    return [call[0] for call in sessions.asked]


@pytest.mark.parametrize("name", ["estimate", "available_cloud_locations", "get_or_create", "delete"])
def test_the_stand_in_takes_what_the_package_takes(name: str) -> None:
    real, ours = (dict(inspect.signature(getattr(kind, name)).parameters) for kind in (GdsSessions, Sessions))
    by_place = [parameter.name for parameter in ours.values() if parameter.kind is not parameter.KEYWORD_ONLY]
    assert by_place == list(real)[: len(by_place)]
    assert set(ours) <= set(real)


def test_a_session_is_as_large_as_estimated_and_deleted(sessions: type[Sessions]) -> None:
    told: list[str] = []
    with open_session(Size(10, 40), "centrality", OURS, told.append):
        assert calls(sessions)[-1] == "create"
    credentials, estimate, (_, name, *created), deleted = sessions.asked
    assert credentials == ("credentials", "id", "very secret", "project")
    assert estimate == ("estimate", 10, 40, AlgorithmCategory.CENTRALITY)
    assert created == [SessionMemory.m_8GB, timedelta(minutes=30), CloudLocation("gcp", "europe-west1")]
    assert deleted == ("delete", name)
    assert told == [
        "A session of Aura Graph Analytics with 8GB is opened in gcp/europe-west1, which takes some minutes."
    ]


@pytest.mark.parametrize("error", [ValueError("ours"), KeyboardInterrupt()])
def test_it_is_deleted_whatever_happens_in_it(sessions: type[Sessions], error: BaseException) -> None:
    with pytest.raises(type(error)), open_session(Size(1, 1), "centrality", OURS):
        raise error
    assert calls(sessions)[-1] == "delete"


@pytest.mark.parametrize("error", [RuntimeError("Failed to get or create session"), KeyboardInterrupt()])
def test_it_is_deleted_where_it_does_not_open(sessions: type[Sessions], error: BaseException) -> None:
    sessions.fails["create"] = error
    expected = GraphError if isinstance(error, RuntimeError) else KeyboardInterrupt
    with pytest.raises(expected), open_session(Size(1, 1), "centrality", OURS):
        pass
    assert calls(sessions)[-1] == "delete"


@pytest.mark.parametrize(
    ("call", "error", "kind", "said"),
    [
        ("credentials", AuraApiError("401: very secret", 401), AuthenticationError, "refuses the credentials"),
        ("credentials", NoConnection("very secret"), UnreachableError, "does not answer"),
        ("credentials", RuntimeError("access to multiple projects: `{}`"), GraphError, aura.PROJECT),
        ("create", RuntimeError("of very secret"), GraphError, "failed: of …"),
        ("delete", NoConnection("very secret"), GraphError, r"could not be deleted[^\n]*\n[^\n]*0\.5 hours after"),
    ],
)
def test_what_aura_refuses_is_told_without_the_secret(
    sessions: type[Sessions], call: str, error: Exception, kind: type[QcgError], said: str
) -> None:
    sessions.fails[call] = error
    with pytest.raises(kind, match=said) as told, open_session(Size(1, 1), "centrality", OURS):
        pass
    assert "very secret" not in f"{told.value}{OURS}"


def test_a_graph_too_large_is_refused_before_anything_is_opened(sessions: type[Sessions]) -> None:
    with (
        pytest.raises(GraphError, match="too large for a session of your Aura project: The estimated memory `900GB`"),
        open_session(Size(2_000_000, 1), "centrality", OURS),
    ):
        pass
    assert calls(sessions) == ["credentials", "estimate"]


def test_where_it_is_opened_is_asked_for_unless_there_is_one_place(sessions: type[Sessions]) -> None:
    anywhere = AuraSettings("id", "very secret")
    with open_session(Size(1, 1), "centrality", anywhere):
        assert sessions.asked[-1][-1] == CloudLocation("gcp", "europe-west1")
    sessions.offered = (*sessions.offered, CloudLocation("aws", "us-east-1"))
    with (
        pytest.raises(SettingsError, match=r"Aura offers: aws/us-east-1, gcp/europe-west1\.\nSet QCG_AURA_LOCATION"),
        open_session(Size(1, 1), "centrality", anywhere),
    ):
        pass


def test_credentials_are_of_the_environment() -> None:
    found = AuraSettings.from_environment({aura.ID: "a", aura.SECRET: "b", aura.PROJECT: "c", aura.LOCATION: "aws/x"})
    assert found == AuraSettings("a", "b", "c", "aws/x")
    with pytest.raises(SettingsError, match="requires credentials, and AURA_API_CLIENT_SECRET is not set"):
        AuraSettings.from_environment({aura.ID: "a"})


def test_without_the_package_its_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "graphdatascience.session", None)
    with (
        pytest.raises(MissingPackageError, match=r"pip install 'qcg-neo4j\[aura\]'"),
        open_session(Size(1, 1), "", OURS),
    ):
        pass


def nested(seed: int) -> Rows:
    """A ring of cliques with random strengths and random relations between them, so that levels are not obvious."""
    draw = random.Random(seed)  # noqa: S311 - no secret
    rows: Rows = [(one, other, draw.choice((1.0, 2.0, 5.0))) for one, other, _ in ring("abcdefgh", 6)]
    names = sorted({name for row in rows for name in row[:2]})
    pairs = (draw.sample(names, 2) for _ in range(30))
    return rows + [(one, other, 1.0) for one, other in pairs]


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_a_session_finds_the_communities_of_the_database(graph: Graph, rented: type[Sessions], seed: int) -> None:
    make(graph, nested(seed), isolated=["x", "y"])
    by_gds = build_communities(graph, FINE, by="gds")
    expected = state(graph)
    assert by_gds.levels > 1
    query(graph, "MATCH (node:QcgCommunity|QcgStage) DETACH DELETE node")
    report = build_communities(graph, FINE, by="session")
    assert state(graph) == expected
    assert (report.leiden, report.modularity) == ("session", by_gds.modularity)
    assert rented.asked[1] == ("estimate", 50, 2 * len(nested(seed)), AlgorithmCategory.COMMUNITY_DETECTION)
    assert calls(rented) == ["credentials", "estimate", "create", "delete"]
    assert query(graph, PROJECTED) == [{"names": []}]


def test_a_session_keeps_what_is_untouched_and_makes_anew_what_would_cost_too_much(
    graph: Graph, rented: type[Sessions]
) -> None:
    make(graph, ring("abcd", 5))
    build_communities(graph, by="session")
    assert not build_communities(graph, by="session").changed
    assert calls(rented).count("create") == 1  # nothing is rented for nothing
    make(graph, ring("efgh", 5))
    query(graph, "MERGE (stage:QcgStage:Stage {name: 'extract'}) SET stage.revision = 2")
    report = build_communities(graph, by="session")
    assert (report.anew, report.communities, report.partitioned) == (False, 8, 1)


def test_a_graph_without_relations_has_communities_of_one(graph: Graph, rented: type[Sessions]) -> None:
    make(graph, [], isolated=["x", "y"])
    assert build_communities(graph, by="session").communities == 2
    assert build_communities(graph, CommunitySettings(isolated_entities=False), by="session").communities == 0


def test_communities_stay_where_no_session_opens(graph: Graph, rented: type[Sessions]) -> None:
    make(graph, ring("abcd", 5))
    build_communities(graph)
    before = state(graph)
    rented.fails["create"] = RuntimeError("no")
    with pytest.raises(GraphError, match="failed: no"):
        build_communities(graph, FINE, by="session")
    assert state(graph) == before
    with pytest.raises(SettingsError, match="by is 'aura', but must be one of auto, gds, leidenalg, session"):
        build_communities(graph, FINE, by="aura")


def test_the_command_rents_a_session(graph: Graph, server: TestServer, rented: type[Sessions]) -> None:
    make(graph, ring("abcd", 5))
    address = ["--uri", server.uri, "--user", server.user]
    environment = {"NEO4J_PASSWORD": server.password}
    result = CliRunner().invoke(qcg, ["build", "communities", "--by", "session", *address], env=environment)
    assert (result.exit_code, "session" in result.output) == (0, True), result.output
    assert calls(rented)[-1] == "delete"
    assert "secret" not in result.output
