"""Every statement file: its header, its parameters, its plan on a real server, and that it is used."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import neo4j
import pytest
from bench import STATEMENTS, own
from conftest import TestServer, with_vector_indexes

from qcg_neo4j.errors import StatementError
from qcg_neo4j.statements import Statement, directory, parse, paths, statement

PACKAGE = Path(__file__).parents[1] / "qcg_neo4j"
PROCEDURES = PACKAGE.parent / "procedures"
BENCH = STATEMENTS.parent
# Those of the package, and those that only measurements need.
EVERY = {**{path: path for path in paths()}, **{f"bench/{file.stem}": own(file.stem) for file in STATEMENTS.iterdir()}}
# Values that make a plan possible; a plan does not look into them otherwise.
BY_TYPE = {
    "INTEGER": 1,
    "FLOAT": 1.0,
    "STRING": "x",
    "LIST<STRING>": ["x"],
    "LIST<FLOAT>": [1.0] * 384,
    "LIST<LIST<FLOAT>>": [[1.0] * 384],
    "LIST<LIST<ANY>>": [],
    "LIST<MAP>": [],
    "MAP": {},
    "BOOLEAN": True,
}


@pytest.mark.parametrize("name", sorted(EVERY))
def test_declared_parameters_are_the_used_ones(name: str) -> None:
    found = statement(EVERY[name])
    assert {parameter.name for parameter in found.parameters} == found.used_parameters()
    assert {parameter.type for parameter in found.parameters} <= set(BY_TYPE)


@pytest.mark.parametrize("name", sorted(EVERY))
def test_a_statement_is_short_and_used(name: str) -> None:
    lines = [line for line in statement(EVERY[name]).text.splitlines() if not line.strip().startswith("//")]
    assert len(lines) <= (115 if name == "retrieve/layers" else 70)  # six layers and a walk in one round trip
    callers = [*PACKAGE.rglob("*.py"), *PROCEDURES.rglob("*.java"), *BENCH.glob("*.py")]
    used = f'own("{name.removeprefix("bench/")}")' if name.startswith("bench/") else f'"{name}"'
    named = any(used in file.read_text(encoding="utf-8") for file in callers)
    assert named or name.startswith(("schema/index/", "schema/vector_index/", "inspect/"))


@pytest.fixture(scope="module")
def both_lines(server_2026: TestServer, server_5_26: TestServer) -> Iterator[list[neo4j.Driver]]:
    with with_vector_indexes(server_2026) as newer, with_vector_indexes(server_5_26) as older:
        yield [newer, older]


def has_plan(path: str) -> bool:
    """Schema commands have none; connecting runs them."""
    return not re.search(r"^(CREATE|SHOW) ", statement(path).text, re.MULTILINE) or not path.startswith("schema/")


@pytest.mark.parametrize("name", [name for name, path in sorted(EVERY.items()) if has_plan(path)])
def test_explain_on_both_lines(name: str, both_lines: list[neo4j.Driver]) -> None:
    found = statement(EVERY[name])
    values = {parameter.name: BY_TYPE[parameter.type] for parameter in found.parameters}
    for driver in both_lines:
        with driver.session() as session:
            plan = session.run("EXPLAIN " + found.text, values).consume().plan
        assert plan is not None


def test_the_folder_holds_nothing_else() -> None:
    files = [file for file in [*directory().rglob("*"), *STATEMENTS.iterdir()] if file.is_file()]
    assert {file.suffix for file in files if file.name != "README.md"} == {".cypher"}


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("MATCH (n) RETURN n", "first line"),
        ("// no capital.\nRETURN 1", "first line"),
        ("// A row.\n// $x INTEGER  what\nRETURN $x", "not of the form"),
        ("", "first line"),
    ],
)
def test_a_wrong_header_is_refused(text: str, problem: str) -> None:
    with pytest.raises(StatementError, match=problem):
        parse("some/path", text)


def test_wrong_parameters_are_refused_with_a_hint() -> None:
    found = parse("some/path", "// A row.\n// $count: INTEGER  how many\nRETURN $count")
    with pytest.raises(StatementError, match=r"has no parameter \$counts.\nDid you mean 'count'"):
        found.check({"counts": 1})
    with pytest.raises(StatementError, match=r"needs \$count"):
        found.check({})
    found.check({"count": 1})


def test_an_unknown_path_is_refused_with_a_hint() -> None:
    with pytest.raises(StatementError, match="Did you mean 'retrieve/qcg'"):
        statement("retrieve/qgc")


def test_parameters_in_strings_and_comments_are_not_used() -> None:
    found = Statement("p", "A.", (), "// $a: X  y\nRETURN '$b', \"$c\" /* $d */, $e")
    assert found.used_parameters() == {"e"}
