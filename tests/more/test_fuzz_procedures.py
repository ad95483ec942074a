"""Whatever a procedure of the plug-ins is called with, it answers or refuses in one sentence.

Arguments of every type, configurations with every key: no exception of Java's own reaches the caller.
"""

from __future__ import annotations

import re
from datetime import date, timedelta
from functools import cache
from pathlib import Path
from typing import Any

import neo4j
import pytest
from hostile import asking
from hypothesis import given
from hypothesis import strategies as some
from neo4j.spatial import CartesianPoint

from qcg_neo4j.database.graph import Graph

LONGEST_SENTENCE = 600
SECONDS = 20  # that a call may take

PROCEDURES = """
SHOW PROCEDURES YIELD name, argumentDescription, returnDescription WHERE name STARTS WITH 'qcg.'
RETURN 'CALL ' + name AS call, [argument IN argumentDescription | argument.type] AS types,
       ' YIELD ' + returnDescription[0].name + ' RETURN count(*)' AS ending
"""
FUNCTIONS = """
SHOW FUNCTIONS YIELD name, argumentDescription WHERE name STARTS WITH 'qcg.'
RETURN 'RETURN ' + name AS call, [argument IN argumentDescription | argument.type] AS types, '' AS ending
"""
# What may stand for a node: nodes of every kind, of others, a relationship, a path.
THINGS = """
MATCH (chunk:Chunk) WITH chunk ORDER BY chunk.id LIMIT 2 WITH collect(chunk) AS chunks
MATCH (atom:Atom) WITH chunks, atom ORDER BY atom.id LIMIT 3 WITH chunks, collect(atom) AS atoms
MATCH way = (entity:Entity)-[triple:RELATED_TO]->(other) WITH chunks, atoms, way, entity, triple, other LIMIT 1
WITH [null, head(chunks), entity, other, triple, way] + atoms + chunks AS things
"""
NUMBER_OF_THINGS = 11
# The plug-in that embeds says the same in a class of Java's own.
OURS = re.compile(r"Refusal: |IllegalArgumentException: (There is no list of texts|Text \d+ is null|The text )")
TYPES = re.compile("Type mismatch|Neo.ClientError.Statement.(Type|Argument)Error")  # Cypher's own refusal

INTEGERS = some.one_of(
    some.integers(-3, 30), some.sampled_from([2**31 - 1, 2**31, -(2**31), 2**63 - 1, -(2**63), 10**6, 10**12])
)
FLOATS = some.one_of(
    some.floats(-2, 2), some.sampled_from([float("nan"), float("inf"), -float("inf"), 1e308, 5e-324, 0.0, -0.0])
)
WORDS = some.sampled_from(
    [
        "",
        " ",
        "Who",
        "push",
        "gds",
        "all",
        "%s %d {}",
        "a" * 3000,
        "RELATED_TO",
        "embedding",
        "id",
        "\u0000",
        "`x` $y",
    ]
)
TEMPORAL = some.sampled_from([date(2026, 2, 3), timedelta(days=1), CartesianPoint((1.0, 2.0)), b"\x00\x01"])
SCALARS = some.one_of(some.none(), some.booleans(), INTEGERS, FLOATS, WORDS, TEMPORAL)
VALUES = some.recursive(
    SCALARS,
    lambda inner: some.one_of(
        some.lists(inner, max_size=4), some.dictionaries(some.sampled_from(["text", "vector", "a"]), inner, max_size=3)
    ),
    max_leaves=6,
)
VECTORS = some.builds(
    lambda size, number: [number] * size, some.sampled_from([384, 384, 1, 383, 5000]), some.one_of(FLOATS, INTEGERS)
)
QUESTIONS = some.one_of(
    some.sampled_from(["Who is Wolfgang?", "What did Li Hua and Jennifer plan?"]),
    VECTORS,
    some.fixed_dictionaries({"text": WORDS, "vector": VECTORS}),
    VALUES,
)


Signatures = dict[str, tuple[list[str], str]]
Keys = dict[str, list[tuple[str, Any]]]


@cache
def declared(graph: Graph) -> tuple[Signatures, Keys]:
    """By call the types of its arguments and what follows them, and the keys of its configuration with defaults."""
    found = {}
    for shown in (PROCEDURES, FUNCTIONS):
        for row in graph.driver.execute_query(shown).records:
            found[row["call"]] = (row["types"], row["ending"])
    keys: Keys = {}
    for row in graph.driver.execute_query("CALL qcg.configuration()").records:
        keys.setdefault(f"CALL {row['procedure']}", []).append((row["key"], row["defaultValue"]))
    return found, keys


def argument(kind: str, keys: list[tuple[str, Any]]) -> some.SearchStrategy[tuple[str, Any]]:
    """A value for a parameter, with how the statement takes it: as it is, or as places of things."""
    places = some.lists(some.integers(0, NUMBER_OF_THINGS - 1), max_size=5)
    as_it_is = "$given[{place}]"
    things = "[each IN $given[{place}] | things[each]]"
    if kind == "MAP":
        odd = some.dictionaries(some.sampled_from([name for name, _ in keys] or ["a"]), VALUES, max_size=3)
        fitting = some.fixed_dictionaries({}, optional={name: like(default) for name, default in keys})
        return some.tuples(some.just(as_it_is), some.one_of(odd, fitting, some.just({}), some.just({"hop": 1})))
    if kind == "LIST<NODE>":
        return some.one_of(some.tuples(some.just(things), places), some.tuples(some.just(as_it_is), VALUES))
    if kind not in ("ANY", "LIST<ANY>"):
        return some.tuples(some.just(as_it_is), VALUES)
    one = some.tuples(some.just("things[$given[{place}]]"), some.integers(0, NUMBER_OF_THINGS - 1))
    pairs = some.lists(some.tuples(some.integers(0, NUMBER_OF_THINGS - 1), SCALARS).map(list), max_size=4)
    weighted = some.tuples(some.just("[each IN $given[{place}] | [things[each[0]], each[1]]]"), pairs)
    plain = some.tuples(some.just(as_it_is), QUESTIONS)
    return some.one_of(plain, plain, one, weighted, some.tuples(some.just(things), places))


def like(default: Any) -> some.SearchStrategy[Any]:
    """Values of the kind of a default, within and beyond their range."""
    kinds: list[tuple[type, some.SearchStrategy[Any]]] = [
        (bool, some.booleans()),
        (int, INTEGERS),
        (float, some.one_of(FLOATS, INTEGERS)),
        (str, some.one_of(some.just(default), WORDS)),
        (list, some.lists(WORDS, max_size=3)),
        (dict, some.dictionaries(WORDS, some.one_of(FLOATS, INTEGERS, WORDS), max_size=3)),
    ]
    return next((strategy for kind, strategy in kinds if isinstance(default, kind)), VALUES)


KINDS = {"procedure": "CALL", "function": "RETURN"}
GOLDEN = (Path(__file__).parents[1] / "golden/procedures.txt").read_text(encoding="utf-8")
CALLS = [
    f"{KINDS[kind]} {name}" for kind, name in re.findall(r"^(procedure|function) ([\w.]+)\(", GOLDEN, re.MULTILINE)
]


@pytest.mark.parametrize("call", CALLS)
def test_any_arguments_are_answered_or_refused(call: str, sample_reports: Graph) -> None:
    signatures, keys = declared(sample_reports)
    types, ending = signatures[call]
    arguments = some.tuples(*(argument(kind, keys.get(call, [])) for kind in types))

    @asking
    @given(arguments)
    def asked(given_: tuple[tuple[str, Any], ...]) -> None:
        expressions = ", ".join(form.format(place=place) for place, (form, _) in enumerate(given_))
        beginning = f"{THINGS} {call}" if "things" in expressions else call
        held(sample_reports, f"{beginning}({expressions}){ending}", [value for _, value in given_])

    asked()


def held(graph: Graph, statement: str, given_: list[Any]) -> None:
    """Answered, or refused in a short sentence: by us, or by Cypher where the type is another."""
    refused: neo4j.exceptions.ClientError | None = None
    try:
        graph.driver.execute_query(neo4j.Query(statement, timeout=SECONDS), {"given": given_})
    except neo4j.exceptions.ClientError as error:
        refused = error
    if refused is not None:
        message = refused.message or ""
        told = f"{refused.code}: {message}"
        assert TYPES.search(told) or (OURS.search(message) and len(message) < LONGEST_SENTENCE), f"{statement}: {told}"
