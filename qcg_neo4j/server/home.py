"""A home: the folder of one embedded server, with its data, its configuration, its password and what it remembers."""

from __future__ import annotations

import json
import os
import secrets
import shutil
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TypeVar, get_type_hints

from platformdirs import user_cache_path, user_data_path

from qcg_neo4j.core.errors import ServerError

ROOM = 64 * 2**20  # bytes that a start needs: the first files of a store and its log of transactions
_NOTHING = 2**20  # bytes; with less Neo4j cannot write
USER = "neo4j"
PRIVATE = 0o600
FORM = 1  # of a home; raise it when an older version of the package would use it wrongly
T = TypeVar("T", "Record", "Launch")


def is_full(folder: Path) -> bool:
    """Whether the disk of a folder has no room for what a server writes."""
    return shutil.disk_usage(folder).free < _NOTHING


def check_room(folder: Path) -> None:
    """Refuse to start a server on a disk that is full, by a `ServerError`."""
    free = shutil.disk_usage(folder).free
    if free < ROOM:
        raise ServerError(
            f"There is no space on the disk of {folder}: {free >> 20:,} MB are free, a server needs {ROOM >> 20:,}.",
            "Make room there, then start the server again (`qcg server start`).",
        )


def default_home() -> Path:
    """The home that is meant when none is named."""
    return user_data_path("qcg-neo4j", appauthor=False) / "default"


def default_cache() -> Path:
    """The folder of downloads that all homes share."""
    return user_cache_path("qcg-neo4j", appauthor=False) / "server"


def log_file(home: Path) -> Path:
    """The log of the last start of the server of that home."""
    return Home(home).log


def data_folder(home: Path) -> Path:
    """The folder in which the server of that home has its databases."""
    return Home(home).data


class Home:
    """Where things lie in the home at a path, which need not exist."""

    def __init__(self, root: Path) -> None:
        self.root = root.expanduser().resolve()
        _check_owner(self.root)
        self.configuration = self.root / "conf"  # Neo4j's own, rewritten at each start
        self.extra_configuration = self.root / "extra.conf"  # lines that a person wants to add; may be missing
        self.data = self.root / "data"
        self.logs = self.root / "logs"
        # What the server has printed since its start; Neo4j's own neo4j.log beside it goes further back.
        self.log = self.logs / "console.log"
        self.plugins = self.root / "plugins"  # extra jars that a person or this package puts in
        self.run = self.root / "run"  # what matters only while the server runs
        self.jars = self.run / "plugins"  # of the line and the extra ones, gathered at each start
        self.password_file = self.root / "password"  # readable by the owner alone
        self.lock_file = self.root / "lock"  # held while the server is being started or stopped

    def prepare(self) -> None:
        """Make the folders that are missing, for the owner alone."""
        try:
            self.root.parent.mkdir(parents=True, exist_ok=True)
            for folder in (self.root, self.configuration, self.data, self.logs, self.plugins, self.run):
                folder.mkdir(mode=0o700, exist_ok=True)
        except OSError as error:
            raise ServerError(
                f"The home {self.root} cannot be made: {error.strerror}.", "Choose another with --home."
            ) from None

    def has_data(self) -> bool:
        """Whether a server has already made its databases here."""
        return (self.data / "databases" / "system").is_dir()


def _check_owner(root: Path) -> None:
    """Refuse the home of another user, before one of its files does so in words that help nobody."""
    try:
        is_theirs = not os.access(root, os.R_OK | os.W_OK | os.X_OK) and root.stat().st_uid != os.geteuid()
    except PermissionError:  # of a folder above it
        is_theirs = True
    except OSError:  # there is none yet
        is_theirs = False
    if is_theirs:
        raise ServerError(f"The home {root} belongs to another user.", "Choose another with --home.")


def read_password(home: Home) -> str:
    """The password in the home's file; `ServerError` where there is none that can be read."""
    try:
        return home.password_file.read_text(encoding="utf-8").strip()
    except OSError as error:
        raise ServerError(
            f"The password of {home.root} cannot be read from {home.password_file}: {error.strerror}.",
            "Write the password of the user neo4j into that file (mode 0600), or start a new home with --home.",
        ) from None


def create_private(path: Path, text: str) -> None:
    """Make a file that only its owner may read, from its first moment on; it must not exist."""
    handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, PRIVATE)
    with os.fdopen(handle, "w", encoding="utf-8") as file:
        file.write(text)
        file.flush()
        os.fsync(file.fileno())


def replace_text(path: Path, text: str) -> None:
    """Put a new text in the place of a file in one step; only the owner may read it."""
    fresh = path.with_name(f".{path.name}.{secrets.token_hex(4)}")
    try:
        create_private(fresh, text)
        fresh.replace(path)
    finally:
        fresh.unlink(missing_ok=True)


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


def record_of(home: Home) -> Record:
    """The record of a home whose server has been started.

    Raises:
        ServerError: it has been removed since.
    """
    record = read_record(home)
    if record is None:
        raise ServerError(
            f"The home {home.root} has lost its file home.json, and its server runs.",
            "Stop it (`qcg server stop`), and start it again: `qcg server start --line LINE`.",
        )
    return record


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
        return _checked(kind(**values))
    except FileNotFoundError:
        return None
    except (OSError, ValueError, TypeError, AttributeError) as error:
        lost = " Name the line that made the data then: `qcg server start --line LINE`." if kind is Record else ""
        raise ServerError(
            f"{path} cannot be read: {error}.", f"Remove it; the next start writes it again.{lost}"
        ) from None


def _checked(found: T) -> T:
    """What was read; a `TypeError` where a field has something else than its type says."""
    for name, hint in get_type_hints(type(found)).items():
        value = getattr(found, name)
        fits = isinstance(value, int | float if hint is float else hint)
        if not fits or (isinstance(value, bool) and hint not in (bool, bool | None)):
            raise TypeError(f"{name!r} is {value!r}")
    return found
