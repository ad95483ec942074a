"""Settings of the stage."""

from __future__ import annotations

from dataclasses import dataclass

from qcg_neo4j.core.settings import Settings, setting
from qcg_neo4j.models.prompts import DEMONSTRATION

MODEL, REPLIES, EXTRACTIVE = "model", "replies", "extractive"


@dataclass(frozen=True)
class ReportSettings(Settings):
    """Who writes reports on communities, and from how much."""

    source: str = setting(
        MODEL,
        "Source of the reports: a language model, recorded replies, or extractive (quotes, no model).",
        choices=(MODEL, REPLIES, EXTRACTIVE),
    )
    window_tokens: int = setting(
        8000, "Maximum tokens of the records behind a report.", source="GraphRAG paper, §4.1.3", minimum=100
    )
    demonstration: bool = setting(False, DEMONSTRATION)
    minimum_size: int = setting(2, "Minimum number of entities of a community with a report.", minimum=1)
