"""The jars of a line in the cache that all homes share: downloaded once, checked at each start, repaired."""

from __future__ import annotations

import json
import logging
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Lock
from typing import Any

from qcg_neo4j.core.errors import ServerError
from qcg_neo4j.core.progress import Progress, silent
from qcg_neo4j.server.home import replace_text
from qcg_neo4j.server.lines import REPOSITORY, Artefact
from qcg_neo4j.server.machine import package

RETRIES = 2  # of a request that gets no proper answer
REPETITIONS = 1  # of a download that broke off or was not what is locked
TIMEOUT_SECONDS = 30
CHUNK_BYTES = 1 << 16
CONNECTIONS = 8
THREADS = 8
Stamp = list[int]


class UnreachableRepository(Exception):  # noqa: N818 - it names what is wrong
    """No connection to the repository; no download after the first such need try."""


class Downloads:
    """The downloads of one start: one pool of connections, one count of bytes; used from several threads."""

    def __init__(self, artefacts: Sequence[Artefact], cache: Path, repository: str, progress: Progress) -> None:
        pooch = package("pooch")
        import requests
        from requests.adapters import HTTPAdapter
        from urllib3.util import Retry

        pooch.get_logger().setLevel(logging.WARNING)
        registry = {artefact.path: f"sha256:{artefact.sha256}" for artefact in artefacts}
        self._files = pooch.create(cache, repository, registry=registry, retry_if_failed=REPETITIONS)
        self._session = requests.Session()
        patient = Retry(total=RETRIES, backoff_factor=0.5, status_forcelist=(429, 500, 502, 503, 504))
        for scheme in ("https://", "http://"):
            self._session.mount(scheme, HTTPAdapter(pool_maxsize=CONNECTIONS, max_retries=patient))
        self._progress, self._total = progress, sum(artefact.size for artefact in artefacts)
        self._done: dict[str, int] = {}
        self._unreachable: str | None = None
        self._lock = Lock()

    def fetch(self, artefact: Artefact) -> str | None:
        """Bring one artefact in where its file is missing or wrong; the reason of a failure, or None."""
        import requests

        def download(url: str, target: Any, _: Any) -> None:
            self._stream(url, artefact.path, target)

        origin = f"{artefact.coordinates} from {self._files.base_url}"
        try:
            self._files.fetch(artefact.path, downloader=download)
        except (UnreachableRepository, requests.RequestException) as error:
            return f"{origin}: {_reason(error)}"
        except ValueError:  # how the library says that the hash differs
            return f"{origin}: the SHA-256 is not the locked one"
        self._count(artefact.path, artefact.size)
        return None

    def _stream(self, url: str, name: str, target: Any) -> None:
        done = 0
        with self._get(url) as response, Path(target).open("wb") as file:
            response.raise_for_status()
            for chunk in response.iter_content(CHUNK_BYTES):
                file.write(chunk)
                done += len(chunk)
                self._count(name, done)

    def _get(self, url: str) -> Any:
        import requests

        if self._unreachable is None:
            try:
                return self._session.get(url, stream=True, timeout=TIMEOUT_SECONDS)
            except requests.ConnectionError as error:
                self._unreachable = _reason(error)
        raise UnreachableRepository(self._unreachable)

    def _count(self, name: str, done: int) -> None:
        with self._lock:
            self._done[name] = done  # a second try counts from the start again
            self._progress(sum(self._done.values()), self._total)


def _reason(error: Exception) -> str:
    response = getattr(error, "response", None)
    if response is not None:
        return f"{response.status_code} {response.reason}"
    cause = getattr(error.args[0] if error.args else None, "reason", None) or error
    return str(cause).rpartition(": ")[2] or type(error).__name__


def fetch(
    artefacts: Sequence[Artefact], cache: Path, progress: Progress = silent, repository: str = REPOSITORY
) -> dict[Artefact, Path]:
    """The artefacts' files in the cache; what is missing or not as locked is downloaded, several at once.

    A file with the size and time of change of its last full check is taken as it is; any other is checked by its
    SHA-256. Progress is told in bytes, and only where a file is missing or suspect.

    Raises:
        ServerError: something could not be downloaded, or the cache cannot be written.
    """
    from filelock import FileLock

    files = {artefact: cache / artefact.path for artefact in artefacts}
    try:
        if _suspects(files, _read_stamps(cache)):
            cache.mkdir(parents=True, exist_ok=True)
            with FileLock(cache / "lock"):
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
