"""The files for Docker, as far as they can be checked without it: versions, settings, ports, what they lead to."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import pytest
import yaml

from qcg_neo4j.retrieval import METHODS
from qcg_neo4j.server.configuration import _defaults
from qcg_neo4j.server.lines import LINES, VECTORS
from qcg_neo4j.server.settings import DEFAULT_LINE

FOLDER = Path(__file__).parents[2] / "docker"
COMPOSE = yaml.safe_load((FOLDER / "compose.yaml").read_text(encoding="utf-8"))
CLUSTER = yaml.safe_load((FOLDER / "cluster.yaml").read_text(encoding="utf-8"))
README = (FOLDER / "README.md").read_text(encoding="utf-8")
SERVICE = COMPOSE["services"]["neo4j"]
LINE = LINES[DEFAULT_LINE]


def test_versions_are_those_that_the_package_is_tested_with() -> None:
    project = tomllib.loads((FOLDER.parent / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    expected = {"neo4j": LINE.neo4j, "graph-data-science": LINE.gds, "qcg-neo4j": project["version"]}
    assert COMPOSE["x-versions"] == expected
    assert SERVICE["image"] == f"neo4j:{LINE.neo4j}"
    for line in LINES.values():
        assert line.neo4j in README
        assert line.gds in README
    assert f"| {project['version']}, the package's own version |" in README


def settings(environment: dict[str, str]) -> dict[str, str]:
    """The settings that the image makes of its environment."""
    return {
        name.removeprefix("NEO4J_").replace("__", "\0").replace("_", ".").replace("\0", "_"): value
        for name, value in environment.items()
    }


def test_settings_are_those_of_the_embedded_server() -> None:
    embedded = _defaults("512m")
    members = [settings(service["environment"]) for service in CLUSTER["services"].values()]
    for name in (
        "dbms.security.procedures.unrestricted",
        "dbms.security.procedures.allowlist",
        "browser.remote_content_hostname_whitelist",
        "dbms.usage_report.enabled",
        "server.memory.pagecache.size",
    ):
        for given in (settings(SERVICE["environment"]), *members):
            assert given[name] == embedded[name]
            assert f"--add-modules={VECTORS}" in given["server.jvm.additional"].split()
    for name in embedded:
        if name.startswith(("server.bolt.", "dbms.cypher.")):
            assert settings(SERVICE["environment"])[name] == embedded[name]


def test_nothing_is_open_to_others_and_no_password_is_in_the_file() -> None:
    assert all(port.startswith("127.0.0.1:") for port in SERVICE["ports"])
    assert "NEO4J_AUTH" not in SERVICE["environment"]
    assert set(SERVICE["secrets"]) == set(COMPOSE["secrets"])
    ignored = (FOLDER / ".gitignore").read_text(encoding="utf-8").split()
    assert {"auth", "plugins/"} <= set(ignored)


def test_volumes_outlive_the_container_and_its_health_is_checked() -> None:
    mounted = dict(volume.split(":") for volume in SERVICE["volumes"])
    assert set(COMPOSE["volumes"]) <= set(mounted)
    assert mounted["./plugins"] == "/plugins"
    assert SERVICE["healthcheck"]["test"][-1] == "http://localhost:7474"


def test_the_members_of_the_cluster_find_each_other_and_clients_find_them() -> None:
    services = CLUSTER["services"]
    assert CLUSTER["x-versions"] == {name: COMPOSE["x-versions"][name] for name in ("neo4j", "qcg-neo4j")}
    assert set(CLUSTER["volumes"]) == {f"{kind}{number}" for kind in ("data", "logs") for number in (1, 2, 3)}
    assert len(services) == 3
    for number, (name, service) in enumerate(services.items()):
        given, port = settings(service["environment"]), f"{7687 + number}"
        assert service["image"] == f"neo4j:{LINE.neo4j}-enterprise"
        assert given["dbms.cluster.endpoints"].split(",") == [f"{member}:6000" for member in services]
        assert given["initial.dbms.default_primaries_count"] == "3"
        assert given["server.default_advertised_address"] == name
        assert given["server.bolt.advertised_address"] == f"127.0.0.1:{port}"
        assert given["server.bolt.listen_address"] == f":{port}"
        assert f"127.0.0.1:{port}:{port}" in service["ports"]
        assert all(published.startswith("127.0.0.1:") for published in service["ports"])
        mounted = dict(volume.split(":") for volume in service["volumes"])
        assert mounted == {f"data{number + 1}": "/data", f"logs{number + 1}": "/logs", "./plugins": "/plugins"}


def test_nobody_accepts_the_license_for_another_and_no_password_is_in_the_cluster() -> None:
    for service in CLUSTER["services"].values():
        assert service["environment"]["NEO4J_ACCEPT_LICENSE_AGREEMENT"].startswith("${NEO4J_ACCEPT_LICENSE_AGREEMENT:?")
        assert "NEO4J_AUTH" not in service["environment"]
        assert set(service["secrets"]) == set(CLUSTER["secrets"])


@pytest.mark.parametrize("name", METHODS)
def test_the_table_says_of_every_method_what_it_needs(name: str) -> None:
    table = [line for line in README.partition("## What needs what")[2].splitlines() if line.startswith("|")]
    assert any(f"`{name.removesuffix('--')}`" in line.split("|")[1] for line in table)


def test_commands_of_the_page_exist() -> None:
    from qcg_neo4j.cli import VERBS

    found = re.findall(r"^qcg (\w+)", README, re.MULTILINE)
    assert len(found) > 2
    assert set(found) <= set(VERBS)
