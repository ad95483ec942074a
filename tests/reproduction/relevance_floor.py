"""What a floor of relevance costs: learned on even questions and even ones about other things, told of the odd ones.

    python tests/reproduction/relevance_floor.py DATA

DATA is the folder of ``lihuaworld.py``, whose server and graph are used.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import mean

import click

HERE = Path(__file__).parent
sys.path += [str(HERE), str(HERE.parent)]

import lihuaworld  # noqa: E402
from making import TRIPLES, Reproduction, Table, command_of, comparison, own_graph, run  # noqa: E402

from qcg_neo4j.database.graph import Graph  # noqa: E402
from qcg_neo4j.evaluation.page import markdown_table  # noqa: E402
from qcg_neo4j.retrieval import Layers  # noqa: E402
from qcg_neo4j.retrieval.around.wrapper import relevance  # noqa: E402

ELSEWHERE = HERE.parent / "pages/elsewhere.txt"  # questions about other things, one a line
SHOWN = (-1.0, 0.3, 0.4, 0.45, 0.5, 0.6, 0.7)
HEADS = ("floor", "questions about other things let through", "own questions kept", "documents found by `layers`")
Wanted = tuple[str, frozenset[str]]  # a question, and the documents that answer it


@dataclass(frozen=True)
class Asked:
    """Questions of one kind: how near the graph comes to each, and the recall of what answers it."""

    nearest: list[float]
    recall: list[float]

    def kept(self, floor: float) -> float:
        """The share that passes."""
        return mean(cosine >= floor for cosine in self.nearest)

    def recall_from(self, floor: float) -> float:
        """The mean recall where what does not pass finds nothing."""
        found = zip(self.nearest, self.recall, strict=True)
        return mean(recall if cosine >= floor else 0.0 for cosine, recall in found)


def asked(graph: Graph, questions: Sequence[Wanted]) -> Asked:
    """What the graph has for questions; for those that want nothing no recall."""
    nearest, recalls = [], []
    for question, wanted in questions:
        vector = graph.embed_question(question)
        near = relevance(graph, vector)
        if near is None:
            raise click.ClickException("The graph holds no vectors.")
        nearest.append(near.cosine)
        found = {passage.document for passage in Layers().retrieve(graph, question, vector).passages} if wanted else ()
        recalls.append(len(wanted & set(found)) / len(wanted) if wanted else 0.0)
    return Asked(nearest, recalls)


def learned(graph: Graph, own: Sequence[Wanted]) -> tuple[float, list[list[str]]]:
    """The floor that parts the even questions best, and what several cost the odd ones."""
    strange: list[Wanted] = [(line, frozenset()) for line in ELSEWHERE.read_text(encoding="utf-8").splitlines()]
    even_own, odd_own = (asked(graph, own[half::2]) for half in (0, 1))
    even_strange, odd_strange = (asked(graph, strange[half::2]) for half in (0, 1))
    floors = [number / 100 for number in range(20, 80)]
    best = max(floors, key=lambda floor: even_own.kept(floor) - even_strange.kept(floor))
    rows = [
        [
            "none" if floor < 0 else f"{floor:g}",
            f"{odd_strange.kept(floor):.0%}",
            f"{odd_own.kept(floor):.0%}",
            f"{odd_own.recall_from(floor):.1%}",
        ]
        for floor in SHOWN
    ]
    return best, rows


@comparison(lihuaworld.HERE)
def main(folder: Path, home: Path, output: Path, limit: int | None) -> None:
    """Write what a floor of relevance costs on LiHua-World in the folder DATA."""
    found = lihuaworld.data(folder)
    with own_graph(home) as graph:
        Reproduction(found, output, graph).prepare(Table("layers", "", extract=TRIPLES))
        own = [(one.text, frozenset(one.evidence)) for one in found.questions[:limit] if one.evidence]
        best, rows = learned(graph, own)
    command = command_of("python tests/reproduction/relevance_floor.py DATA", limit)
    note = (
        f"Half of {len(own):,} questions and half of those about other things were learned from: the floor that parts "
        f"them best is {best:g}. The rows are of the other halves."
    )
    text = f"# What a floor of relevance costs\n\n    {command}\n\n{note}\n\n{markdown_table(HEADS, rows)}\n"
    (output / "relevance.md").write_text(text, encoding="utf-8")
    click.echo(text)


if __name__ == "__main__":
    run(main)
