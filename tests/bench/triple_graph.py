"""Random triples: topics of entities, some triples that leave them, few entities that all know."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from bench.synthetic import Vectors, unit
from qcg_neo4j.core.records import content_id

TOPIC = 50  # entities that mostly lead to each other
TRIPLES_PER_ENTITY = 2  # as in LiHua-World's extracted graph, about
TRIPLES = TOPIC * TRIPLES_PER_ENTITY  # of a topic
LEAVING = 0.1  # share of triples that lead to another topic
KNOWN = 0.2  # share of triples at one end of which is an entity that all know, as a chat's owner or a country is
HUBS = 20  # so many of these
HITS = 20  # triples whose ends are the sources and targets of a search (KG-CQR, k)


@dataclass(frozen=True)
class Search:
    """Ids of the triples that a question hits, the ids of their entities, and the question's vector."""

    hits: tuple[str, ...]
    entities: tuple[str, ...]
    vector: Vectors


class TripleGraph:
    """Graphs of one seed; a larger one begins with the smaller one."""

    def __init__(self, seed: int, dimension: int) -> None:
        self._seed, self._dimension = seed, dimension

    def triples(self, topic: int) -> list[dict[str, object]]:
        """The triples of a topic, with vectors of unit length."""
        random = np.random.default_rng([self._seed, topic])
        ends = random.integers(TOPIC, size=(TRIPLES, 2))
        kinds = random.random(TRIPLES)
        centre = random.normal(size=self._dimension)
        vectors = unit(centre + 1.5 * random.normal(size=(TRIPLES, self._dimension)))
        rows = []
        for place, (source, target) in enumerate(ends.tolist()):
            first, last = self._ends(topic, source, target, float(kinds[place]), random)
            name = content_id(str(self._seed), str(topic), str(place))
            rows.append({"id": name, "source": first, "target": last, "embedding": vectors[place]})
        return rows

    def _ends(self, topic: int, source: int, target: int, kind: float, random: np.random.Generator) -> tuple[str, str]:
        inside, hub = f"{topic}/{source}", f"0/{random.integers(HUBS)}"
        if kind < KNOWN:
            return (hub, inside) if kind < KNOWN / 2 else (inside, hub)
        return inside, f"{random.integers(topic + 1) if kind < KNOWN + LEAVING else topic}/{target}"

    def searches(self, number: int, topics: int) -> list[Search]:
        """So many searches, each between the ends of 20 triples of one topic."""
        random = np.random.default_rng([self._seed, topics, 1])
        return [self._search(int(topic), random) for topic in random.integers(topics, size=number)]

    def _search(self, topic: int, random: np.random.Generator) -> Search:
        triples = self.triples(topic)
        chosen = random.choice(len(triples), size=HITS, replace=False)
        ends = {str(triples[place][end]) for place in chosen for end in ("source", "target")}
        near = np.asarray(triples[int(chosen[0])]["embedding"], dtype=np.float64)
        vector = unit(near + 0.5 * random.normal(size=(1, self._dimension)) / np.sqrt(self._dimension))[0]
        hits = tuple(str(triples[place]["id"]) for place in chosen)
        return Search(hits, tuple(sorted(ends)), vector)


def described(dimension: int, seed: int, what: str) -> str:
    """What a reader must know of these triples."""
    return (
        f"Synthetic {what}, seed {seed}: topics of {TOPIC} entities, {TRIPLES_PER_ENTITY} {what} an entity, "
        f"{LEAVING:.0%} of them to another topic, {KNOWN:.0%} to or from {HUBS} entities that all know; vectors of "
        f"{dimension} dimensions"
    )
