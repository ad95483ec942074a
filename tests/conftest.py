"""Servers for the tests: one per line and run, each in a home that goes away with the tests."""

from __future__ import annotations

import gc
import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import neo4j
import pytest
from graph_dump import query
from remembering_embedder import RememberingEmbedder
from small_embedder import SmallEmbedder

from qcg_neo4j.core.errors import ServerError
from qcg_neo4j.database.embedder import open_embedder_of
from qcg_neo4j.database.graph import Graph
from qcg_neo4j.database.model import use_model
from qcg_neo4j.indexing.build import (
    BuildSettings,
    build_atoms,
    build_communities,
    build_queries,
    build_synonyms,
    measure_indexes,
)
from qcg_neo4j.indexing.extract import ExtractSettings, extract_graph
from qcg_neo4j.indexing.generate import GenerateSettings, generate_queries
from qcg_neo4j.indexing.load import LoadSettings, load_documents, read_documents
from qcg_neo4j.indexing.report import ReportSettings, write_reports
from qcg_neo4j.indexing.train import import_predictor
from qcg_neo4j.models.embedding.embedder import Embedder, EmbeddingSettings
from qcg_neo4j.models.replies import Recording
from qcg_neo4j.server import ServerAddress, ServerSettings, start, stop
from qcg_neo4j.server.lines import LINES, find_java
from qcg_neo4j.server.settings import DEFAULT_LINE

SAMPLE = Path(__file__).parents[1] / "qcg_neo4j/samples/lihuaworld"
SERVERS = {"2026.08": "server_2026", "5.26": "server_5_26"}

# A server that lives for some minutes does not earn back what Java's second compiler, its collector with threads of its
# own, and the proof of classes whose sums are checked would take. Most of its work is planning, whose garbage is young.
# With the first compiler alone the room for compiled code would be so little that it is cleared again and again.
HASTY_JAVA = (
    "-XX:TieredStopAtLevel=1",
    "-XX:ReservedCodeCacheSize=240m",
    "-XX:+UseSerialGC",
    "-XX:NewRatio=1",
    "-XX:MetaspaceSize=256m",
    "-XX:+UnlockDiagnosticVMOptions",
    "-XX:-BytecodeVerificationRemote",
)
# Each test empties the graph and makes another, of another size; that is no reason to plan every statement again. What
# takes too long is ended when it has, and not up to two seconds later.
HASTE = {
    "dbms.cypher.min_replan_interval": "1d",
    "internal.cypher.use_parameter_size": "false",
    "db.transaction.monitor.check.interval": "100ms",
}

# What shares a server is one group, which one worker runs, since every server has to plan all that is run on it. What
# takes longest begins first, so that no worker waits for another at the end.
SAMPLE_READ, BOTH_LINES, ONE_LINE, PROCESSES = "the sample", "both lines", "one line", "processes"
FIRST = (SAMPLE_READ, BOTH_LINES, ONE_LINE, PROCESSES, "test_server_life.py", "test_plain_server.py")
# These need a server as well, but start and wait for processes of their own, so that others had to wait for them.
OF_PROCESSES = ("test_workers.py", "test_install.py", "test_database_models.py")
# On the default line alone few tests are of both: these go with them, or one worker would be the last for minutes.
BESIDE = (
    "test_extract.py",
    "test_generate.py",
    "test_index.py",
    "test_languages.py",
    "test_report.py",
    "test_resolve.py",
)
# A change of the schema, which vectors of another length need too, throws all plans of a server away: what has vectors
# of 384 numbers comes first, as most has, then what is of equal length side by side, then what changes more than that.
LAST = (
    *("test_atoms.py", "test_build.py", "test_synonyms.py"),
    *("test_atomic.py", "test_graph.py"),
    *("test_bench.py", "test_lp.py", "test_kg_cqr.py", "test_counting.py", "test_aura.py"),
    *("test_schema.py", "test_adopt.py", "test_corpora.py", "test_two_corpora.py"),
)


def pytest_configure() -> None:
    """Haste for every server; each of several workers computes on one core, and so do the processes that it starts."""
    gc.disable()  # until all is imported, which stays; a quarter of the time that takes would be spent in looking
    os.environ.setdefault("JDK_JAVA_OPTIONS", " ".join(HASTY_JAVA))
    if "PYTEST_XDIST_WORKER" in os.environ:
        os.environ.setdefault("OMP_NUM_THREADS", "1")


def pytest_addoption(parser: pytest.Parser) -> None:
    """Two runs make a whole one: without the option the default line, with it all the rest."""
    parser.addoption("--rest", action="store_true", help="tests/more, and tests/server on the second line, alone")


def pytest_make_parametrize_id(val: object) -> str | None:
    """A long text is named by its beginning."""
    return repr(val[:40]) if isinstance(val, str | bytes) and len(val) > 80 else None


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Which lines a test of each line runs on."""
    if "each_server" in metafunc.fixturenames:
        both = metafunc.config.getoption("rest") or metafunc.definition.path.parent.name == "more"
        metafunc.parametrize("each_server", SERVERS if both else [DEFAULT_LINE], indirect=True, scope="session")


def _is_rest(item: pytest.Item) -> bool:
    """Whether a run of the default line leaves the test out."""
    chosen = getattr(item, "callspec", None)
    older = chosen is not None and chosen.params.get("each_server", DEFAULT_LINE) != DEFAULT_LINE
    mark = item.get_closest_marker("rest")
    marked = mark is not None and (
        not mark.args or (chosen is not None and bool({*mark.args} & {*chosen.id.split("-")}))
    )
    return older or marked or item.path.parent.name == "more" or "server_5_26" in getattr(item, "fixturenames", ())


@pytest.hookimpl(tryfirst=True)  # the plug-in that parts the tests reads the groups afterwards
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Mark what needs a server, and what shares one."""
    rest = config.getoption("rest")
    items[:] = [item for item in items if _is_rest(item) == rest or (not rest and item.path.parent.name == "more")]
    groups: dict[str, list[pytest.Item]] = {name: [] for name in FIRST}
    fixtures = {item: set(getattr(item, "fixturenames", ())) for item in items}
    shared = {item.path.name: ONE_LINE for item, used in fixtures.items() if "server_2026" in used}
    shared |= {item.path.name: BOTH_LINES for item, used in fixtures.items() if used & {"each_server", "server_5_26"}}
    shared |= dict.fromkeys(OF_PROCESSES, PROCESSES) | dict.fromkeys(() if rest else BESIDE, BOTH_LINES)
    order = {name: place for place, name in enumerate(LAST, 1)}
    for item, used in sorted(fixtures.items(), key=lambda pair: order.get(pair[0].path.name, 0)):
        if used & {"new_home", "each_server"}:
            item.add_marker("server")
        if "sample_server" in used and used & {"each_server", *SERVERS.values()}:
            raise pytest.UsageError(f"{item.nodeid} reads the sample and needs a server that others share.")
        group = SAMPLE_READ if "sample_server" in used else shared.get(item.path.name, item.path.name)
        item.add_marker(pytest.mark.xdist_group(group))
        groups.setdefault(group, []).append(item)
    items[:] = [item for group in groups.values() for item in group]


def pytest_collection_finish(session: pytest.Session) -> None:
    """Refuse to go on where the groups are not kept: fixtures would be made twice, and tests meet on one graph."""
    gc.freeze()  # what was imported is looked through no more
    gc.enable()
    if "PYTEST_XDIST_WORKER" in os.environ and any("@" not in item.nodeid for item in session.items):
        raise pytest.UsageError("pytest-xdist does not group the tests; install the versions of pyproject.toml.")


@dataclass(frozen=True)
class TestServer(ServerAddress):
    """A running server with the folder that it lives in."""

    __test__ = False  # no test class

    home: Path


@pytest.fixture(scope="session", autouse=True)
def interruptible() -> None:
    """Processes that tests start take SIGINT, also when this run was put into the background, where it is ignored."""
    if signal.getsignal(signal.SIGINT) == signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.fixture(scope="session")
def new_home(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Callable[[str], Path]]:
    """Makes homes whose servers are stopped when the tests end, also when these are interrupted or killed."""
    folder = tmp_path_factory.mktemp("homes")
    watchdog = Path(__file__).with_name("materials") / "watchdog.py"
    with subprocess.Popen(
        [sys.executable, watchdog, folder], stdin=subprocess.PIPE, start_new_session=True
    ) as watching:
        yield lambda name: folder / name
        assert watching.stdin is not None
        watching.stdin.close()
        assert watching.wait(120) == 0


@pytest.fixture(scope="session")
def server_2026(new_home: Callable[[str], Path], pytestconfig: pytest.Config) -> Iterator[TestServer]:
    """A server of the 2026.08 line; for the rest it takes statements for Cypher 25, as new databases elsewhere do."""
    language = "CYPHER_25" if pytestconfig.getoption("rest") else "CYPHER_5"
    yield from _server(new_home("2026.08"), "2026.08", **{"db.query.default_language": language})


@pytest.fixture(scope="session")
def server_5_26(new_home: Callable[[str], Path]) -> Iterator[TestServer]:
    """A server of the 5.26 line."""
    need_java("5.26")
    yield from _server(new_home("5.26"), "5.26")


def need_java(line: str) -> None:
    """Leave a test out where the machine has no Java for a line (17 or 21 for 5.26), but not in CI."""
    try:
        find_java(LINES[line], os.environ.get("JAVA_HOME"))
    except ServerError as error:
        if os.environ.get("CI"):
            raise
        pytest.skip(str(error))


@pytest.fixture(scope="session")
def server(server_2026: TestServer) -> TestServer:
    """The server that most tests use."""
    return server_2026


def _server(home: Path, line: str, heap: str = "768m", **more: str) -> Iterator[TestServer]:
    home.mkdir(0o700)
    (home / "extra.conf").write_text("".join(f"{name}={value}\n" for name, value in (*HASTE.items(), *more.items())))
    found = start(home, ServerSettings(line=line, heap=heap, page_cache="64m"))
    yield TestServer(found.uri, found.user, found.password, found.http_uri, home)
    stop(home)


def emptied(graph: Graph) -> Graph:
    """The graph without its nodes, so that the next test may use another model."""
    graph.driver.execute_query("MATCH (node) DETACH DELETE node")
    graph.recorded = None
    return graph


def without_vector_indexes(graph: Graph) -> Graph:
    """The emptied graph as it is before a model is chosen."""
    for row in query(emptied(graph), "SHOW VECTOR INDEXES YIELD name RETURN name"):
        graph.run("schema/drop_index", name=row["name"])
    return graph


@pytest.fixture
def graph(server: TestServer) -> Iterator[Graph]:
    """An empty graph on the 2026.08 line."""
    with Graph.connect(server.uri, server.user, server.password) as connected:
        yield emptied(connected)


@pytest.fixture(scope="session")
def each_server(request: pytest.FixtureRequest) -> TestServer:
    """A server of each line that is tested, one after the other."""
    server: TestServer = request.getfixturevalue(SERVERS[request.param])
    return server


@pytest.fixture
def each_graph(each_server: TestServer) -> Iterator[Graph]:
    """An empty graph on each line."""
    with Graph.connect(each_server.uri, each_server.user, each_server.password) as connected:
        yield emptied(connected)


@pytest.fixture(scope="session")
def sample_server(new_home: Callable[[str], Path]) -> Iterator[TestServer]:
    """A server for `sample` alone, which is made once and then only read."""
    yield from _server(new_home("sample"), "2026.08", "1g")  # it is there twice while corpora are tested


@pytest.fixture(scope="session")
def remembering(sample_server: TestServer, pytestconfig: pytest.Config) -> Iterator[Embedder]:
    """The database's real model; its vectors are kept from run to run, in pytest's cache."""
    with Graph.connect(sample_server.uri, sample_server.user, sample_server.password) as connected:
        yield remembered(connected, pytestconfig)


def remembered(graph: Graph, config: pytest.Config) -> Embedder:
    """The real model of a server, with the vectors that it has made before."""
    assert config.cache is not None
    return RememberingEmbedder(open_embedder_of(graph, EmbeddingSettings()), config.cache.mkdir("vectors"))


@pytest.fixture(scope="session")
def sample(sample_server: TestServer, remembering: Embedder) -> Iterator[Graph]:
    """The sample of the package, loaded, with its queries joined, by the real model."""
    with Graph.connect(sample_server.uri, sample_server.user, sample_server.password) as connected:
        yield with_sample(connected, remembering)


@pytest.fixture(scope="session")
def sample_reports(sample: Graph) -> Graph:
    """The sample with communities and reports that nobody wrote; they come on top, so the others may read it too."""
    assert sample.embedder is not None
    build_communities(sample)
    write_reports(sample, sample.embedder, ReportSettings(source="extractive"))
    return sample


class Hasty(SmallEmbedder):
    """The small embedder under the real model's name."""

    name = "all-MiniLM-L6-v2"


def with_sample(graph: Graph, embedder: Embedder) -> Graph:
    """Load and build the sample that comes with the package."""
    graph.embedder = embedder
    load_documents(graph, embedder, read_documents((str(SAMPLE / "passages.jsonl"),), LoadSettings().largest_document))
    settings, recording = GenerateSettings(source="replies"), Recording([SAMPLE / "pairs.jsonl"], "generate/pairs")
    generate_queries(graph, embedder, settings, recording)
    # The baselines' long texts would take the real model minutes; for exactness any vectors do.
    generate_queries(graph, Hasty(), settings, recording, with_baselines=True)
    extract_graph(graph, embedder, ExtractSettings(source="replies"), Recording([SAMPLE / "graph.jsonl"]))
    build_queries(graph, BuildSettings(neighbours=5))
    build_synonyms(graph)
    build_atoms(graph)
    measure_indexes(graph)
    import_predictor(graph, SAMPLE / "predictor.npz")
    return graph


def with_vector_indexes(server: TestServer) -> neo4j.Driver:
    """A plain driver of a server whose graph has all indexes."""
    with Graph.connect(server.uri, server.user, server.password) as connected:
        use_model(emptied(connected), "all-MiniLM-L6-v2", 384)
    return neo4j.GraphDatabase.driver(server.uri, auth=(server.user, server.password))
