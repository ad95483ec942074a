"""The lock files: every jar of a line, and of what embeds, with its size and SHA-256; made by `relock`."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from functools import cache
from importlib.resources import files

REPOSITORY = "https://repo1.maven.org/maven2/"
LIBRARY, PLUGIN = "lib", "plugins"


@dataclass(frozen=True)
class Artefact:
    """A jar: coordinates ``group:artifact:version[:classifier]``, size in bytes, the folder where Neo4j wants it."""

    coordinates: str
    size: int
    sha256: str
    folder: str

    @property
    def path(self) -> str:
        """Where it lies below the repository, and below the cache."""
        group, artifact, version, *classifier = self.coordinates.split(":")
        return "/".join([*group.split("."), artifact, version, f"{'-'.join([artifact, version, *classifier])}.jar"])

    @property
    def file_name(self) -> str:
        """The last part of the path."""
        return self.path.rpartition("/")[2]


@cache
def read_lock(name: str) -> tuple[Artefact, ...]:
    """The artefacts of a line, or of ``embedding``, in the order of the class path."""
    text = files(__package__).joinpath(lock_name(name)).read_text(encoding="utf-8")
    return tuple(Artefact(**entry) for entry in json.loads(text))


def lock_name(name: str) -> str:
    """The name of a lock file in this package."""
    return f"lock-{name}.json"


def as_text(artefacts: Iterable[Artefact]) -> str:
    """The text of a lock file: one artefact per line, so that a change of one shows as one."""
    return "[\n" + ",\n".join(json.dumps(asdict(artefact)) for artefact in artefacts) + "\n]\n"
