"""The table of LP-RAG: predictors trained with several seeds, parts of them left out, beside the controls."""

from __future__ import annotations

import csv
import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from statistics import mean
from typing import Any

import numpy as np

from qcg_neo4j.cli.terminal import notices, progress_bar
from qcg_neo4j.database.graph import Graph
from qcg_neo4j.evaluation import Lineup, Question, RetrievalResult, System
from qcg_neo4j.evaluation.page import markdown_table
from qcg_neo4j.indexing.build import AtomSettings, build_atoms
from qcg_neo4j.indexing.train import PredictorSettings, QuestionSettings, train_predictor, write_questions
from qcg_neo4j.indexing.train.settings import TABLE_8
from qcg_neo4j.models.embedding.embedder import Embedder
from qcg_neo4j.models.replies import Recording
from qcg_neo4j.retrieval import Lp, LpSettings

SEEDS = (0, 1, 2)
STRICT = PredictorSettings(recipe="paper", patience=100)
AS_NCN: dict[str, Any] = asdict(TABLE_8["ncn"])
DEEP = LpSettings(atoms=60, reasons=0)
MEASURES = ("recall@2", "recall@5", "MRR")
HELD = ("held-out MRR", "hits@5")


@dataclass(frozen=True)
class Variant:
    """A predictor of the table: what it is made of, on which graph of atoms, and how it ranks."""

    name: str
    predictor: PredictorSettings = PredictorSettings()
    atoms: AtomSettings = AtomSettings()
    ranking: LpSettings = DEEP
    per_batch: int = 2
    seeds: tuple[int, ...] = SEEDS


def left_out(name: str, predictor: PredictorSettings = PredictorSettings(), **other: Any) -> Variant:
    """An ablation of the tuned form: one seed is enough to see what is larger than the spread of the others."""
    return Variant(f"NCN, tuned, {name}", predictor, seeds=SEEDS[:1], **other)


VARIANTS = (
    Variant("lp: NCN, tuned"),
    Variant("MLP, tuned (sees no neighbours)", PredictorSettings(model="mlp")),
    Variant("NCN, strict form", STRICT),
    Variant(
        "NCN, strict form, a question linked to all atoms in training too", replace(STRICT, query_neighbours="all")
    ),
    # Measured with the numbers of NCN, and not with their own of the paper's table 8, which are now the default.
    Variant("MLP, the strict form's recipe", replace(STRICT, model="mlp", **AS_NCN)),
    Variant("VGAE", replace(STRICT, model="vgae", **AS_NCN)),
    Variant("NCN, tuned, also joined by a shared entity", atoms=AtomSettings(sharing=5)),
    left_out("without synthetic questions", PredictorSettings(asking="atoms")),
    left_out("one question per batch", per_batch=1),
    left_out("2 layers", PredictorSettings(layers=2)),
    left_out("3 layers", PredictorSettings(layers=3)),
    left_out("k = 3", atoms=AtomSettings(neighbours=3)),
    left_out("k = 10", atoms=AtomSettings(neighbours=10)),
    left_out("negatives by degree", PredictorSettings(negatives="degree")),
    left_out("random negatives alone", PredictorSettings(hard_negatives=0, random_negatives=70)),
    left_out("50 candidates", ranking=replace(DEEP, candidates=50)),
    left_out("1,000 candidates", ranking=replace(DEEP, candidates=1000)),
    left_out("all candidates", ranking=replace(DEEP, candidates=0)),
)
Evaluate = Callable[[Lineup, Path], RetrievalResult]


class Kept:
    """The rows of a table so far, in ``runs.jsonl``: an interrupted run goes on."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        folder.mkdir(parents=True, exist_ok=True)
        self._file = folder / "runs.jsonl"
        lines = self._file.read_text(encoding="utf-8").splitlines() if self._file.exists() else []
        self.rows: list[dict[str, Any]] = list(map(json.loads, lines))

    def has(self, variant: str, seed: int | str) -> bool:
        """Whether there is a row of this name and seed."""
        return any((row["variant"], row["seed"]) == (variant, seed) for row in self.rows)

    def add(self, *rows: dict[str, Any]) -> None:
        """Keep rows."""
        self.rows += rows
        with self._file.open("a", encoding="utf-8") as stream:
            stream.writelines(f"{json.dumps(row)}\n" for row in rows)


class LinkTables:
    """Trains and measures variant after variant; what is measured is kept, so that an interrupted run goes on."""

    def __init__(self, graph: Graph, embedder: Embedder, batches: Path | None, avoid: Sequence[Question]) -> None:
        self._graph, self._embedder, self._batches = graph, embedder, batches
        self._avoid = embedder.embed([question.text for question in avoid])

    def measure(self, folder: Path, evaluate: Evaluate) -> list[dict[str, Any]]:
        """A row per variant and seed."""
        kept = Kept(folder)
        for seed in SEEDS:  # the whole table with one seed first
            for variant in VARIANTS:
                if seed in variant.seeds and not kept.has(variant.name, seed):
                    kept.add(self._measured(variant, seed, folder, evaluate))
        return kept.rows

    def _measured(self, variant: Variant, seed: int, folder: Path, evaluate: Evaluate) -> dict[str, Any]:
        notices().print(f"{variant.name}, seed {seed}")
        build_atoms(self._graph, variant.atoms)
        ask(self._graph, self._embedder, self._batches, variant.per_batch)
        settings = replace(variant.predictor, random_seed=seed)
        with progress_bar("Training") as progress:
            trained = train_predictor(self._graph, settings, avoid=self._avoid, progress=progress)
        lineup = Lineup((System(variant.name, Lp(variant.ranking)),))
        (measured,) = as_rows(evaluate(lineup, folder / "last"), seed)
        held = {HELD[0]: 100 * trained.mrr, HELD[1]: 100 * trained.hits["5"], "cosine": 100 * trained.cosine_mrr}
        return {**measured, **held, "trained": asdict(trained)}


def ask(graph: Graph, embedder: Embedder, batches: Path | None, per_batch: int = 2) -> None:
    """Write the questions that predictors learn from: those recorded of batches, else the chunks' own queries."""
    if batches:
        settings = QuestionSettings(source="replies", per_batch=per_batch)
        write_questions(graph, embedder, settings, Recording([batches], "train/questions"), files=[batches])
    else:
        write_questions(graph, embedder, QuestionSettings(source="queries"))


def as_rows(result: RetrievalResult, seed: int | str = "") -> list[dict[str, Any]]:
    """A row per system: its name as ``variant``, the seed, and the measures in percent."""
    return [
        {"variant": row.name, "seed": seed, **{name: 100 * row.figures[name].mean for name in MEASURES}}
        for row in result.rows
    ]


def write_table(folder: Path, controls: RetrievalResult, rows: Sequence[dict[str, Any]], command: str) -> None:
    """The whole table: controls, then every variant with its mean and its range over seeds."""
    trained = rows[0]["trained"]
    page = (
        f"# Link prediction\n\n    {command}\n\n{controls.note}\n\n"
        f"- {controls.questions} questions with evidence. {trained['atoms']:,} atoms, {trained['pairs']:,} pairs.\n"
        f"- With seed 0: {trained['training']:,} synthetic questions to learn from, {trained['validation']:,} for "
        f"validation, {trained['held_out']:,} held out by batch; {trained['paraphrases']:,} left out as paraphrases of "
        f"these, {trained['avoided']:,} as paraphrases of the questions of this table (cosine of at least 0.85).\n"
        f"- Mean over three seeds, and their least and greatest value; a single value is of seed 0. Held-out MRR "
        f"by cosine alone: {mean(row['cosine'] for row in rows if row['variant'] == VARIANTS[0].name):.1f}.\n"
    )
    write_rows(folder, page, [*as_rows(controls), *rows], (*MEASURES, *HELD))


def write_rows(folder: Path, page: str, rows: Sequence[dict[str, Any]], measures: Sequence[str] = MEASURES) -> None:
    """Write ``table.csv`` with a line per system and seed, and the page with a line per system behind ``page``."""
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / "table.csv").open("w", encoding="utf-8", newline="") as stream:
        writer = csv.writer(stream)
        writer.writerow(["system", "seed", *measures])
        for row in rows:
            figures = [round(row[name] / 100, 4) if name in row else "" for name in measures]
            writer.writerow([row["variant"], row["seed"], *figures])
    systems = dict.fromkeys(row["variant"] for row in rows)
    body = [[name, *_cells([row for row in rows if row["variant"] == name], measures)] for name in systems]
    table = markdown_table(("system", *measures), body)
    (folder / "table.md").write_text(f"{page}\n{table}\n", encoding="utf-8")


def _cells(rows: Sequence[dict[str, Any]], measures: Sequence[str]) -> Iterator[str]:
    for name in measures:
        values = [row[name] for row in rows if name in row]
        yield _spread(values) if values else ""


def _spread(values: Sequence[float]) -> str:
    middle = f"{np.mean(values):.1f}"
    return middle if len(values) == 1 else f"{middle} ({min(values):.1f} to {max(values):.1f})"
