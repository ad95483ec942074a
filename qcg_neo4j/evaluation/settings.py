"""Settings of an evaluation."""

from __future__ import annotations

from dataclasses import dataclass

from qcg_neo4j.core.settings import Settings, like, setting
from qcg_neo4j.models.llm import LanguageModelSettings

ALL, EVEN, ODD = "all", "even", "odd"
SCALED = "scaled"  # a similarity from 0 to 1


@dataclass(frozen=True)
class EvaluateSettings(Settings):
    """How deep rankings are measured, whether time is taken, and how intervals and tests are computed."""

    depth: int = setting(
        50,
        "Minimum number of passages requested to rank documents; systems that return more are measured on all.",
        minimum=10,
        maximum=1000,
    )
    latency: bool = setting(
        True, "Also run each system with its own settings and measure the time; turning it off halves the run."
    )
    resamples: int = setting(
        10_000, "Bootstrap resamples, and sign flips of the paired test.", minimum=100, maximum=1_000_000
    )
    seed: int = setting(0, "Seed of the resamples and the sign flips.", minimum=0)


@dataclass(frozen=True)
class QuestionsSettings(Settings):
    """How many questions about the whole corpus are written: personas × tasks × questions."""

    personas: int = setting(
        5, "Number of imagined users of the corpus.", source="GraphRAG paper, Algorithm 1", minimum=1, maximum=100
    )
    tasks: int = setting(5, "Number of tasks per user.", source="GraphRAG paper, Algorithm 1", minimum=1, maximum=100)
    questions: int = setting(
        5, "Number of questions per task.", source="GraphRAG paper, Algorithm 1", minimum=1, maximum=100
    )


@dataclass(frozen=True)
class ClaimsSettings(Settings):
    """How intervals are computed."""

    resamples: int = setting(10_000, "Bootstrap resamples of the intervals.", minimum=100, maximum=1_000_000)
    seed: int = setting(0, "Seed of the resamples.", minimum=0)


@dataclass(frozen=True)
class PairwiseSettings(ClaimsSettings):
    """How often a judge is asked, and how intervals are computed."""

    replicates: int = setting(
        5, "Number of comparisons per pair of answers and order.", source="GraphRAG paper, §4.1", minimum=1, maximum=100
    )


@dataclass(frozen=True)
class AnswersSettings(ClaimsSettings):
    """How often questions are answered, how ACC is weighed, and how intervals and tests are computed."""

    replicates: int = setting(2, "Number of answers per question, each judged once.", minimum=1, maximum=100)
    accuracy_weight: float = setting(
        0.75,
        "Weight of the statements' F1 in ACC; the rest is similarity. The AtomicRAG paper uses 0.7.",
        source="GraphRAG-Bench's code",
        minimum=0,
        maximum=1,
    )
    accuracy_similarity: str = setting(
        SCALED,
        "Similarity in ACC: scaled is (1 + cosine)/2; cosine is what the AtomicRAG paper prints.",
        source="GraphRAG-Bench's code",
        choices=(SCALED, "cosine"),
    )


@dataclass(frozen=True)
class JudgeSettings(LanguageModelSettings):
    """Which model judges; endpoint and model are the answerer's where they are not given."""

    temperature: float = setting(
        0.0, "Sampling temperature of the judge.", source="QCG-RAG paper, §4.1", minimum=0, maximum=2
    )
    # A judge that often fails is measured, not given up.
    unusable_in_a_row: int = like(LanguageModelSettings, "unusable_in_a_row", default=20)
