"""Build the plug-ins where there is no Maven and no JDK: the Eclipse compiler on the packaged Java runtime.

    python procedures/build.py FOLDER

The jars hold the same classes and files as Maven's. Compiler and libraries are downloaded once, and checked.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import tomllib
import zipfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from qcg_neo4j.errors import QcgError, ServerError
from qcg_neo4j.server.artefacts import fetch
from qcg_neo4j.server.home import default_cache
from qcg_neo4j.server.java import find_java
from qcg_neo4j.server.lines import LINES
from qcg_neo4j.server.lock import LIBRARY, Artefact, read_lock

HERE = Path(__file__).parent
ROOT = HERE.parent
COMPILER = Artefact(
    "org.eclipse.jdt:ecj:3.42.0", 3327035, "29f6d3918ee02db4400c103bc25dd90a22491c3a395867d9393070cb96a7dd29", LIBRARY
)
# What the procedures are compiled against, of the oldest line: its public interface, and what that refers to.
INTERFACE = ("neo4j-procedure-api", "neo4j-graphdb-api", "neo4j-resource", "neo4j-gql-status", "annotations")
JAVA = "17"
MADE = (2026, 1, 1, 0, 0, 0)  # as in pom.xml: the same sources give the same bytes


@dataclass(frozen=True)
class Module:
    """A folder of sources, the jar made from it, and the folders of the project that come along."""

    folder: str
    jar: str
    carried: tuple[str, ...] = ()


MODULES = (Module("qcg", "qcg.jar", ("cypher/retrieve",)), Module("embedding", "qcg-embedding.jar"))


def build(target: Path) -> None:
    """Compile every module and put its jar into the folder.

    Raises:
        ServerError: no Java runtime, a download that failed, or sources that the compiler refuses.
    """
    libraries = [artefact for artefact in read_lock("5.26") if artefact.coordinates.split(":")[1] in INTERFACE]
    files = fetch([COMPILER, *libraries, *read_lock("embedding")], default_cache())
    compiler = files.pop(COMPILER)
    java = find_java(LINES["2026.01"], None)
    for module in MODULES:
        with tempfile.TemporaryDirectory() as folder:
            classes = Path(folder)
            _compile(str(java.program), compiler, list(files.values()), HERE / module.folder / "src/main/java", classes)
            _pack(target / module.jar, dict(_contents(module, classes)))


def _compile(java: str, compiler: Path, libraries: list[Path], sources: Path, classes: Path) -> None:
    class_path = os.pathsep.join(map(str, libraries))
    options = ["-source", JAVA, "-target", JAVA, "-proc:none", "-nowarn", "-parameters", "-cp", class_path]
    command = [java, "-jar", str(compiler), *options, "-d", str(classes), str(sources)]
    made = subprocess.run(command, capture_output=True, text=True, check=False)  # noqa: S603 - all of it is our own
    if made.returncode:
        raise ServerError(f"The plug-in in {sources} does not compile:\n{made.stderr.strip()}")


def _contents(module: Module, classes: Path) -> Iterator[tuple[str, bytes]]:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    for file in classes.rglob("*.class"):
        yield file.relative_to(classes).as_posix(), file.read_bytes()
    resources = HERE / module.folder / "src/main/resources"
    for file in (path for path in resources.rglob("*") if path.is_file()):
        text = file.read_text(encoding="utf-8").replace("${project.version}", project["version"])
        yield file.relative_to(resources).as_posix(), text.encode()
    for folder in module.carried:
        for file in (ROOT / folder).rglob("*.cypher"):
            yield file.relative_to(ROOT).as_posix(), file.read_bytes()


def _pack(jar: Path, contents: dict[str, bytes]) -> None:
    unfinished = jar.with_suffix(".part")
    with zipfile.ZipFile(unfinished, "w", zipfile.ZIP_DEFLATED) as archive:
        for name in sorted(contents):
            archive.writestr(zipfile.ZipInfo(name, MADE), contents[name], zipfile.ZIP_DEFLATED)
    unfinished.replace(jar)


if __name__ == "__main__":
    try:
        build(Path(sys.argv[1]))
    except QcgError as error:
        sys.exit(str(error))
