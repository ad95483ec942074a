"""Settings of `atomic`, and what it searches for: the question and its parts, each with the names in it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any

from qcg_neo4j.core.settings import setting
from qcg_neo4j.database.graph import Graph
from qcg_neo4j.models.replies import ReplySource
from qcg_neo4j.retrieval.method import MODEL, RetrieveSettings, Vector
from qcg_neo4j.retrieval.model_steps import analysis

if TYPE_CHECKING:
    from qcg_neo4j.indexing.extract.readers import SpacySource


ATOMIC, ATOMIC_TABLE, ATOMIC_CODE = "AtomicRAG paper, §3.1", "AtomicRAG paper, table 5", "AtomicRAG code"
ROUNDS = "rounds"  # the propagation that needs no plug-in
SPACY = "spacy"


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


@dataclass(frozen=True, eq=False)
class QuestionPart:
    """A question or a part of one: its embedding, and those of the names in it (None: the graph's are looked for).

    ``is_chain``: its analysis found it complex.
    """

    question: str
    vector: Vector | None
    names: tuple[Vector, ...] | None = None
    is_chain: bool = False


def question_parts(
    graph: Graph, question: str, vector: Vector, chosen: AtomicSettings, source: ReplySource | None
) -> list[QuestionPart]:
    """The question, and behind it its sub-questions where its analysis finds it complex enough.

    Raises:
        MissingReplyError: the question has no analysis.
        MissingPackageError: spaCy or its model is not installed.
    """
    if chosen.analysis == MODEL:
        assert source is not None  # noqa: S101 - the method has checked it
        return _analysed(graph, question, vector, chosen, analysis(question, source))
    if chosen.analysis == SPACY:
        names = _spacy(chosen.spacy_model).names(question)
        return [QuestionPart(question, vector, _embedded(graph, names))]
    return [QuestionPart(question, vector)]


def _analysed(
    graph: Graph, question: str, vector: Vector, chosen: AtomicSettings, found: Mapping[str, Any]
) -> list[QuestionPart]:
    names = list(dict.fromkeys(name.strip() for name in found["entities"] if name.strip()))
    vectors = dict(zip(names, _embedded(graph, names), strict=True))
    is_chain = found["complexity"] > chosen.complexity
    texts = [item["question"].strip() for item in found["sub_questions"]][: chosen.sub_questions] if is_chain else []
    parts = [(text, graph.embed_question(text)) for text in dict.fromkeys(texts) if text and text != question]
    return [
        QuestionPart(text, own, tuple(vectors[name] for name in names_in(text, names)), is_chain)
        for text, own in [(question, vector), *parts]
    ]


def names_in(text: str, names: Sequence[str]) -> list[str]:
    """The names that occur in a text, or all of them when none does."""
    folded = text.casefold()
    return [name for name in names if name.casefold() in folded] or list(names)


def _embedded(graph: Graph, names: Sequence[str]) -> tuple[Vector, ...]:
    return tuple(graph.question_embedder().embed(names)) if names else ()


@cache
def _spacy(model: str) -> SpacySource:
    from qcg_neo4j.indexing.extract.readers import SpacySource

    return SpacySource(model)
