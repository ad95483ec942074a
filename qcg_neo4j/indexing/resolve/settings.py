"""Settings of entity resolution."""

from __future__ import annotations

from dataclasses import dataclass

from qcg_neo4j.core.settings import Settings, setting


@dataclass(frozen=True)
class ResolveSettings(Settings):
    """When two names are proposed to be one entity."""

    similarity: float = setting(
        0.8, "Lowest cosine of the names' vectors; names of the same letters need none.", minimum=-1, maximum=1
    )
    spelling: float = setting(
        0.9, "Lowest share of letters that the names have in common, in their order.", minimum=0, maximum=1
    )
    neighbours: int = setting(20, "How many nearest names are looked at for each.", minimum=1, maximum=1000)
