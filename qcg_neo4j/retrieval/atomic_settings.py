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
        "Which names seed the walk: those of the graph that the question holds (names), its names and noun phrases "
        "(spacy), or those that a language model finds, which also parts the question (model).",
        choices=("names", "spacy", "model"),
        in_database=False,
    )
    complexity: float = setting(
        6.5,
        "Complexity above which a question is parted (τ).",
        source=ATOMIC_TABLE,
        minimum=0.0,
        maximum=10.0,
        in_database=False,
    )
    sub_questions: int = setting(
        3,
        "Sub-questions asked beside the question at most; 0 parts none.",
        source=ATOMIC_TABLE,
        minimum=0,
        maximum=10,
        in_database=False,
    )
    atom_weight: float = setting(
        0.1,
        "What the nearest atom weighs as a seed (λ); an entity weighs its cosine.",
        source=ATOMIC_TABLE,
        minimum=0.0,
        maximum=100.0,
    )
    atom_seeds: int = setting(
        0, "Nearest atoms that are seeds; 0 for all.", source=ATOMIC_CODE, minimum=0, maximum=100_000
    )
    entity_floor: float = setting(
        0.3,
        "Least cosine of an entity that is a seed; if none has it, the nearest is.",
        source=ATOMIC_TABLE,
        minimum=-1.0,
        maximum=1.0,
    )
    entity_seeds: int = setting(20, "Entities that are seeds at most.", source=ATOMIC_TABLE, minimum=0, maximum=1000)
    damping: float = setting(
        0.3,
        "Probability that the walk follows a relationship; else it begins anew.",
        source=ATOMIC_TABLE,
        minimum=0.0,
        maximum=0.99,
    )
    chain_atom_weight: float | None = setting(
        None,
        "Instead of atom_weight, for a question whose analysis finds it complex.",
        minimum=0.0,
        maximum=100.0,
        in_database=False,
    )
    chain_damping: float | None = setting(
        None,
        "Instead of damping, for a question whose analysis finds it complex.",
        minimum=0.0,
        maximum=0.99,
        in_database=False,
    )
    synonyms: bool = setting(True, "Whether the walk follows SYNONYM_OF.", source=ATOMIC)
    atoms: int = setting(25, "Atoms kept per question, and of all (K).", source=ATOMIC_TABLE, minimum=1, maximum=1000)
    propagation: str = setting(
        "push",
        "Personalized PageRank by forward push on a copy of the graph in the server's memory (plug-in qcg), by rounds "
        "of Cypher (also on a server without the plug-in), or by GDS on a projection (plug-in qcg).",
        choices=("push", ROUNDS, "gds"),
        in_database=("push", "gds"),
    )
    tolerance: float = setting(
        1e-8, "By how much push may fall short, per unit of a node's weighted degree.", minimum=1e-15, maximum=1.0
    )
    sieve: str = setting(
        "none", "Whether a language model drops atoms that do not help.", choices=("none", "model"), in_database=False
    )
    spacy_model: str = setting("en_core_web_sm", "spaCy model (analysis = spacy).", in_database=False)
