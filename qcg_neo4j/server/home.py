"""A home: the folder of one embedded server, with its data, its configuration and its password."""

from __future__ import annotations

import shutil
from dataclasses import dataclass
from pathlib import Path

from platformdirs import user_cache_path, user_data_path

from qcg_neo4j.core.errors import ServerError

ROOM = 64 * 2**20  # bytes that a start needs: the first files of a store and its log of transactions
_NOTHING = 2**20  # bytes; with less Neo4j cannot write


def is_full(folder: Path) -> bool:
    """Whether the disk of a folder has no room for what a server writes."""
    return shutil.disk_usage(folder).free < _NOTHING


def check_room(folder: Path) -> None:
    """Refuse to start a server on a disk that is full.

    Raises:
        ServerError: says where, how much there is and how much is needed.
    """
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
    return Home.at(home).log


def data_folder(home: Path) -> Path:
    """The folder in which the server of that home has its databases."""
    return Home.at(home).data


@dataclass(frozen=True)
class Home:
    """Where things lie in a home; make it with `Home.at`."""

    root: Path

    @classmethod
    def at(cls, root: Path) -> Home:
        """The home at that path, which need not exist."""
        return cls(root.expanduser().resolve())

    @property
    def configuration(self) -> Path:
        """Neo4j's own configuration, rewritten at each start."""
        return self.root / "conf"

    @property
    def extra_configuration(self) -> Path:
        """Lines of neo4j.conf that a person wants to add; may be missing."""
        return self.root / "extra.conf"

    @property
    def data(self) -> Path:
        """The databases."""
        return self.root / "data"

    @property
    def logs(self) -> Path:
        """All logs."""
        return self.root / "logs"

    @property
    def log(self) -> Path:
        """What the server has printed since its start; Neo4j's own neo4j.log beside it goes further back."""
        return self.logs / "console.log"

    @property
    def plugins(self) -> Path:
        """Extra jars that a person or this package puts in; read at the next start."""
        return self.root / "plugins"

    @property
    def run(self) -> Path:
        """What matters only while the server runs."""
        return self.root / "run"

    @property
    def password_file(self) -> Path:
        """The password, readable by the owner alone."""
        return self.root / "password"

    @property
    def lock_file(self) -> Path:
        """Held while the server is being started or stopped."""
        return self.root / "lock"

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


def read_password(home: Home) -> str:
    """The password in the home's file.

    Raises:
        ServerError: there is none, or it cannot be read.
    """
    try:
        return home.password_file.read_text(encoding="utf-8").strip()
    except OSError as error:
        raise ServerError(
            f"The password of {home.root} cannot be read from {home.password_file}: {error.strerror}.",
            "Write the password of the user neo4j into that file (mode 0600), or start a new home with --home.",
        ) from None
