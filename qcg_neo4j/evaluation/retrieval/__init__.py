"""Evaluate retrieval: questions and systems in, figures and their files out."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path

from qcg_neo4j.core.errors import GraphError, InputError, MissingReplyError
from qcg_neo4j.core.progress import Progress, silent
from qcg_neo4j.database.graph import Graph
from qcg_neo4j.evaluation.folder import open_kept, write_texts
from qcg_neo4j.evaluation.lineup import Lineup
from qcg_neo4j.evaluation.page import as_csv
from qcg_neo4j.evaluation.questions import Question
from qcg_neo4j.evaluation.retrieval.outcomes import KINDS, Inquiry
from qcg_neo4j.evaluation.retrieval.page import as_markdown, best_rows, breakdown, plot, record
from qcg_neo4j.evaluation.retrieval.result import RetrievalResult, ceilings, rows_of, values_of
from qcg_neo4j.evaluation.settings import EvaluateSettings
from qcg_neo4j.evaluation.systems_run import graph_state, missing_documents

TABLE, NUMBERS, PICTURE, GROUPS = "table.md", "table.csv", "recall.png", "by_type.md"
RUNS = "runs.jsonl"


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
) -> RetrievalResult:
    """Ask every system every question that has evidence, and write ``table.md``, ``table.csv`` and ``recall.png``.

    ``by_type.md`` has figures by type of question and by number of evidence documents.

    What was asked is kept in ``runs.jsonl`` in the same folder: the same call after an interruption goes on, after
    the end it only renders, and on a changed graph, with another plug-in or with changed settings it asks anew.
    ``command`` is what the table names as its source. ``skip_unusable`` leaves out systems that the graph cannot serve,
    and says so. A question that lacks a language model's reply takes no part in the figures of the system that needs
    it; the result names it.

    Raises:
        InputError: no question has evidence, the graph holds none of it, or the folder cannot be written.
        GraphError: the graph is empty, or cannot serve a system.
        ModelMismatchError: the graph was made with another embedding model.
        MissingReplyError: no system has the replies that it needs.
    """
    settings = settings or EvaluateSettings()
    measured = [question for question in questions if question.evidence]
    if not measured:
        raise InputError("None of the chosen questions has evidence, so there is no recall to measure.")
    state = graph_state(graph)
    missing = missing_documents(graph, measured)
    with open_kept(output / RUNS, KINDS) as kept:
        asked = Inquiry(graph, state, kept, settings, progress).ask(
            lineup.systems, measured, skip_unusable=skip_unusable
        )
        if not asked.outcomes:
            name, reason = next(iter(asked.left_out.items()))
            if any(asked.gaps.values()):
                raise MissingReplyError(f"None of the systems can be measured. {name} is left out: {reason}")
            raise GraphError("The graph can serve none of the systems.", reason)
        values = values_of(asked, measured)
        result = RetrievalResult(
            rows=rows_of(lineup, asked, values, settings),
            baseline=lineup.baseline if lineup.baseline in asked.outcomes else None,
            questions=len(measured),
            without_evidence=len(questions) - len(measured),
            settings=asdict(settings),
            graph=state.told,
            command=command,
            note=lineup.note,
            missing=tuple(missing),
            embedding_seconds=asked.embedding_seconds,
            left_out=asked.left_out,
            ceilings=ceilings(measured),
        )
        shown = {row.name: values[row.name] for row in best_rows(result.rows)}
        plot(result, output / PICTURE)
        numbers = as_csv([record(row) for row in result.rows])
        # The table comes last: where it is, all is.
        groups = breakdown(measured, shown, command)
        write_texts(output, {GROUPS: groups, NUMBERS: numbers, TABLE: as_markdown(result)})
    return result
