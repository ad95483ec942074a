"""The manual: what it takes from the code is current, its commands exist, its links lead somewhere, its Python runs."""

from __future__ import annotations

import ast
import re
import shlex
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from pathlib import Path

import click
import pages
import public_names
import pytest
import shown
from click.testing import CliRunner
from conftest import TestServer
from endpoint import Say, endpoint

import qcg_neo4j
from qcg_neo4j.cli import VERBS, qcg
from qcg_neo4j.cli.command import Command
from qcg_neo4j.cli.method_options import step_settings
from qcg_neo4j.cli.tables import RETRIEVE, assigned, read_tables, tables
from qcg_neo4j.core.errors import QcgError
from qcg_neo4j.core.settings import from_mapping
from qcg_neo4j.database.graph import Graph
from qcg_neo4j.indexing.run.plan import FOUND
from qcg_neo4j.retrieval import DEFAULT_METHOD, METHODS

ROOT = pages.ROOT
FRONT = ROOT / "README.md"
FENCED = re.compile(r"^```.*?^```$", re.DOTALL | re.MULTILINE)
FENCE = re.compile(r"^```(?P<kind>\w+)\n(?P<text>.*?)^```$", re.DOTALL | re.MULTILINE)
EXECUTED = re.compile(r"<!-- executed: (?P<name>\w+) -->\n```python\n(?P<code>.*?)^```\n", re.DOTALL | re.MULTILINE)
LINK = re.compile(r"\]\((?!https?:)(?P<path>[^)#\s]*)(?:#(?P<heading>[^)\s]+))?\)")
NAMED_FILE = re.compile(r"`(?P<path>(?:cypher|qcg_neo4j|tests|docker|procedures)/[\w./-]+)`")
HEADING = re.compile(r"^#+ (.+)$", re.MULTILINE)


def name_of(page: Path) -> str:
    return page.relative_to(ROOT).as_posix()


every_page = pytest.mark.parametrize("page", pages.PAGES, ids=name_of)


@cache
def text_of(page: Path) -> str:
    return page.read_text(encoding="utf-8")


@cache
def prose_of(page: Path) -> str:
    """A page with its fenced lines emptied, so that line numbers stay."""
    return FENCED.sub(lambda found: "\n" * found[0].count("\n"), text_of(page))


@cache
def headings_of(page: Path) -> frozenset[str]:
    """The anchors that a page has."""
    headings = HEADING.findall(prose_of(page))
    return frozenset(re.sub(r"[^\w -]", "", heading.lower()).replace(" ", "-") for heading in headings)


def line_of(text: str, position: int) -> int:
    return text.count("\n", 0, position) + 1


def fenced(page: Path, *kinds: str) -> Iterator[tuple[int, str]]:
    """The texts of these kinds, each with the number of its first line."""
    text = text_of(page)
    for found in FENCE.finditer(text):
        if found["kind"] in kinds:
            yield line_of(text, found.start("text")), found["text"]


def commands(page: Path) -> Iterator[tuple[int, str]]:
    """Every line that is to be typed: all of ``sh``, and of ``console`` what stands behind the prompt."""
    for kind, prompt in (("sh", ""), ("console", "$ ")):
        for first, text in fenced(page, kind):
            for found in re.finditer(r"(?:.*\\\n)*.+", text):
                if found[0].startswith(prompt):
                    yield first + line_of(text, found.start()) - 1, found[0].removeprefix(prompt).replace("\\\n", " ")


def complaints(page: Path, found: Iterator[tuple[int, str]], check: Callable[[str], object]) -> list[str]:
    """What is wrong, as file, line and reason; so one test tells everything about a page."""
    wrong = []
    for line, text in found:
        try:
            check(text)
        except (AssertionError, ImportError, QcgError, click.ClickException, ValueError, KeyError, OSError) as error:
            wrong.append(f"{name_of(page)}:{line}: {error!r}")
    return wrong


def code(name: str) -> str:
    return next(found["code"] for found in EXECUTED.finditer(text_of(FRONT)) if found["name"] == name)


def test_the_pages_are_found() -> None:
    assert {"README.md", "qcg_neo4j/cli/REFERENCE.md", "docker/README.md"} <= {name_of(page) for page in pages.PAGES}


def test_the_front_page_is_read_before_deciding() -> None:
    """So it is short, and has no wall of options."""
    text = text_of(FRONT)
    assert text.count("\n") <= 250
    assert len(text.split()) <= 2_000
    assert "Usage: " not in text
    assert all(f"]({name_of(page)})" in text for page in pages.MANUAL if page != FRONT), "the index lacks a page"


@every_page
def test_what_comes_from_the_code_is_current(page: Path) -> None:
    assert pages.current(text_of(page)) == text_of(page), "run `make pages`"


def test_a_block_that_nobody_can_make_is_an_error() -> None:
    with pytest.raises(KeyError):
        pages.current("<!-- generated: nothing -->\n<!-- end -->")


def test_how_much_less_is_found_without_a_model_is_what_the_tables_say() -> None:
    folders = {title: shown.HERE / name / "tables" for name, title in shown.TITLES.items()}
    told = {
        name: tuple(
            float(shown.figure(folders[name] / table, "layers", "recall@5").split()[0])
            for table in ("methods" if name == shown.TITLES["twowiki"] else "chains", "no-model")
        )
        for name in FOUND
    }
    assert told == FOUND


def test_there_are_commands_to_check() -> None:
    assert {"qcg demo", "make demo", "make test"} <= {line for page in pages.PAGES for _, line in commands(page)}


@every_page
def test_every_command_can_be_given(page: Path) -> None:
    """Its verb and its options exist, and their values are of the right kind; it is not run."""
    typed = ((number, line) for number, line in commands(page) if line.startswith(tuple(pages.ROOTS)))
    assert complaints(page, typed, check_command) == []


def check_command(line: str) -> None:
    start = next(start for start in pages.ROOTS if line.startswith(start))
    words = shlex.split(line.removeprefix(start), comments=True)
    end = next((place for place, word in enumerate(words) if word in (">", ">>", "|")), len(words))
    found, arguments = pages.command(words[:end], pages.ROOTS[start])
    context = pages.context(found, "qcg")
    given, left, _ = found.make_parser(context).parse_args(list(arguments))
    assert not left, f"nothing takes {left}"
    for parameter in found.params:
        value = given.get(parameter.name or "")
        if isinstance(value, str | tuple | list):  # else it was left out
            parameter.type_cast_value(context, value)
    if isinstance(found, Command) and found.tables:
        method = given.get("method_name", DEFAULT_METHOD) if RETRIEVE in found.tables else None
        for text in given.get("assignments") or ():
            assigned(text, found.known(method))
    step_settings(tuple(given.get("steps") or ()))


@pytest.mark.parametrize("line", ["qcg load --nothing", "qcg retrieve x --set nothing=1", "qcg nothing"])
def test_a_command_that_cannot_be_given_is_named_with_its_line(line: str) -> None:
    assert complaints(FRONT, iter([(7, line)]), check_command)[0].startswith("README.md:7: ")


def test_every_verb_has_a_section_and_its_help() -> None:
    chapters, reference = headings_of(ROOT / "qcg_neo4j/cli/README.md"), text_of(ROOT / "qcg_neo4j/cli/REFERENCE.md")
    for verb in VERBS:
        assert f"qcg-{verb}" in chapters
        assert f"\n### qcg {verb}\n" in reference


@pytest.mark.parametrize("name", [*pages.names()])
def test_every_help_fits_a_screen(name: str) -> None:
    lines = pages.help_of(name).splitlines()
    assert len(lines) <= 24
    assert max(map(len, lines)) <= 80


def test_the_reference_has_every_setting_and_is_short() -> None:
    """Those of a method are on the methods' page."""
    reference = text_of(ROOT / "qcg_neo4j/cli/REFERENCE.md")
    assert reference.count("\n") <= 1000
    for table, kind in tables().items():
        if not table.startswith(RETRIEVE):
            rows = reference.partition(f"### [{table}]\n")[2].partition("\n### ")[0]
            assert all(f"| `{key}` |" in rows for key in kind.__dataclass_fields__)
    for method in METHODS:
        assert f"<!-- generated: method {method} -->" in text_of(ROOT / "qcg_neo4j/retrieval/README.md")


def test_help_prints_the_skill_and_it_names_what_agents_call() -> None:
    skill = text_of(ROOT / "qcg_neo4j/interfaces/SKILL.md")
    assert CliRunner().invoke(qcg, ["help", "agents"]).stdout == skill
    assert re.match(r"---\nname: qcg-neo4j\ndescription: \w", skill)
    typed = [found.partition(" ")[0] for found in re.findall(r"`qcg ([^`]+)`", skill)]
    assert set(typed) <= set(VERBS)
    tools = re.findall(r"^- `(\w+)\(", skill, re.MULTILINE)
    assert set(re.findall(r"^\| [^|]+ \| `(\w+)`[^|\n]*\|[^|\n]*\|$", skill, re.MULTILINE)) <= set(tools)


@every_page
def test_every_target_is_in_the_makefile(page: Path) -> None:
    targets = re.findall(r"^([a-z0-9-]+):", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE)
    typed = [(number, line.split()[1]) for number, line in commands(page) if line.startswith("make ")]
    assert [f"{name_of(page)}:{line}: {name}" for line, name in typed if name not in targets] == []


@every_page
def test_every_link_leads_to_a_file_and_a_heading(page: Path) -> None:
    """Links start at their page; files named in the text start at the top."""
    text = prose_of(page)
    wrong = [found for found in LINK.finditer(text) if not is_there(page, found["path"], found["heading"])]
    wrong += [found for found in NAMED_FILE.finditer(text) if not (ROOT / found["path"]).exists()]
    assert [f"{name_of(page)}:{line_of(text, found.start())}: {found[0]}" for found in wrong] == []


def is_there(page: Path, path: str, heading: str | None) -> bool:
    target = (page.parent / path).resolve() if path else page
    return target.exists() and (heading is None or heading in headings_of(target))


@every_page
def test_the_names_that_python_imports_exist(page: Path) -> None:
    assert complaints(page, fenced(page, "python"), check_imports) == []


def check_imports(text: str) -> None:
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.ImportFrom):
            assert node.module is not None
            module = import_module(node.module)
            missing = [name.name for name in node.names if not hasattr(module, name.name)]
            assert not missing, f"{node.module} has no {missing}"


@every_page
def test_the_settings_file_is_accepted(page: Path, tmp_path: Path) -> None:
    def check(text: str) -> None:
        file = tmp_path / "qcg.toml"
        file.write_text(text, encoding="utf-8")
        for table, values in read_tables(file).items():
            from_mapping(tables()[table], values, table)

    assert complaints(page, fenced(page, "toml"), check) == []


@pytest.fixture
def connected(sample_server: TestServer, sample: Graph, monkeypatch: pytest.MonkeyPatch) -> Graph:
    """The sample as the manual's reader has it: without arguments everything finds the server of QCG_HOME."""
    for name in ("NEO4J_URI", "NEO4J_USERNAME", "NEO4J_PASSWORD", "NEO4J_DATABASE"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("QCG_HOME", str(sample_server.home))
    return sample


def test_the_walk_in_python_prints_what_the_manual_shows(connected: Graph, capsys: pytest.CaptureFixture[str]) -> None:
    exec(compile(code("methods"), "README.md", "exec"), {})  # noqa: S102 - the manual's own code
    assert capsys.readouterr().out in [text for _, text in fenced(FRONT, "text")]


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
    public = {
        str(path.parent.relative_to(folder)).replace("/", ".")
        for path in folder.glob("*/**/__init__.py")
        if "__all__" in path.read_text("utf-8")
    }
    outermost = {name for name in public if name.rpartition(".")[0] not in public}
    assert {name for name in outermost if not name.startswith("cli")} <= set(public_names.PACKAGES)
    assert "`LpRetriever`, " in public_names.by_package()
    assert "- `load_documents(graph: Graph, embedder: Embedder, documents: " in public_names.from_the_package()
    assert re.search(r"- `Evidence\(.*passages: tuple\[Passage, ...\]", public_names.from_the_package())


def test_every_exported_name_is_listed() -> None:
    listed = re.findall(r"^- `(\w+)", public_names.from_the_package(), re.MULTILINE)
    assert sorted(listed) == sorted(qcg_neo4j.__all__)


def test_a_public_name_without_a_sentence_is_an_error() -> None:
    @dataclass
    class Silent:
        number: int

    with pytest.raises(ValueError, match="Silent has no docstring"):
        public_names.first_line(Silent, "Silent")
