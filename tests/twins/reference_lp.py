"""LP-RAG's scoring in slow, plain numpy, from the stored bytes: the twin of ``qcg.links.score``."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from qcg_neo4j.database.graph import Graph

Vector = NDArray[np.float64]


@dataclass
class Model:
    """The numbers of a ``LinkPredictor`` node, cut as the documentation says."""

    own: list[Vector] = field(default_factory=list)
    neighbours: list[Vector] = field(default_factory=list)
    biases: list[Vector] = field(default_factory=list)
    first: Vector = field(default_factory=lambda: np.empty(0))
    first_bias: Vector = field(default_factory=lambda: np.empty(0))
    second: Vector = field(default_factory=lambda: np.empty(0))
    last: float = 0.0
    temperature: float = 0.0
    offset: float = 0.0
    common: str = "none"


@dataclass
class Atoms:
    """Embeddings by id, and the score of every pair in both directions."""

    vectors: dict[str, Vector]
    pairs: dict[str, dict[str, float]]


def read_model(graph: Graph) -> Model:
    """The predictor of a graph."""
    node = graph.driver.execute_query("MATCH (p:LinkPredictor) RETURN p").records[0]["p"]
    numbers = iter(np.frombuffer(node["weights"], "<f4").astype(np.float64))

    def take(*size: int) -> Vector:
        return np.array([next(numbers) for _ in range(int(np.prod(size)))]).reshape(size)

    found, hidden, width = Model(common=node["common"]), node["hidden"], node["scorerHidden"]
    for number in range(node["layers"]):
        inputs = hidden if number else node["dimension"]
        found.own.append(take(hidden, inputs))
        found.neighbours.append(take(hidden, inputs))
        found.biases.append(take(hidden))
    if width:
        found.first = take(width, hidden if found.common == "none" else 2 * hidden)
        found.first_bias, found.second, found.last = take(width), take(width), float(take(1)[0])
    found.temperature, found.offset = take(2).tolist()
    return found


def read_atoms(graph: Graph) -> Atoms:
    """All atoms and what joins them."""
    rows = graph.driver.execute_query("MATCH (a:Atom) RETURN a.id AS id, a.embedding AS vector").records
    found = Atoms({row["id"]: np.array(row["vector"]) for row in rows}, {row["id"]: {} for row in rows})
    joined = "MATCH (a:Atom)-[s:SIMILAR_TO]-(b:Atom) RETURN a.id AS a, b.id AS b, s.score AS score"
    for row in graph.driver.execute_query(joined).records:
        found.pairs[row["a"]][row["b"]] = row["score"]
    return found


def encoded(model: Model, atoms: Atoms) -> list[dict[str, Vector]]:
    """The atoms' vectors at every layer, from the embeddings on."""
    layers = [atoms.vectors]
    for number, (own, neighbours, bias) in enumerate(zip(model.own, model.neighbours, model.biases, strict=True)):
        below, above = layers[-1], {}
        for name, vector in below.items():
            total = sum(atoms.pairs[name].values())
            mean = sum((score * below[other] / total for other, score in atoms.pairs[name].items()), 0 * vector)
            above[name] = own @ vector + neighbours @ mean + bias
            if number + 1 < len(model.own):
                above[name] = np.maximum(above[name], 0)
        layers.append(above)
    return layers


def asked(model: Model, layers: list[dict[str, Vector]], question: Vector) -> Vector:
    """The question's vector: linked to all atoms, each weighing the same."""
    found = question
    for number, (own, neighbours, bias) in enumerate(zip(model.own, model.neighbours, model.biases, strict=True)):
        mean = np.mean(list(layers[number].values()), axis=0)
        found = own @ found + neighbours @ mean + bias
        found = np.maximum(found, 0) if number + 1 < len(model.own) else found
    return found


def score(
    model: Model, atoms: Atoms, layers: list[dict[str, Vector]], question: Vector, atom: str, without: str = ""
) -> float:
    """The score of one link; ``without`` is a neighbour that does not count."""
    h_q, h_c = asked(model, layers, question), layers[-1][atom]
    common = [layers[-1][other] for other in atoms.pairs[atom] if other != without]
    parts = [h_q * h_c]
    if model.common == "mean":
        parts.append(h_q * (np.mean(common, axis=0) if common else np.zeros_like(h_c)))
    elif model.common == "sum":
        parts.append(np.sum(common, axis=0) if common else np.zeros_like(h_c))
    linear = model.temperature * float(atoms.vectors[atom] @ question) + model.offset
    if not len(model.first):
        return linear + float(h_q @ h_c)
    hidden = np.maximum(model.first @ np.concatenate(parts) + model.first_bias, 0)
    return linear + float(model.second @ hidden) + model.last
