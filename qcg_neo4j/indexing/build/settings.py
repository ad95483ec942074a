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
        "Nearest neighbours that each query is joined with (k).",
        source="QCG-RAG paper, MultiHop-RAG",
        minimum=1,
        maximum=100,
    )
    strategy: str = setting(
        "auto",
        "exact (all compared), ivf (near lists, by faiss), index (the vector index) or gds (GDS kNN); auto: by size.",
        choices=("auto", "exact", "ivf", "index", "gds"),
    )
    gds_top_k: int = setting(
        20, "Neighbours that GDS kNN keeps while it searches; more find more of the true ones.", minimum=2, maximum=1000
    )
    candidates: int = setting(
        16, "Queries taken from the vector index per query, to be scored exactly.", minimum=2, maximum=1000
    )
    recall_floor: float = setting(
        0.99, "Least share of the true ones; below it the search is widened.", minimum=0.0, maximum=1.0
    )
    recall_sample: int = setting(100, "Queries whose neighbours are checked by exact search.", minimum=1)
    random_seed: int = setting(42, "Seed of GDS kNN.", minimum=0)


@dataclass(frozen=True)
class SynonymSettings(Settings):
    """Which entities are synonyms; names of three or fewer letters or digits take no part."""

    similarity: float = setting(
        0.8, "Cosine of two names above which they are synonyms (τ_s).", source=PAPER, minimum=0.0, maximum=1.0
    )
    most: int = setting(
        100, "Synonyms that an entity brings at most, its nearest.", source="AtomicRAG code", minimum=1, maximum=2047
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
    """Which atoms are joined: those that are among each other's nearest, and if wanted those that share an entity."""

    neighbours: int = setting(
        5, "Nearest others of an atom that may be joined with it (k).", source="LP-RAG paper", minimum=1, maximum=100
    )
    strategy: str = like(BuildSettings, "strategy")
    gds_top_k: int = like(BuildSettings, "gds_top_k")
    candidates: int = like(
        BuildSettings,
        "candidates",
        default=24,
        help="Atoms taken from the vector index per atom, to be scored exactly.",
    )
    recall_floor: float = like(BuildSettings, "recall_floor")
    recall_sample: int = like(
        BuildSettings, "recall_sample", help="Atoms whose neighbours are checked by exact search."
    )
    sharing: int = setting(
        0,
        "Join an atom as well with so many of the nearest atoms of other chunks that name an entity with it.",
        maximum=100,
        minimum=0,
    )
    sharing_hub: int = setting(
        50, "An entity that more atoms name than this joins none of them.", minimum=1, maximum=100_000
    )
    random_seed: int = like(BuildSettings, "random_seed")


@dataclass(frozen=True)
class IndexesSettings(Settings):
    """How far the vector indexes are searched."""

    recall_floor: float = setting(
        0.95,
        "Share of the ten nearest that each index must find; it is searched wider until it does.",
        minimum=0.0,
        maximum=1.0,
    )
    sample: int = setting(20, "Questions that each index is checked with by exact search.", minimum=1, maximum=1000)


@dataclass(frozen=True)
class CommunitySettings(Settings):
    """How entities are put into communities, communities into larger ones."""

    maximum_size: int = setting(
        10,
        "Entities of a community that is not split further; with 1 a community is split until nothing splits.",
        source="GraphRAG, public code, max_cluster_size; the paper has no such limit",
        minimum=1,
    )
    edge_weight: str = setting(
        "strength",
        "What a relation between two entities weighs: the sum of its strengths, or the number of its duplicates.",
        source="GraphRAG, public code; the paper, §3.1.3, has duplicates",
        choices=("strength", "duplicates"),
    )
    resolution: float = setting(
        1.0, "Resolution of the modularity (gamma): higher makes more communities.", minimum=0.01, maximum=100
    )
    isolated_entities: bool = setting(True, "Entities without a relation are communities of their own.")
    modularity_floor: float = setting(
        0.99,
        "What untouched communities may cost: below this share of a new partition's modularity all is made anew.",
        minimum=0.0,
        maximum=1.0,
    )
    random_seed: int = setting(42, "Seed of Leiden.", minimum=0)
