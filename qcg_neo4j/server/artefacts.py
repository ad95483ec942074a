"""The jars of a line in the cache that all homes share: downloaded once, checked at each start, repaired."""

from __future__ import annotations

import json
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from qcg_neo4j.core.errors import ServerError
from qcg_neo4j.core.progress import Progress, silent
from qcg_neo4j.server.download import Downloads
from qcg_neo4j.server.lock import REPOSITORY, Artefact
from qcg_neo4j.server.packages import package
from qcg_neo4j.server.replacement import replace_text

THREADS = 8
Stamp = list[int]


def fetch(
    artefacts: Sequence[Artefact], cache: Path, progress: Progress = silent, repository: str = REPOSITORY
) -> dict[Artefact, Path]:
    """The artefacts' files in the cache; what is missing or not as locked is downloaded, several at once.

    A file with the size and time of change of its last full check is taken as it is; any other is checked by its
    SHA-256. Progress is told in bytes, and only where a file is missing or suspect.

    Raises:
        ServerError: something could not be downloaded, or the cache cannot be written.
    """
    files = {artefact: cache / artefact.path for artefact in artefacts}
    try:
        if _suspects(files, _read_stamps(cache)):
            cache.mkdir(parents=True, exist_ok=True)
            with package("filelock").FileLock(cache / "lock"):
                _repair(files, cache, progress, repository)
    except OSError as error:
        raise ServerError(
            f"The downloads in {cache} cannot be written: {error.strerror or error}.",
            "Make room, or choose another folder with --cache.",
        ) from None
    return files


def _repair(files: dict[Artefact, Path], cache: Path, progress: Progress, repository: str) -> None:
    stamps = _read_stamps(cache)  # again: another start may have repaired them while this one waited for the lock
    suspects = _suspects(files, stamps)
    for artefact in suspects:  # beforehand: of two threads that make the same folder at once, one would fail
        files[artefact].parent.mkdir(parents=True, exist_ok=True)
    downloads = Downloads(suspects, cache, repository, progress)
    with ThreadPoolExecutor(THREADS) as threads:
        failures = list(threads.map(downloads.fetch, suspects))
    for artefact, failure in zip(suspects, failures, strict=True):
        stamp = _stamp(files[artefact])
        if failure is None and stamp is not None:
            stamps[artefact.path] = stamp
        else:
            stamps.pop(artefact.path, None)
    # Also after a failure, so that the next start fetches only the rest.
    replace_text(cache / "checked.json", json.dumps(stamps))
    _report([failure for failure in failures if failure is not None], len(suspects))


def _report(failures: list[str], wanted: int) -> None:
    if failures:
        shown = "\n".join(f"  {failure}" for failure in failures[:5])
        more = f"\n  and {len(failures) - 5} more" if len(failures) > 5 else ""
        raise ServerError(
            f"{len(failures)} of {wanted} files of the server could not be downloaded:\n{shown}{more}",
            "Check the network (a proxy is taken from HTTPS_PROXY) and start again: what is there is kept. "
            "With --no-embedding about half as much is needed.",
        )


def _suspects(files: dict[Artefact, Path], stamps: dict[str, Stamp]) -> list[Artefact]:
    return [
        artefact
        for artefact, path in files.items()
        if (stamp := _stamp(path)) is None or stamps.get(artefact.path) != stamp
    ]


def _stamp(path: Path) -> Stamp | None:
    try:
        facts = path.stat()
    except FileNotFoundError:
        return None
    return [facts.st_size, facts.st_mtime_ns]


def _read_stamps(cache: Path) -> dict[str, Stamp]:
    try:
        stamps = json.loads((cache / "checked.json").read_text(encoding="utf-8"))
    except (FileNotFoundError, ValueError):
        return {}  # then every file is checked in full
    return stamps if isinstance(stamps, dict) else {}
