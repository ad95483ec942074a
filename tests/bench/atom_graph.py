"""Atom-entity graphs of any size, shaped like that of a medical textbook: ten edges a node, few nodes that all know."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

# Of each topic: a tenth of what AtomicRAG's graph of GraphRAG-Bench Medical has per 10,000 edges.
ATOMS, ENTITIES = 38, 62
MENTIONS, TRIPLES, SYNONYMS = 150, 350, 500
EDGES = MENTIONS + TRIPLES + SYNONYMS
LEAVING = 0.1  # share of an entity's edges that lead to another topic
KNOWN = 0.05  # share of edges at one end of which is an entity that all know
HUBS = 10  # so many of these
ATOM_SEEDS, ENTITY_SEEDS = 10, 20

Edge = tuple[str, str, float]
Seeds = dict[str, float]  # where a walk begins: ids with weights of sum 1


class AtomGraph:
    """Random graphs of one seed; a larger one begins with the smaller one."""

    def __init__(self, seed: int) -> None:
        self._seed = seed

    def atoms(self, topic: int) -> list[str]:
        """The ids of a topic's atoms."""
        return [f"a{topic}/{place}" for place in range(ATOMS)]

    def entities(self, topic: int) -> list[str]:
        """The ids of a topic's entities."""
        return [f"e{topic}/{place}" for place in range(ENTITIES)]

    def mentions(self, topic: int) -> list[Edge]:
        """Atoms with the entities that they mention, each once; every atom mentions one at least.

        What lies alone is where implementations differ: igraph lets a walk begin anew there, the others lose it.
        """
        random = np.random.default_rng([self._seed, topic, 0])
        first = np.arange(ATOMS) * ENTITIES + random.integers(ENTITIES, size=ATOMS)
        others = np.setdiff1d(np.arange(ATOMS * ENTITIES), first)
        places = np.concatenate([first, random.choice(others, size=MENTIONS - ATOMS, replace=False)]).tolist()
        return [(f"a{topic}/{place // ENTITIES}", f"e{topic}/{place % ENTITIES}", 1.0) for place in places]

    def pairs(self, topic: int) -> tuple[list[Edge], list[Edge]]:
        """Triples (weight 1) and synonyms (weight their cosine); each leads to this topic or to an earlier one."""
        random = np.random.default_rng([self._seed, topic, 1])
        number = TRIPLES + SYNONYMS
        first = random.integers(ENTITIES, size=number)
        step = random.integers(1, ENTITIES, size=number)  # no entity is joined to itself
        kinds, scores = random.random(number), 0.8 + 0.2 * random.random(number)
        others = random.integers(topic + 1, size=number)
        hubs = random.integers(HUBS, size=number)
        edges: list[Edge] = []
        for place in range(number):
            source, target = f"e{topic}/{first[place]}", f"e{topic}/{(first[place] + step[place]) % ENTITIES}"
            if kinds[place] < KNOWN and source != f"e0/{hubs[place]}":
                target = f"e0/{hubs[place]}"
            elif kinds[place] < KNOWN + LEAVING:
                target = f"e{others[place]}/{(first[place] + step[place]) % ENTITIES}"
            edges.append((source, target, 1.0 if place < TRIPLES else round(float(scores[place]), 4)))
        return edges[:TRIPLES], edges[TRIPLES:]

    def seeds(self, number: int, topics: int) -> list[Seeds]:
        """So many walks, each from atoms and entities of one topic."""
        random = np.random.default_rng([self._seed, topics, 2])
        return [self._seeds(int(topic), random) for topic in random.integers(topics, size=number)]

    def _seeds(self, topic: int, random: np.random.Generator) -> Seeds:
        names = [
            *random.choice(self.atoms(topic), size=ATOM_SEEDS, replace=False).tolist(),
            *random.choice(self.entities(topic), size=ENTITY_SEEDS, replace=False).tolist(),
        ]
        weights = np.concatenate([0.1 * random.random(ATOM_SEEDS), 0.3 + 0.7 * random.random(ENTITY_SEEDS)])
        return dict(zip(names, (weights / weights.sum()).tolist(), strict=True))


def rows(edges: Sequence[Edge], *, scored: bool) -> list[dict[str, object]]:
    """The edges as rows of their statement."""
    return [{"source": one, "target": other, "score": weight if scored else None} for one, other, weight in edges]
