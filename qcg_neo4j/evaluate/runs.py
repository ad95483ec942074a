"""Results as they come, in a file of JSON Lines, so that an interrupted run goes on where it stopped."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from filelock import FileLock, Timeout

from qcg_neo4j.errors import InputError


@dataclass(frozen=True)
class Outcome:
    """What one system found for one question.

    ``documents`` are the ranking: ids in the order of their first passage. ``passages`` is how many passages the
    ranking was read from; ``tokens`` what the system's own number of passages has within its own token cap;
    ``seconds`` the time of the system as it is set (None when none was taken); ``same`` whether it then gave the
    passages that the deep ranking begins with.
    """

    documents: tuple[str, ...]
    passages: int
    tokens: int
    seconds: float | None = None
    same: bool | None = None


class Runs:
    """The results that a file holds, by key; new ones are appended at once."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._outcomes: dict[str, Outcome] = {}
        self._times: dict[str, tuple[float, ...]] = {}
        self._read()
        self._file = path.open("a", encoding="utf-8")

    def outcome(self, key: str) -> Outcome | None:
        """The result of that key, if there is one."""
        return self._outcomes.get(key)

    def add(self, key: str, outcome: Outcome, **about: str) -> None:
        """Keep a result; ``about`` is for people who read the file."""
        self._outcomes[key] = outcome
        self._append({"key": key, **about, **asdict(outcome)})

    def times(self, key: str) -> tuple[float, ...] | None:
        """Seconds that were measured under that key, if they were."""
        return self._times.get(key)

    def add_times(self, key: str, seconds: tuple[float, ...]) -> None:
        """Keep measured seconds."""
        self._times[key] = seconds
        self._append({"key": key, "times": seconds})

    def close(self) -> None:
        """Close the file."""
        self._file.close()

    def _append(self, record: dict[str, Any]) -> None:
        self._file.write(json.dumps(record, ensure_ascii=False) + "\n")
        self._file.flush()

    def _read(self) -> None:
        if not self._path.exists():
            return
        content = self._path.read_bytes()
        whole = content.rfind(b"\n") + 1
        if whole < len(content):  # a killed run leaves half a line, which the next one would be glued to
            with self._path.open("r+b") as file:
                file.truncate(whole)
        for number, line in enumerate(content[:whole].decode(errors="replace").split("\n")[:-1], start=1):
            try:
                self._keep(json.loads(line))
            except (ValueError, TypeError, KeyError, AttributeError):
                raise InputError(
                    f"{self._path}:{number} is no result of an evaluation.",
                    "Remove the line, or the file to begin anew.",
                ) from None

    def _keep(self, record: dict[str, Any]) -> None:
        if "times" in record:
            self._times[record["key"]] = tuple(record["times"])
            return
        documents = tuple(record["documents"])
        names = ("passages", "tokens", "seconds", "same")
        self._outcomes[record["key"]] = Outcome(documents, **{name: record[name] for name in names})


@contextmanager
def open_runs(folder: Path) -> Iterator[Runs]:
    """The results in ``runs.jsonl`` of a folder, which is made where it is missing; one evaluation at a time.

    Raises:
        InputError: the folder cannot be written, another evaluation is using it, or the file is not one of ours.
    """
    path = folder / "runs.jsonl"
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with FileLock(folder / ".runs.lock", timeout=0):
            runs = Runs(path)
            try:
                yield runs
            finally:
                runs.close()
    except Timeout:
        raise InputError(
            f"Another evaluation is writing to {folder}.", "Wait for it, or give another --output."
        ) from None
    except OSError as error:
        raise InputError(f"{error.filename or path} cannot be written: {error.strerror}.") from None
