"""The predictors as they learn, in PyTorch with the parts of torch-geometric."""

from __future__ import annotations

import math
import warnings
from itertools import pairwise

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from qcg_neo4j.indexing.train.settings import NCN, TUNED, PredictorSettings, row_of
from qcg_neo4j.indexing.train.weights import MEAN, NONE, SUM, Layer, Scorer, Weights

with warnings.catch_warnings():
    warnings.simplefilter("ignore", FutureWarning)
    warnings.simplefilter("ignore", DeprecationWarning)
    from torch_geometric import seed_everything
    from torch_geometric.nn import VGAE, GraphConv
    from torch_geometric.utils import k_hop_subgraph, scatter

__all__ = ["VGAE", "GraphConv", "k_hop_subgraph", "scatter", "seed_everything"]


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
