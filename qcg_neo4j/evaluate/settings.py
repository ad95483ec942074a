"""Settings of an evaluation."""

from __future__ import annotations

from dataclasses import dataclass

from qcg_neo4j.settings import Settings, setting

ALL, EVEN, ODD = "all", "even", "odd"


@dataclass(frozen=True)
class EvaluateSettings(Settings):
    """How deep rankings are measured, whether time is taken, and how intervals and tests are computed."""

    depth: int = setting(
        50,
        "Passages asked for to rank documents, at least; a system that returns more is measured on more.",
        minimum=10,
        maximum=1000,
    )
    latency: bool = setting(
        True, "Also ask each system exactly as it is set, and take the time; without it a run is twice as fast."
    )
    resamples: int = setting(
        10_000, "Bootstrap resamples, and sign flips of the paired test.", minimum=100, maximum=1_000_000
    )
    seed: int = setting(0, "Seed of the resamples and the sign flips.", minimum=0)
