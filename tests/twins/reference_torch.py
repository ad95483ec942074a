"""Link prediction by the PyTorch modules that learned, with a stored predictor's numbers in them."""

from __future__ import annotations

from typing import Any

from qcg_neo4j.database.graph import Graph
from qcg_neo4j.indexing.train import PredictorSettings
from qcg_neo4j.indexing.train.network import read_network
from qcg_neo4j.indexing.train.weights import Weights


class InTorch:
    """Scores all atoms of a graph; what does not depend on the question is computed once."""

    def __init__(self, graph: Graph, settings: PredictorSettings, weights: Weights) -> None:
        import torch

        from qcg_neo4j.indexing.train.learners import Predictor, Variational, shares_of

        self._made = read_network(graph)
        self._edges, scores = (torch.from_numpy(array) for array in self._made.directed)
        self._rows = torch.from_numpy(self._made.vectors)
        self._shares = shares_of(self._edges, scores, len(self._rows))
        dimension = self._rows.shape[1]
        self._variational = settings.model == "vgae"
        model: Any = (Variational if self._variational else Predictor)(settings, dimension)
        self._model, self._encoder = model, (model.mean if self._variational else model.encoder)
        with torch.no_grad():
            for number, (layer, known) in enumerate(zip(self._encoder.layers, weights.layers, strict=True)):
                scale = self._encoder.scale if number == 0 else 1.0
                layer.lin_root.weight.copy_(torch.from_numpy(known.own / scale))
                layer.lin_rel.weight.copy_(torch.from_numpy(known.neighbours / scale))
                layer.lin_rel.bias.copy_(torch.from_numpy(known.bias))
            self._vectors = self._encoder(self._rows, self._edges, self._shares)
            if weights.scorer:
                self._model.first.weight.copy_(torch.from_numpy(weights.scorer.first))
                self._model.first.bias.copy_(torch.from_numpy(weights.scorer.bias))
                self._model.second.weight.copy_(torch.from_numpy(weights.scorer.second)[None])
                self._model.second.bias.fill_(weights.scorer.last)
                self._model.linear.copy_(torch.tensor([weights.temperature, weights.offset]))
                self._common = self._model.eval().common_neighbours(self._vectors, self._edges)

    def scores(self, question: Any) -> dict[str, float]:
        """The score of every atom for a question's vector."""
        import torch

        with torch.no_grad():
            asked = torch.from_numpy(question)[None]
            found = self._encoder.questions(asked, self._rows, self._edges, self._shares)
            if self._variational:
                scores = self._vectors @ found[0]
            else:
                scores = self._model(found, self._vectors, self._common, self._rows @ asked[0])
            return dict(zip(self._made.atoms, scores.tolist(), strict=True))
