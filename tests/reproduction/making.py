"""Make every table of this folder again, on an embedded server of its own; an interrupted run goes on.

    python tests/reproduction/lihuaworld/run.py DATA

DATA is a folder with LiHua-World: ``passages.jsonl``, ``questions.jsonl`` and ``recorded/pairs.jsonl``. A table
that is there already is left as it is; remove its folder to measure it again.
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import click

from qcg_neo4j import server
from qcg_neo4j.build import BuildSettings, build
from qcg_neo4j.cli.terminal import notices, progress_bar
from qcg_neo4j.embedding import EmbeddingSettings, open_embedder
from qcg_neo4j.evaluate import (
    EvaluateSettings,
    Lineup,
    Question,
    Result,
    System,
    evaluate_retrieval,
    read_lineup,
    read_questions,
    select,
)
from qcg_neo4j.evaluate.settings import ALL, EVEN, ODD
from qcg_neo4j.evaluate.table import markdown_table
from qcg_neo4j.generate import GenerateSettings, generate
from qcg_neo4j.graph import Graph
from qcg_neo4j.load import LoadSettings, load, read
from qcg_neo4j.replies import Recording
from qcg_neo4j.retrieve import method

HERE = Path(__file__).parent
COMMAND = "python tests/reproduction/lihuaworld/run.py DATA"
PAPER, SENTENCES = GenerateSettings(source="replies"), GenerateSettings(source="sentences")
WINDOWS, TRUNCATED = LoadSettings(), LoadSettings(long_text="truncate")
BUILD = BuildSettings(neighbours=5)
SWEEP, CONFIRMATION = "sweep", "confirmation"


@dataclass(frozen=True)
class Table:
    """A table: how its graph is made, which systems it compares, on which half of the questions."""

    name: str
    systems: str
    load: LoadSettings = WINDOWS
    generate: GenerateSettings = PAPER
    baselines: bool = False
    half: str = ALL
    latency: bool = True


TABLES = (
    Table("windows", "systems.toml"),
    Table(SWEEP, "sweep.toml", half=EVEN, latency=False),
    *(
        Table(f"kept-share-{share}", "conditions.toml", generate=replace(PAPER, kept_share=share))
        for share in (0.2, 0.4, 0.6, 1.0)
    ),
    *(
        Table(f"text-{text}", "conditions.toml", generate=replace(PAPER, node_text=text))
        for text in ("question", "answer")
    ),
    Table("text-sentences", "conditions.toml", generate=SENTENCES),
    Table("truncated", "truncated.toml", load=TRUNCATED, baselines=True),
)


class Reproduction:
    """The data, where the tables go, and the graph that is made anew as each table needs it."""

    def __init__(self, data: Path, output: Path, graph: Graph, limit: int | None = None) -> None:
        self._data = data
        self._output = output
        self._graph = graph
        self._limit = limit
        self._embedder = open_embedder(EmbeddingSettings())
        self._graph.embedder = self._embedder
        self._questions = read_questions(data / "questions.jsonl")

    def make(self, table: Table) -> None:
        """Make one table, unless it is there; the sweep is followed by its confirmation on the other half."""
        wanted = [table.name, *([CONFIRMATION] if table.name == SWEEP else [])]
        if all((self._output / name / "table.md").exists() for name in wanted):
            return
        notices().rule(table.name)
        self._make_graph(table)
        lineup = read_lineup(HERE / table.systems)
        result = self._evaluate(table.name, table, lineup)
        if table.name == SWEEP:
            self._evaluate(CONFIRMATION, replace(table, half=ODD, latency=True), confirmation(result, lineup))

    def _make_graph(self, table: Table) -> None:
        with progress_bar("Loading") as progress:
            load(self._graph, self._embedder, read([self._data / "passages.jsonl"]), table.load, progress)
        source = None if table.generate == SENTENCES else self._recording()
        with progress_bar("Generating") as progress:
            generate(
                self._graph,
                self._embedder,
                table.generate,
                source,
                with_baselines=table.baselines,
                progress=progress,
            )
        with progress_bar("Building") as progress:
            build(self._graph, BUILD, progress)

    def _recording(self) -> Recording:
        return Recording([self._data / "recorded/pairs.jsonl"], "generate/pairs")

    def _evaluate(self, name: str, table: Table, lineup: Lineup) -> Result:
        questions: Sequence[Question] = select(self._questions, table.half, limit=self._limit)
        with progress_bar(f"Asking for {name}") as progress:
            return evaluate_retrieval(
                self._graph,
                questions,
                lineup,
                self._output / name,
                EvaluateSettings(latency=table.latency),
                command=command_of(self._limit),
                progress=progress,
            )


def command_of(limit: int | None) -> str:
    """The command that makes the tables."""
    return f"{COMMAND} --limit {limit}" if limit else COMMAND


def confirmation(sweep: Result, lineup: Lineup) -> Lineup:
    """The best of the sweep (recall@5, then MRR) beside the paper's setting and what needs no model."""
    best = max(sweep.rows, key=lambda row: (row.figures["recall@5"].mean, row.figures["MRR"].mean))
    tuned = next(system for system in lineup.systems if system.name == best.name)
    return Lineup(
        (
            System("paper", next(system.retriever for system in lineup.systems if system.name == "paper")),
            System(f"tuned ({best.name})", tuned.retriever),
            *(System(name, method(name)) for name in ("vector", "fulltext", "hybrid")),
        ),
        baseline="paper",
        note=f"{lineup.note} The tuned setting was chosen on the even half of the questions; this is the odd half.",
    )


def compare(output: Path) -> str:
    """A Markdown table of the measured figures beside the exact reference, where both exist."""
    rows = []
    for figure in tomllib.loads((HERE / "reference.toml").read_text(encoding="utf-8"))["figure"]:
        measured = _measured(output / figure["table"] / "table.csv", figure["system"])
        if measured:
            rows.append([figure["table"], figure["system"], *_pairs(measured, figure)])
    return markdown_table(("table", "system", "recall@5", "reference", "MRR", "reference"), rows)


def _pairs(measured: tuple[float, float], figure: dict[str, Any]) -> list[str]:
    recall, mrr = measured
    return [f"{100 * recall:.1f}", f"{figure['recall']:.1f}", f"{100 * mrr:.1f}", f"{figure['mrr']:.1f}"]


def _measured(file: Path, system: str) -> tuple[float, float] | None:
    import csv

    if not file.exists():
        return None
    with file.open(encoding="utf-8", newline="") as stream:
        found = [row for row in csv.DictReader(stream) if row["system"] == system]
    return (float(found[0]["recall@5"]), float(found[0]["MRR"])) if found else None


@contextmanager
def own_graph(home: Path) -> Iterator[Graph]:
    """A graph on an embedded server that runs as long as it is used."""
    server.start(home, server.ServerSettings(heap="1g", page_cache="256m"))
    try:
        with Graph.connect(home=home) as graph:
            yield graph
    finally:
        server.stop(home)


@click.command()
@click.argument("data", type=click.Path(path_type=Path, exists=True, file_okay=False))
@click.option("--home", type=click.Path(path_type=Path), default=HERE / "home", help="Home of the server.")
@click.option("--output", type=click.Path(path_type=Path), default=HERE / "tables", help="Folder of the tables.")
@click.option(
    "--table", "names", multiple=True, type=click.Choice([table.name for table in TABLES]), help="Only these."
)
@click.option("--limit", type=int, help="Only so many questions, to try it out.")
def main(data: Path, home: Path, output: Path, names: tuple[str, ...], limit: int | None) -> None:
    """Make the tables of LiHua-World from the folder DATA."""
    with own_graph(home) as graph:
        reproduction = Reproduction(data, output, graph, limit)
        for table in TABLES:
            if not names or table.name in names:
                reproduction.make(table)
    page = f"# Beside the exact reference\n\n    {command_of(limit)}\n\n{compare(output)}\n"
    (output / "reference.md").write_text(page, encoding="utf-8")
    click.echo(page)


if __name__ == "__main__":
    main()
