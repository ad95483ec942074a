"""Join entities whose names say nearly the same (``SYNONYM_OF``), and check by exact search that none is missing."""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from qcg_neo4j import stages
from qcg_neo4j.build.projection import possible_strategies, projected
from qcg_neo4j.errors import GraphError
from qcg_neo4j.graph import Call, Graph
from qcg_neo4j.progress import Progress, silent
from qcg_neo4j.settings import Settings, setting

PROJECTION = "qcg_synonyms"
NEAR = "NEAR"
SLICE = 250  # entities per transaction of the index strategy: some seconds of work that an interruption may lose
MOST_DOUBLINGS = 4
PAPER = "AtomicRAG paper, §3.1"


@dataclass(frozen=True)
class SynonymSettings(Settings):
    """Which entities are synonyms; names of three or fewer letters or digits take no part."""

    similarity: float = setting(
        0.8, "Cosine of two names above which they are synonyms (τ_s).", source=PAPER, minimum=0.0, maximum=1.0
    )
    most: int = setting(
        100, "Synonyms that an entity brings at most, its nearest.", source="AtomicRAG code", minimum=1, maximum=1000
    )
    strategy: str = setting(
        "auto",
        "Find synonyms by asking the vector index, with GDS kNN, or with whichever reaches the recall floor first.",
        choices=("auto", "gds", "index"),
    )
    gds_top_k: int = setting(
        20, "Neighbours that GDS kNN keeps while it searches; more find more of the synonyms.", minimum=2, maximum=1000
    )
    candidates: int = setting(
        16,
        "Entities taken from the vector index per entity; more are where the last of them is still near enough.",
        minimum=2,
        maximum=1000,
    )
    recall_floor: float = setting(
        0.99, "Least share of the true synonyms; below it the search is widened.", minimum=0.0, maximum=1.0
    )
    recall_sample: int = setting(100, "Entities whose synonyms are checked by exact search.", minimum=1)
    random_seed: int = setting(42, "Seed of GDS kNN.", minimum=0)


@dataclass(frozen=True)
class SynonymReport:
    """What was made; ``changed`` is false when the graph was already up to date.

    ``named`` are the entities that take part, ``wanted`` the true synonyms of the sample.
    """

    changed: bool
    entities: int
    named: int
    relationships: int
    strategy: str
    recall: float
    sample: int
    wanted: int
    seconds: float


def build_synonyms(
    graph: Graph, settings: SynonymSettings = SynonymSettings(), progress: Progress = silent
) -> SynonymReport:
    """Bring ``SYNONYM_OF`` up to date; does nothing when entities and settings are those of the last time.

    Raises:
        GraphError: there are no entities yet, or the recall floor is not reached.
        MissingPluginError: the strategy is ``gds`` and the server has no Graph Data Science.
    """
    known = stages.recorded(graph)
    if stages.is_current(known, "synonyms", settings):
        return SynonymReport(False, **known["synonyms"].figures)
    size = _size(graph)
    start = time.perf_counter()
    made_from = stages.basis(known, "synonyms")
    strategies = possible_strategies(graph, settings.strategy, ("index", "gds"))
    cursor = stages.begin(graph, "synonyms", settings, made_from)
    graph.await_indexes()
    strategy, recall = _join(graph, settings, strategies, size["entities"], cursor, progress)
    figures = {
        "entities": size["entities"],
        "named": size["named"],
        "relationships": graph.rows("build/synonyms")[0]["relationships"],
        "strategy": strategy,
        "recall": recall["recall"],
        "sample": recall["sample"],
        "wanted": recall["wanted"],
        "seconds": round(time.perf_counter() - start, 1),
    }
    stages.finish(graph, "synonyms", settings, made_from, figures)
    return SynonymReport(True, **figures)


def _size(graph: Graph) -> Mapping[str, Any]:
    size = graph.rows("build/entities")[0]
    if not size["entities"]:
        raise GraphError("The graph has no entities to join.", "Make them first: `qcg extract`.")
    if size["without_embedding"]:
        raise GraphError(
            f"{size['without_embedding']:,} entities have no embedding.", "Run `qcg extract` again; it was interrupted."
        )
    return size


def _join(
    graph: Graph, settings: SynonymSettings, strategies: list[str], entities: int, cursor: str, progress: Progress
) -> tuple[str, Mapping[str, Any]]:
    """Join with growing effort until the recall floor is reached: the strategy that did, and the recall."""
    best = 0.0
    for strategy in strategies:
        width = settings.gds_top_k if strategy == "gds" else settings.candidates
        for _ in range(MOST_DOUBLINGS):
            if not cursor:  # a wider search begins anew, or an entity would bring the most of each
                graph.run("build/clear_synonyms")
            if strategy == "gds":
                _by_gds(graph, settings, width)
            else:
                _by_index(graph, settings, width, entities, cursor, progress)
            recall = graph.rows("build/synonym_recall", sample=settings.recall_sample, **_limits(settings))[0]
            if recall["recall"] >= settings.recall_floor:
                return strategy, recall
            best, width, cursor = max(best, recall["recall"]), 2 * width, ""
    raise GraphError(
        f"Only {best:.3f} of the true synonyms were found; the floor is {settings.recall_floor}.",
        "Use another strategy, more candidates or gds_top_k, or a lower recall_floor.",
    )


def _limits(settings: SynonymSettings) -> dict[str, Any]:
    return {"similarity": settings.similarity, "neighbours": settings.most}


def _by_index(
    graph: Graph, settings: SynonymSettings, candidates: int, entities: int, cursor: str, progress: Progress
) -> None:
    done = graph.rows("build/entities_before", cursor=cursor)[0]["entities"]
    progress(done, entities)
    while True:
        parameters = {
            "after": cursor,
            "slice": SLICE,
            "candidates": candidates,
            "most_candidates": max(4 * settings.most, candidates),
            **_limits(settings),
        }
        row = graph.write(Call("build/synonyms_by_index", parameters), stages=("synonyms",)).rows[0][0]
        if row["last"] is None:
            return
        cursor, done = row["last"], done + row["entities"]
        progress(done, entities)


def _by_gds(graph: Graph, settings: SynonymSettings, top_k: int) -> None:
    with projected(graph, PROJECTION, "build/project_entities") as (science, entities):
        # One thread and a seed: two builds of the same graph give the same neighbours. GDS's own score lies above the
        # cosine, so that the cut loses nothing; the statement scores exactly.
        science.knn.mutate(
            entities,
            NEAR,
            "score",
            ["embedding"],
            top_k=top_k,
            similarity_cutoff=settings.similarity,
            concurrency=1,
            random_seed=settings.random_seed,
        )
        graph.run("build/synonyms_by_gds", projection=PROJECTION, relationship_type=NEAR, **_limits(settings))
