"""What a measurement can be told."""

from __future__ import annotations

from dataclasses import dataclass

from qcg_neo4j.settings import Settings, setting


@dataclass(frozen=True)
class RetrieveBenchSettings(Settings):
    """Latency of retrieval on synthetic data."""

    questions: int = setting(200, "Questions that every method answers while it is timed.", minimum=1)
    warm_up: int = setting(100, "Questions that every method answers beforehand, untimed.", minimum=1)
    dimension: int = setting(384, "Numbers per vector.", minimum=2, maximum=4096)
    seed: int = setting(0, "Seed of the synthetic data.", minimum=0)


@dataclass(frozen=True)
class LoadBenchSettings(Settings):
    """Throughput of writing synthetic chunks."""

    chunks: int = setting(2000, "Chunks that are written with vectors at hand.", minimum=1)
    embedded_chunks: int = setting(
        200, "Chunks that are embedded and written; 0 leaves this measurement out.", minimum=0
    )
    repetitions: int = setting(5, "How often each writer writes, in turns, after one untimed time.", minimum=1)
    dimension: int = setting(384, "Numbers per vector that is at hand.", minimum=2, maximum=4096)
    seed: int = setting(0, "Seed of the synthetic data.", minimum=0)


@dataclass(frozen=True)
class EmbedBenchSettings(Settings):
    """Throughput of embedding synthetic texts."""

    texts: int = setting(100, "Texts that are embedded at once.", minimum=1, maximum=10_000)
    repetitions: int = setting(5, "How often each embeds them, in turns, after one untimed time.", minimum=1)
    seed: int = setting(0, "Seed of the synthetic texts.", minimum=0)


@dataclass(frozen=True)
class CommunitiesBenchSettings(Settings):
    """Building communities on synthetic relations, and searching from them."""

    questions: int = setting(100, "Questions that are timed.", minimum=1)
    warm_up: int = setting(20, "Questions beforehand, untimed.", minimum=1)
    dimension: int = setting(64, "Numbers per vector.", minimum=2, maximum=4096)
    seed: int = setting(0, "Seed of the synthetic data.", minimum=0)


@dataclass(frozen=True)
class PathsBenchSettings(Settings):
    """Latency of path completion on synthetic triples."""

    questions: int = setting(50, "Searches that are timed.", minimum=1)
    warm_up: int = setting(20, "Searches beforehand, untimed.", minimum=1)
    dimension: int = setting(64, "Numbers per vector.", minimum=2, maximum=4096)
    seed: int = setting(0, "Seed of the synthetic data.", minimum=0)


@dataclass(frozen=True)
class PageRankBenchSettings(Settings):
    """Latency of personalized PageRank on synthetic atom-entity graphs."""

    questions: int = setting(50, "Walks that are timed.", minimum=1)
    warm_up: int = setting(20, "Walks beforehand, untimed.", minimum=1)
    damping: float = setting(0.3, "Probability that a walk follows an edge.", minimum=0.0, maximum=0.99)
    tolerance: float = setting(
        1e-8, "By how much push may fall short, per unit of weighted degree.", minimum=1e-15, maximum=1.0
    )
    coarse_tolerance: float = setting(1e-5, "The same for push once more.", minimum=1e-15, maximum=1.0)
    seed: int = setting(0, "Seed of the synthetic data.", minimum=0)


@dataclass(frozen=True)
class LinksBenchSettings(Settings):
    """Latency of link prediction on synthetic atoms."""

    atoms: int = setting(20_000, "Atoms in the graph.", minimum=1000)
    questions: int = setting(50, "Questions that are timed.", minimum=1)
    warm_up: int = setting(20, "Questions beforehand, untimed.", minimum=1)
    dimension: int = setting(384, "Numbers per vector.", minimum=2, maximum=4096)
    seed: int = setting(0, "Seed of the synthetic data.", minimum=0)


@dataclass(frozen=True)
class TrainingBenchSettings(Settings):
    """Duration of training on synthetic atoms."""

    steps: int = setting(10, "Steps that are timed together.", minimum=1)
    repetitions: int = setting(3, "How often they are, after one untimed time.", minimum=1)
    degree: int = setting(5, "Neighbours of an atom.", minimum=1, maximum=100)
    dimension: int = setting(384, "Numbers per vector.", minimum=2, maximum=4096)
    seed: int = setting(0, "Seed of the synthetic data.", minimum=0)
