"""Whether the database scores links as PyTorch does: every atom for every question of LiHua-World.

    python tests/reproduction/link_scores.py DATA

DATA is the folder of ``lihuaworld.py``, whose server and graph are used. The table goes to ``lihuaworld/tables``. The
predictors are trained for a few epochs only: numbers are compared here, not what they are good for.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import click

sys.path.append(str(Path(__file__).parents[1] / "twins"))  # the same scores by the modules that learned

from lihuaworld import HERE, data
from making import TRIPLES, Reproduction, Table, command_of, comparison, own_graph
from reference_torch import InTorch

from qcg_neo4j.cli.terminal import notices, progress_bar
from qcg_neo4j.database.embedder import open_embedder_of
from qcg_neo4j.database.graph import Graph
from qcg_neo4j.evaluation.page import markdown_table
from qcg_neo4j.indexing.build import build_atoms
from qcg_neo4j.indexing.train import PredictorSettings, QuestionSettings, train_predictor, write_questions
from qcg_neo4j.indexing.train.stored import of_values
from qcg_neo4j.models.embedding.embedder import EmbeddingSettings
from qcg_neo4j.models.replies import Recording

KINDS: Mapping[str, PredictorSettings] = {
    "NCN, tuned": PredictorSettings(epochs=3),
    "NCN, tuned, 2 layers": PredictorSettings(epochs=3, layers=2),
    "NCN, strict form": PredictorSettings(epochs=3, recipe="paper"),
    "MLP, tuned": PredictorSettings(epochs=3, model="mlp"),
    "VGAE": PredictorSettings(epochs=3, recipe="paper", model="vgae"),
}
NEAREST, BEST = 200, 25  # the candidates and the atoms of `LpSettings`
SCORE = """
MATCH (atom:Atom) WITH collect(atom) AS atoms
CALL qcg.links.score($question, atoms, {atoms: size(atoms), reasons: 0}) YIELD atom, score, similarity
RETURN atom.id AS id, score, similarity
"""
COLUMNS = ("predictor", "questions", "atoms", "greatest difference", "same 25 best of the 200 candidates")


@dataclass
class Compared:
    """How far apart both are, over the questions so far."""

    questions: int = 0
    atoms: int = 0
    difference: float = 0.0
    same: int = 0

    def add(self, rows: list[tuple[str, float, float]], expected: Mapping[str, float]) -> None:
        """One question: id, score and cosine of every atom by the database, and their scores by PyTorch."""
        self.questions, self.atoms = self.questions + 1, len(rows)
        assert {name for name, _, _ in rows} == set(expected)
        self.difference = max(self.difference, *(abs(score - expected[name]) for name, score, _ in rows))
        near = sorted(rows, key=lambda row: (-row[2], row[0]))[:NEAREST]
        own = sorted(near, key=lambda row: (-row[1], row[0]))[:BEST]
        least = sorted((expected[name] for name, _, _ in near), reverse=True)[BEST - 1]
        self.same += all(expected[name] >= least - 1e-4 for name, _, _ in own)


def compare(graph: Graph, settings: PredictorSettings, questions: list[str], name: str) -> Compared:
    """Train, and score every atom both ways for every question."""
    with progress_bar(f"Training {name}") as progress:
        train_predictor(graph, settings, progress=progress)
    in_torch = InTorch(graph, settings, of_values(graph.rows("train/predictor")[0]["predictor"]).weights)
    compared = Compared()
    with progress_bar(f"Scoring by {name}") as progress:
        for number, question in enumerate(questions, start=1):
            vector = graph.embed_question(question)
            found = graph.driver.execute_query(SCORE, question=vector.astype(float).tolist()).records
            compared.add([(row["id"], row["score"], row["similarity"]) for row in found], in_torch.scores(vector))
            progress(number, len(questions))
    return compared


@comparison(HERE)
def main(folder: Path, home: Path, output: Path, limit: int | None) -> None:
    """Compare on the questions of the folder DATA."""
    found = data(folder)
    rows = []
    with own_graph(home) as graph:
        Reproduction(found, output, graph).prepare(Table("lp", "", generate=None, extract=TRIPLES))
        build_atoms(graph)
        embedder = open_embedder_of(graph, EmbeddingSettings())
        recording = Recording([found.batches] if found.batches else [], "train/questions")
        write_questions(graph, embedder, QuestionSettings(source="replies"), recording)
        texts = [question.text for question in found.questions[:limit]]
        for name, settings in KINDS.items():
            made = compare(graph, settings, texts, name)
            rows.append(
                [
                    name,
                    f"{made.questions}",
                    f"{made.atoms:,}",
                    f"{made.difference:.1e}",
                    f"{made.same / made.questions:.1%}",
                ]
            )
            notices().print(*rows[-1])
    command = command_of("python tests/reproduction/link_scores.py DATA", limit)
    table = markdown_table(COLUMNS, rows)
    page = f"# Scores of links: the database beside PyTorch, LiHua-World\n\n    {command}\n\n{table}\n"
    (output / "link_scores.md").write_text(page, encoding="utf-8")
    click.echo(page)


if __name__ == "__main__":
    main()
