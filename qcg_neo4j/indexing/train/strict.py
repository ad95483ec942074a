"""The graph of the strict form: questions are nodes, and links of a step are taken out before messages pass."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy.sparse import csr_array

from qcg_neo4j.indexing.train.network import Flags, Floats, Network, Whole
from qcg_neo4j.indexing.train.settings import NCN, PredictorSettings


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
        self._atoms, self._by_degree = len(network.atoms), settings.negatives == "degree"
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
        degrees = network.degrees.astype(np.float64)
        self._chances = degrees / max(1.0, degrees.sum())
        whole = self._graph(np.ones(len(self._links), bool))
        self.edges, self.scores = whole.edges, whole.scores

    def steps(self, size: int) -> Iterator[tuple[Whole, Floats]]:
        """All links once in random order, with as many drawn pairs: pairs of nodes, and 1 for a link."""
        order = self._random.permutation(len(self._targets))
        for start in range(0, len(order), size):
            real = self._targets[order[start : start + size]]
            drawn = np.stack([real[:, 0], self._drawn(len(real))], axis=1)
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

    def _drawn(self, number: int) -> Whole:
        if self._by_degree:
            return self._random.choice(self._atoms, number, p=self._chances)
        return self._random.integers(self._atoms, size=number)
