"""How long the passages of an answer take to find, up to 3,000 tokens of them, beside five passages, in turns.

    python tests/reproduction/answer_latency.py DATA

DATA is the folder of ``lihuaworld.py``, whose server and graph are used.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from pathlib import Path

import click

HERE = Path(__file__).parent
sys.path += [str(HERE), str(HERE.parent)]

import lihuaworld  # noqa: E402
from bench.figures import Result, as_markdown, compared, in_turns, means  # noqa: E402
from making import TRIPLES, Reproduction, Table, command_of, comparison, own_graph, run  # noqa: E402

from qcg_neo4j.core.progress import silent  # noqa: E402
from qcg_neo4j.database.graph import Graph  # noqa: E402
from qcg_neo4j.retrieval import Layers, Method  # noqa: E402
from qcg_neo4j.retrieval.around.wrapper import Answering  # noqa: E402

FIVE, ANSWER = "layers, 5 passages", "layers, the passages of an answer"
QUESTIONS, WARM_UP = 40, 10


def measured(graph: Graph, questions: Sequence[str], command: str) -> Result:
    """Both ways of asking, each question by both, with the questions' vectors given."""
    vectors = {question: graph.embed_question(question) for question in questions}

    def found_by(method: Method) -> Callable[[str], int]:
        return lambda question: len(method.retrieve(graph, question, vectors[question]).passages)

    ways = {FIVE: found_by(Layers()), ANSWER: found_by(Answering(Layers()))}
    times, found = in_turns(ways, questions, WARM_UP, silent)
    size = len(questions) - WARM_UP
    rows = compared(times, size, FIVE, means(found))
    note = f"LiHua-World; {WARM_UP} further questions before, untimed. The ratio is the median of the pairwise ratios."
    return Result("Passages of an answer", "ms", "questions", FIVE, tuple(rows), (note,), command=command)


@comparison(lihuaworld.HERE)
def main(folder: Path, home: Path, output: Path, limit: int | None) -> None:
    """Write how long the passages of an answer take on LiHua-World in the folder DATA."""
    found = lihuaworld.data(folder)
    texts = [one.text for one in found.questions]
    asked = texts[:: len(texts) // (WARM_UP + (limit or QUESTIONS))][: WARM_UP + (limit or QUESTIONS)]
    with own_graph(home) as graph:
        Reproduction(found, output, graph).prepare(Table("layers", "", extract=TRIPLES))
        result = measured(graph, asked, command_of("python tests/reproduction/answer_latency.py DATA", limit))
    (output / "answer_latency.md").write_text(as_markdown(result), encoding="utf-8")
    click.echo(as_markdown(result))


if __name__ == "__main__":
    run(main)
