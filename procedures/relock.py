"""Rewrite the lock files: ``python procedures/relock.py [LINE …] [embedding]`` (needs the extra `dev`).

The set of jars is resolved as Maven would resolve it; each jar is then downloaded and compared with the SHA-1 that
the repository publishes before its SHA-256 is written down.
"""

from __future__ import annotations

import hashlib
import json
import sys
import tempfile
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict
from pathlib import Path

import requests
from rich.console import Console

from qcg_neo4j.core.errors import ServerError
from qcg_neo4j.server.embedding import LIBRARIES, LOCK, MODELS
from qcg_neo4j.server.lines import LIBRARY, LINES, PLUGIN, REPOSITORY, Artefact, lock_file


def resolve(wanted: Sequence[str], poms: Path) -> list[str]:
    """Coordinates of all jars that the wanted ones need, these first; ``poms`` is a scratch folder."""
    from jgo.maven import MavenContext, PythonResolver

    context = MavenContext(resolver=PythonResolver(), repo_cache=poms, remote_repos={"central": REPOSITORY.rstrip("/")})
    roots, others = context.resolver.resolve([context.create_dependency(root) for root in wanted])
    jars = [dependency.artifact for dependency in (*roots, *others) if dependency.artifact.packaging == "jar"]
    return [":".join(filter(None, (jar.groupId, jar.artifactId, jar.version, jar.classifier))) for jar in jars]


def measure(coordinates: str, folder: str = LIBRARY) -> Artefact:
    """Download a jar and note what it is; the repository's own SHA-1 must agree."""
    path = Artefact(coordinates, 0, "", folder).path
    content = _get(REPOSITORY + path)
    published = _get(f"{REPOSITORY}{path}.sha1").decode().split()[0]
    if hashlib.sha1(content).hexdigest() != published:  # noqa: S324 - the repository's own check, not ours
        raise ServerError(f"{coordinates} does not have the SHA-1 that the repository publishes.", "Try again.")
    return Artefact(coordinates, len(content), hashlib.sha256(content).hexdigest(), folder)


def _get(url: str) -> bytes:
    response = requests.get(url, timeout=60)
    response.raise_for_status()
    return response.content


def folder_of(coordinates: str) -> str:
    """Where a line's jar belongs: the procedures of Graph Data Science are found in the folder of plug-ins only."""
    group, _, version = coordinates.split(":")[:3]
    gds = {line.gds for line in LINES.values()}
    return PLUGIN if group == "org.neo4j.gds" and version in gds else LIBRARY


def relock(name: str) -> Path:
    """Resolve, measure and write the lock file of a line, or of what embeds; returns its path."""
    wanted = LIBRARIES if name == LOCK else LINES[name].roots
    with tempfile.TemporaryDirectory() as poms, ThreadPoolExecutor(8) as threads:
        jars = [*(MODELS if name == LOCK else ()), *resolve(wanted, Path(poms))]
        artefacts = list(threads.map(lambda jar: measure(jar, folder_of(jar)), jars))
    # One artefact per line, so that a change of one shows as one.
    lines = ",\n".join(json.dumps(asdict(artefact)) for artefact in artefacts)
    lock_file(name).write_text(f"[\n{lines}\n]\n", encoding="utf-8")
    return lock_file(name)


if __name__ == "__main__":
    for name in sys.argv[1:] or (*LINES, LOCK):
        Console().print(f"{relock(name)} written")
