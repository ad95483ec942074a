"""What a start of the embedded server can be told."""

from __future__ import annotations

import shlex
from dataclasses import dataclass

from qcg_neo4j.core.errors import SettingsError
from qcg_neo4j.core.settings import Settings, setting
from qcg_neo4j.models.embedding.known_models import DEFAULT_MODEL, IN_DATABASE
from qcg_neo4j.server.lines import LINES
from qcg_neo4j.server.memory import BYTES, bytes_of

DEFAULT_LINE = "2026.08"
MINIMUM_HEAP, MINIMUM_PAGE_CACHE = "256m", "16m"


@dataclass(frozen=True)
class ServerSettings(Settings):
    """Line, memory, ports and places of an embedded server; None leaves the choice to the start."""

    line: str | None = setting(None, f"Line of Neo4j; else that of the home, else {DEFAULT_LINE}", choices=tuple(LINES))
    heap: str | None = setting(
        None, "Heap, such as 2g; else a quarter of the memory, 512m to 4g; of a large store twice its size"
    )
    page_cache: str | None = setting(
        None, "Memory for the store's pages, such as 512m; else as large as the store, 512m to a fifth of the memory"
    )
    bolt_port: int | None = setting(
        None, "Port of Bolt; else the home's last, else 7687, else a free one", minimum=1, maximum=65535
    )
    http_port: int | None = setting(
        None, "Port of Browser; else the home's last, else 7474, else a free one", minimum=1, maximum=65535
    )
    cache: str | None = setting(None, "Folder of downloads, shared by all homes; else the user's cache folder")
    java_home: str | None = setting(
        None,
        "Java for the 5.26 line, or one of the packaged version with jdk.incubator.vector, which searches faster; "
        "JAVA_HOME, else a java on the PATH",
    )
    java_options: str | None = setting(None, "Further options of the Java machine, parted by spaces")
    embedding: bool | None = setting(
        None, "Let the database embed texts itself (195 MB more to download); else as chosen before, else yes"
    )
    database_model: str | None = setting(
        None,
        f"Model that the database embeds by: {', '.join(IN_DATABASE)}, or the folder of any other with its ONNX file; "
        f"else as chosen before, else {DEFAULT_MODEL}",
    )
    patience: float = setting(180.0, "Seconds to wait until the server is up, or down", minimum=1, maximum=3600)

    def __post_init__(self) -> None:
        super().__post_init__()
        _check_memory("heap", self.heap, MINIMUM_HEAP)
        _check_memory("page_cache", self.page_cache, MINIMUM_PAGE_CACHE)
        try:
            shlex.split(self.java_options or "")
        except ValueError as error:
            raise SettingsError(f"The java_options {self.java_options!r} cannot be parted: {error}.") from None
        if self.bolt_port is not None and self.bolt_port == self.http_port:
            raise SettingsError(f"Both ports are {self.bolt_port}.", "Bolt and Browser need a port each.")


def _check_memory(name: str, value: str | None, minimum: str) -> None:
    if value is None:
        return
    if BYTES.fullmatch(value) is None:
        raise SettingsError(f"The {name} is {value!r}.", "Write a whole number with its unit, such as 512m or 2g.")
    if bytes_of(value) < bytes_of(minimum):
        raise SettingsError(f"The {name} is {value}, but must be at least {minimum}.")
