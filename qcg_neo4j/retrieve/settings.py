"""Settings of the retrieval methods; defaults are the papers' constants unless the source says otherwise."""

from __future__ import annotations

from dataclasses import dataclass

from qcg_neo4j.settings import Settings, setting

QCG = "QCG-RAG paper, §4"


@dataclass(frozen=True)
class RetrieveSettings(Settings):
    """What all methods share: how many passages, how long together, how many candidates."""

    passages: int = setting(5, "Passages returned at most (K).", source=QCG, minimum=1, maximum=1000)
    context_tokens: int = setting(6000, "Tokens of all passages together at most.", source=QCG, minimum=1)
    candidate_factor: int = setting(
        4, "Candidates per wanted hit taken from a vector index, then scored exactly.", minimum=1, maximum=100
    )


@dataclass(frozen=True)
class QcgSettings(RetrieveSettings):
    """Query-centric graph retrieval."""

    queries: int = setting(15, "Queries that the question hits at most (n).", source=QCG, minimum=1, maximum=1000)
    minimum_score: float = setting(
        1.0, "Least cosine + 1 of a query that counts as hit (γ).", source=QCG, minimum=0.0, maximum=2.0
    )
    hops: int = setting(1, "Hops along SIMILAR_TO (h).", source=QCG, minimum=0, maximum=2)
    neighbours: int = setting(
        3, "Nearest neighbours of a query that are followed (k).", source=QCG, minimum=1, maximum=100
    )
    aggregation: str = setting(
        "mean", "A chunk's score from its queries' cosines.", source=QCG, choices=("mean", "max", "sum")
    )


@dataclass(frozen=True)
class VectorSettings(RetrieveSettings):
    """Naive RAG: the chunk vectors."""

    scoring: str = setting(
        "windows",
        "Score a chunk by its best window, or by its own vector (the windows' mean).",
        choices=("windows", "mean"),
    )


@dataclass(frozen=True)
class HybridSettings(RetrieveSettings):
    """Best window and BM25, added."""

    layer_candidates: int = setting(10, "Chunks that each of the two layers proposes.", minimum=1, maximum=1000)
    window_weight: float = setting(1.0, "Weight of the best window's cosine.", minimum=0.0)
    fulltext_weight: float = setting(1.0, "Weight of BM25, as a share of the question's best.", minimum=0.0)


@dataclass(frozen=True)
class LayersSettings(RetrieveSettings):
    """All layers of the graph together, and a walk over shared entities; a weight of 0 leaves a layer out."""

    layer_candidates: int = setting(5, "Chunks that each layer proposes.", minimum=1, maximum=1000)
    query_weight: float = setting(1.0, "Weight of the cosine of a chunk's best query.", minimum=0.0)
    window_weight: float = setting(1.0, "Weight of the cosine of its best window.", minimum=0.0)
    atom_weight: float = setting(1.0, "Weight of the cosine of its best atom.", minimum=0.0)
    triple_weight: float = setting(1.0, "Weight of the cosine of its best triple.", minimum=0.0)
    fulltext_weight: float = setting(1.0, "Weight of BM25, as a share of the question's best.", minimum=0.0)
    expanded_weight: float = setting(
        1.0, "Weight of BM25 over the text with its queries, atoms and triples, as a share of the best.", minimum=0.0
    )
    walk_weight: float = setting(
        3.0, "Weight of being reached over entities that the most promising chunks name.", minimum=0.0
    )
    walk_seeds: int = setting(3, "Chunks that the walk begins at.", minimum=1, maximum=1000)
    walk_chunks: int = setting(10, "Chunks that the walk proposes.", minimum=0, maximum=1000)
    max_entity_degree: int = setting(1000, "Entities that more chunks name are not followed.", minimum=1)


@dataclass(frozen=True)
class AutoSettings(RetrieveSettings):
    """A choice between the layers, chains of facts and the communities, by what the question asks."""

    analysis: str = setting(
        "words",
        "Who says what a question asks: cues in its words, which know questions about the whole collection, or a "
        "language model's analysis, which also knows chains of facts.",
        choices=("words", "model"),
    )
    complexity: float = setting(
        6.5, "Complexity by the analysis above which a question goes to chains.", minimum=0.0, maximum=10.0
    )


KG_CQR = "KG-CQR paper, §3"


@dataclass(frozen=True)
class KgCqrSettings(RetrieveSettings):
    """Contextual query retrieval over a completed subgraph."""

    triples: int = setting(
        20, "Nearest triples that the subgraph begins with (k).", source=KG_CQR, minimum=1, maximum=1000
    )
    triple_filter: str = setting(
        "none",
        "Whether a language model drops triples that have nothing to do with the question.",
        choices=("none", "model"),
    )
    completion: str = setting(
        "beam", "How paths between the subgraph's entities are found.", source=KG_CQR, choices=("beam", "all", "none")
    )
    beam_width: int = setting(3, "Partial paths that survive each step (W).", source=KG_CQR, minimum=1, maximum=1000)
    path_length: int = setting(3, "Triples of a path at most (L).", minimum=1, maximum=6)
    direction: str = setting("outgoing", "Which way triples are followed.", choices=("outgoing", "undirected"))
    added_triples: int = setting(20, "Triples that paths add at most (K).", source=KG_CQR, minimum=0, maximum=1000)
    context: str = setting(
        "joined",
        "The context: the triples' texts joined, a language model's summary of them, or none.",
        choices=("joined", "model", "none"),
    )
    alpha: float = setting(
        0.7,
        "Share of the question in the fused vector (α); 1 is the plain retriever.",
        source=KG_CQR,
        minimum=0,
        maximum=1,
    )
    search: str = setting(
        "vector",
        "How chunks are found: by the fused vector, by BM25 with the context, or by best window and best triple.",
        choices=("vector", "fulltext", "layers"),
    )
    layer_candidates: int = setting(
        50, "Chunks that each of the two layers proposes (search = layers).", minimum=2, maximum=1000
    )
    vector_weight: float = setting(1.0, "Weight of the best window (search = layers).", minimum=0.0)
    triple_weight: float = setting(1.0, "Weight of the best triple (search = layers).", minimum=0.0)


GRAPHRAG = "GraphRAG"


@dataclass(frozen=True)
class GraphragLocalSettings(RetrieveSettings):
    """Local search: from the entities nearest to the question to their chunks, relations, claims and reports."""

    entities: int = setting(
        10, "Entities that the question hits.", source="GraphRAG, top_k_entities", minimum=1, maximum=1000
    )
    ranking: str = setting(
        "entity",
        "Order of chunks: by their nearest entity, then by how many relations they state; or by their best relation.",
        source="GraphRAG, local search",
        choices=("entity", "relation"),
    )
    relations: int = setting(100, "Relations, claims and reports that are taken, each.", minimum=1, maximum=1000)
    window_tokens: int = setting(8000, "Tokens that an answer is written from.", source=GRAPHRAG, minimum=100)
    passage_share: float = setting(0.5, "Share of the window for chunks.", source=GRAPHRAG, minimum=0, maximum=1)
    report_share: float = setting(
        0.1,
        "Share of the window for reports; what is left is for entities and relations.",
        source=GRAPHRAG,
        minimum=0,
        maximum=1,
    )


@dataclass(frozen=True)
class GraphragGlobalSettings(RetrieveSettings):
    """Global search: the reports of a level."""

    level: int = setting(1, "Level of the communities (C0 is the root).", source="GraphRAG paper, C0 to C3", minimum=0)
    reports: int = setting(5, "Reports that retrieval returns, and that the choice `similar` reads.", minimum=1)
    choice: str = setting(
        "level",
        "Which reports an answer reads: all of the level, those most similar, or those that a model rates as helpful.",
        choices=("level", "similar", "dynamic"),
    )
    over: str = setting(
        "reports",
        "What an answer is mapped over: reports, or all chunks (the paper's TS).",
        choices=("reports", "chunks"),
    )
    rating_floor: int = setting(
        1, "Least rating (0 to 5) of a report that the choice `dynamic` follows.", source=GRAPHRAG, minimum=0, maximum=5
    )
    window_tokens: int = setting(8000, "Tokens of a window.", source="GraphRAG paper", minimum=100)
    random_seed: int = setting(42, "Seed of the order in which reports come into windows.", minimum=0)


@dataclass(frozen=True)
class GraphragDriftSettings(GraphragLocalSettings):
    """DRIFT: from the reports most similar to the question to follow-up questions, each a local search."""

    level: int = setting(1, "Level of the communities whose reports begin.", minimum=0)
    reports: int = setting(5, "Reports that begin.", minimum=1, maximum=100)
    follow_ups: int = setting(3, "Follow-up questions of a round at most.", minimum=1, maximum=20)
    rounds: int = setting(
        3, "Rounds of follow-up questions at most.", source="GraphRAG, n_depth", minimum=0, maximum=10
    )
    token_budget: int = setting(100_000, "Tokens of all prompts together; no round begins beyond.", minimum=1000)


ATOMIC, ATOMIC_CODE = "AtomicRAG paper, §3.2", "AtomicRAG code"


@dataclass(frozen=True)
class AtomicSettings(RetrieveSettings):
    """Personalized PageRank over the atom-entity graph."""

    analysis: str = setting(
        "names",
        "Which names seed the walk: those of the graph that the question holds (names), its names and noun phrases "
        "(spacy), or those that a language model finds, which also parts the question (model).",
        choices=("names", "spacy", "model"),
    )
    complexity: float = setting(
        6.5, "Complexity above which a question is parted (τ).", source=ATOMIC, minimum=0.0, maximum=10.0
    )
    sub_questions: int = setting(
        3, "Sub-questions asked beside the question at most; 0 parts none.", source=ATOMIC_CODE, minimum=0, maximum=10
    )
    atom_weight: float = setting(
        0.1,
        "What the nearest atom weighs as a seed (λ); an entity weighs its cosine.",
        source=ATOMIC,
        minimum=0.0,
        maximum=100.0,
    )
    atom_seeds: int = setting(
        0, "Nearest atoms that are seeds; 0 for all.", source=ATOMIC_CODE, minimum=0, maximum=100_000
    )
    entity_floor: float = setting(
        0.3,
        "Least cosine of an entity that is a seed; if none has it, the nearest is.",
        source=ATOMIC_CODE,
        minimum=-1.0,
        maximum=1.0,
    )
    entity_seeds: int = setting(20, "Entities that are seeds at most.", source=ATOMIC_CODE, minimum=0, maximum=1000)
    damping: float = setting(
        0.3,
        "Probability that the walk follows a relationship; else it begins anew.",
        source=ATOMIC_CODE,
        minimum=0.0,
        maximum=0.99,
    )
    chain_atom_weight: float | None = setting(
        None, "Instead of atom_weight, for a question whose analysis finds it complex.", minimum=0.0, maximum=100.0
    )
    chain_damping: float | None = setting(
        None, "Instead of damping, for a question whose analysis finds it complex.", minimum=0.0, maximum=0.99
    )
    synonyms: bool = setting(True, "Whether the walk follows SYNONYM_OF.", source=ATOMIC)
    atoms: int = setting(25, "Atoms kept per question, and of all (K).", source=ATOMIC, minimum=1, maximum=1000)
    propagation: str = setting(
        "push",
        "PageRank by forward push on the stored graph (plug-in qcg), or by GDS on a projection.",
        choices=("push", "gds"),
    )
    tolerance: float = setting(
        1e-8, "By how much push may fall short, per unit of a node's weighted degree.", minimum=1e-15, maximum=1.0
    )
    sieve: str = setting("none", "Whether a language model drops atoms that do not help.", choices=("none", "model"))
    spacy_model: str = setting("en_core_web_sm", "spaCy model (analysis = spacy).")


LP_RAG = "LP-RAG paper"


@dataclass(frozen=True)
class LpSettings(RetrieveSettings):
    """Retrieval as link prediction over the graph of the atoms."""

    candidates: int = setting(200, "Nearest atoms that the predictor ranks; 0 for all.", minimum=0, maximum=100_000)
    atoms: int = setting(25, "Atoms kept at most (k).", source=LP_RAG, minimum=1, maximum=1000)
    selection: str = setting(
        "top",
        "Keep the best atoms, or those of them that reach the predictor's threshold (σ ≥ 0.5 in the strict form).",
        source=LP_RAG,
        choices=("top", "threshold"),
    )
    reasons: int = setting(3, "Neighbours shown that raised an atom.", minimum=0, maximum=100)
