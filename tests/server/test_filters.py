"""Filters on metadata: how they are read, and which documents they permit; `test_permission.py` asks the methods."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from datetime import date, datetime
from typing import Any

import numpy as np
import pytest
from any_filter import DATES, FILTERS, seldom
from conftest import TestServer, emptied
from graph_dump import query
from hypothesis import given
from reference_filters import says

from qcg_neo4j.cli.retrieve import browser_script
from qcg_neo4j.core.errors import InputError, SettingsError
from qcg_neo4j.core.filters import Part, from_dictionary, parse, read, steps
from qcg_neo4j.database.graph import Graph
from qcg_neo4j.database.permission import permission
from qcg_neo4j.retrieval import Method, QcgSettings, filtered, method

# Reading


@pytest.mark.parametrize(
    ("text", "meant"),
    [
        ("author = 'Wu'", 'author = "Wu"'),
        ('author="Wu" and published>=2025-01-01', 'author = "Wu" and published >= 2025-01-01'),
        ("a = 1 or b = 2 and not c = 3", "a = 1 or (b = 2 and not c = 3)"),
        ("(a = 1 OR b = 2) AND c = 3", "(a = 1 or b = 2) and c = 3"),
        ("a <> 1 and b ≠ 2 and c ≤ 3 and d ≥ 4 and e == 5", "a != 1 and b != 2 and c <= 3 and d >= 4 and e = 5"),
        ("year in [2024, 2025.5] or year not in []", "year in [2024, 2025.5] or year not in []"),
        ("published in [2024-05, 2025]", "published = 2024-05 or published = 2025"),
        ("author is null and title is not null and not tags has 1", None),
        ('`strange name` prefix "a" and author.name contains "b" and title icontains "c"', None),
        ("draft = true and final != false", None),
        ('day >= "2025-01-01 10:00"', "day >= 2025-01-01T10:00"),
        (r'title = "a \"quoted\" \\ é \u00e9"', 'title = "a \\"quoted\\" \\\\ é é"'),
        ("größe = -1.5e3", "größe = -1500.0"),
    ],
)
def test_a_text_is_read_as_it_is_meant(text: str, meant: str | None) -> None:
    assert str(parse(text)) == (text if meant is None else meant)
    assert parse(str(parse(text))) == parse(text)


@pytest.mark.parametrize(
    ("text", "problem", "column"),
    [
        ("", "the name of a property is expected", 0),
        ("author", "after 'author' an operator is expected", 6),
        ("author = Wu", 'put text in quotation marks: "Wu"', 9),
        ("author = ", "a value is expected", 9),
        ('author = "Wu', "a quotation is not closed", 9),
        ("a = 1 b = 2", "'and' or 'or' is expected", 6),
        ("(a = 1", "a bracket is not closed", 6),
        ("a in 1", "a list such as", 5),
        ("a in [1, 2", "the list is not closed", 10),
        ("a = null", "write 'is null'", 4),
        ("a = 2025-1-1", "neither a number nor a date", 4),
        ("a prefix 1", "'prefix' takes a text", 9),
        ("a = 1; b = 2", "';' means nothing", 5),
        ("not " * 200 + "a = 1", "nested", None),
    ],
)
def test_what_cannot_be_read_is_shown_with_its_place(text: str, problem: str, column: int | None) -> None:
    with pytest.raises(InputError, match=f"The filter cannot be read: .*{re.escape(problem)}") as raised:
        parse(text)
    mark = raised.value.problem.splitlines()[-1]
    assert column is None or mark.index("^") == column + 2


@pytest.mark.parametrize(
    ("dictionary", "text"),
    [
        ({"author": "Wu"}, 'author = "Wu"'),
        ({"author": "Wu", "year": {"$gte": 2025}}, 'author = "Wu" and year >= 2025'),
        ({"year": {"$gt": 2020, "$lt": 2025}}, "year > 2020 and year < 2025"),
        (
            {"$or": [{"a": 1}, {"$and": [{"b": {"$ne": 2}}, {"c": {"$in": [1, 2]}}]}]},
            "a = 1 or (b != 2 and c in [1, 2])",
        ),
        ({"a": {"$nin": ["x"]}, "b": {"$between": [1, 2]}}, 'not a in ["x"] and (b >= 1 and b <= 2)'),
        ({"t": {"$like": "x%"}, "u": {"$ilike": "Y"}}, 't contains "x" and u icontains "Y"'),
        ({"tags": {"$has": "law"}, "a": {"$null": False}}, 'tags has "law" and a is not null'),
        ({"published": {"$gte": date(2025, 1, 31)}}, "published >= 2025-01-31"),
        ({"published": {"$null": True}}, "published is null"),
        ({"$not": {"day": datetime(2025, 1, 31, 10, 30)}}, "not day = 2025-01-31T10:30:00"),
    ],
)
def test_a_dictionary_says_the_same_as_a_text(dictionary: dict[str, Any], text: str) -> None:
    assert from_dictionary(dictionary) == parse(text)
    assert QcgSettings(where=dictionary) == QcgSettings(where=str(parse(text)))


@pytest.mark.parametrize(
    ("dictionary", "problem"),
    [
        ({}, "A filter as a dictionary is"),
        ({"a": {"$gta": 1}}, r"no operator '\$gta'.\nDid you mean '\$gt"),
        ({"a": {}}, "has no operator"),
        ({"a": None}, "compares 'a' with None"),
        ({"a": {"$in": 1}}, r"\$in of a filter is 1, but must be a list"),
        ({"a": {"$between": [1]}}, "a list of 2 values"),
        ({"$or": []}, r"\$or of a filter is \[\]"),
        ({"$nor": [{"a": 1}]}, "is given instead of a property"),
        ({"a": float("nan")}, "which is out of range"),
        ({"a": {"$prefix": 1}}, "must be text"),
    ],
)
def test_a_wrong_dictionary_is_refused(dictionary: dict[str, Any], problem: str) -> None:
    with pytest.raises(InputError, match=problem):
        from_dictionary(dictionary)


def test_the_operators_of_neo4j_graphrag_are_known() -> None:
    theirs = pytest.importorskip("neo4j_graphrag.filters").SUPPORTED_OPERATORS
    value = {"$in": [1], "$nin": [1], "$between": [1, 2], "$like": "a", "$ilike": "a"}
    for name in theirs - {"$and", "$or"}:
        assert from_dictionary({"a": {name: value.get(name, 1)}})
    for name in ("$and", "$or"):
        assert from_dictionary({name: [{"a": 1}, {"b": 2}]})


# What the database says


@seldom
@given(part=FILTERS)
def test_a_filter_is_read_as_it_is_written(part: Part) -> None:
    again = parse(str(part))
    assert str(again) == str(part)
    for document in ({}, {"author": "Wu", "year": 2025, "publishedAt": "2025-01-01T10:00:00", "tags": ["law"]}):
        assert says(again, document) is says(part, document)


def documents(values: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return [{"id": f"d{place}", "title": "t", **held} for place, held in enumerate(values)]


@pytest.fixture(scope="module")
def library(server_2026: TestServer) -> Iterator[tuple[Graph, list[dict[str, Any]]]]:
    """Documents without a text, of every kind of metadata."""
    random = np.random.default_rng(3)
    kinds: dict[str, list[Any]] = {
        "author": ["Wu", "wu", "Wu Li", "", 1, True, None],
        "year": [2024, 2025, 2025.5, "2025", None],
        "publishedAt": [*DATES, None],
        "tags": [["law", "tax"], ["Wu"], "law", [1, 2], None],
    }
    held = [{name: choices[random.integers(len(choices))] for name, choices in kinds.items()} for _ in range(150)]
    made = documents([{name: value for name, value in one.items() if value is not None} for one in held])
    with Graph.connect(server_2026.uri, server_2026.user, server_2026.password) as graph:
        query(emptied(graph), "UNWIND $rows AS row CREATE (d:QcgDocument:Document) SET d = row", rows=made)
        yield graph, made


@seldom
@given(part=FILTERS)
def test_the_database_permits_what_plain_python_permits(
    library: tuple[Graph, list[dict[str, Any]]], part: Part
) -> None:
    graph, made = library
    found = graph.rows("retrieve/permitted", where=steps(part), permitted=None)[0]
    assert set(found["permitted"]) == {one["id"] for one in made if says(part, one)}
    assert (found["documents"], found["unknown"]) == (len(made), [])


def test_stored_dates_are_compared_as_dates(library: tuple[Graph, list[dict[str, Any]]]) -> None:
    graph, _ = library
    stored = (
        "CREATE (d:QcgDocument:Document {id: 'typed', day: date('2025-03-01'), at: datetime('2025-03-01T10:00:00Z')})"
    )
    query(graph, stored)
    for where, is_permitted in {
        "day >= 2025-02-28 and day < 2025-03-02": True,
        "day = 2025-03": True,
        "at >= 2025-03-01T09:30 and at <= 2025-03-01": True,
        "at > 2025-03-01": False,
        'day > "2025-03-01"': False,
    }.items():
        assert (permission(graph, where).documents == ("typed",)) is is_permitted, where
    query(graph, "MATCH (d:QcgDocument {id: 'typed'}) DELETE d")


def test_a_name_that_no_document_has_is_refused_with_a_hint(library: tuple[Graph, list[dict[str, Any]]]) -> None:
    with pytest.raises(InputError, match=r"No document has 'autor', which the filter names.\nDid you mean 'author'\?"):
        permission(library[0], 'year = 2025 or not autor = "Wu"')


# What it is given to


def test_a_script_for_browser_holds_the_filter(library: tuple[Graph, list[dict[str, Any]]]) -> None:
    permitted = permission(library[0], "year = 2024")
    for name in ("vector", "lp"):
        call = permitted.applied(filtered(method(name), "year = 2024").call("Who?", np.ones(2, np.float32)))
        parameters, _ = browser_script(call)
        held = '`operator`: "=", `name`: "year", `value`: 2024' if name == "lp" else json.dumps(permitted.documents)
        assert held in parameters
    assert "`candidates`: 200" in parameters


@pytest.mark.parametrize("name", ["graphrag-local", "graphrag-global"])
def test_what_is_made_of_all_documents_is_refused(name: str) -> None:
    with pytest.raises(SettingsError, match="descriptions and reports are made of all documents"):
        method(name, {"where": "year = 2025"})
    with pytest.raises(SettingsError, match="GraphRAG takes no filter"):
        filtered(method(name), {"year": 2025})


def test_a_filter_is_a_setting_of_every_other_method() -> None:
    made: Method = filtered(method("qcg"), {"year": {"$gte": 2025}})
    assert made.settings.where == "year >= 2025"
    assert read("year >= 2025") == read({"year": {"$gte": 2025}})
    with pytest.raises(InputError, match="cannot be read"):
        QcgSettings(where="year >=")
