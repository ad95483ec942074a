"""One download: streamed into a temporary file, compared with the locked SHA-256, only then put in its place."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from pathlib import Path
from threading import Lock
from typing import Any

from qcg_neo4j.core.progress import Progress
from qcg_neo4j.server.lock import Artefact
from qcg_neo4j.server.packages import package

RETRIES = 2  # of a request that gets no proper answer
REPETITIONS = 1  # of a download that broke off or was not what is locked
TIMEOUT_SECONDS = 30
CHUNK_BYTES = 1 << 16
CONNECTIONS = 8


class UnreachableRepository(Exception):  # noqa: N818 - it names what is wrong
    """No connection to the repository; no download after the first such need try."""


class Downloads:
    """The downloads of one start: one pool of connections, one count of bytes; used from several threads."""

    def __init__(self, artefacts: Sequence[Artefact], cache: Path, repository: str, progress: Progress) -> None:
        pooch = package("pooch")
        pooch.get_logger().setLevel(logging.WARNING)
        registry = {artefact.path: f"sha256:{artefact.sha256}" for artefact in artefacts}
        self._files = pooch.create(cache, repository, registry=registry, retry_if_failed=REPETITIONS)
        self._session = _session()
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


def _session() -> Any:
    import requests
    from requests.adapters import HTTPAdapter
    from urllib3.util import Retry

    session = requests.Session()
    patient = Retry(total=RETRIES, backoff_factor=0.5, status_forcelist=(429, 500, 502, 503, 504))
    session.mount("https://", HTTPAdapter(pool_maxsize=CONNECTIONS, max_retries=patient))
    session.mount("http://", HTTPAdapter(pool_maxsize=CONNECTIONS, max_retries=patient))
    return session


def _reason(error: Exception) -> str:
    response = getattr(error, "response", None)
    if response is not None:
        return f"{response.status_code} {response.reason}"
    cause = getattr(error.args[0] if error.args else None, "reason", None) or error
    return str(cause).rpartition(": ")[2] or type(error).__name__
