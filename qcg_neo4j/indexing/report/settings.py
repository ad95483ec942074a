"""Settings of the stage."""

from __future__ import annotations

from dataclasses import dataclass

from qcg_neo4j.core.settings import Settings, setting

MODEL, REPLIES, EXTRACTIVE = "model", "replies", "extractive"


@dataclass(frozen=True)
class ReportSettings(Settings):
    """Who writes reports on communities, and from how much."""

    source: str = setting(
        MODEL,
        "Who writes: a language model, recorded replies, or nobody (extractive: central entities, strong relations).",
        choices=(MODEL, REPLIES, EXTRACTIVE),
    )
    window_tokens: int = setting(
        8000, "Tokens of the records that a report is written from.", source="GraphRAG paper, §4.1.3", minimum=100
    )
    minimum_size: int = setting(2, "Least number of entities of a community that gets a report.", minimum=1)
