"""AtomicRAG's retrieval in slow, plain Python over the whole graph: the twin of its statements."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from qcg_neo4j.database.graph import Graph
from qcg_neo4j.retrieval import AtomicSettings

Vector = NDArray[np.float64]
Weights = dict[str, float]
Edges = dict[str, Weights]
NO_SPACES = r"\u0e00-\u0e7f\u3040-\u30ff\u3400-\u9fff"
OF_A_WORD = re.compile(rf"[^\W_{NO_SPACES}]")


@dataclass
class Aeg:
    """The atom-entity graph in memory: vectors and names by id, the chunks of each atom, every pair's weight."""

    atoms: dict[str, Vector] = field(default_factory=dict)
    entities: dict[str, Vector] = field(default_factory=dict)
    names: dict[str, str] = field(default_factory=dict)
    chunks: dict[str, list[str]] = field(default_factory=dict)
    mentions: list[tuple[str, str]] = field(default_factory=list)
    triples: list[tuple[str, str]] = field(default_factory=list)
    synonyms: list[tuple[str, str, float]] = field(default_factory=list)

    def edges(self, *, synonyms: bool = True) -> Edges:
        """Both directions of every edge: an atom's mention 1, a pair's triples their number, synonyms their cosine."""
        found: Edges = defaultdict(lambda: defaultdict(float))
        pairs = [(one, other, 1.0) for one, other in {*self.mentions}]
        pairs += [(one, other, 1.0) for one, other in self.triples if one != other]
        for one, other, weight in pairs + (self.synonyms if synonyms else []):
            found[one][other] += weight
            found[other][one] += weight
        return found


def read_aeg(graph: Graph) -> Aeg:
    """Every atom and entity and all that joins them, fetched plainly."""

    def ask(text: str) -> list[tuple[object, ...]]:
        return [tuple(record.values()) for record in graph.driver.execute_query(text).records]

    found = Aeg()
    for name, vector in ask("MATCH (a:Atom) RETURN a.id, a.embedding"):
        found.atoms[str(name)] = np.array(vector)
    for name, shown, vector in ask("MATCH (e:Entity) RETURN e.id, e.name, e.embedding"):
        found.entities[str(name)], found.names[str(name)] = np.array(vector), str(shown)
    stated = "MATCH (a:Atom)-[:FROM_CHUNK]->(c) RETURN a.id, collect(c.id)"
    found.chunks = {str(name): sorted(chunks) for name, chunks in ask(stated)}  # type: ignore[call-overload] # a list
    found.mentions = ask("MATCH (a:Atom)-[:MENTIONS]->(e) RETURN a.id, e.id")  # type: ignore[assignment] # of two texts
    found.triples = ask("MATCH (s)-[:RELATED_TO]->(t) RETURN s.id, t.id")  # type: ignore[assignment] # of two texts
    found.synonyms = ask("MATCH (s)-[r:SYNONYM_OF]->(t) RETURN s.id, t.id, r.score")  # type: ignore[assignment] # so too
    return found


def page_rank(edges: Mapping[str, Mapping[str, float]], seeds: Mapping[str, float], damping: float) -> Weights:
    """Power iteration until nothing moves; what a node without edges would pass on is lost."""
    names = sorted({*seeds, *edges})
    place = {name: number for number, name in enumerate(names)}
    sources, targets, shares = [], [], []
    for name, joined in edges.items():
        total = sum(joined.values())
        for other, weight in joined.items():
            if total > 0:
                sources.append(place[name])
                targets.append(place[other])
                shares.append(weight / total)
    start = np.zeros(len(names))
    for name, weight in seeds.items():
        start[place[name]] += weight
    rank = start.copy()
    for _ in range(5000):
        flow = np.bincount(targets, np.array(shares) * rank[sources], len(names)) if sources else 0.0
        following = (1 - damping) * start + damping * flow
        if np.abs(following - rank).sum() < 1e-14:
            break
        rank = following
    return dict(zip(names, rank.tolist(), strict=True))


def named(aeg: Aeg, question: str) -> list[str]:
    """The entities whose name stands in the question as a whole word."""
    return sorted(entity for entity, name in aeg.names.items() if _stands_in(question, name))


def _stands_in(question: str, name: str) -> bool:
    starts = (found.start() for found in re.finditer(f"(?={re.escape(name)})", question, re.IGNORECASE))
    return any(
        not OF_A_WORD.match(question[max(start - 1, 0) : start]) and not OF_A_WORD.match(question, start + len(name))
        for start in starts
    )


def seeds(aeg: Aeg, question: Vector, names: Sequence[Vector], chosen: AtomicSettings) -> tuple[Weights, Weights]:
    """The weights of the atoms and of the entities that the walk begins at, not yet of sum 1."""
    atoms = {name: float(vector @ question) for name, vector in aeg.atoms.items()}
    if chosen.atom_seeds:
        best = sorted(atoms, key=lambda name: (-atoms[name], name))[: chosen.atom_seeds]
        atoms = {name: atoms[name] for name in best}
    least, most = min(atoms.values(), default=0.0), max(atoms.values(), default=0.0)
    scaled = {
        name: chosen.atom_weight * ((value - least) / (most - least) if most > least else 1.0)
        for name, value in atoms.items()
    }
    entities = {
        name: max(float(vector @ other) for other in names) for name, vector in aeg.entities.items() if len(names)
    }
    ranked = sorted(entities, key=lambda name: (-entities[name], name))[: chosen.entity_seeds]
    kept = [name for name in ranked if entities[name] >= chosen.entity_floor] or ranked[:1]
    return scaled, {name: max(entities[name], 0.0) for name in kept}


def best_atoms(
    aeg: Aeg, edges: Edges, question: Vector, names: Sequence[Vector], chosen: AtomicSettings
) -> list[tuple[str, float]]:
    """The best atoms by PageRank with their scores."""
    atoms, entities = seeds(aeg, question, names, chosen)
    weights = {name: weight for name, weight in {**atoms, **entities}.items() if weight > 0}
    total = sum(weights.values())
    ranks = page_rank(edges, {name: weight / total for name, weight in weights.items()}, chosen.damping)
    found = sorted(((name, ranks.get(name, 0.0)) for name in aeg.atoms), key=lambda item: (-item[1], item[0]))
    return [item for item in found if item[1] > 0][: chosen.atoms]


def merged(found: Iterable[Sequence[tuple[str, float]]], most: int) -> list[tuple[str, float]]:
    """The atoms of several questions: each with its best score; the first seen comes first among equals."""
    best: Weights = {}
    for atoms in found:
        for name, score in atoms:
            best[name] = max(score, best.get(name, 0.0))
    return sorted(best.items(), key=lambda item: -item[1])[:most]


def ranked_chunks(aeg: Aeg, atoms: Sequence[tuple[str, float]]) -> list[tuple[str, float]]:
    """The atoms' chunks by their best atom, then by the sum over their atoms."""
    scores: dict[str, list[float]] = defaultdict(list)
    for name, score in atoms:
        for chunk in aeg.chunks[name]:
            scores[chunk].append(score)
    order = sorted(scores, key=lambda chunk: (-max(scores[chunk]), -sum(scores[chunk]), chunk))
    return [(chunk, max(scores[chunk])) for chunk in order]
