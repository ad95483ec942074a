"""What learns, in PyTorch with the parts of torch-geometric: the predictors, and how the weights of each are found.

By softmax over hard negatives (tuned), by links against drawn non-links (paper), and as a VGAE.
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Iterator
from itertools import pairwise
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn
from torch.nn import functional

from qcg_neo4j.indexing.train.examples import Examples, Links, Step
from qcg_neo4j.indexing.train.network import Floats, Network, Whole
from qcg_neo4j.indexing.train.settings import NCN, PAPER, TUNED, Pace, PredictorSettings, row_of
from qcg_neo4j.indexing.train.settings import VGAE as VARIATIONAL
from qcg_neo4j.indexing.train.weights import MEAN, NONE, SUM, Layer, Scorer, Weights

with warnings.catch_warnings():
    warnings.simplefilter("ignore", FutureWarning)
    warnings.simplefilter("ignore", DeprecationWarning)
    from torch_geometric import seed_everything
    from torch_geometric.nn import VGAE, GraphConv
    from torch_geometric.utils import k_hop_subgraph, scatter


class Encoder(nn.Module):
    """Message-passing layers: a self term, and the mean of the neighbours weighted by score."""

    def __init__(self, settings: PredictorSettings, dimension: int, *, sees_neighbours: bool) -> None:
        super().__init__()
        row = row_of(settings)
        sizes = [dimension, *[row.hidden] * row.layers]
        self.layers = nn.ModuleList(GraphConv(one, other) for one, other in pairwise(sizes))
        self.sees_neighbours = sees_neighbours
        # Numbers of a vector of unit length are small; learning begins well with numbers around 1.
        self.scale = math.sqrt(dimension)

    def forward(self, rows: Tensor, edges: Tensor, shares: Tensor) -> Tensor:
        """The nodes' vectors; ``shares`` are the edges' scores divided by their sum at the target."""
        rows = self.scale * rows
        for number, layer in enumerate(self.layers):
            rows = layer(rows, edges, shares) if self.sees_neighbours else layer.lin_root(rows) + layer.lin_rel.bias
            rows = rows.relu() if number + 1 < len(self.layers) else rows
        return rows

    def questions(self, questions: Tensor, atoms: Tensor, edges: Tensor, shares: Tensor) -> Tensor:
        """Vectors of questions that are linked to all atoms, and send nothing back."""
        questions, atoms = self.scale * questions, self.scale * atoms
        for number, layer in enumerate(self.layers):
            inner = number + 1 < len(self.layers)
            questions = layer.lin_root(questions) + layer.lin_rel.bias
            if self.sees_neighbours:
                questions = questions + layer.lin_rel.weight @ atoms.mean(dim=0)
                if inner:
                    atoms = layer(atoms, edges, shares).relu()
            questions = questions.relu() if inner else questions
        return questions

    def plain(self) -> tuple[Layer, ...]:
        """The layers as arrays."""
        scales = [self.scale, *[1.0] * (len(self.layers) - 1)]
        seen = 1.0 if self.sees_neighbours else 0.0
        return tuple(
            Layer(
                _array(scale * layer.lin_root.weight),
                _array(scale * seen * layer.lin_rel.weight),
                _array(layer.lin_rel.bias),
            )
            for scale, layer in zip(scales, self.layers, strict=True)
        )


class Predictor(nn.Module):
    """NCN in both forms, and the control without neighbours."""

    def __init__(self, settings: PredictorSettings, dimension: int) -> None:
        super().__init__()
        tuned, graph = settings.recipe == TUNED, settings.model == NCN
        self.common = NONE if not graph else MEAN if tuned else SUM
        self.encoder = Encoder(settings, dimension, sees_neighbours=graph)
        self.first = nn.Linear(row_of(settings).hidden * (2 if graph else 1), settings.scorer_hidden)
        self.second = nn.Linear(settings.scorer_hidden, 1)
        self.dropout = nn.Dropout(settings.dropout if tuned else 0.0)
        self.linear = nn.Parameter(torch.tensor([settings.temperature, settings.offset] if tuned else [0.0, 0.0]))
        self.linear.requires_grad_(tuned)
        if tuned:  # so that learning starts at plain cosine
            nn.init.zeros_(self.second.weight)
            nn.init.zeros_(self.second.bias)

    def forward(self, question: Tensor, atoms: Tensor, common: Tensor, cosines: Tensor) -> Tensor:
        """Scores; ``common`` holds what common neighbours are in this form, and is not looked at without them."""
        parts = [question * atoms]
        if self.common != NONE:
            parts.append(question * common if self.common == MEAN else common)
        hidden = self.dropout(self.first(self.dropout(torch.cat(parts, dim=-1))).relu())
        found: Tensor = self.linear[0] * cosines + self.linear[1] + self.second(hidden).squeeze(-1)
        return found

    def common_neighbours(self, vectors: Tensor, edges: Tensor) -> Tensor:
        """What the common neighbours of each atom and a question that is linked to all are."""
        if self.common == NONE:
            return vectors[:, :0]
        found: Tensor = scatter(vectors[edges[0]], edges[1], dim_size=len(vectors), reduce=self.common)
        return found

    def plain(self) -> Weights:
        """What was learned."""
        scorer = Scorer(
            _array(self.first.weight),
            _array(self.first.bias),
            _array(self.second.weight[0]),
            float(self.second.bias.detach()),
        )
        return Weights(self.encoder.plain(), self.common, scorer, *self.linear.detach().tolist())


class Variational(nn.Module):
    """The encoder of a variational graph auto-encoder; torch-geometric's VGAE adds the rest."""

    def __init__(self, settings: PredictorSettings, dimension: int) -> None:
        super().__init__()
        self.mean = Encoder(settings, dimension, sees_neighbours=True)
        self.spread = Encoder(settings, dimension, sees_neighbours=True)

    def forward(self, rows: Tensor, edges: Tensor, shares: Tensor) -> tuple[Tensor, Tensor]:
        """Means and logarithms of the deviations."""
        return self.mean(rows, edges, shares), self.spread(rows, edges, shares)

    def plain(self) -> Weights:
        """What was learned: an atom is its mean, and the product of two of them is the score."""
        return Weights(self.mean.plain(), NONE, None)


def shares_of(edges: Tensor, scores: Tensor, nodes: int) -> Tensor:
    """The edges' scores divided by their sum at the target."""
    totals: Tensor = scatter(scores, edges[1], dim_size=nodes, reduce="sum")
    return scores / totals.clamp(min=1e-12)[edges[1]]


def _array(values: Tensor) -> NDArray[np.float32]:
    found: NDArray[np.float32] = values.detach().cpu().numpy().copy()
    return found


def learner_of(network: Network, training: Whole, settings: PredictorSettings, pace: Pace) -> StepLearner:
    """What the settings ask for; the same settings give the same weights, but for rounding."""
    seed_everything(settings.random_seed)
    if settings.model == VARIATIONAL:
        return VariationalLearner(network, training, settings, pace)
    kind = StrictLearner if settings.recipe == PAPER else TunedLearner
    return kind(network, training, settings, pace)


class StepLearner:
    """What the learners share: step by step by Adam."""

    def __init__(self, model: Any, settings: PredictorSettings, pace: Pace) -> None:
        self._model, self._size = model, pace.batch_size
        self._optimizer = torch.optim.Adam(
            model.parameters(), lr=pace.learning_rate, weight_decay=row_of(settings).weight_decay
        )

    def losses(self) -> Iterator[Tensor]:
        """The loss of each step of an epoch."""
        raise NotImplementedError

    def epoch(self) -> None:
        """Learn from everything once."""
        self._model.train()
        for loss in self.losses():
            self._optimizer.zero_grad()
            loss.backward()
            self._optimizer.step()

    def weights(self) -> Weights:
        """What is known so far."""
        found: Weights = self._model.plain()
        return found


class TunedLearner(StepLearner):
    """Softmax per question over its right atoms, near wrong ones and random ones."""

    def __init__(self, network: Network, training: Whole, settings: PredictorSettings, pace: Pace) -> None:
        self._examples = Examples(network, training, settings)
        super().__init__(Predictor(settings, network.vectors.shape[1]), settings, pace)
        edges, scores = network.directed
        self._rows = torch.from_numpy(network.vectors)
        self._edges, self._scores = torch.from_numpy(edges), torch.from_numpy(scores)
        self._shares = shares_of(self._edges, self._scores, len(self._rows))
        self._hops = row_of(settings).layers + 1  # the neighbours of an atom are encoded as well

    def losses(self) -> Iterator[Tensor]:
        """The loss of each step over all questions."""
        return map(self._loss, self._examples.steps(self._size))

    def _loss(self, step: Step) -> Tensor:
        rows, edges, scores, places = self._around(torch.from_numpy(step.entries))
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
        questions = self._model.encoder.questions(asked, self._rows, self._edges, self._shares)
        found = self._model(questions[:, None], vectors[places], common[places], cosines)
        found = found.masked_fill(~torch.from_numpy(step.real), -1e9)
        right = torch.from_numpy(step.right).float()
        return -(functional.log_softmax(found, dim=1) * right / right.sum(1, keepdim=True)).sum(1).mean()

    def _around(self, needed: Tensor) -> tuple[Tensor, Tensor, Tensor, Tensor]:
        """Rows, edges and scores of the part around some atoms, and their places in it; of all where they are many."""
        unique, places = torch.unique(needed, return_inverse=True)
        if 2 * len(unique) > len(self._rows):
            return self._rows, self._edges, self._scores, needed
        part, edges, within, kept = k_hop_subgraph(
            unique, self._hops, self._edges, relabel_nodes=True, num_nodes=len(self._rows)
        )
        return self._rows[part], edges, self._scores[kept], within[places]


class StrictLearner(StepLearner):
    """Links of questions and atoms against as many drawn pairs, by binary cross-entropy; links of a step are hidden."""

    def __init__(self, network: Network, training: Whole, settings: PredictorSettings, pace: Pace) -> None:
        self._as_retrieved = settings.model != NCN or settings.query_neighbours == "all"
        self._links = Links(network, training, settings)
        super().__init__(Predictor(settings, network.vectors.shape[1]), settings, pace)

    def losses(self) -> Iterator[Tensor]:
        """The loss of each step over all links."""
        for pairs, labels in self._links.steps(self._size):
            found = self._retrieved(pairs) if self._as_retrieved else self._in_graph(pairs, labels)
            yield functional.binary_cross_entropy_with_logits(found, torch.from_numpy(labels))

    def _in_graph(self, pairs: Whole, labels: Floats) -> Tensor:
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

    def __init__(self, network: Network, training: Whole, settings: PredictorSettings, pace: Pace) -> None:
        graph = Links(network, training, settings)
        self._rows = torch.from_numpy(graph.rows)
        self._edges, scores = torch.from_numpy(graph.edges), torch.from_numpy(graph.scores)
        self._shares = shares_of(self._edges, scores, len(self._rows))
        super().__init__(VGAE(Variational(settings, network.vectors.shape[1])), settings, pace)

    def losses(self) -> Iterator[Tensor]:
        """The loss of the one step."""
        vectors = self._model.encode(self._rows, self._edges, self._shares)
        yield self._model.recon_loss(vectors, self._edges) + self._model.kl_loss() / len(self._rows)

    def weights(self) -> Weights:
        """What is known so far."""
        found: Weights = self._model.encoder.plain()
        return found
