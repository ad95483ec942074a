"""What is learned from in one step: right atoms beside wrong ones (tuned), or links beside drawn pairs (paper)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from qcg_neo4j.indexing.train.network import Flags, Floats, Network, Whole, nearest
from qcg_neo4j.indexing.train.settings import NCN, PredictorSettings

MOST_RIGHT = 16  # right atoms of a question that one step looks at
MOST_COMPARED = 20_000  # atoms among which near wrong ones are looked for; more would take hours


@dataclass(frozen=True)
class Step:
    """Questions with the atoms of each: (questions, entries); ``right`` and ``real`` distinguish them.

    ``asking`` are the places of the atoms that ask, where atoms do.
    """

    questions: Floats
    entries: Whole
    right: Flags
    real: Flags
    asking: Whole


class Examples:
    """Who asks, which atoms are right, and which wrong ones are near."""

    def __init__(self, network: Network, training: Whole, settings: PredictorSettings) -> None:
        self._settings = settings
        self._random = np.random.default_rng(settings.random_seed)
        self._atoms = len(network.atoms)
        self._chances = _chances(network, settings)
        if settings.asking == "atoms":
            self.asking = np.unique(network.pairs)
            self._rows = network.vectors[self.asking]
            self._right = _neighbours(network)
        else:
            self.asking = np.empty(0, np.int64)
            self._rows = network.questions[training]
            self._right = [network.right(int(question)) for question in training]
        self._near = self._nearest_wrong(network)

    def __len__(self) -> int:
        return len(self._rows)

    def steps(self, size: int) -> Iterator[Step]:
        """All examples once, in random order."""
        order = self._random.permutation(len(self._rows))
        for start in range(0, len(order), size):
            yield self._step(order[start : start + size])

    def _step(self, places: Whole) -> Step:
        chosen = self._settings
        right = [self._some(self._right[place], MOST_RIGHT) for place in places]
        wide = max(len(atoms) for atoms in right)
        hard = min(chosen.hard_negatives, self._near.shape[1])
        entries = np.zeros((len(places), wide + hard + chosen.random_negatives), np.int64)
        is_right, real = np.zeros(entries.shape, bool), np.ones(entries.shape, bool)
        for row, (place, atoms) in enumerate(zip(places, right, strict=True)):
            entries[row, : len(atoms)] = atoms
            is_right[row, : len(atoms)] = True
            real[row, len(atoms) : wide] = False
            entries[row, wide : wide + hard] = self._some(self._near[place], hard)
        drawn = self._random.choice(self._atoms, (len(places), chosen.random_negatives), p=self._chances)
        entries[:, wide + hard :] = drawn
        for row, place in enumerate(places):  # a right atom that was drawn as a wrong one does not count
            real[row, wide + hard :] &= ~np.isin(drawn[row], self._right[place])
        asking = self.asking[places] if len(self.asking) else self.asking
        return Step(self._rows[places], entries, is_right, real, asking)

    def _some(self, values: Whole, number: int) -> Whole:
        return values if len(values) <= number else self._random.choice(values, number, replace=False)

    def _nearest_wrong(self, network: Network) -> Whole:
        compared = np.arange(self._atoms)
        if self._atoms > MOST_COMPARED:
            compared = np.sort(self._random.choice(self._atoms, MOST_COMPARED, replace=False))
        most = max(len(atoms) for atoms in self._right)
        wanted = min(self._settings.hard_pool, max(1, len(compared) - most - 1))
        found = compared[nearest(self._rows, network.vectors[compared], wanted + most + 1)[0]]
        near = np.empty((len(found), wanted), np.int64)
        for row, places in enumerate(found):
            own = self.asking[row : row + 1]
            near[row] = places[~np.isin(places, np.concatenate([self._right[row], own]))][:wanted]
        return near


def _chances(network: Network, settings: PredictorSettings) -> NDArray[np.float64] | None:
    """How likely each atom is drawn, by its number of neighbours; None where all are as likely."""
    return network.degrees / max(1, network.degrees.sum()) if settings.negatives == "degree" else None


def _neighbours(network: Network) -> list[Whole]:
    """The neighbours of every atom that has some, in the order of the atoms."""
    edges, _ = network.directed
    order = np.argsort(edges[0], kind="stable")
    _, starts = np.unique(edges[0][order], return_index=True)
    return np.split(edges[1][order], starts[1:])


@dataclass(frozen=True)
class Graph:
    """Edges in both directions, (2, edges), with their scores."""

    edges: Whole
    scores: Floats
    nodes: int

    @cached_property
    def _adjacency(self) -> csr_array:
        ones = np.ones(self.edges.shape[1], np.float32)
        return csr_array((ones, (self.edges[0], self.edges[1])), shape=(self.nodes, self.nodes))

    def common(self, pairs: Whole) -> tuple[Whole, Whole]:
        """The common neighbours of pairs of nodes: for each, the place of its pair and the node."""
        both = (self._adjacency[pairs[:, 0]] * self._adjacency[pairs[:, 1]]).tocoo()
        kept = both.data > 0
        return both.row[kept].astype(np.int64), both.col[kept].astype(np.int64)


class Links:
    """Nodes are the atoms, then the training questions; links join atoms, and questions with their atoms."""

    def __init__(self, network: Network, training: Whole, settings: PredictorSettings) -> None:
        self._random = np.random.default_rng(settings.random_seed)
        self._atoms, self._chances = len(network.atoms), _chances(network, settings)
        self.atom_graph = (network.vectors, *network.directed)
        asking = training if settings.asking == "questions" else training[:0]
        self.rows = np.concatenate([network.vectors, network.questions[asking]])
        node_of = {int(question): self._atoms + place for place, question in enumerate(asking)}
        kept = network.answers[np.isin(network.answers[:, 0], asking)]
        answers = np.array([[node_of[int(one)], atom] for one, atom in kept], np.int64).reshape(-1, 2)
        among_atoms = (settings.model == NCN and settings.query_neighbours == "batch") or not len(asking)
        self._targets = np.concatenate([answers, network.pairs]) if among_atoms else answers
        self._links = np.concatenate([answers, network.pairs])
        self._scores = np.concatenate([np.ones(len(answers), np.float32), network.scores])
        whole = self._graph(np.ones(len(self._links), bool))
        self.edges, self.scores = whole.edges, whole.scores

    def steps(self, size: int) -> Iterator[tuple[Whole, Floats]]:
        """All links once in random order, with as many drawn pairs: pairs of nodes, and 1 for a link."""
        order = self._random.permutation(len(self._targets))
        for start in range(0, len(order), size):
            real = self._targets[order[start : start + size]]
            others = self._random.choice(self._atoms, len(real), p=self._chances)
            drawn = np.stack([real[:, 0], others], axis=1)
            labels = np.repeat(np.array([1, 0], np.float32), len(real))
            yield np.concatenate([real, drawn]), labels

    def without(self, pairs: Whole) -> Graph:
        """The graph without some links."""
        hidden = pairs[:, 0] * len(self.rows) + pairs[:, 1]
        keys = self._links[:, 0] * len(self.rows) + self._links[:, 1]
        return self._graph(~np.isin(keys, hidden))

    def _graph(self, kept: Flags) -> Graph:
        links, scores = self._links[kept], self._scores[kept]
        edges = np.ascontiguousarray(np.concatenate([links, links[:, ::-1]]).T)
        return Graph(edges, np.concatenate([scores, scores]), len(self.rows))
