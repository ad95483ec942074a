"""Plain words in every text for people, by the list in ``words.toml``; all pages together stay short."""

from __future__ import annotations

import ast
import re
import tomllib
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pages
import pytest
from test_pages import FENCED, every_page, name_of, prose_of, text_of

PACKAGE = pages.ROOT / "qcg_neo4j"
LIST = tomllib.loads((Path(__file__).parent / "words.toml").read_text("utf-8"))
WORDS = {re.compile(rf"\b(?:{word['pattern']})", re.IGNORECASE): word["say"] for word in LIST["word"]}
MODULES = [
    path
    for path in sorted(PACKAGE.rglob("*.py"))
    if "prompts" not in path.parts and path.relative_to(PACKAGE).as_posix() not in LIST["prompts"]
]
CODE = re.compile(r"`+[^`\n]*`+")
MOST_WORDS = 45_000
LONGEST_LINE = 120
JAVA_LITERAL = re.compile(r'"[^"\n]* [^"\n]*"')


def unplain(text: str) -> list[str]:
    """What in a text has a plainer word, and that word; code in it is left out."""
    prose = CODE.sub("", text)
    return [f"{found[0]!r}: say {say}" for pattern, say in WORDS.items() for found in pattern.finditer(prose)]


@cache
def texts(module: Path) -> list[tuple[int, str]]:
    """The texts for people: every literal of several words, and the first line of each public docstring."""
    tree = ast.parse(module.read_text("utf-8"))
    return [*_literals(tree), *_first_lines(tree)]


def _literals(tree: ast.Module) -> Iterator[tuple[int, str]]:
    docstrings = {
        id(node.body[0].value)
        for node in ast.walk(tree)
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef)
        and node.body
        and isinstance(node.body[0], ast.Expr)
    }
    for node in ast.walk(tree):
        literal = isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in docstrings
        if literal and " " in node.value:  # type: ignore[attr-defined] # the line above knows what it is
            yield node.lineno, node.value  # type: ignore[attr-defined]


def _first_lines(tree: ast.Module) -> Iterator[tuple[int, str]]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            text = ast.get_docstring(node)
            if text and not getattr(node, "name", "").startswith("_"):
                yield getattr(node, "lineno", 1), text.partition("\n")[0]


@pytest.mark.parametrize("module", MODULES, ids=lambda path: path.relative_to(PACKAGE).as_posix())
def test_the_words_of_the_package_are_plain(module: Path) -> None:
    assert [f"{module.name}:{line}: {wrong}" for line, text in texts(module) for wrong in unplain(text)] == []


def test_the_words_of_statements_and_procedures_are_plain() -> None:
    heads = {path: path.read_text("utf-8").partition("\n\n")[0] for path in (pages.ROOT / "cypher").rglob("*.cypher")}
    comments = {path: "\n".join(re.findall(r"^//.*", text, re.MULTILINE)) for path, text in heads.items()}
    java = {
        path: "\n".join(JAVA_LITERAL.findall(path.read_text("utf-8")))
        for path in (pages.ROOT / "procedures").rglob("src/main/**/*.java")
    }
    assert [f"{path.name}: {it}" for path, text in {**comments, **java}.items() for it in unplain(text)] == []


@every_page
def test_the_words_of_the_pages_are_plain(page: Path) -> None:
    lines = prose_of(page).splitlines()
    found = [f"{name_of(page)}:{number}: {it}" for number, line in enumerate(lines, 1) for it in unplain(line)]
    assert found == []


def test_a_riddle_is_named_with_what_to_say_instead() -> None:
    assert unplain("Mend the text.") == ["'Mend': say fix, correct, repair"]
    assert unplain("Set `mend = true`.") == []


def test_all_pages_together_are_short() -> None:
    """The options' reference, which is generated, is not counted."""
    counted = [page for page in pages.MANUAL if page.name != "REFERENCE.md"]
    assert sum(len(text_of(page).split()) for page in counted) <= MOST_WORDS


@every_page
def test_lines_of_prose_are_short(page: Path) -> None:
    """Tables, pictures and generated blocks have lines of any length."""
    text = FENCED.sub("", pages.BLOCK.sub("", text_of(page)))
    lines = [line for line in text.splitlines() if not line.lstrip().startswith(("|", "!["))]
    assert [line for line in lines if len(line) > LONGEST_LINE] == []
