"""AtomicRAG end to end: the walk in memory, in rounds of Cypher, and what a client with numpy and igraph takes."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from bench import atom_graph, own
from bench.atom_graph import ATOMS, ENTITIES, AtomGraph
from bench.figures import Measured, Result, TimedSettings, compared, growing, in_turns
from bench.measurement import measurement, numbers
from bench.page_rank import TOPICS_AT_ONCE, Found, InProcess
from bench.synthetic import CHUNKS, MODEL, QUERIES, Question, Synthetic, Topic, Vectors, chunk_rows, document_row
from qcg_neo4j.cli.terminal import progress_bar
from qcg_neo4j.core.errors import GraphError
from qcg_neo4j.core.progress import Progress
from qcg_neo4j.core.settings import setting
from qcg_neo4j.database.connection import Call
from qcg_neo4j.database.conversion import configuration
from qcg_neo4j.database.graph import Graph
from qcg_neo4j.database.model import use_model
from qcg_neo4j.database.permission import Permission
from qcg_neo4j.retrieval import AtomicSettings
from qcg_neo4j.retrieval.atomic import EVIDENCE, walked
from qcg_neo4j.retrieval.atomic_question import QuestionPart

MEMORY, ROUNDS, CLIENT = "atomic", "atomic, propagation = rounds", "numpy and python-igraph in this process"
CHUNK_WORDS = 100


@dataclass(frozen=True)
class AtomicBenchSettings(TimedSettings):
    """Latency of AtomicRAG on synthetic data."""

    dimension: int = setting(384, "Numbers per vector.", minimum=2, maximum=4096)


@measurement(AtomicBenchSettings, numbers("--sizes", "2000,13500", "Numbers of atoms in the graph, rising."))
def atomic(graph: Graph, sizes: Sequence[int], settings: AtomicBenchSettings) -> Result:
    """Time AtomicRAG with the graph in the server's memory, by rounds of Cypher, and in this process.

    Raises:
        InputError: the sizes do not rise.
        GraphError: two ways find different atoms.
    """
    use_model(graph, MODEL, settings.dimension)
    synthetic, shapes = Synthetic(settings.seed, settings.dimension, CHUNK_WORDS), AtomGraph(settings.seed)
    client = Client()
    rows: list[Measured] = []
    for size, topics in growing(sizes, ATOMS):
        with progress_bar(f"Writing {size:,} atoms") as progress:
            _fill(graph, client, synthetic, shapes, topics, progress)
        questions = synthetic.questions(settings.questions + settings.warm_up, topics.stop)
        with progress_bar(f"Asking {size:,} atoms") as progress:
            times, found = in_turns(contestants(graph, client), questions, settings.warm_up, progress)
        _check(found, size)
        rows += compared(times, topics.stop * ATOMS, MEMORY)
    return Result("AtomicRAG", "ms", "atoms", MEMORY, tuple(rows), tuple(_notes(settings)))


class Client:
    """The same graph and vectors in this process, as AtomicRAG's own code holds them."""

    def __init__(self) -> None:
        self._graph = InProcess()
        self._names: tuple[list[str], list[str]] = ([], [])
        self._vectors: tuple[list[Vectors], list[Vectors]] = ([], [])

    def add(self, atoms: Sequence[str], entities: Sequence[str], vectors: Vectors) -> None:
        """Add the nodes of topics with their vectors (atoms first)."""
        for place, (names, part) in enumerate(((atoms, vectors[: len(atoms)]), (entities, vectors[len(atoms) :]))):
            self._names[place].extend(names)
            self._vectors[place].append(part)

    def join(self, names: Sequence[str], edges: Sequence[atom_graph.Edge]) -> None:
        """Add nodes and what joins them to each other and to those that are there."""
        self._graph.add(names, edges)

    def ask(self, question: Question) -> Found:
        """The best atoms: all are seeds, by how near they are, and so are the nearest entities."""
        settings = AtomicSettings()
        atoms, entities = (np.concatenate(part) @ question.vector for part in self._packed())
        weights = settings.atom_weight * (atoms - atoms.min()) / (atoms.max() - atoms.min())
        seeds = dict(zip(self._names[0], weights.tolist(), strict=True))
        for place in np.argsort(-entities)[: settings.entity_seeds].tolist():
            if entities[place] >= settings.entity_floor:
                seeds[self._names[1][place]] = float(entities[place])
        whole = sum(seeds.values())
        return self._graph.walk({name: weight / whole for name, weight in seeds.items()}, settings.damping)

    def _packed(self) -> tuple[list[Vectors], list[Vectors]]:
        for part in self._vectors:
            part[:] = [np.concatenate(part)]
        return self._vectors


def contestants(graph: Graph, client: Client) -> dict[str, Callable[[Question], Found]]:
    """All that is compared."""
    return {
        MEMORY: lambda question: _asked(graph, question, AtomicSettings()),
        ROUNDS: lambda question: _in_rounds(graph, question, AtomicSettings()),
        CLIENT: client.ask,
    }


def _asked(graph: Graph, question: Question, settings: AtomicSettings) -> Found:
    values: dict[str, Any] = {"question": question.text, "question_vector": question.vector}
    values["atom_seeds"] = settings.atom_seeds
    # The question is its own name, so that entities take part.
    rows = graph.rows(EVIDENCE, **values, names=[question.vector], configuration=configuration(settings))
    return [(atom["id"], atom["score"]) for atom in rows[0]["atoms"]]


def _in_rounds(graph: Graph, question: Question, settings: AtomicSettings) -> Found:
    row = walked(graph, settings, QuestionPart(question.text, question.vector, (question.vector,)), Permission())
    return [(atom["id"], atom["score"]) for atom in row["atoms"]]


def _fill(
    graph: Graph, client: Client, synthetic: Synthetic, shapes: AtomGraph, numbers: range, progress: Progress
) -> None:
    for start in range(numbers.start, numbers.stop, TOPICS_AT_ONCE):
        for number in range(start, min(start + TOPICS_AT_ONCE, numbers.stop)):
            _write(graph, client, synthetic.topic(number), shapes, number)
        progress(min(start + TOPICS_AT_ONCE, numbers.stop) - numbers.start, len(numbers))


def _write(graph: Graph, client: Client, topic: Topic, shapes: AtomGraph, number: int) -> None:
    atoms, entities = shapes.atoms(number), shapes.entities(number)
    vectors = topic.query_vectors[:: CHUNKS * QUERIES // (ATOMS + ENTITIES)][: ATOMS + ENTITIES]
    triples, synonyms = shapes.pairs(number)
    mentions = shapes.mentions(number)
    chunks = chunk_rows(topic)
    graph.write(
        Call("load/documents", {"rows": [document_row(topic)]}),
        Call("load/chunks", {"rows": chunks}),
        Call("load/places", {"rows": [{"id": row["id"], "index": row["index"]} for row in chunks]}),
        Call(own("aeg_nodes"), {"atoms": atoms, "entities": entities}),
        Call(own("aeg_vectors"), {"rows": _vector_rows([*atoms, *entities], vectors, topic)}),
        Call(own("aeg_mentions"), {"rows": [{"source": one, "target": other} for one, other, _ in mentions]}),
        Call(own("aeg_pairs"), {"rows": atom_graph.rows(triples, scored=False)}),
        Call(own("aeg_pairs"), {"rows": atom_graph.rows(synonyms, scored=True)}),
    )
    client.add(atoms, entities, vectors)
    client.join([*atoms, *entities], [*mentions, *triples, *synonyms])


def _vector_rows(names: Sequence[str], vectors: Vectors, topic: Topic) -> list[dict[str, Any]]:
    return [
        {"id": name, "embedding": vector, "chunk": topic.chunk_ids[place % CHUNKS]}
        for place, (name, vector) in enumerate(zip(names, vectors, strict=True))
    ]


def _check(found: dict[str, list[Found]], size: int) -> None:
    """Most atoms must be the same whoever finds them; the client takes other entities."""
    for name, least in ((ROUNDS, 0.9), (CLIENT, 0.5)):
        for ours, theirs in zip(found[MEMORY], found[name], strict=True):
            if not ours or len(dict(ours).keys() & dict(theirs).keys()) < least * len(ours):
                raise GraphError(f"At {size:,} atoms {name} found other atoms than {MEMORY}.")


def _notes(settings: AtomicBenchSettings) -> Iterator[str]:
    yield (
        f"Synthetic atom-entity graphs, seed {settings.seed}: {ATOMS} atoms and {ENTITIES} entities to "
        f"{atom_graph.MENTIONS} mentions, {atom_graph.TRIPLES} triples and {atom_graph.SYNONYMS} synonyms, with "
        f"clustered vectors of {settings.dimension} numbers."
    )
    yield (
        f"{settings.questions} questions after {settings.warm_up} untimed ones, each asked every way, at the method's "
        "defaults, all atoms as seeds. The database returns the atoms with their passages and why they were found; the "
        "client returns ids, takes the nearest entities exactly instead of from an index, and has no round trip. "
        "At least nine in ten atoms of memory and rounds are the same."
    )
