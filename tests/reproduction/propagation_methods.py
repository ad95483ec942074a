"""Ways of spreading the seeds over the atom-entity graph, in plain Python on the graph as it is stored.

    python tests/reproduction/propagation_methods.py lihuaworld DATA
    python tests/reproduction/propagation_methods.py musique DATA

DATA is the folder of ``lihuaworld.py`` or ``musique.py``, whose server and graph are used. GDS has PageRank and walks,
but no Katz index, no scores by label propagation, no weighted breadth-first search; so all of them are computed here.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import click
import numpy as np
from numpy.typing import NDArray
from scipy import sparse

HERE = Path(__file__).parent
sys.path += [str(HERE), str(HERE.parent / "twins")]  # the other reproductions, and the twin of the retrieval

import lihuaworld  # noqa: E402
import musique  # noqa: E402
import reference_atomic as twin  # noqa: E402
from making import TRIPLES, Data, Reproduction, Table, command_of, own_graph  # noqa: E402

from qcg_neo4j.cli.terminal import progress_bar  # noqa: E402
from qcg_neo4j.database.graph import Graph  # noqa: E402
from qcg_neo4j.evaluation.page import markdown_table  # noqa: E402
from qcg_neo4j.retrieval import AtomicSettings  # noqa: E402

CORPORA: Mapping[str, Callable[[Path], Data]] = {"lihuaworld": lihuaworld.data, "musique": musique.data}
SEEDS = {
    "similar names, λ = 0.1 (paper)": AtomicSettings(),
    "similar names, λ = 1": AtomicSettings(atom_weight=1.0),
    "exact names, λ = 0.1": AtomicSettings(entity_floor=0.9),
    "exact names, λ = 0.01": AtomicSettings(entity_floor=0.9, atom_weight=0.01),
}
COLUMNS = ("seeds", "propagation", "recall@2", "recall@5", "MRR")
Vector = NDArray[np.float64]


class Spread:
    """The graph as matrices, and the ways of spreading a vector of seeds over it."""

    def __init__(self, edges: twin.Edges, names: Sequence[str]) -> None:
        self.place = {name: number for number, name in enumerate(names)}
        found = [(self.place[one], self.place[other], weight) for one in edges for other, weight in edges[one].items()]
        rows, columns, weights = (np.array(part) for part in zip(*found, strict=True))
        size = len(names)
        self._weights = sparse.csr_matrix((weights, (rows, columns)), shape=(size, size))
        degrees = np.maximum(np.asarray(self._weights.sum(axis=1)).ravel(), 1e-12)
        self._walk = (sparse.diags(1 / degrees) @ self._weights).T.tocsr()
        half = sparse.diags(degrees**-0.5)
        self._symmetric = (half @ self._weights @ half).tocsr()
        self._largest = float(sparse.linalg.eigsh(self._weights, k=1, return_eigenvectors=False)[0])

    def walk(self, seeds: Vector, damping: float) -> Vector:
        """Personalized PageRank: a random walk that begins anew with the probability 1 − damping."""
        return self._series(self._walk, seeds, damping)

    def katz(self, seeds: Vector, share: float) -> Vector:
        """The Katz index: all ways from the seeds, each step weighing a share of what would let them grow forever."""
        return self._series(self._weights, seeds, share / self._largest)

    def labels(self, seeds: Vector, share: float) -> Vector:
        """Label propagation over the symmetrically normalized graph (Zhou et al. 2004)."""
        return self._series(self._symmetric, seeds, share)

    def breadth_first(self, seeds: Vector, share: float) -> Vector:
        """The best way from a seed, two steps at most: a step keeps a share of the edge's part of its node's degree."""
        best = seeds.copy()
        for _ in range(2):
            step = self._walk.multiply(best[np.newaxis, :]).max(axis=1).toarray().ravel()
            best = np.maximum(best, share * step)
        return best

    @staticmethod
    def _series(matrix: sparse.csr_matrix, seeds: Vector, factor: float) -> Vector:
        total, term = seeds.copy(), seeds.copy()
        while term.sum() > 1e-10:
            term = factor * (matrix @ term)
            total += term
        return total


def ways(spread: Spread) -> dict[str, Callable[[Vector], Vector]]:
    """All that is compared."""
    return {
        "none (seeds alone)": lambda seeds: seeds,
        "PageRank, damping 0.1": lambda seeds: spread.walk(seeds, 0.1),
        "PageRank, damping 0.3 (paper)": lambda seeds: spread.walk(seeds, 0.3),
        "PageRank, damping 0.5": lambda seeds: spread.walk(seeds, 0.5),
        "random walk with restart 0.3 (damping 0.7)": lambda seeds: spread.walk(seeds, 0.7),
        "random walk with restart 0.15 (damping 0.85)": lambda seeds: spread.walk(seeds, 0.85),
        "Katz index, half of the largest factor": lambda seeds: spread.katz(seeds, 0.5),
        "label propagation, share 0.3": lambda seeds: spread.labels(seeds, 0.3),
        "label propagation, share 0.85": lambda seeds: spread.labels(seeds, 0.85),
        "breadth-first, weighted, two steps": lambda seeds: spread.breadth_first(seeds, 0.3),
    }


class Seeds:
    """The seeds of ``reference_atomic.seeds`` as vectors over all nodes, by matrices: atoms first, then entities."""

    def __init__(self, aeg: twin.Aeg) -> None:
        self._atoms, self._entities = np.array([*aeg.atoms.values()]), np.array([*aeg.entities.values()])
        self._place = {name: number for number, name in enumerate(aeg.entities)}

    def of(self, question: Vector, held: Sequence[str], chosen: AtomicSettings) -> Vector:
        """The weights of all nodes for a question and the entities that it names, of sum 1."""
        atoms = self._atoms @ question
        scaled = chosen.atom_weight * (atoms - atoms.min()) / np.ptp(atoms)
        entities = np.zeros(len(self._entities))
        if held:
            named = self._entities[[self._place[name] for name in held]]
            scores = (self._entities @ named.T).max(axis=1)
            ranked = np.argsort(-scores, kind="stable")[: chosen.entity_seeds]
            kept = ranked[scores[ranked] >= chosen.entity_floor]
            kept = kept if len(kept) else ranked[:1]
            entities[kept] = np.maximum(scores[kept], 0.0)
        seeds: Vector = np.concatenate([scaled, entities])
        weighed: Vector = seeds / seeds.sum()
        return weighed


def measure(graph: Graph, found: Data, limit: int | None) -> list[list[str]]:
    """A row of figures for each kind of seeds and each way."""
    aeg = twin.read_aeg(graph)
    places = graph.driver.execute_query("MATCH (c:Chunk)-[:FROM_DOCUMENT]->(d) RETURN c.id AS chunk, d.id AS document")
    document = {row["chunk"]: row["document"] for row in places.records}
    spread, seeds = Spread(aeg.edges(), [*aeg.atoms, *aeg.entities]), Seeds(aeg)
    asked = [question for question in found.questions if question.evidence][:limit]
    vectors = [graph.embed_question(question.text).astype(np.float64) for question in asked]
    held = [twin.named(aeg, question.text) for question in asked]
    rows = []
    with progress_bar("Spreading") as progress:
        done = 0
        for label, chosen in SEEDS.items():
            columns = [seeds.of(vector, names, chosen) for vector, names in zip(vectors, held, strict=True)]
            for name, way in ways(spread).items():
                values = []
                for question, column in zip(asked, columns, strict=True):
                    values.append(_figures(_documents(aeg, way(column), document), set(question.evidence)))
                    progress(done := done + 1, len(asked) * len(SEEDS) * len(ways(spread)))
                rows.append([label, name, *(f"{100 * value:.1f}" for value in np.mean(values, axis=0))])
    return rows


def _documents(aeg: twin.Aeg, scores: Vector, document: Mapping[str, str]) -> list[str]:
    names = list(aeg.atoms)
    best = np.argsort(-scores[: len(names)], kind="stable")[:25]
    chunks = twin.ranked_chunks(aeg, [(names[place], float(scores[place])) for place in best])
    return list(dict.fromkeys(document[chunk] for chunk, _ in chunks))


def _figures(ranked: Sequence[str], wanted: set[str]) -> tuple[float, float, float]:
    recalls = [len(wanted & set(ranked[:depth])) / len(wanted) for depth in (2, 5)]
    first = next((place for place, name in enumerate(ranked, start=1) if name in wanted), None)
    return recalls[0], recalls[1], 1 / first if first else 0.0


@click.command()
@click.argument("corpus", type=click.Choice(list(CORPORA)))
@click.argument("folder", metavar="DATA", type=click.Path(path_type=Path, exists=True, file_okay=False))
@click.option("--home", type=click.Path(path_type=Path), help="Home of the server.")
@click.option("--limit", type=int, help="Only so many questions, to try it out.")
def main(corpus: str, folder: Path, home: Path | None, limit: int | None) -> None:
    """Compare ways of propagation on the questions of the folder DATA."""
    found = CORPORA[corpus](folder)
    output = HERE / corpus / "tables"
    with own_graph(home or HERE / corpus / "home") as graph:
        Reproduction(found, output, graph).prepare(Table("atomic", "", generate=None, extract=TRIPLES, synonyms=True))
        rows = measure(graph, found, limit)
    command = command_of(f"python tests/reproduction/propagation_methods.py {corpus} DATA", limit)
    note = (
        "Seeds: all atoms, and the entities whose names are similar to the graph's names in the question (cosine of at "
        "least 0.3, at most 20) or the same (at least 0.9). Documents by their best atom. Figures in percent."
    )
    page = f"# Ways of propagation\n\n    {command}\n\n{note}\n\n{markdown_table(COLUMNS, rows)}\n"
    (output / "propagation_methods.md").write_text(page, encoding="utf-8")
    click.echo(page)


if __name__ == "__main__":
    main()
