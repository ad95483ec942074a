"""Batches at an OpenAI-compatible endpoint: files, batches and their lines."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import IO, Any

from qcg_neo4j.core.errors import LanguageModelError
from qcg_neo4j.models.llm.endpoint import Endpoint
from qcg_neo4j.models.refusals import refuses_text
from qcg_neo4j.models.replies import Batch

_PATH = "/v1/chat/completions"  # what every line and every batch is for, wherever the endpoint is
_WINDOW = "24h"  # the only one that the format has
_MARK = "qcg"  # the batch's metadata under which our name for it is
ENDED = ("completed", "failed", "expired", "cancelled")
_LARGEST_FILE = 8 * 1024**3  # bytes of replies that a batch may bring
_SECONDS = 3600.0  # that a file may take
_EARLIER = 86_400  # seconds by which clocks may differ
_SHOWN = 200
_EXPIRED = "batch_expired"  # the code of a line's error


@dataclass(frozen=True)
class BatchState:
    """The state of a batch; ``files`` are the ones with its replies and errors, once it has ended."""

    id: str
    state: str
    done: int
    files: tuple[str, ...]
    reason: str


@dataclass(frozen=True)
class BatchLine:
    """What came for one request: the body of a completion, or why there is none.

    ``expired``: it was not begun; ``refused``: for its text.
    """

    number: int
    body: Any
    reason: str
    expired: bool = False
    refused: bool = False


class BatchEndpoint:
    """The calls about files and batches, with the client, the key and the errors of an `Endpoint`."""

    def __init__(self, endpoint: Endpoint) -> None:
        from qcg_neo4j.models.bounded_client import Limits  # with it comes the client, which a question need not load

        self.address = endpoint.address
        self._translated = endpoint.translated
        self._client: Any = endpoint.client(Limits(_LARGEST_FILE, _SECONDS, _SECONDS))

    def close(self) -> None:
        """Close all connections."""
        self._client.close()

    def upload(self, name: str, lines: IO[bytes]) -> str:
        """Send a batch's requests; the endpoint's name for the file."""
        with self._translated():
            sent = self._client.files.create(file=(f"{name}.jsonl", lines), purpose="batch")
        return _id_of(sent, self.address)

    def create(self, name: str, file: str) -> BatchState:
        """Have a file's requests answered. Sent once: what may have arrived is looked for, not sent again."""
        with self._translated():
            made = self._client.with_options(max_retries=0).batches.create(
                input_file_id=file, endpoint=_PATH, completion_window=_WINDOW, metadata={_MARK: name}
            )
        return self._state(made)

    def look(self, name: str) -> BatchState:
        """The state of a batch."""
        with self._translated():
            return self._state(self._client.batches.retrieve(name))

    def find(self, batch: Batch) -> BatchState | None:
        """The batch that was created under our name, though its id was not noted."""
        since = datetime.fromisoformat(batch.prepared_at).timestamp() - _EARLIER
        with self._translated():
            for found in self._client.batches.list(limit=100):
                if (found.metadata or {}).get(_MARK) == batch.name:
                    return self._state(found)
                if found.created_at < since:
                    return None
        return None

    def find_file(self, batch: Batch) -> str | None:
        """The file that was uploaded under our name, though that was not noted."""
        with self._translated():
            files = self._client.files.list(purpose="batch")
            return next((str(file.id) for file in files if file.filename == f"{batch.name}.jsonl"), None)

    def lines(self, file: str) -> Iterator[BatchLine]:
        """What a file of replies or errors says; lines that are none are left out."""
        with self._translated(), self._client.files.with_streaming_response.content(file) as response:
            for text in _texts(response.iter_bytes()):
                line = _read_line(text, self.address)
                if line:
                    yield line

    def _state(self, told: Any) -> BatchState:
        name = _id_of(told, self.address)
        counts = told.request_counts
        done = (counts.completed or 0) + (counts.failed or 0) if counts else 0
        files = tuple(file for file in (told.output_file_id, told.error_file_id) if file)
        errors = (told.errors.data or []) if told.errors else []
        reason = "; ".join(f"line {each.line}: {each.message}" if each.line else f"{each.message}" for each in errors)
        return BatchState(name, str(told.status), done, files, reason[:_SHOWN])


def request_line(number: int, body: Mapping[str, Any]) -> bytes:
    """A request as a line of a batch's file."""
    line = {"custom_id": str(number), "method": "POST", "url": _PATH, "body": body}
    return json.dumps(line, ensure_ascii=False).encode("utf-8", "replace") + b"\n"


def _texts(pieces: Iterable[bytes]) -> Iterator[str]:
    """The lines of a file; a reply may hold other characters than "\\n" that elsewhere end a line."""
    begun: list[bytes] = []
    for piece in pieces:
        end, *others = piece.split(b"\n")
        begun.append(end)
        for other in others:
            yield b"".join(begun).decode("utf-8", "replace")
            begun = [other]
    yield b"".join(begun).decode("utf-8", "replace")


def _read_line(text: str, address: str) -> BatchLine | None:
    try:
        line = json.loads(text)
        number = int(line["custom_id"])
    except (ValueError, TypeError, KeyError, RecursionError):
        return None
    response, error = line.get("response"), line.get("error")
    response = response if isinstance(response, dict) else {}
    body, status = response.get("body"), response.get("status_code")
    if status == 200:
        return BatchLine(number, body, "")
    told = error or (body.get("error") if isinstance(body, dict) else None)
    code = told.get("code") if isinstance(told, dict) else None
    message = (told.get("message") or code) if isinstance(told, dict) else told
    reason = f"{address} failed{f' with status {status}' if status else ''}: {message}"
    refused = isinstance(status, int) and refuses_text(status, f"{message} {code}")
    return BatchLine(number, None, reason[:_SHOWN], code == _EXPIRED, refused)


def _id_of(told: Any, address: str) -> str:
    value = getattr(told, "id", None)
    if isinstance(value, str) and value:
        return value
    raise LanguageModelError(f"{address} sent no id: it has no batches, or it is failing.")
