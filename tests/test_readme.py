"""The manual: what it takes from the code is current, its commands exist, its files are there, its Python runs."""

from __future__ import annotations

import ast
import re
import shlex
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path

import pytest
import readme
import readme_api
from conftest import TestServer
from endpoint import Say, endpoint

from qcg_neo4j.cli import VERBS
from qcg_neo4j.cli.method_options import settings_of_method
from qcg_neo4j.graph import Graph
from qcg_neo4j.retrieve import DEFAULT_METHOD, settings_of
from qcg_neo4j.settings import from_mapping, read_settings_file

ROOT = readme.README.parent
TEXT = readme.README.read_text(encoding="utf-8")
FENCE = re.compile(r"^```(?P<kind>\w+)\n(?P<text>.*?)^```$", re.DOTALL | re.MULTILINE)
EXECUTED = re.compile(r"<!-- executed: (?P<name>\w+) -->\n```python\n(?P<code>.*?)^```\n", re.DOTALL | re.MULTILINE)
NAMED_FILE = re.compile(r"\]\((?!https?:|#)([^)#]+)\)|`((?:cypher|qcg_neo4j|tests|docker)/[\w./-]+)`")


def fenced(*kinds: str) -> list[str]:
    return [found["text"] for found in FENCE.finditer(TEXT) if found["kind"] in kinds]


def commands() -> list[str]:
    """Every line that is to be typed: all of ``sh``, and of ``console`` what stands behind the prompt."""
    typed = [line for text in fenced("sh") for line in text.replace("\\\n", " ").splitlines()]
    shown = [line for text in fenced("console") for line in text.replace("\\\n", " ").splitlines()]
    typed += [line.removeprefix("$ ") for line in shown if line.startswith("$ ")]
    return list(dict.fromkeys(line for line in typed if line.strip()))


def code(name: str) -> str:
    return next(found["code"] for found in EXECUTED.finditer(TEXT) if found["name"] == name)


def test_what_comes_from_the_code_is_current() -> None:
    assert readme.current(TEXT) == TEXT, "run `make readme`"


def test_a_block_that_nobody_can_make_is_an_error() -> None:
    with pytest.raises(KeyError):
        readme.current("<!-- generated: nothing -->\n<!-- end -->")


def test_there_are_commands_to_check() -> None:
    assert {"qcg demo", "make demo", "make test"} <= set(commands())


@pytest.mark.parametrize("line", [line for line in commands() if line.startswith("qcg ")])
def test_every_command_can_be_given(line: str) -> None:
    """Its verb and its options exist, and their values are of the right kind; it is not run."""
    words = shlex.split(line, comments=True)[1:]
    found, arguments = readme.command(words[: words.index(">")] if ">" in words else words)
    context = readme.context(found, "qcg")
    given, left, _ = found.make_parser(context).parse_args(list(arguments))
    assert not left
    for parameter in found.params:
        value = given.get(parameter.name or "")
        if isinstance(value, str | tuple | list):  # else it was left out
            parameter.type_cast_value(context, value)
    if "assignments" in given:
        settings_of_method(given.get("method_name", DEFAULT_METHOD), given["assignments"] or ())


def test_every_verb_has_a_section_and_its_help() -> None:
    for verb in VERBS:
        assert f"### qcg {verb}\n" in TEXT
        assert f"<!-- generated: help {verb}" in TEXT


@pytest.mark.parametrize("line", [line for line in commands() if line.startswith("make ")])
def test_every_target_is_in_the_makefile(line: str) -> None:
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    assert re.search(rf"^{line.split()[1]}:", makefile, re.MULTILINE)


@pytest.mark.parametrize("name", sorted({first or second for first, second in NAMED_FILE.findall(TEXT)}))
def test_every_named_file_exists(name: str) -> None:
    assert (ROOT / name).exists()


@pytest.mark.parametrize("name", re.findall(r"\]\(#([^)]+)\)", TEXT))
def test_every_link_inside_leads_to_a_heading(name: str) -> None:
    headings = re.findall(r"^#+ (.+)$", TEXT, re.MULTILINE)
    assert name in {re.sub(r"[^\w -]", "", heading.lower()).replace(" ", "-") for heading in headings}


@pytest.mark.parametrize("text", fenced("python"))
def test_the_names_that_python_imports_exist(text: str) -> None:
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.ImportFrom):
            assert node.module is not None
            module = import_module(node.module)
            assert [name.name for name in node.names if not hasattr(module, name.name)] == []


@pytest.mark.parametrize("text", fenced("toml"))
def test_the_settings_file_is_accepted(text: str, tmp_path: Path) -> None:
    file = tmp_path / "qcg.toml"
    file.write_text(text, encoding="utf-8")
    found = read_settings_file(file)
    methods = found.pop("retrieve")
    for section, values in found.items():
        from_mapping(readme.SECTIONS[section][0], values, section)
    for name, values in methods.items():
        from_mapping(settings_of(name), values, name)


@pytest.fixture
def connected(sample_server: TestServer, sample: Graph, monkeypatch: pytest.MonkeyPatch) -> Graph:
    """The sample as the manual's reader has it: without arguments everything finds the server of QCG_HOME."""
    for name in ("NEO4J_URI", "NEO4J_USERNAME", "NEO4J_PASSWORD", "NEO4J_DATABASE"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("QCG_HOME", str(sample_server.home))
    return sample


def test_the_walk_in_python_prints_what_the_manual_shows(connected: Graph, capsys: pytest.CaptureFixture[str]) -> None:
    exec(compile(code("methods"), "README.md", "exec"), {})  # noqa: S102 - the manual's own code
    assert capsys.readouterr().out in fenced("text")


def test_the_walk_through_graphrag(
    connected: Graph, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    with endpoint(lambda _, __: Say("The gym is FitZone.")) as fake:
        monkeypatch.setenv("OPENAI_API_KEY", "none")
        monkeypatch.setenv("OPENAI_BASE_URL", fake.url)
        exec(compile(code("graphrag"), "README.md", "exec"), {})  # noqa: S102 - the manual's own code
    assert capsys.readouterr().out == "The gym is FitZone.\n"
    assert "FitZone" in str(fake.calls[0]["messages"])


def test_public_names_are_those_of_every_package() -> None:
    folder = ROOT / "qcg_neo4j"
    public = {path.parent.name for path in folder.glob("*/__init__.py") if "__all__" in path.read_text("utf-8")}
    assert public - {"cli"} <= set(readme_api.PACKAGES)
    shown = readme_api.api()
    assert "- `load(graph: Graph, embedder: Embedder, documents: " in shown
    assert "- `Evidence`: " in shown
    assert "  - `passages: tuple[Passage, ...]`" in shown
    assert "LpRetriever(" in shown


def test_a_public_name_without_a_sentence_is_an_error() -> None:
    @dataclass
    class Silent:
        number: int

    with pytest.raises(ValueError, match="Silent has no docstring"):
        readme_api.first_line(Silent, "Silent")
