"""AtomicRAG's seeds, walk and reasons one by one: where no plug-in does all in one call, or the walk is elsewhere."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from qcg_neo4j.database.graph import Graph
from qcg_neo4j.retrieval.session_walk import ATOM, ENTITY, SESSION, needed_walk

if TYPE_CHECKING:
    from qcg_neo4j.retrieval.atomic import AtomicSettings
    from qcg_neo4j.retrieval.permission import Permission
    from qcg_neo4j.retrieval.question_parts import QuestionPart

NO_ATOMS = -1  # as seeds, of the statement that finds the entities
WALKED = "the server has no plug-in qcg of this version: the walk is three rounds in plain Cypher"
ENOUGH_UP_TO = 0.5  # damping; beyond, more of the walk lies behind the third round than the rest can be told from


def walked(graph: Graph, chosen: AtomicSettings, asked: QuestionPart, permitted: Permission) -> dict[str, Any]:
    """The row that the plug-in's procedure gives: the best atoms with their chunks and reasons.

    Raises:
        MissingPluginError: the walk is to be that of GDS, whose statement the plug-in runs.
    """
    if chosen.propagation == "gds":
        graph.need_procedures()
    told: dict[str, Any] = {"question_vector": asked.vector, "permitted": permitted.parameter}
    weighing = {name: getattr(chosen, name) for name in ("atom_seeds", "atom_weight")}
    weighing["atom_candidates"] = _candidates(chosen, chosen.atom_seeds, permitted)
    begin = graph.rows(
        "retrieve/parts/atomic_seeds",
        question="" if asked.names is not None else asked.question,
        names=list(asked.names or ()),
        entity_seeds=chosen.entity_seeds,
        entity_candidates=_candidates(chosen, chosen.entity_seeds, permitted),
        entity_floor=chosen.entity_floor,
        **{**told, **weighing, "atom_seeds": NO_ATOMS},
    )[0]
    entities = [{"id": seed["id"], "similarity": seed["similarity"]} for seed in begin["entities"]]
    walking = {name: getattr(chosen, name) for name in ("damping", "synonyms", "atoms")}
    if chosen.propagation == SESSION:
        atoms = graph.rows("retrieve/parts/atomic_atoms", question_vector=asked.vector, **weighing)
        seeds = {(ATOM, row["id"]): row["weight"] for row in atoms}
        seeds |= {(ENTITY, row["id"]): row["similarity"] for row in entities}
        found = needed_walk(graph).found(graph, seeds, **walking)
    else:
        walking["tolerance"] = chosen.tolerance
        found = graph.rows("retrieve/parts/atomic_push", entities=entities, **told, **weighing, **walking)
    rows = graph.rows("retrieve/parts/atomic_reasons", found=found, entities=entities, synonyms=chosen.synonyms, **told)
    return {"atoms": rows, "synonyms_built": begin["synonyms_built"]}


def note(damping: float) -> str:
    """What the evidence says of such a walk."""
    beyond = f"; a damping above {ENOUGH_UP_TO} would take more" if damping > ENOUGH_UP_TO else ""
    return f"{WALKED}{beyond}"


def _candidates(chosen: AtomicSettings, seeds: int, permitted: Permission) -> int:
    return max(1, permitted.candidates(chosen.candidate_factor * seeds))
