"""The audit of the locked jars, against a database that knows of one."""

from __future__ import annotations

import json
from typing import Any

import audit
import pytest
from pytest_httpserver import HTTPServer
from werkzeug import Request, Response


def test_a_jar_with_a_known_vulnerability_is_named(httpserver: HTTPServer, capsys: pytest.CaptureFixture[str]) -> None:
    asked: list[dict[str, Any]] = []

    def reply(request: Request) -> Response:
        queries = request.get_json()["queries"]
        asked.extend(queries)
        bad = [query["package"]["name"] == "org.neo4j:neo4j-bolt" for query in queries]
        results = [{"vulns": [{"id": "GHSA-1"}]} if one else {} for one in bad]
        return Response(json.dumps({"results": results}), mimetype="application/json")

    httpserver.expect_request("/v1/querybatch", method="POST").respond_with_handler(reply)
    assert audit.main(httpserver.url_for("")) == 1
    lines = capsys.readouterr().out.splitlines()
    assert [line for line in lines if line.startswith("org.neo4j:neo4j-bolt:")] == lines[:-1]
    assert len(lines) == 3  # one of each line of Neo4j
    assert len(asked) == len(audit.locked()) > 500
    assert all(query["package"]["ecosystem"] == "Maven" and query["version"] for query in asked)


def test_without_a_network_it_says_so(capsys: pytest.CaptureFixture[str]) -> None:
    assert audit.main("http://127.0.0.1:9") == 2
    assert "does not answer" in capsys.readouterr().err
