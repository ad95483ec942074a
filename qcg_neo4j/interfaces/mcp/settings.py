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
        "Rows of a statement that are returned at most, and reports and atoms of evidence",
        minimum=1,
        maximum=10_000,
    )
    passages: int = setting(20, "Passages that may be asked for at most", minimum=1, maximum=1000)
    characters: int = setting(
        2000, "Characters of a text that are returned at most; written answers are whole", minimum=100
    )
    documents: int = setting(100, "Documents that may be loaded with one call", minimum=1, maximum=100_000)
    seconds: float = setting(30.0, "Seconds that a transaction of the database may take", minimum=0.1, maximum=3600)
    allow_write: bool = setting(False, "Let agents load documents; else no tool changes the graph")
    http: bool = setting(False, "Speak streamable HTTP on 127.0.0.1 instead of standard input and output")
    where: str | None = setting(
        None, "Filter that no agent can widen: all tools know only documents that it permits, and none loads"
    )
    port: int = setting(8765, "Port of HTTP", minimum=0, maximum=65535)

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.allow_write and self.where is not None:
            raise SettingsError(
                "Agents that see only some documents cannot load.", "Leave one of --where and --allow-write out."
            )
