"""Build the plug-ins where they are missing or their sources have changed.

    python procedures/build.py

`make plugins` runs this, and so does whatever builds the package ([`hook.py`](hook.py)). The Eclipse compiler on the
packaged Java runtime makes the jars, so that neither a JDK nor Maven is needed and the same sources give the same bytes
on every machine. Compiler and libraries are downloaded once, and checked; each jar tells the sources it was made from.
"""

from __future__ import annotations

import hashlib
import os
import subprocess
import sys
import tempfile
import tomllib
import zipfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from qcg_neo4j.core.errors import QcgError, ServerError

HERE = Path(__file__).parent
ROOT = HERE.parent
TARGET = ROOT / "qcg_neo4j" / "server" / "plugins"
COMPILER = "org.eclipse.jdt:ecj:3.42.0"
COMPILER_FILE = (3327035, "29f6d3918ee02db4400c103bc25dd90a22491c3a395867d9393070cb96a7dd29")  # bytes, SHA-256
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


def is_current() -> bool:
    """Whether every jar is there, made from the sources as they are; needs the standard library alone."""
    return all(_made_from(TARGET / module.jar) == _sources() for module in MODULES)


def build() -> None:
    """Compile every module and put its jar into the package, unless all of them are current.

    Raises:
        QcgError: no Java runtime, a download that failed, or sources that the compiler refuses.
    """
    if is_current():
        return
    compiler, libraries, java = _tools()
    for module in MODULES:
        with tempfile.TemporaryDirectory() as folder:
            classes = Path(folder)
            _compile(java, compiler, libraries, HERE / module.folder / "src/main/java", classes)
            _pack(TARGET / module.jar, dict(_contents(module, classes)))


def _tools() -> tuple[Path, list[Path], Path]:
    """The compiler, what it compiles against, and the Java that runs it."""
    # Here, as it needs packages that are there only where something is built.
    from qcg_neo4j.server.artefacts import fetch
    from qcg_neo4j.server.embedding import MODELS
    from qcg_neo4j.server.home import default_cache
    from qcg_neo4j.server.lines import LIBRARY, LINES, Artefact, find_java, read_lock

    java = find_java(LINES["2026.08"], os.environ.get("JAVA_HOME")).program
    compiler = Artefact(COMPILER, *COMPILER_FILE, LIBRARY)
    interface = [artefact for artefact in read_lock("5.26") if artefact.coordinates.split(":")[1] in INTERFACE]
    embedding = [artefact for artefact in read_lock("embedding") if artefact.coordinates not in MODELS]
    files = fetch([compiler, *interface, *embedding], default_cache())
    return files.pop(compiler), list(files.values()), java


def _compile(java: Path, compiler: Path, libraries: list[Path], sources: Path, classes: Path) -> None:
    class_path = os.pathsep.join(map(str, libraries))
    release = ["-source", JAVA, "-target", JAVA, "-encoding", "UTF-8"]
    options = [*release, "-proc:none", "-nowarn", "-parameters", "-cp", class_path]
    command = [str(java), "-jar", str(compiler), *options, "-d", str(classes), str(sources)]
    made = subprocess.run(command, capture_output=True, text=True, check=False)  # noqa: S603 - all of it is our own
    if made.returncode:
        raise ServerError(f"The plug-in in {sources} does not compile:\n{made.stderr.strip()}")


def _contents(module: Module, classes: Path) -> Iterator[tuple[str, bytes]]:
    for file in classes.rglob("*.class"):
        yield file.relative_to(classes).as_posix(), file.read_bytes()
    resources = HERE / module.folder / "src/main/resources"
    for file in (path for path in resources.rglob("*") if path.is_file()):
        text = file.read_text(encoding="utf-8").replace("${project.version}", _version())
        yield file.relative_to(resources).as_posix(), text.encode()
    for folder in module.carried:
        for file in (ROOT / folder).rglob("*.cypher"):
            yield file.relative_to(ROOT).as_posix(), file.read_bytes()


def _pack(jar: Path, contents: dict[str, bytes]) -> None:
    unfinished = jar.with_suffix(".part")
    with zipfile.ZipFile(unfinished, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.comment = _sources().encode()
        for name in sorted(contents):
            archive.writestr(zipfile.ZipInfo(name, MADE), contents[name], zipfile.ZIP_DEFLATED)
    unfinished.replace(jar)


def _sources() -> str:
    """A digest of all that the jars are made from."""
    folders = [HERE / module.folder / "src" / "main" for module in MODULES]
    folders += [ROOT / folder for module in MODULES for folder in module.carried]
    files = [path for folder in folders for path in folder.rglob("*") if path.suffix != ".md" and path.is_file()]
    digest = hashlib.sha256(_version().encode())
    for file in sorted([Path(__file__), *files]):
        digest.update(file.relative_to(ROOT).as_posix().encode() + b"\0" + file.read_bytes() + b"\0")
    return digest.hexdigest()


def _made_from(jar: Path) -> str | None:
    try:
        with zipfile.ZipFile(jar) as archive:
            return archive.comment.decode(errors="replace")
    except (OSError, zipfile.BadZipFile):
        return None


def _version() -> str:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    return str(project["version"])


if __name__ == "__main__":
    try:
        build()
    except QcgError as error:
        sys.exit(str(error))
