"""What learns: softmax over hard negatives (tuned), links against drawn non-links (paper), and a VGAE."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import torch
from scipy.sparse import csr_array
from torch import Tensor
from torch.nn import functional

from qcg_neo4j.indexing.train.examples import Examples, Step
from qcg_neo4j.indexing.train.models import VGAE, Predictor, Variational, k_hop_subgraph, seed_everything, shares_of
from qcg_neo4j.indexing.train.network import Flags, Floats, Network, Whole
from qcg_neo4j.indexing.train.settings import NCN, PAPER, Pace, PredictorSettings, row_of
from qcg_neo4j.indexing.train.settings import VGAE as VARIATIONAL
from qcg_neo4j.indexing.train.split import Split
from qcg_neo4j.indexing.train.weights import Weights


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


def learner_of(network: Network, split: Split, settings: PredictorSettings, pace: Pace) -> StepLearner:
    """What the settings ask for; the same settings give the same weights, but for rounding."""
    seed_everything(settings.random_seed)
    if settings.model == VARIATIONAL:
        return VariationalLearner(network, split, settings, pace)
    kind = StrictLearner if settings.recipe == PAPER else TunedLearner
    return kind(network, split, settings, pace)


class Atoms:
    """The atoms and their edges as tensors, or as much of them as a step needs."""

    def __init__(self, network: Network, layers: int) -> None:
        edges, scores = network.directed
        self.rows = torch.from_numpy(network.vectors)
        self.edges, self.scores = torch.from_numpy(edges), torch.from_numpy(scores)
        self._hops = layers + 1  # the neighbours of an atom are encoded as well

    def around(self, needed: Tensor) -> tuple[Tensor, Tensor, Tensor, Tensor]:
        """Rows, edges and scores of the part around some atoms, and their places in it."""
        unique, places = torch.unique(needed, return_inverse=True)
        if 2 * len(unique) > len(self.rows):
            return self.rows, self.edges, self.scores, needed
        part, edges, within, kept = k_hop_subgraph(
            unique, self._hops, self.edges, relabel_nodes=True, num_nodes=len(self.rows)
        )
        return self.rows[part], edges, self.scores[kept], within[places]


class StepLearner:
    """What the learners share: step by step by Adam."""

    _model: Any

    def _begin(self, settings: PredictorSettings, pace: Pace) -> None:
        self._size = pace.batch_size
        self._optimizer = torch.optim.Adam(
            self._model.parameters(), lr=pace.learning_rate, weight_decay=row_of(settings).weight_decay
        )

    def losses(self) -> Iterator[Tensor]:
        """The loss of each step of an epoch."""
        raise NotImplementedError

    def epoch(self) -> float:
        """Learn from everything once; the mean loss."""
        self._model.train()
        found = []
        for loss in self.losses():
            self._optimizer.zero_grad()
            loss.backward()
            self._optimizer.step()
            found.append(float(loss.detach()))
        return float(np.mean(found))

    def weights(self) -> Weights:
        """What is known so far."""
        found: Weights = self._model.plain()
        return found


class TunedLearner(StepLearner):
    """Softmax per question over its right atoms, near wrong ones and random ones."""

    def __init__(self, network: Network, split: Split, settings: PredictorSettings, pace: Pace) -> None:
        self._examples = Examples(network, split.training, settings)
        self._model = Predictor(settings, network.vectors.shape[1])
        self._atoms = Atoms(network, row_of(settings).layers)
        self._all = torch.from_numpy(network.vectors)
        self._shares = shares_of(self._atoms.edges, self._atoms.scores, len(self._all))
        self._begin(settings, pace)

    def losses(self) -> Iterator[Tensor]:
        """The loss of each step over all questions."""
        return map(self._loss, self._examples.steps(self._size))

    def _loss(self, step: Step) -> Tensor:
        entries = torch.from_numpy(step.entries)
        rows, edges, scores, places = self._atoms.around(entries)
        if len(step.asking):  # an atom that asks does not see the links that it is asked for
            asking = torch.from_numpy(np.isin(step.entries, step.asking))
            hidden = torch.zeros(len(rows), dtype=torch.bool)
            hidden[places[asking]] = True
            kept = ~(hidden[edges[0]] | hidden[edges[1]])
            edges, scores = edges[:, kept], scores[kept]
        shares = shares_of(edges, scores, len(rows))
        vectors = self._model.encoder(rows, edges, shares)
        common = self._model.common_neighbours(vectors, edges)
        asked = torch.from_numpy(step.questions)
        cosines = (rows[places] * asked[:, None]).sum(-1)
        questions = self._model.encoder.questions(asked, self._all, self._atoms.edges, self._shares)
        found = self._model(questions[:, None], vectors[places], common[places], cosines)
        found = found.masked_fill(~torch.from_numpy(step.real), -1e9)
        right = torch.from_numpy(step.right).float()
        return -(functional.log_softmax(found, dim=1) * right / right.sum(1, keepdim=True)).sum(1).mean()


class StrictLearner(StepLearner):
    """Links of questions and atoms against as many drawn pairs, by binary cross-entropy; links of a step are hidden."""

    def __init__(self, network: Network, split: Split, settings: PredictorSettings, pace: Pace) -> None:
        self._as_retrieved = settings.model != NCN or settings.query_neighbours == "all"
        self._links = Links(network, split.training, settings)
        self._model = Predictor(settings, network.vectors.shape[1])
        self._begin(settings, pace)

    def losses(self) -> Iterator[Tensor]:
        """The loss of each step over all links."""
        for pairs, labels in self._links.steps(self._size):
            found = self._retrieved(pairs) if self._as_retrieved else self._in_graph(pairs, labels)
            yield functional.binary_cross_entropy_with_logits(found, torch.from_numpy(labels))

    def _in_graph(
        self,
        pairs: Whole,
        labels: Floats,
    ) -> Tensor:
        """Both ends are nodes of the graph without the links of this step."""
        graph = self._links.without(pairs[labels > 0])
        edges, scores = torch.from_numpy(graph.edges), torch.from_numpy(graph.scores)
        rows = torch.from_numpy(self._links.rows)
        vectors = self._model.encoder(rows, edges, shares_of(edges, scores, len(rows)))
        pair, node = graph.common(pairs)
        common = torch.zeros(len(pairs), vectors.shape[1])
        common = common.index_add(0, torch.from_numpy(pair), vectors[torch.from_numpy(node)])
        ends = torch.from_numpy(pairs)
        return self._scored(vectors[ends[:, 0]], vectors[ends[:, 1]], common)

    def _retrieved(self, pairs: Whole) -> Tensor:
        """The first end is asked as at retrieval: linked to all atoms, it sends nothing back."""
        atoms, edges, scores = (torch.from_numpy(array) for array in self._links.atom_graph)
        shares = shares_of(edges, scores, len(atoms))
        vectors = self._model.encoder(atoms, edges, shares)
        common = self._model.common_neighbours(vectors, edges)
        ends = torch.from_numpy(pairs)
        asked = torch.from_numpy(self._links.rows)[ends[:, 0]]
        questions = self._model.encoder.questions(asked, atoms, edges, shares)
        return self._scored(questions, vectors[ends[:, 1]], common[ends[:, 1]])

    def _scored(self, one: Tensor, other: Tensor, common: Tensor) -> Tensor:
        found: Tensor = self._model(one, other, common, torch.zeros(len(one)))
        return found


class VariationalLearner(StepLearner):
    """torch-geometric's VGAE over atoms and questions; an epoch is one step over all links."""

    def __init__(self, network: Network, split: Split, settings: PredictorSettings, pace: Pace) -> None:
        graph = Links(network, split.training, settings)
        self._rows = torch.from_numpy(graph.rows)
        self._edges, scores = torch.from_numpy(graph.edges), torch.from_numpy(graph.scores)
        self._shares = shares_of(self._edges, scores, len(self._rows))
        self._model = VGAE(Variational(settings, network.vectors.shape[1]))
        self._begin(settings, pace)

    def losses(self) -> Iterator[Tensor]:
        """The loss of the one step."""
        vectors = self._model.encode(self._rows, self._edges, self._shares)
        yield self._model.recon_loss(vectors, self._edges) + self._model.kl_loss() / len(self._rows)

    def weights(self) -> Weights:
        """What is known so far."""
        found: Weights = self._model.encoder.plain()
        return found
