"""Whether forward push ranks as GDS does, by tolerance: the 25 best atoms of every question of LiHua-World.

    python tests/reproduction/propagation.py DATA

DATA is the folder of ``lihuaworld.py``, whose server and graph are used. The table goes to ``lihuaworld/tables``.
"""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any

import click
import numpy as np
from lihuaworld import HERE, data
from making import TRIPLES, Reproduction, Table, command_of, comparison, own_graph

from qcg_neo4j.cli.terminal import progress_bar
from qcg_neo4j.core.records import Atom
from qcg_neo4j.database.graph import Graph
from qcg_neo4j.evaluation.page import markdown_table
from qcg_neo4j.retrieval import Atomic, AtomicSettings

TOLERANCES = (1e-4, 1e-5, 1e-6, 1e-7, 1e-8, 1e-9)
SEEDS: Mapping[str, Mapping[str, Any]] = {
    "all atoms as seeds": {},
    "the best 100 atoms": {"atom_seeds": 100},
    "entities alone": {"atom_weight": 0.0},
}
EQUAL = 1e-9  # atoms of such scores are the same place: GDS rounds in another order
COLUMNS = ("seeds", "by", "same order", "same atoms", "median ms", "p95 ms")
Ranking = Sequence[Atom]


@dataclass
class Compared:
    """The rankings of one way of propagation beside those of GDS, and how long it took."""

    ordered: int = 0
    held: int = 0
    questions: int = 0
    milliseconds: tuple[float, ...] = ()

    def add(self, own: Ranking, other: Ranking, seconds: float) -> None:
        """Compare with the ranking of GDS."""
        scores = {atom.id: atom.score for atom in other}
        self.ordered += in_order(own, scores)
        self.held += {atom.id for atom in own} == set(scores)
        self.questions += 1
        self.milliseconds = (*self.milliseconds, 1000 * seconds)

    def cells(self) -> list[str]:
        """The figures as a table has them."""
        median, p95 = np.quantile(self.milliseconds, [0.5, 0.95])
        shares = [f"{100 * number / self.questions:.1f} %" for number in (self.ordered, self.held)]
        return [*shares, f"{median:.1f}", f"{p95:.1f}"]


def in_order(own: Ranking, scores: dict[str, float]) -> bool:
    """Whether the ranking is one that the other's scores allow: equal scores may stand for each other."""
    last = min(scores.values(), default=0.0)
    found = [scores.get(atom.id, last) for atom in own]
    complete = all(atom.id in scores or abs(atom.score - last) < EQUAL for atom in own)
    return complete and all(one >= other - EQUAL for one, other in pairwise(found))


def timed(graph: Graph, settings: AtomicSettings, question: str) -> tuple[Ranking, float]:
    """The atoms of a question, and the seconds of the retrieval without the question's embedding."""
    vector = graph.embed_question(question)
    start = time.perf_counter()
    atoms = Atomic(settings).retrieve(graph, question, vector).atoms
    return atoms, time.perf_counter() - start


@comparison(HERE)
def main(folder: Path, home: Path, output: Path, limit: int | None) -> None:
    """Compare on the questions of the folder DATA."""
    found = data(folder)
    rows = []
    with own_graph(home) as graph:
        Reproduction(found, output, graph).prepare(Table("atomic", "", generate=None, extract=TRIPLES, synonyms=True))
        for name, seeds in SEEDS.items():
            ways = {"gds": AtomicSettings(propagation="gds", **seeds)}
            ways |= {f"push, tolerance {value:g}": AtomicSettings(tolerance=value, **seeds) for value in TOLERANCES}
            compared = {way: Compared() for way in ways}
            with progress_bar(f"Walking from {name}") as progress:
                for number, question in enumerate(found.questions[:limit], start=1):
                    expected = timed(graph, ways["gds"], question.text)[0]
                    for way, settings in ways.items():
                        atoms, seconds = timed(graph, settings, question.text)
                        compared[way].add(atoms, expected, seconds)
                    progress(number, len(found.questions[:limit]))
            rows += [[name, way, *each.cells()] for way, each in compared.items()]
    table = markdown_table(COLUMNS, rows)
    command = command_of("python tests/reproduction/propagation.py DATA", limit)
    page = f"# Forward push beside GDS, LiHua-World, the 25 best atoms\n\n    {command}\n\n{table}\n"
    (output / "propagation.md").write_text(page, encoding="utf-8")
    click.echo(page)


if __name__ == "__main__":
    main()
