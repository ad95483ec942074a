"""Make the lock files anew: ``python -m qcg_neo4j.server.relock [LINE …]`` (for developers; needs the extra `dev`).

The set of jars is resolved as Maven would resolve it; each jar is then downloaded and compared with the SHA-1 that
the repository publishes before its SHA-256 is written down.
"""

from __future__ import annotations

import hashlib
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import requests
from rich.console import Console

from qcg_neo4j.errors import ServerError
from qcg_neo4j.server.lines import LINES, Line
from qcg_neo4j.server.lock import LIBRARY, PLUGIN, REPOSITORY, Artefact, as_text, lock_name


def resolve(line: Line, poms: Path) -> list[str]:
    """Coordinates of all jars that the line's roots need, the roots first; ``poms`` is a scratch folder."""
    from jgo.maven import MavenContext, PythonResolver

    context = MavenContext(resolver=PythonResolver(), repo_cache=poms, remote_repos={"central": REPOSITORY.rstrip("/")})
    roots, others = context.resolver.resolve([context.create_dependency(root) for root in line.roots])
    jars = [dependency.artifact for dependency in (*roots, *others) if dependency.artifact.packaging == "jar"]
    return [":".join(filter(None, (jar.groupId, jar.artifactId, jar.version, jar.classifier))) for jar in jars]


def measure(line: Line, coordinates: str) -> Artefact:
    """Download a jar and note what it is; the repository's own SHA-1 must agree."""
    group, _, version = coordinates.split(":")[:3]
    # The procedures of Graph Data Science are found in the folder of plug-ins only.
    folder = PLUGIN if group == "org.neo4j.gds" and version == line.gds else LIBRARY
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


def relock(line: Line) -> Path:
    """Resolve, measure and write the lock file of one line; returns its path."""
    with tempfile.TemporaryDirectory() as poms, ThreadPoolExecutor(8) as threads:
        artefacts = list(threads.map(lambda jar: measure(line, jar), resolve(line, Path(poms))))
    target = Path(__file__).with_name(lock_name(line.name))
    target.write_text(as_text(artefacts), encoding="utf-8")
    return target


if __name__ == "__main__":
    for name in sys.argv[1:] or LINES:
        Console().print(f"{relock(LINES[name])} written")
