"""Link predictors on what they were not trained on: another data set, and documents that came later.

    python tests/reproduction/transfer.py LIHUAWORLD MUSIQUE

The folders are those of ``lihuaworld.py`` and ``musique.py``. Each data set is a corpus of one embedded server, and so
is each half of its documents that a predictor is trained on. Predictors go from one corpus to another by files, as with
``qcg train link-predictor --export`` and ``--import``. The tables go to ``transfer/tables``; an interrupted run goes
on.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from tempfile import TemporaryDirectory

import click
import lihuaworld
import musique
import numpy as np
from expected import conclude
from link_prediction import DEEP, SEEDS, Kept, as_rows, ask, write_rows
from making import TRIPLES, Data, Remembering, Reproduction, Table, command_of, own_graph, require, run
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components
from shown import TITLES

from qcg_neo4j.cli.terminal import notices, progress_bar
from qcg_neo4j.core.records import SourceDocument
from qcg_neo4j.database.graph import Graph
from qcg_neo4j.evaluation import EvaluateSettings, Lineup, Question, System, evaluate_retrieval, read_lineup
from qcg_neo4j.indexing.build import build_atoms
from qcg_neo4j.indexing.train import PredictorSettings, export_predictor, import_predictor, train_predictor
from qcg_neo4j.models.embedding import open_embedder
from qcg_neo4j.models.embedding.embedder import EmbeddingSettings
from qcg_neo4j.retrieval import Lp

HERE = Path(__file__).parent / "transfer"
COMMAND = "python tests/reproduction/transfer.py LIHUAWORLD MUSIQUE"
PREDICTOR = "NCN, tuned"
CONTROLS = ("vector, best window", "BM25", "hybrid", "atoms by cosine alone")
OTHER = {"lihuaworld": "musique", "musique": "lihuaworld"}
LATER = {"lihuaworld": "lihuaworld-later", "musique": "musique-later"}
TABLES = tuple(Table(name, "lp.toml", extract=TRIPLES, links=True) for name in (*OTHER, *LATER.values()))


def later_half(data: Data, seed: int) -> frozenset[str]:
    """The ids of a random half of the documents; those that answer one question stay together."""
    ids = [one.id for one in data.documents if isinstance(one, SourceDocument)]
    place = {name: number for number, name in enumerate(ids)}
    pairs = [(place[one], place[other]) for question in data.questions for one, other in pairwise(question.evidence)]
    ends = np.array(pairs, np.int64).reshape(-1, 2).T
    number, groups = connected_components(coo_array((np.ones(len(pairs)), ends), shape=(len(ids), len(ids))))
    drawn = np.random.default_rng(seed).permutation(number)[: number // 2]
    return frozenset(np.array(ids)[np.isin(groups, drawn)].tolist())


def with_atoms_alone(data: Data, folder: Path) -> Data:
    """Data whose recorded replies have neither entities nor relations, which no predictor sees."""
    lines = map(json.loads, data.graphs["recorded"].read_text(encoding="utf-8").splitlines())
    bare = [{**line, "reply": {**line["reply"], "entities": [], "relations": []}} for line in lines]
    recording = folder / f"{data.systems.name}.jsonl"
    recording.write_text("".join(f"{json.dumps(line)}\n" for line in bare), encoding="utf-8")
    return replace(data, graphs={"recorded": recording})


class Transfer:
    """Trains every predictor that is needed, then asks each where it is to rank."""

    def __init__(self, home: Path, output: Path, found: Mapping[str, Data], limit: int | None) -> None:
        self._home, self._output, self._found, self._limit = home, output, found, limit
        self._embedder = Remembering(open_embedder(EmbeddingSettings()))
        self._avoid = self._embedder.embed([one.text for data in found.values() for one in data.questions])

    def make(self) -> None:
        """Whatever is not there yet."""
        for name, data in self._found.items():
            self._train(name, data, SEEDS)
        for name, data in self._found.items():
            with self._opened(name, data) as graph:
                self._transfer(graph, name, data)
        for name, data in self._found.items():
            for seed in SEEDS:
                later = later_half(data, seed)
                earlier = [one for one in data.documents if isinstance(one, SourceDocument) and one.id not in later]
                self._train(_half(name, seed), replace(data, documents=earlier), (seed,))
            with self._opened(name, data) as graph:
                self._later(graph, name, data)

    @contextmanager
    def _opened(self, corpus: str, data: Data) -> Iterator[Graph]:
        """A corpus, whose graph is made where it is not there."""
        notices().rule(corpus)
        # Queries are needed where they are what is learned from.
        table = replace(TABLES[0], generate=None) if data.batches else TABLES[0]
        with Graph.connect(home=self._home, corpus=corpus, create=True) as graph:
            Reproduction(data, self._output, graph, embedder=self._embedder).prepare(table)
            build_atoms(graph)
            yield graph

    def _file(self, corpus: str, seed: int) -> Path:
        return self._home / "predictors" / f"{corpus}, {PREDICTOR}, {seed}.npz"

    def _train(self, corpus: str, data: Data, seeds: Sequence[int]) -> None:
        missing = [seed for seed in seeds if not self._file(corpus, seed).exists()]
        if not missing:
            return
        with self._opened(corpus, data) as graph:
            ask(graph, self._embedder, data.batches)
            for seed in missing:
                with progress_bar(f"Training {PREDICTOR}, seed {seed}") as progress:
                    settings = PredictorSettings(random_seed=seed)
                    trained = train_predictor(graph, settings, avoid=self._avoid, progress=progress)
                notices().print(f"{corpus}, {PREDICTOR}, seed {seed}: {trained.seconds} s")
                file = self._file(corpus, seed)
                file.parent.mkdir(exist_ok=True)
                export_predictor(graph, file)

    def _transfer(self, graph: Graph, name: str, data: Data) -> None:
        """The questions of a data set, ranked by its own predictors and by those of the other data set."""
        kept, lineup = self._begun(name, data)
        self._ask(graph, kept, lineup, data.questions)
        for seed in SEEDS:
            here, there = self._file(name, seed), self._file(OTHER[name], seed)
            self._ask_imported(graph, kept, PREDICTOR, data.questions, here, seed)
            self._ask_imported(graph, kept, f"{PREDICTOR}, of the other data set", data.questions, there, seed)
        number = sum(bool(question.evidence) for question in data.questions)
        known = (
            f"- {number} questions with evidence.\n- Predictors are trained here or, of the other data set, on "
            f"{TITLES[OTHER[name]]} alone.\n"
        )
        self._write(kept, f"Link predictors of {TITLES[OTHER[name]]} on {TITLES[name]}", lineup.note, known)

    def _later(self, graph: Graph, name: str, data: Data) -> None:
        """Questions about the later half, ranked by predictors of all documents and of the earlier half."""
        kept, lineup = self._begun(LATER[name], data)
        numbers = []
        for seed in SEEDS:
            later = later_half(data, seed)
            questions = [one for one in data.questions if one.evidence and later.issuperset(one.evidence)]
            numbers.append(str(len(questions)))
            self._ask(graph, kept, lineup, questions, seed)
            whole, half = self._file(name, seed), self._file(_half(name, seed), seed)
            self._ask_imported(graph, kept, f"{PREDICTOR}, of all documents", questions, whole, seed)
            self._ask_imported(graph, kept, f"{PREDICTOR}, of the earlier half", questions, half, seed)
        known = (
            "- A half of the documents is drawn by each seed; those that answer one question stay together. Predictors "
            "are trained on all documents or on the graph of the earlier half, and rank in the graph of all.\n"
            f"- Questions whose evidence is in the later half alone: {', '.join(numbers)} by seed.\n"
        )
        title = f"Link predictors and documents that come later, {TITLES[name]}"
        self._write(kept, title, lineup.note, known)

    def _begun(self, table: str, data: Data) -> tuple[Kept, Lineup]:
        """What is measured already, and what needs no predictor."""
        lineup = read_lineup(data.systems / TABLES[0].systems)
        controls = tuple(one for one in lineup.systems if one.name in CONTROLS)
        return Kept(self._output / table), replace(lineup, systems=controls)

    def _ask_imported(
        self, graph: Graph, kept: Kept, name: str, questions: Sequence[Question], predictor: Path, seed: int
    ) -> None:
        if not kept.has(name, seed):
            notices().print(f"{name}, seed {seed}")
            import_predictor(graph, predictor)
            self._ask(graph, kept, Lineup((System(name, Lp(DEEP)),)), questions, seed)

    def _ask(
        self, graph: Graph, kept: Kept, lineup: Lineup, questions: Sequence[Question], seed: int | str = ""
    ) -> None:
        if not all(kept.has(system.name, seed) for system in lineup.systems):
            asked, settings = questions[: self._limit], EvaluateSettings(latency=False)
            with progress_bar("Asking") as progress:
                found = evaluate_retrieval(graph, asked, lineup, kept.folder / "last", settings, progress=progress)
            kept.add(*as_rows(found, seed))

    def _write(self, kept: Kept, title: str, note: str, known: str) -> None:
        page = (
            f"# {title}\n\n    {command_of(COMMAND, self._limit)}\n\n{note}\n\n{known}"
            "- No question of either data set, nor a paraphrase of one, was learned from.\n"
            "- Documents are ranked; the paper's accuracy of answers (table 11) needs a language model.\n"
            "- Where there are several seeds, their mean, and the least and the greatest value.\n"
        )
        write_rows(kept.folder, page, kept.rows)


def _half(name: str, seed: int) -> str:
    return f"{name}_half_{seed}"


@click.command()
@click.argument("lihuaworld_folder", metavar="LIHUAWORLD", type=click.Path(path_type=Path))
@click.argument("musique_folder", metavar="MUSIQUE", type=click.Path(path_type=Path))
@click.option("--home", type=click.Path(path_type=Path), default=HERE / "home", help="Home of the server.")
@click.option("--output", type=click.Path(path_type=Path), default=HERE / "tables", help="Folder of the tables.")
@click.option("--limit", type=int, help="Only so many questions, to try it out.")
def main(lihuaworld_folder: Path, musique_folder: Path, home: Path, output: Path, limit: int | None) -> None:
    """Train on LIHUAWORLD and MUSIQUE and on halves of them, and rank what was not trained on."""
    require(lihuaworld_folder, lihuaworld.FILES)
    require(musique_folder, musique.FILES)
    read = {"lihuaworld": lihuaworld.data(lihuaworld_folder), "musique": musique.data(musique_folder)}
    with own_graph(home), TemporaryDirectory() as folder:
        found = {name: with_atoms_alone(data, Path(folder)) for name, data in read.items()}
        Transfer(home, output, found, limit).make()
    conclude(HERE, output, limit)


if __name__ == "__main__":
    run(main)
