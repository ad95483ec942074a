"""Settings of a start of the embedded server."""

from __future__ import annotations

import shlex
from dataclasses import dataclass

from qcg_neo4j.core.errors import SettingsError
from qcg_neo4j.core.settings import Settings, setting
from qcg_neo4j.models.embedding.known_models import DEFAULT_MODEL, IN_DATABASE
from qcg_neo4j.server.lines import LINES
from qcg_neo4j.server.machine import BYTES, bytes_of

DEFAULT_LINE = "2026.08"
MINIMUM_HEAP, MINIMUM_PAGE_CACHE = "256m", "16m"


@dataclass(frozen=True)
class ServerSettings(Settings):
    """Line, memory, ports and places of an embedded server; None leaves the choice to the start."""

    line: str | None = setting(None, f"Line of Neo4j. Default: the home's, then {DEFAULT_LINE}", choices=tuple(LINES))
    heap: str | None = setting(
        None, "Heap, such as 2g. Default: a quarter of the memory, 512m to 4g; for a large store twice its size"
    )
    page_cache: str | None = setting(
        None, "Page cache, such as 512m. Default: the size of the store, 512m to a fifth of the memory"
    )
    bolt_port: int | None = setting(
        None, "Port of Bolt. Default: the home's last, then 7687, then a free one", minimum=1, maximum=65535
    )
    http_port: int | None = setting(
        None, "Port of Browser. Default: the home's last, then 7474, then a free one", minimum=1, maximum=65535
    )
    cache: str | None = setting(None, "Folder of downloads, shared by all homes. Default: the user's cache folder")
    java_home: str | None = setting(
        None,
        "Java for line 5.26, or a Java with jdk.incubator.vector, which searches faster. Default: "
        "JAVA_HOME, then java on the PATH",
    )
    java_options: str | None = setting(None, "Further JVM options, separated by spaces")
    embedding: bool | None = setting(
        None, "Embed in the database (195 MB more to download). Default: the last choice, then yes"
    )
    database_model: str | None = setting(
        None,
        f"Embedding model in the database: {', '.join(IN_DATABASE)}, or a folder with an ONNX file. "
        f"Default: the last choice, then {DEFAULT_MODEL}",
    )
    patience: float = setting(180.0, "Seconds to wait for the server to start or stop", minimum=1, maximum=3600)

    def __post_init__(self) -> None:
        super().__post_init__()
        _check_memory("heap", self.heap, MINIMUM_HEAP)
        _check_memory("page_cache", self.page_cache, MINIMUM_PAGE_CACHE)
        try:
            shlex.split(self.java_options or "")
        except ValueError as error:
            raise SettingsError(f"The java_options {self.java_options!r} cannot be split: {error}.") from None
        if self.bolt_port is not None and self.bolt_port == self.http_port:
            raise SettingsError(f"Both ports are {self.bolt_port}.", "Bolt and Browser need a port each.")


def _check_memory(name: str, value: str | None, minimum: str) -> None:
    if value is None:
        return
    if BYTES.fullmatch(value) is None:
        raise SettingsError(f"The {name} is {value!r}.", "Write a whole number with its unit, such as 512m or 2g.")
    if bytes_of(value) < bytes_of(minimum):
        raise SettingsError(f"The {name} is {value}, but must be at least {minimum}.")
