"""AtomicRAG's walk without the plug-in: rounds of forward push, each one statement that this module repeats."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import Any

from qcg_neo4j.database.graph import Graph
from qcg_neo4j.retrieval.atomic_settings import AtomicSettings
from qcg_neo4j.retrieval.permission import Permission
from qcg_neo4j.retrieval.question_parts import QuestionPart

WALKED = "the server has no plug-in qcg of this version: the walk ran as rounds of Cypher"
ENOUGH = 0.02  # of the walk may be left after the last round; how it would go on is estimated from that round
MOST_ROUNDS = 30
Row = dict[str, Any]


def walked(graph: Graph, chosen: AtomicSettings, asked: QuestionPart, permitted: Permission) -> Row:
    """The best atoms with their chunks and reasons, as ``qcg.evidence.atomic`` gives them.

    Raises:
        MissingPluginError: the propagation is that of GDS, which the plug-in runs.
    """
    if chosen.propagation == "gds":
        graph.need_procedures()
    atom_seeds = graph.rows("retrieve/atomic/seeding", atom_seeds=chosen.atom_seeds)[0]["atom_seeds"]
    common: Row = {"question_vector": asked.vector, "permitted": permitted.parameter}
    begin = graph.rows(
        "retrieve/atomic/seeds",
        question="" if asked.names is not None else asked.question,
        names=list(asked.names or ()),
        entity_seeds=chosen.entity_seeds,
        entity_candidates=_candidates(chosen, chosen.entity_seeds, permitted),
        entity_floor=chosen.entity_floor,
        atom_seeds=atom_seeds,
        atom_candidates=_candidates(chosen, atom_seeds, permitted),
        atom_weight=chosen.atom_weight,
        **common,
    )[0]
    found = _best(graph, begin, chosen, permitted)
    reasons: Row = {"walked": found, "entities": begin["entities"], "synonyms": chosen.synonyms, "atoms": chosen.atoms}
    rows = graph.rows("retrieve/atomic/reasons | retrieve/atoms", **reasons, **common)
    return {"atoms": rows, "synonyms_built": begin["synonyms_built"], "atom_seeds": atom_seeds}


def _best(graph: Graph, begin: Mapping[str, Any], chosen: AtomicSettings, permitted: Permission) -> list[Row]:
    """The atoms with the highest scores, and those that tie with the last: node, score, weight as a seed."""
    seeds = _seeds(begin)
    atoms = set(begin["atoms"])
    sums, rests, left, before = Counter(seeds), seeds, 1.0, 1.0
    for _ in range(MOST_ROUNDS):
        if not rests or left <= ENOUGH:
            break
        rows = graph.rows(
            "retrieve/atomic/push",
            nodes=list(rests),
            rests=list(rests.values()),
            damping=chosen.damping,
            tolerance=chosen.tolerance,
            synonyms=chosen.synonyms,
            permitted=permitted.parameter,
        )
        atoms.update(node for row in rows if row["are_atoms"] for node in row["nodes"])
        rests = {node: rest for row in rows for node, rest in zip(row["nodes"], row["rests"], strict=True)}
        sums.update(rests)
        before, left = left, sum(rests.values())
    following = left / (before - left) if left < before else 0.0  # rounds that shrink as the last one did
    sums.update({node: following * rest for node, rest in rests.items()})
    scores = {node: (1 - chosen.damping) * sums[node] for node in atoms if sums[node] > 0}
    least = min(sorted(scores.values(), reverse=True)[: chosen.atoms], default=0.0)
    return [
        {"node": node, "score": score, "weight": seeds.get(node, 0.0)}
        for node, score in scores.items()
        if score >= least
    ]


def _seeds(begin: Mapping[str, Any]) -> dict[str, float]:
    """The share of the walk that begins at each atom and entity."""
    weights = dict(zip(begin["atoms"], begin["weights"], strict=True))
    weights |= {seed["node"]: seed["similarity"] for seed in begin["entities"]}
    total = sum(weight for weight in weights.values() if weight > 0)
    return {node: weight / total for node, weight in weights.items() if weight > 0}


def _candidates(chosen: AtomicSettings, seeds: int, permitted: Permission) -> int:
    return max(1, permitted.candidates(chosen.candidate_factor * seeds))
