"""Evaluate retrieval: questions and systems in, figures and their files out."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path

from qcg_neo4j.errors import GraphError, InputError
from qcg_neo4j.evaluate.asking import Asking
from qcg_neo4j.evaluate.breakdown import breakdown
from qcg_neo4j.evaluate.plot import plot
from qcg_neo4j.evaluate.questions import Question
from qcg_neo4j.evaluate.result import Result, rows_of
from qcg_neo4j.evaluate.runs import open_runs
from qcg_neo4j.evaluate.settings import EvaluateSettings
from qcg_neo4j.evaluate.state import graph_state, missing_documents
from qcg_neo4j.evaluate.systems import Lineup
from qcg_neo4j.evaluate.table import as_csv, as_markdown, best_rows
from qcg_neo4j.graph import Graph
from qcg_neo4j.progress import Progress, silent

TABLE, NUMBERS, PICTURE, GROUPS = "table.md", "table.csv", "recall.png", "by_type.md"


def evaluate_retrieval(
    graph: Graph,
    questions: Sequence[Question],
    lineup: Lineup,
    output: Path,
    settings: EvaluateSettings | None = None,
    *,
    command: str = "",
    skip_unusable: bool = False,
    progress: Progress = silent,
) -> Result:
    """Ask every system every question that has evidence, and write ``table.md``, ``table.csv`` and ``recall.png``.

    ``by_type.md`` has figures by type of question and by number of evidence documents.

    What was asked is kept in ``runs.jsonl`` in the same folder: the same call after an interruption goes on, after
    the end it only renders, and on a changed graph or with changed settings it asks anew. ``command`` is what the
    table names as its source. ``skip_unusable`` leaves out systems that the graph cannot serve, and says so.

    Raises:
        InputError: no question has evidence, the graph holds none of it, or the folder cannot be written.
        GraphError: the graph is empty, or cannot serve a system.
        ModelMismatchError: the graph was made with another embedding model.
    """
    settings = settings or EvaluateSettings()
    measured = [question for question in questions if question.evidence]
    if not measured:
        raise InputError("None of the chosen questions has evidence, so there is no recall to measure.")
    state = graph_state(graph)
    missing = missing_documents(graph, measured)
    with open_runs(output) as runs:
        asking = Asking(graph, state, settings, runs, progress)
        asked = asking.ask(lineup.systems, measured, skip_unusable=skip_unusable)
        if not asked.outcomes:
            raise GraphError("The graph can serve none of the systems.", next(iter(asked.left_out.values())))
        result = Result(
            rows=rows_of(lineup, asked, measured, settings),
            baseline=lineup.baseline if lineup.baseline in asked.outcomes else None,
            questions=len(measured),
            without_evidence=len(questions) - len(measured),
            settings=asdict(settings),
            graph=state.as_dict(),
            command=command,
            note=lineup.note,
            missing=tuple(missing),
            embedding_seconds=asked.embedding_seconds,
            left_out=asked.left_out,
        )
        shown = [row.name for row in best_rows(result.rows)]
        rankings = {name: [outcome.documents for outcome in asked.outcomes[name]] for name in shown}
        (output / GROUPS).write_text(breakdown(measured, rankings, command), encoding="utf-8")
        write(result, output)
    return result


def write(result: Result, output: Path) -> None:
    """Write the table, the numbers and the picture of a result into a folder."""
    (output / NUMBERS).write_text(as_csv(result), encoding="utf-8", newline="")
    plot(result, output / PICTURE)
    unfinished = output / f".{TABLE}"
    unfinished.write_text(as_markdown(result), encoding="utf-8")
    unfinished.replace(output / TABLE)  # last and at once: where the table is, all is
