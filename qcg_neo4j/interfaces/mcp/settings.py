"""What agents may take from the graph at once."""

from __future__ import annotations

from dataclasses import dataclass

from qcg_neo4j.core.errors import SettingsError
from qcg_neo4j.core.settings import Settings, setting


@dataclass(frozen=True)
class McpSettings(Settings):
    """Limits of every call, and where the server listens when it speaks HTTP."""

    rows: int = setting(
        100,
        "Maximum number of rows, reports and atoms returned",
        minimum=1,
        maximum=10_000,
    )
    passages: int = setting(20, "Maximum number of passages per request", minimum=1, maximum=1000)
    characters: int = setting(2000, "Maximum number of characters of a text; written answers are complete", minimum=100)
    documents: int = setting(100, "Maximum number of documents per load", minimum=1, maximum=100_000)
    seconds: float = setting(30.0, "Time limit of a database transaction in seconds", minimum=0.1, maximum=3600)
    allow_write: bool = setting(False, "Let agents load documents")
    http: bool = setting(False, "Serve streamable HTTP on 127.0.0.1 instead of standard input and output")
    where: str | None = setting(
        None, "Restrict all tools to documents that match this filter; an agent can only narrow it, and none can load"
    )
    port: int = setting(8765, "Port of HTTP", minimum=0, maximum=65535)

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.allow_write and self.where is not None:
            raise SettingsError(
                "Agents that see only some documents cannot load.", "Leave one of --where and --allow-write out."
            )
