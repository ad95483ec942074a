"""What `layers` misses on the first half of the questions: where each layer alone has it, and what stands above it.

    python tests/reproduction/misses.py lihuaworld DATA
    python tests/reproduction/misses.py musique DATA

DATA is the folder of ``lihuaworld.py`` or ``musique.py``, whose server and graph are used. The second half is left
alone, so that what follows from a miss can be tried on it.
"""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

HERE = Path(__file__).parent
sys.path += [str(HERE), str(HERE.parent)]

import lihuaworld  # noqa: E402
import musique  # noqa: E402
from making import TRIPLES, Data, Reproduction, Table, command_of, own_graph, run  # noqa: E402

from qcg_neo4j.database.graph import Graph  # noqa: E402
from qcg_neo4j.evaluation import Question, select  # noqa: E402
from qcg_neo4j.evaluation.page import markdown_table  # noqa: E402
from qcg_neo4j.evaluation.retrieval.outcomes import documents  # noqa: E402
from qcg_neo4j.evaluation.settings import EVEN  # noqa: E402
from qcg_neo4j.retrieval import Layers, LayersSettings  # noqa: E402
from qcg_neo4j.retrieval.chain import LayersOfParts  # noqa: E402
from qcg_neo4j.retrieval.method import Method  # noqa: E402

if TYPE_CHECKING:
    from qcg_neo4j.retrieval.method import Vector

CORPORA = {"lihuaworld": lihuaworld.data, "musique": musique.data}
WANTED, DEPTH = 5, 50
# Each layer alone, by what the table calls it.
ALONE: Mapping[str, Mapping[str, Any]] = {
    "query": {"query_weight": 1.0},
    "window": {"window_weight": 1.0},
    "atom": {"atom_weight": 1.0},
    "triple": {"triple_weight": 1.0},
    "words": {"fulltext_weight": 1.0},
    "expanded words": {"expanded_weight": 1.0},
    "dates": {"date_weight": 1.0},
}
WEIGHTS = tuple(name for weight in ALONE.values() for name in weight)
WITHOUT: Mapping[str, Any] = {**dict.fromkeys(WEIGHTS, 0.0), "walk_weight": 0.0}
EVERY = LayersSettings(passages=DEPTH, context_tokens=10**9)
COLUMNS = ("question", "type", "missing", "all layers", *ALONE, "with sub-questions", "first of all")


@dataclass(frozen=True)
class Miss:
    """A document that a question needs and that is not among the first; its rank by each way, None beyond `DEPTH`."""

    question: Question
    document: str
    ranks: Mapping[str, int | None]
    first: str


def misses(graph: Graph, data: Data, questions: Sequence[Question]) -> Iterator[Miss]:
    """The misses of all layers together among the first `WANTED` documents."""
    ways: dict[str, Method] = {
        "all layers": Layers(EVERY),
        **{name: Layers(replace(EVERY, hits=DEPTH, **{**WITHOUT, **weight})) for name, weight in ALONE.items()},
        "with sub-questions": LayersOfParts(EVERY, data.source),
    }
    vectors = graph.question_embedder().embed([question.text for question in questions])
    for question, vector in zip(questions, vectors, strict=True):
        found = _ranked(graph, ways["all layers"], question, vector)
        for document in [one for one in dict.fromkeys(question.evidence) if one not in found[:WANTED]]:
            ranks = {name: _rank(_ranked(graph, way, question, vector), document) for name, way in ways.items()}
            yield Miss(question, document, ranks, found[0])


def _ranked(graph: Graph, way: Method, question: Question, vector: Vector) -> tuple[str, ...]:
    return documents(way.retrieve(graph, question.text, vector).passages)


def _rank(found: Sequence[str], document: str) -> int | None:
    return found.index(document) + 1 if document in found else None


def page(found: Sequence[Miss], questions: Sequence[Question], command: str) -> str:
    """The misses by type of question and by what a layer alone would have found, and each of them."""
    asked = Counter(question.type for question in questions)
    kinds = [
        [kind, f"{number:,}", *_counts([one for one in found if one.question.type == kind])]
        for kind, number in asked.items()
    ]
    heads = (
        "type",
        "questions",
        "with a miss",
        "missing",
        "a layer alone has it",
        "none has it",
        "sub-questions find it",
    )
    rows = [
        [
            one.question.text,
            one.question.type,
            one.document,
            *(str(one.ranks[name] or "–") for name in COLUMNS[3:-1]),
            one.first,
        ]
        for one in found
    ]
    note = (
        f"Even half of the questions with evidence: documents that are not among the first {WANTED} of `layers`, and "
        f"where each layer alone, and the layers of the sub-questions, have them (– is beyond {DEPTH} passages). "
        f"A layer has it if it is among its first {WANTED}."
    )
    return (
        f"# What layers misses\n\n    {command}\n\n{note}\n\n{markdown_table(heads, kinds)}\n\n"
        f"{markdown_table(COLUMNS, rows)}\n"
    )


def _counts(found: Sequence[Miss]) -> list[str]:
    alone = [one for one in found if any((one.ranks[name] or DEPTH) <= WANTED for name in ALONE)]
    parted = [one for one in found if (one.ranks["with sub-questions"] or DEPTH) <= WANTED]
    numbers = (len({one.question.id for one in found}), len(found), len(alone), len(found) - len(alone), len(parted))
    return [f"{number:,}" for number in numbers]


@click.command()
@click.argument("corpus", type=click.Choice(list(CORPORA)))
@click.argument("folder", metavar="DATA", type=click.Path(path_type=Path, exists=True, file_okay=False))
@click.option("--home", type=click.Path(path_type=Path), help="Home of the server.")
@click.option("--limit", type=int, help="Only so many questions, to try it out.")
def main(corpus: str, folder: Path, home: Path | None, limit: int | None) -> None:
    """Show what `layers` misses on the first half of the questions of the folder DATA."""
    data = CORPORA[corpus](folder)
    output = HERE / corpus / "tables"
    questions = [one for one in select(data.questions, EVEN, limit=limit) if one.evidence]
    with own_graph(home or HERE / corpus / "home") as graph:
        Reproduction(data, output, graph).prepare(Table("layers", "", extract=TRIPLES))
        found = list(misses(graph, data, questions))
    text = page(found, questions, command_of(f"python tests/reproduction/misses.py {corpus} DATA", limit))
    (output / "misses.md").write_text(text, encoding="utf-8")
    click.echo(text)


if __name__ == "__main__":
    run(main)
