"""Scoring links between a question and atoms: the procedure in the database beside PyTorch in this process."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

from qcg_neo4j.bench.result import Measured, Result, ratio, spread
from qcg_neo4j.bench.retrieve import Phase, facts, quiet
from qcg_neo4j.bench.settings import LinksBenchSettings
from qcg_neo4j.errors import GraphError, MissingPackageError
from qcg_neo4j.graph import Call, Graph
from qcg_neo4j.progress import Progress
from qcg_neo4j.train.network import Floats, Whole
from qcg_neo4j.train.stored import Trained, as_values
from qcg_neo4j.train.weights import MEAN, Encoded, Layer, Scorer, Weights, encode, encode_questions

STORED, COMPUTED, CLIENT = (
    "qcg.links.score",
    "qcg.links.score, atoms' vectors computed",
    "PyTorch, neighbourhood fetched",
)
BEST = 25
HIDDEN, WIDTH = 256, 128
COMPUTED_UP_TO = 5  # degree; beyond, computing every vector anew takes seconds
_AT_ONCE = 500
Found = list[tuple[str, float]]


def bench_links(
    graph: Graph,
    candidates: Sequence[int],
    degrees: Sequence[int],
    settings: LinksBenchSettings,
    phase: Phase = quiet,
    command: str = "",
) -> Result:
    """Fill the empty database, and time each way for every number of candidates and of neighbours, warm.

    Raises:
        MissingPackageError: PyTorch is not installed.
        GraphError: two ways do not find the same.
    """
    client = InProcess(settings)
    graph.use_model("synthetic", settings.dimension)
    with phase(f"Writing {settings.atoms:,} atoms") as progress:
        _write_atoms(graph, client, progress)
    measured: list[Measured] = []
    for degree in degrees:
        with phase(f"Joining each with {degree}") as progress:
            client.join(degree)
            _write_predictor(graph, client, progress)
        for number in candidates:
            with phase(f"Scoring {number:,} of degree {degree}") as progress:
                measured += _measured(graph, client, settings, number, degree, progress)
    notes = tuple(_notes(settings))
    return Result("Link prediction", "ms", "candidates", STORED, tuple(measured), facts(graph), notes, command)


class InProcess:
    """The same predictor in this process, and what the atoms are like."""

    def __init__(self, settings: LinksBenchSettings) -> None:
        try:
            import torch
        except ImportError:
            raise MissingPackageError("The comparison needs PyTorch.", "pip install 'qcg-neo4j[train]'") from None
        self._torch = torch
        self._random = np.random.default_rng(settings.seed)
        self.names = tuple(f"a{place:07}" for place in range(settings.atoms))
        self.vectors = self.unit(settings.atoms, settings.dimension)
        self.weights = self._weights(settings.dimension)
        self.edges, self.scores = np.empty((2, 0), np.int64), np.empty(0, np.float32)
        self.encoded = encode(self.weights, self.vectors, self.edges, self.scores)

    def unit(self, number: int, dimension: int) -> Floats:
        """Random vectors of unit length."""
        found = self._random.standard_normal((number, dimension), np.float32)
        return np.asarray(found / np.linalg.norm(found, axis=1, keepdims=True), np.float32)

    def join(self, degree: int) -> Whole:
        """Join every atom with as many others, at random; the pairs, each once."""
        number = len(self.names)
        circle = self._random.permutation(number)
        parts = [np.stack([circle, np.roll(circle, step)], axis=1) for step in range(1, degree // 2 + 1)]
        if degree % 2:
            parts.append(circle[: number // 2 * 2].reshape(2, -1).T)
        pairs = np.concatenate(parts)
        self.edges = np.concatenate([pairs, pairs[:, ::-1]]).T
        self.scores = np.full(self.edges.shape[1], 0.7, np.float32)
        self.encoded = encode(self.weights, self.vectors, self.edges, self.scores)
        return pairs

    def score(self, row: dict[str, Any], question: Floats) -> Found:
        """The best of the fetched atoms."""
        torch, scorer = self._torch, self.weights.scorer
        assert scorer is not None  # noqa: S101 - the weights of this measurement have one
        vectors = {one["id"]: place for place, one in enumerate(row["vectors"])}
        known = torch.tensor([one["vector"] for one in row["vectors"]])
        embeddings = torch.tensor([atom["embedding"] for atom in row["atoms"]])
        asked = torch.from_numpy(encode_questions(self.weights, self.encoded.question_biases, question[None])[0])
        own = known[[vectors[atom["id"]] for atom in row["atoms"]]]
        around = torch.stack([known[[vectors[name] for name in atom["neighbours"]]].mean(0) for atom in row["atoms"]])
        inner = torch.cat([own * asked, around * asked], dim=1) @ torch.from_numpy(scorer.first).T
        hidden = (inner + torch.from_numpy(scorer.bias)).relu()
        scores = self.weights.temperature * (embeddings @ torch.from_numpy(question)) + self.weights.offset
        scores = scores + hidden @ torch.from_numpy(scorer.second) + scorer.last
        best = torch.topk(scores, min(BEST, len(scores))).indices.tolist()
        return [(row["atoms"][place]["id"], float(scores[place])) for place in best]

    def _weights(self, dimension: int) -> Weights:
        def some(*size: int) -> Floats:
            return np.asarray(self._random.standard_normal(size) / np.sqrt(size[-1]), np.float32)

        layer = Layer(some(HIDDEN, dimension), some(HIDDEN, dimension), some(HIDDEN))
        return Weights((layer,), MEAN, Scorer(some(WIDTH, 2 * HIDDEN), some(WIDTH), some(WIDTH), 0.1), 20.0, -12.0)


def _write_atoms(graph: Graph, client: InProcess, progress: Progress) -> None:
    for start in range(0, len(client.names), _AT_ONCE):
        part = slice(start, start + _AT_ONCE)
        named = zip(client.names[part], client.vectors[part], strict=True)
        graph.write_batches("bench/link_atoms", [{"id": name, "embedding": vector} for name, vector in named])
        progress(min(start + _AT_ONCE, len(client.names)), len(client.names))


def _write_predictor(graph: Graph, client: InProcess, progress: Progress) -> None:
    """The pairs, the predictor of the graph that they make, and its vectors of the atoms."""
    graph.run("bench/forget_link_pairs")
    pairs = client.edges[:, : client.edges.shape[1] // 2].T.tolist()
    rows = [{"source": client.names[one], "target": client.names[other], "score": 0.7} for one, other in pairs]
    graph.write_batches("bench/link_pairs", rows, batch_size=5000)
    values = as_values(Trained(client.weights, 0.0, "synthetic"), client.encoded)
    graph.write(Call("train/write_predictor", {"values": values}))
    _write_vectors(graph, client.names, client.encoded)
    graph.write(Call("train/ready", {"atoms_revision": 0}))
    progress(1, 1)


def _write_vectors(graph: Graph, names: Sequence[str], encoded: Encoded) -> None:
    rows = ({"id": name, "vector": vector} for name, vector in zip(names, encoded.vectors, strict=True))
    graph.write_batches("train/write_vectors", rows, batch_size=_AT_ONCE)


def _measured(
    graph: Graph, client: InProcess, settings: LinksBenchSettings, number: int, degree: int, progress: Progress
) -> Iterator[Measured]:
    def by_procedure(ids: list[str], question: Floats) -> Found:
        rows = graph.rows("bench/links_by_procedure", ids=ids, question_vector=question)
        return [(row["id"], row["score"]) for row in rows]

    def by_client(ids: list[str], question: Floats) -> Found:
        return client.score(graph.rows("bench/links_by_client", ids=ids)[0], question)

    total = settings.warm_up + settings.questions
    questions = client.unit(total, settings.dimension)
    asked = [(_some(settings, number, place), question) for place, question in enumerate(questions)]
    found = _timed({STORED: by_procedure, CLIENT: by_client}, asked, settings, progress)
    if degree <= COMPUTED_UP_TO:
        graph.run("train/forget_vectors")
        found |= _timed({COMPUTED: by_procedure}, asked, settings, progress)
        _write_vectors(graph, client.names, client.encoded)
    _check(found, number, degree)
    for name, (times, _) in found.items():
        yield Measured(f"{name}, degree {degree}", number, spread(times), ratio(times, found[STORED][0]))


def _some(settings: LinksBenchSettings, number: int, place: int) -> list[str]:
    chosen = np.random.default_rng([settings.seed, place]).choice(settings.atoms, number, replace=False)
    return [f"a{atom:07}" for atom in chosen]


def _timed(
    ways: dict[str, Callable[[list[str], Floats], Found]],
    asked: Sequence[tuple[list[str], Floats]],
    settings: LinksBenchSettings,
    progress: Progress,
) -> dict[str, tuple[list[float], list[Found]]]:
    kept: dict[str, tuple[list[float], list[Found]]] = {name: ([], []) for name in ways}
    for place, (ids, question) in enumerate(asked):
        for name in [*ways][:: 1 if place % 2 else -1]:
            start = time.perf_counter()
            best = ways[name](ids, question)
            if place >= settings.warm_up:
                kept[name][0].append(1000 * (time.perf_counter() - start))
                kept[name][1].append(best)
        progress(place + 1, len(asked))
    return kept


def _check(found: dict[str, tuple[list[float], list[Found]]], number: int, degree: int) -> None:
    for name, (_, others) in found.items():
        for own, other in zip(found[STORED][1], others, strict=True):
            far = [abs(one - two) > 1e-3 for (_, one), (_, two) in zip(own, other, strict=True)]
            if not own or any(far):
                raise GraphError(f"{name} found other scores than {STORED} ({number:,} candidates, degree {degree}).")


def _notes(settings: LinksBenchSettings) -> Iterator[str]:
    yield (
        f"{settings.atoms:,} synthetic atoms of {settings.dimension} numbers, seed {settings.seed}; an untrained "
        f"predictor of the default size (hidden {HIDDEN}, scorer {WIDTH}); the {BEST} best atoms are returned."
    )
    yield (
        f"{settings.questions} questions after {settings.warm_up} untimed ones, the ways in turns; times include the "
        "round trip. All ways found the same scores. Candidates are drawn at random, so that they share few "
        "neighbours; those that are found near to a question share many."
    )
