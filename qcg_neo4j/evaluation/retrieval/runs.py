"""Results as they come, in a file of JSON Lines, so that an interrupted run goes on where it stopped."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from qcg_neo4j.evaluation.folder import Journal, own_folder


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
        self._outcomes: dict[str, Outcome] = {}
        self._times: dict[str, tuple[float, ...]] = {}
        self._journal = Journal(path, self._keep)

    def outcome(self, key: str) -> Outcome | None:
        """The result of that key, if there is one."""
        return self._outcomes.get(key)

    def add(self, key: str, outcome: Outcome, **about: str) -> None:
        """Keep a result; ``about`` is for people who read the file."""
        self._outcomes[key] = outcome
        self._journal.append({"key": key, **about, **asdict(outcome)})

    def times(self, key: str) -> tuple[float, ...] | None:
        """Seconds that were measured under that key, if they were."""
        return self._times.get(key)

    def add_times(self, key: str, seconds: tuple[float, ...]) -> None:
        """Keep measured seconds."""
        self._times[key] = seconds
        self._journal.append({"key": key, "times": seconds})

    def close(self) -> None:
        """Close the file."""
        self._journal.close()

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
    with own_folder(folder), closing(Runs(folder / "runs.jsonl")) as runs:
        yield runs
