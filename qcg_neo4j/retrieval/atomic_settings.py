"""Settings of `atomic`."""

from __future__ import annotations

from dataclasses import dataclass

from qcg_neo4j.core.settings import setting
from qcg_neo4j.retrieval.method import RetrieveSettings

ATOMIC, ATOMIC_TABLE, ATOMIC_CODE = "AtomicRAG paper, §3.1", "AtomicRAG paper, table 5", "AtomicRAG code"
ROUNDS = "rounds"  # the propagation that needs no plug-in


@dataclass(frozen=True)
class AtomicSettings(RetrieveSettings):
    """Personalized PageRank over the atom-entity graph."""

    analysis: str = setting(
        "names",
        "Seeds of the walk: names of the graph in the question (names), its names and noun "
        "phrases (spacy), or names found by a language model, which also splits the question "
        "(model).",
        choices=("names", "spacy", "model"),
        in_database=False,
    )
    complexity: float = setting(
        6.5,
        "Complexity above which a question is split (τ).",
        source=ATOMIC_TABLE,
        minimum=0.0,
        maximum=10.0,
        in_database=False,
    )
    sub_questions: int = setting(
        3,
        "Maximum number of sub-questions besides the question; 0 = no split.",
        source=ATOMIC_TABLE,
        minimum=0,
        maximum=10,
        in_database=False,
    )
    atom_weight: float = setting(
        0.1,
        "Weight of the nearest atom as a seed (λ); an entity's weight is its cosine.",
        source=ATOMIC_TABLE,
        minimum=0.0,
        maximum=100.0,
    )
    atom_seeds: int = setting(
        0,
        "Number of nearest atoms used as seeds; 0 = all of up to 50,000, the nearest 100 of more.",
        source=ATOMIC_CODE,
        minimum=0,
        maximum=100_000,
    )
    entity_floor: float = setting(
        0.3,
        "Minimum cosine of a seed entity; if none reaches it, the nearest entity is used.",
        source=ATOMIC_TABLE,
        minimum=-1.0,
        maximum=1.0,
    )
    entity_seeds: int = setting(20, "Maximum number of seed entities.", source=ATOMIC_TABLE, minimum=0, maximum=1000)
    damping: float = setting(
        0.3,
        "Damping: probability that the walk follows a relationship instead of restarting.",
        source=ATOMIC_TABLE,
        minimum=0.0,
        maximum=0.99,
    )
    chain_atom_weight: float | None = setting(
        None,
        "Replaces atom_weight for questions that the analysis finds complex.",
        minimum=0.0,
        maximum=100.0,
        in_database=False,
    )
    chain_damping: float | None = setting(
        None,
        "Replaces damping for questions that the analysis finds complex.",
        minimum=0.0,
        maximum=0.99,
        in_database=False,
    )
    synonyms: bool = setting(True, "Follow SYNONYM_OF.", source=ATOMIC)
    atoms: int = setting(
        25, "Number of atoms kept per question and in total (K).", source=ATOMIC_TABLE, minimum=1, maximum=1000
    )
    propagation: str = setting(
        "push",
        "Personalized PageRank: push (forward push on an in-memory copy, plug-in qcg), rounds "
        "(in Cypher, no plug-in required) or gds (GDS on a projection, plug-in qcg).",
        choices=("push", ROUNDS, "gds"),
        in_database=("push", "gds"),
    )
    tolerance: float = setting(
        1e-8, "Maximum error of push per unit of a node's weighted degree.", minimum=1e-15, maximum=1.0
    )
    sieve: str = setting(
        "none", "Let a language model drop unhelpful atoms.", choices=("none", "model"), in_database=False
    )
    spacy_model: str = setting("en_core_web_sm", "spaCy model for analysis=spacy.", in_database=False)
