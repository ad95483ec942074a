"""Settings of the language model; the key of the endpoint is none of them and is never stored."""

from __future__ import annotations

from dataclasses import dataclass

from qcg_neo4j.settings import Settings, setting

_PAPER = "QCG-RAG, setup"


@dataclass(frozen=True)
class LanguageModelSettings(Settings):
    """Which model, where, and how it is asked."""

    endpoint: str | None = setting(None, "Address of an OpenAI-compatible endpoint, such as http://localhost:11434/v1.")
    model: str | None = setting(None, "Name of the language model at the endpoint.")
    temperature: float = setting(0.7, "How much chance is in the choice of words.", source=_PAPER, minimum=0, maximum=2)
    top_p: float = setting(
        0.8, "Share of the probability that words are chosen from.", source=_PAPER, minimum=0, maximum=1
    )
    concurrency: int = setting(8, "How many calls are under way at the same time.", minimum=1, maximum=256)
    timeout_seconds: float = setting(120.0, "How long a call may take.", minimum=0.01)
    retries: int = setting(
        5, "How often a call is repeated after 429, 5xx or a time-out, with growing pauses.", minimum=0, maximum=100
    )
    max_output_tokens: int = setting(4096, "How long a reply may be.", minimum=16)
    input_price: float | None = setting(None, "Price of a million input tokens.", minimum=0)
    output_price: float | None = setting(None, "Price of a million output tokens.", minimum=0)
