"""Every statement file: its header, its parameters, its plan on a real server, and that it is used."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import neo4j
import pytest
from bench import STATEMENTS, own
from conftest import TestServer, with_vector_indexes

from qcg_neo4j.core.errors import StatementError
from qcg_neo4j.database.corpora import KINDS, MARK, index
from qcg_neo4j.database.statements import directory, parse, paths, statement
from qcg_neo4j.interfaces.browser import guide

PACKAGE = Path(__file__).parents[2] / "qcg_neo4j"
PROCEDURES = PACKAGE.parent / "procedures"
JAVA = PROCEDURES / "qcg/src/main/java/qcg"
BENCH = STATEMENTS.parent
# Those of the package, and those that only measurements need.
EVERY = {**{path: path for path in paths()}, **{f"bench/{file.stem}": own(file.stem) for file in STATEMENTS.iterdir()}}
# Values that make a plan possible; a plan does not look into them otherwise.
BY_TYPE = {
    "INTEGER": 1,
    "FLOAT": 1.0,
    "STRING": "x",
    "LIST<STRING>": ["x"],
    "LIST<STRING> | NULL": ["x"],
    "LIST<FLOAT>": [1.0] * 384,
    "LIST<LIST<FLOAT>>": [[1.0] * 384],
    "LIST<LIST<ANY>>": [],
    "LIST<MAP>": [],
    "MAP": {},
    "BOOLEAN": True,
    "LIST<INTEGER>": [40],
}
NOT_CODE = re.compile(r"'(?:[^'\\]|\\.)*'|\"(?:[^\"\\]|\\.)*\"|/\*.*?\*/|//[^\n]*", re.DOTALL)


def used_parameters(text: str) -> set[str]:
    """The names of the parameters that a text uses, outside of strings and comments."""
    return set(re.findall(r"\$(\w+)", NOT_CODE.sub(" ", text)))


@pytest.mark.parametrize("name", sorted(EVERY))
def test_declared_parameters_are_the_used_ones(name: str) -> None:
    found = statement(EVERY[name])
    assert {parameter.name for parameter in found.parameters} == used_parameters(found.text)
    assert {parameter.type for parameter in found.parameters} <= set(BY_TYPE)


@cache
def callers() -> list[str]:
    """The texts in which a statement may be named."""
    files = [*PACKAGE.rglob("*.py"), *PROCEDURES.rglob("*.java"), *BENCH.glob("*.py")]
    return [file.read_text(encoding="utf-8") for file in files]


@pytest.mark.parametrize("name", sorted(EVERY))
def test_a_statement_is_short_and_used(name: str) -> None:
    lines = [line for line in statement(EVERY[name]).text.splitlines() if not line.strip().startswith("//")]
    assert len(lines) <= 90
    used = rf'own\("{name.removeprefix("bench/")}"\)' if name.startswith("bench/") else rf'["|] ?{name}(?:"| \|)'
    named = any(re.search(used, text) for text in callers())
    assert named or name.startswith(("schema/index/", "schema/vector_index/", "schema/baseline_index/", "inspect/"))


@pytest.fixture(scope="module")
def driver(each_server: TestServer) -> Iterator[neo4j.Driver]:
    with with_vector_indexes(each_server) as connected:
        yield connected


# All documents, atoms, stages or reports.
LOOKING_AT_ALL = {
    "retrieve/permitted",
    *("retrieve/atomic/seeds", "retrieve/atomic/state", "retrieve/auto/scope", "retrieve/lp/ranked"),
}


def has_plan(path: str) -> bool:
    """Schema commands have none, connecting runs them; and the older line does not read the newer one's Cypher."""
    text = statement(path).text
    schema = path.startswith("schema/") and re.search(r"^(CREATE|SHOW) ", text, re.MULTILINE)
    return not schema and "CYPHER 25" not in text


@pytest.mark.parametrize("name", [name for name, path in sorted(EVERY.items()) if has_plan(path)])
@pytest.mark.rest
def test_every_statement_has_a_plan(name: str, driver: neo4j.Driver) -> None:
    found = statement(EVERY[name])
    values = {parameter.name: BY_TYPE[parameter.type] for parameter in found.parameters}
    with driver.session() as session:
        plan = session.run(f"EXPLAIN {found.text}", values).consume().plan
    assert plan is not None
    if name.startswith("retrieve/") and name not in LOOKING_AT_ALL:
        assert not [operator for operator in operators(plan) if "Scan" in operator]


def operators(plan: dict[str, Any]) -> Iterator[str]:
    """What a plan does, step by step."""
    yield plan["operatorType"]
    for child in plan.get("children", ()):
        yield from operators(child)


# Those that tell nodes of others from ours: all others know the mark alone.
UNMARKED = {
    "adopt/chunks",
    "adopt/documents",
    "schema/foreign",
}
KIND = "|".join(KINDS)


def unmarked(text: str) -> list[str]:
    """Kinds that a text finds or creates nodes by, without their mark, and marks that it creates nodes with alone."""
    text = re.sub(r"//[^\n]*|'(?:[^'\\]|\\.)*'", "", text)
    made = re.findall(r"\b(?:MERGE|CREATE) \((\w*(?::\w+)+)", text)
    alone = [node for node in made if not re.fullmatch(rf"\w*:{MARK}({KIND}):\1", node)]
    return alone + re.findall(rf"[:|&!]({KIND})\b", re.sub(rf":{MARK}({KIND}):\1\b", "", text))


@pytest.mark.parametrize("name", sorted(EVERY))
def test_nodes_of_others_are_neither_read_nor_written(name: str) -> None:
    found = unmarked(statement(EVERY[name]).text)
    assert found == [] or name in UNMARKED
    assert all(f"CREATE {what} " not in statement(EVERY[name]).text for what in ("INDEX", "CONSTRAINT")) or (
        f" {index(name)} IF NOT EXISTS" in statement(EVERY[name]).text
    )


def test_a_statement_without_the_mark_is_noticed() -> None:
    assert unmarked("MATCH (c:Chunk)-[:FROM_CHUNK]->(:QcgAtom|Atom) WHERE c:!Entity") == ["Chunk", "Atom", "Entity"]
    assert unmarked("CREATE (:QcgAtom {id: 'a'}) MERGE (c:QcgChunk:Chunk {id: 'c'})") == [":QcgAtom"]


def test_procedures_and_the_guide_know_the_mark_alone() -> None:
    for file in JAVA.rglob("*.java"):
        text = file.read_text(encoding="utf-8")
        assert re.findall(rf'(?::|Label\.label\(")({KIND})\b', text) == [], file.name
    assert re.findall(rf"[(\w|:]:({KIND})\b", guide("", "")) == []


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
    assert used_parameters("// $a: X  y\nRETURN '$b', \"$c\" /* $d */, $e") == {"e"}


def parting_signs(path: str) -> set[str]:
    """The signs at which a statement parts the words of a question, for Lucene reads them otherwise."""
    found = re.search(r"sign IN split\('(\+(?:[^'\\]|\\.)*)', ' '\)", statement(path).text)
    assert found is not None, path
    return set(ast.literal_eval(f"'{found[1]}'").split(" "))


def test_words_part_at_the_same_signs_everywhere() -> None:
    """In an index of names apostrophes and low lines belong to the word."""
    names = parting_signs("retrieve/auto/scope")
    assert parting_signs("retrieve/words") == names | {"_", "'", "’"}
    assert parting_signs("retrieve/atomic/seeds") == names


def forming(path: str) -> str:
    """The lines of a statement that bring texts to one form of each letter and digit."""
    text = statement(path).text.replace("WITH chunk, ", "WITH ")
    found = re.search(r"^// One form of each letter.*?toString\(digit\)\)+\] AS texts$", text, re.DOTALL | re.MULTILINE)
    assert found is not None, path
    return found[0]


def test_words_of_questions_have_the_form_of_those_of_chunks() -> None:
    assert forming("retrieve/words") == forming("load/words")
    texts = {path: statement(path).text for path in paths()}
    searching = [path for path, text in texts.items() if "fulltext.queryNodes" in text and "qcg_chunk_words" in text]
    assert searching == ["retrieve/fulltext", "retrieve/layers/hits"]
    assert all("// $found: LIST<MAP>  one row of retrieve/words" in texts[path] for path in searching)


def test_one_statement_searches_the_vector_indexes_and_two_read_the_documents_of_a_text() -> None:
    """But for what asks several indexes at once, looks for many vectors, or takes no filter."""
    texts = {path: statement(path).text for path in paths() if path.startswith("retrieve/")}
    searching = [path for path, text in texts.items() if "db.index.vector.query" in text]
    assert searching == [
        *("retrieve/atomic/seeds", "retrieve/graphrag_local", "retrieve/layers/hits", "retrieve/near"),
    ]
    reading = [path for path, text in texts.items() if "AS isCopy ORDER BY isCopy" in text]
    assert reading == ["retrieve/atoms", "retrieve/passages"]


def test_procedures_stand_apart_from_what_they_run() -> None:
    called = {file.parent.name for file in JAVA.rglob("*.java") if "@Procedure(" in file.read_text(encoding="utf-8")}
    assert called == {"procedure"}
    assert not list(JAVA.glob("*.java"))
