"""What a home remembers: its line and ports for good, its process while it runs."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TypeVar

from qcg_neo4j.core.errors import ServerError
from qcg_neo4j.server.home import Home
from qcg_neo4j.server.replacement import replace_text

T = TypeVar("T", "Record", "Launch")
FORM = 1  # of a home; raise it when an older version of the package would use it wrongly


@dataclass(frozen=True)
class Record:
    """What stays when the server stops: the line that made the data; ports, and choices of the last start."""

    line: str
    bolt_port: int
    http_port: int
    embedding: bool | None = None
    database_model: str | None = None
    form: int = FORM


@dataclass(frozen=True)
class Launch:
    """A started process: ``created`` in seconds since 1970; ``ready`` once it has answered.

    ``store`` is how many bytes its memory was chosen for, None where a person chose it.
    """

    pid: int
    created: float
    java: str
    heap: str
    ready: bool = False
    store: int | None = None


def read_record(home: Home) -> Record | None:
    """The home's record; None before the first start."""
    return _read(home.root / "home.json", Record)


def write_record(home: Home, record: Record) -> None:
    """Remember line and ports."""
    replace_text(home.root / "home.json", json.dumps(asdict(record)))


def read_launch(home: Home) -> Launch | None:
    """The process that was started last and not stopped by us; it may be long gone."""
    return _read(home.run / "launch.json", Launch)


def write_launch(home: Home, launch: Launch) -> None:
    """Remember the process."""
    replace_text(home.run / "launch.json", json.dumps(asdict(launch)))


def forget_launch(home: Home) -> None:
    """The process is gone."""
    (home.run / "launch.json").unlink(missing_ok=True)


def _read(path: Path, kind: type[T]) -> T | None:
    try:
        values = json.loads(path.read_text(encoding="utf-8"))
        if values.get("form", FORM) > FORM:
            raise ServerError(
                f"The home {path.parent} is in form {values['form']}, which a newer version of qcg-neo4j made.",
                "Install a newer version: `pip install --upgrade qcg-neo4j`.",
            )
        return kind(**values)
    except FileNotFoundError:
        return None
    except (OSError, ValueError, TypeError, AttributeError) as error:
        raise ServerError(f"{path} cannot be read: {error}.", "Remove it; the next start writes it again.") from None
