"""Settings of the parts of a build: queries, synonyms, atoms, communities."""

from __future__ import annotations

from dataclasses import dataclass

from qcg_neo4j.core.settings import Settings, like, setting

PAPER = "AtomicRAG paper, §3.1"


@dataclass(frozen=True)
class BuildSettings(Settings):
    """How queries are joined with their nearest others."""

    neighbours: int = setting(
        3,
        "Number of nearest neighbours joined to each query (k).",
        source="QCG-RAG paper, MultiHop-RAG",
        minimum=1,
        maximum=100,
    )
    strategy: str = setting(
        "auto",
        "exact (compare all), ivf (faiss lists), index (vector index) or gds (GDS kNN); auto chooses by size.",
        choices=("auto", "exact", "ivf", "index", "gds"),
    )
    gds_top_k: int = setting(
        20, "Number of neighbours that GDS kNN keeps during the search; more raise the recall.", minimum=2, maximum=1000
    )
    candidates: int = setting(
        16, "Number of candidates from the vector index per query; more miss less.", minimum=2, maximum=1000
    )
    recall_floor: float = setting(0.99, "Minimum recall; below it the search is widened.", minimum=0.0, maximum=1.0)
    recall_sample: int = setting(100, "Number of queries whose neighbours are checked by exact search.", minimum=1)
    random_seed: int = setting(42, "Seed of GDS kNN.", minimum=0)


@dataclass(frozen=True)
class SynonymSettings(Settings):
    """Which entities are synonyms; names of three or fewer letters or digits are ignored."""

    similarity: float = setting(
        0.8, "Minimum cosine of two names that count as synonyms (τ_s).", source=PAPER, minimum=0.0, maximum=1.0
    )
    most: int = setting(
        100, "Maximum number of synonyms per entity, nearest first.", source="AtomicRAG code", minimum=1, maximum=2047
    )
    strategy: str = like(BuildSettings, "strategy")
    gds_top_k: int = like(BuildSettings, "gds_top_k")
    candidates: int = like(
        BuildSettings,
        "candidates",
        help="Entities taken from the vector index per entity; more are where the last of them is still near enough.",
    )
    recall_floor: float = like(BuildSettings, "recall_floor")
    recall_sample: int = like(
        BuildSettings, "recall_sample", help="Entities whose synonyms are checked by exact search."
    )
    random_seed: int = like(BuildSettings, "random_seed")


@dataclass(frozen=True)
class AtomSettings(Settings):
    """Which atoms are joined: mutual nearest neighbours, and optionally atoms that share an entity."""

    neighbours: int = setting(
        5, "Number of nearest atoms considered per atom (k).", source="LP-RAG paper", minimum=1, maximum=100
    )
    strategy: str = like(BuildSettings, "strategy")
    gds_top_k: int = like(BuildSettings, "gds_top_k")
    candidates: int = like(
        BuildSettings,
        "candidates",
        default=24,
        help="Number of candidates from the vector index per atom; more miss less.",
    )
    recall_floor: float = like(BuildSettings, "recall_floor")
    recall_sample: int = like(
        BuildSettings, "recall_sample", help="Atoms whose neighbours are checked by exact search."
    )
    sharing: int = setting(
        0,
        "Also join each atom to this many nearest atoms of other chunks that share an entity; 0 = off.",
        maximum=100,
        minimum=0,
    )
    sharing_hub: int = setting(
        50,
        "Maximum number of atoms of a shared entity; more frequent entities are ignored.",
        minimum=1,
        maximum=100_000,
    )
    random_seed: int = like(BuildSettings, "random_seed")


@dataclass(frozen=True)
class IndexesSettings(Settings):
    """How far the vector indexes are searched."""

    recall_floor: float = setting(
        0.95,
        "Share of the ten nearest that each index must find: it is searched wider until that of a sample, less its "
        "standard error, is as much.",
        minimum=0.0,
        maximum=1.0,
    )
    sample: int = setting(20, "Questions that each index is checked with by exact search.", minimum=1, maximum=1000)


@dataclass(frozen=True)
class CommunitySettings(Settings):
    """How entities are put into communities, communities into larger ones."""

    maximum_size: int = setting(
        10,
        "Maximum size of a community, in entities; larger ones are split. 1 splits down to the end.",
        source="GraphRAG, public code, max_cluster_size; the paper has no such limit",
        minimum=1,
    )
    edge_weight: str = setting(
        "strength",
        "Weight of a relation between two entities: sum of strengths, or number of duplicates.",
        source="GraphRAG, public code; the paper, §3.1.3, has duplicates",
        choices=("strength", "duplicates"),
    )
    resolution: float = setting(
        1.0, "Resolution of the modularity (gamma); higher values give more communities.", minimum=0.01, maximum=100
    )
    isolated_entities: bool = setting(True, "Make each entity without relations a community.")
    modularity_floor: float = setting(
        0.99,
        "Keep unchanged communities while the modularity stays above this share of a new partition's.",
        minimum=0.0,
        maximum=1.0,
    )
    random_seed: int = setting(42, "Seed of Leiden.", minimum=0)
