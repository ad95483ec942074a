"""Scoring links between a question and atoms: the procedure in the database beside PyTorch in this process."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from bench import own
from bench.figures import Measured, Result, TimedSettings, compared, in_turns
from bench.measurement import measurement, numbers
from bench.synthetic import MODEL, unit
from qcg_neo4j.cli.terminal import progress_bar
from qcg_neo4j.core.errors import GraphError
from qcg_neo4j.core.progress import Progress
from qcg_neo4j.core.settings import setting
from qcg_neo4j.database.connection import Call
from qcg_neo4j.database.graph import Graph
from qcg_neo4j.database.model import use_model
from qcg_neo4j.indexing.train.network import Floats, Whole
from qcg_neo4j.indexing.train.stored import Trained, as_values
from qcg_neo4j.indexing.train.weights import MEAN, Encoded, Layer, Scorer, Weights, encode, encode_questions

STORED, COMPUTED, CLIENT = (
    "qcg.links.score",
    "qcg.links.score, atoms' vectors computed",
    "PyTorch, neighbourhood fetched",
)
BEST = 25
HIDDEN, WIDTH = 256, 128
COMPUTED_UP_TO = 5  # degree; beyond, computing every vector anew takes seconds
_AT_ONCE = 500
Asked = tuple[list[str], Floats]  # ids of atoms, and the question's vector
Found = list[tuple[str, float]]


@dataclass(frozen=True)
class LinksSettings(TimedSettings):
    """Latency of link prediction on synthetic atoms."""

    atoms: int = setting(20_000, "Atoms in the graph.", minimum=1000)
    dimension: int = setting(384, "Numbers per vector.", minimum=2, maximum=4096)


@measurement(
    LinksSettings,
    numbers("--candidates", "50,200,1000", "Numbers of atoms that are scored."),
    numbers("--degrees", "5,20,50", "Numbers of neighbours of an atom."),
)
def links(graph: Graph, candidates: Sequence[int], degrees: Sequence[int], settings: LinksSettings) -> Result:
    """Time link prediction: the procedure in the database, and PyTorch in this process.

    Raises:
        GraphError: two ways do not find the same.
    """
    client = InProcess(settings)
    use_model(graph, MODEL, settings.dimension)
    with progress_bar(f"Writing {settings.atoms:,} atoms") as progress:
        _write_atoms(graph, client, progress)
    rows: list[Measured] = []
    for degree in degrees:
        with progress_bar(f"Joining each with {degree}") as progress:
            client.join(degree)
            _write_predictor(graph, client, progress)
        for number in candidates:
            with progress_bar(f"Scoring {number:,} of degree {degree}") as progress:
                rows += _measured(graph, client, settings, number, degree, progress)
    return Result("Link prediction", "ms", "candidates", STORED, tuple(rows), tuple(_notes(settings)))


class InProcess:
    """The same predictor in this process, and what the atoms are like."""

    def __init__(self, settings: LinksSettings) -> None:
        import torch

        self._torch = torch
        self._random = np.random.default_rng(settings.seed)
        self.names = tuple(f"a{place:07}" for place in range(settings.atoms))
        self.vectors = self.some(settings.atoms, settings.dimension)
        self.weights = self._weights(settings.dimension)
        self.edges, self.scores = np.empty((2, 0), np.int64), np.empty(0, np.float32)
        self.encoded = encode(self.weights, self.vectors, self.edges, self.scores)

    def some(self, number: int, dimension: int) -> Floats:
        """Random vectors of unit length."""
        return unit(self._random.standard_normal((number, dimension), np.float32))

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
        assert scorer is not None
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
        graph.write_batches(own("link_atoms"), [{"id": name, "embedding": vector} for name, vector in named])
        progress(min(start + _AT_ONCE, len(client.names)), len(client.names))


def _write_predictor(graph: Graph, client: InProcess, progress: Progress) -> None:
    """The pairs, the predictor of the graph that they make, and its vectors of the atoms."""
    graph.run(own("forget_link_pairs"))
    pairs = client.edges[:, : client.edges.shape[1] // 2].T.tolist()
    rows = [{"source": client.names[one], "target": client.names[other], "score": 0.7} for one, other in pairs]
    graph.write_batches(own("link_pairs"), rows, batch_size=5000)
    values = as_values(Trained(client.weights, 0.0, MODEL), client.encoded)
    graph.write(Call("train/write_predictor", {"values": values}))
    _write_vectors(graph, client.names, client.encoded)
    graph.write(Call("train/ready", {"atoms_revision": 0}))
    progress(1, 1)


def _write_vectors(graph: Graph, names: Sequence[str], encoded: Encoded) -> None:
    rows = ({"id": name, "vector": vector} for name, vector in zip(names, encoded.vectors, strict=True))
    graph.write_batches("train/write_vectors", rows, batch_size=_AT_ONCE)


def _measured(
    graph: Graph, client: InProcess, settings: LinksSettings, number: int, degree: int, progress: Progress
) -> list[Measured]:
    def by_procedure(one: Asked) -> Found:
        ids, question = one
        rows = graph.rows(own("links_by_procedure"), ids=ids, question_vector=question)
        return [(row["id"], row["score"]) for row in rows]

    def by_client(one: Asked) -> Found:
        ids, question = one
        return client.score(graph.rows(own("links_by_client"), ids=ids)[0], question)

    total = settings.warm_up + settings.questions
    asked = [
        (_some(settings, number, place), question)
        for place, question in enumerate(client.some(total, settings.dimension))
    ]
    times, found = in_turns({STORED: by_procedure, CLIENT: by_client}, asked, settings.warm_up, progress)
    if degree <= COMPUTED_UP_TO:
        graph.run("train/forget_vectors")
        others, more = in_turns({COMPUTED: by_procedure}, asked, settings.warm_up, progress)
        times, found = times | others, found | more
        _write_vectors(graph, client.names, client.encoded)
    _check(found, number, degree)
    named = {f"{name}, degree {degree}": values for name, values in times.items()}
    return compared(named, number, f"{STORED}, degree {degree}")


def _some(settings: LinksSettings, number: int, place: int) -> list[str]:
    chosen = np.random.default_rng([settings.seed, place]).choice(settings.atoms, number, replace=False)
    return [f"a{atom:07}" for atom in chosen]


def _check(found: dict[str, list[Found]], number: int, degree: int) -> None:
    for name, others in found.items():
        for ours, theirs in zip(found[STORED], others, strict=True):
            far = [abs(one - other) > 1e-3 for (_, one), (_, other) in zip(ours, theirs, strict=True)]
            if not ours or any(far):
                raise GraphError(f"{name} found other scores than {STORED} ({number:,} candidates, degree {degree}).")


def _notes(settings: LinksSettings) -> Iterator[str]:
    yield (
        f"{settings.atoms:,} synthetic atoms of {settings.dimension} numbers, seed {settings.seed}; an untrained "
        f"predictor of the default size (hidden {HIDDEN}, scorer {WIDTH}); the {BEST} best atoms are returned."
    )
    yield (
        f"{settings.questions} questions after {settings.warm_up} untimed ones, the ways in turns; times include the "
        "round trip. All ways found the same scores. Candidates are drawn at random, so that they share few "
        "neighbours; those that are found near to a question share many."
    )
