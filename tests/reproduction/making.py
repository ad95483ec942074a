"""What the reproductions share: how a table's graph is made, its systems asked, and how an interrupted run goes on."""

from __future__ import annotations

import json
import sys
import tomllib
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Any

import click
import numpy as np
from expected import conclude, write_reference
from link_prediction import LinkTables, write_table
from tokenizers import Tokenizer

from qcg_neo4j import server
from qcg_neo4j.cli.terminal import notices, progress_bar
from qcg_neo4j.core.errors import InputError, QcgError
from qcg_neo4j.core.records import Rejected, SourceDocument
from qcg_neo4j.database import stages
from qcg_neo4j.database.embedder import open_embedder_of
from qcg_neo4j.database.graph import Graph
from qcg_neo4j.evaluation import (
    EvaluateSettings,
    Lineup,
    Question,
    RetrievalResult,
    System,
    evaluate_retrieval,
    read_lineup,
    select,
)
from qcg_neo4j.evaluation.page import markdown_table
from qcg_neo4j.evaluation.settings import ALL, EVEN, ODD
from qcg_neo4j.indexing.build import BuildSettings, build_communities, build_queries, build_synonyms
from qcg_neo4j.indexing.extract import ExtractSettings, extract_graph
from qcg_neo4j.indexing.generate import GenerateSettings, generate_queries
from qcg_neo4j.indexing.load import LoadSettings, load_documents
from qcg_neo4j.indexing.report import ReportSettings, write_reports
from qcg_neo4j.models.embedding.embedder import Embedder, EmbeddingSettings, Vectors
from qcg_neo4j.models.replies import Recording, Reply, ReplySource, Request
from qcg_neo4j.models.replies import Result as Replied
from qcg_neo4j.retrieval import method
from qcg_neo4j.retrieval.model_steps import FILTER

PAPER, SENTENCES = GenerateSettings(source="replies"), GenerateSettings(source="sentences")
TRIPLES = ExtractSettings(source="replies")
WINDOWS, TRUNCATED = LoadSettings(), LoadSettings(long_text="truncate")
BUILD = BuildSettings(neighbours=5)
STATEMENTS = Path(__file__).parents[1] / "bench/cypher"  # those of the measurements of speed
SWEEP, CONFIRMATION = "sweep", "confirmation"


@dataclass(frozen=True)
class Table:
    """A table: how its graph is made, which systems it compares, on which half of the questions."""

    name: str
    systems: str
    load: LoadSettings = WINDOWS
    generate: GenerateSettings | None = PAPER
    extract: ExtractSettings | None = None
    graph: str = "recorded"
    synonyms: bool = False
    communities: bool = False
    links: bool = False
    baselines: bool = False
    half: str = ALL
    latency: bool = False


NO_MODEL = Table("no-model", "../no_model.toml", generate=SENTENCES, extract=ExtractSettings(source="spacy"))
# What LiHua-World and MuSiQue both have.
OF_METHODS = (
    Table("layers", "layers.toml", extract=TRIPLES),
    Table("layers-second-half", "layers.toml", extract=TRIPLES, half=ODD),
    Table("chains", "chains.toml", extract=TRIPLES),
    Table("chains-second-half", "chains.toml", extract=TRIPLES, half=ODD),
    Table("auto", "auto.toml", extract=TRIPLES, synonyms=True),
    Table("auto-second-half", "auto.toml", extract=TRIPLES, synonyms=True, half=ODD),
    NO_MODEL,
    Table("graphrag", "graphrag.toml", extract=TRIPLES, communities=True),
    Table("atomic", "atomic.toml", extract=TRIPLES, synonyms=True),
    Table("atomic-grid", "atomic_grid.toml", extract=TRIPLES, synonyms=True, half=EVEN),
    Table("tuned", "tuned.toml", extract=TRIPLES, synonyms=True, communities=True, half=ODD),
    Table("lp", "lp.toml", extract=TRIPLES, links=True),
)


@dataclass(frozen=True)
class Data:
    """A benchmark: its documents, questions and recorded replies, and where its tables are described."""

    documents: Sequence[SourceDocument | Rejected]
    questions: Sequence[Question]
    pairs: Path
    graphs: Mapping[str, Path]
    analyses: Path
    systems: Path
    command: str
    batches: Path | None = None  # recorded questions about batches of atoms
    note: str = ""  # what the tables say of the data, where it is not what the systems' files say
    gold: Mapping[str, frozenset[str]] = field(default_factory=dict)  # documents by the TTR that is from them

    @property
    def source(self) -> ReplySource:
        """What the systems ask: recorded analyses, and the filter that knows the right documents."""
        files = [self.analyses] if self.analyses.exists() else []
        return Sources(Recording(files, "analyse/question"), GoldFilter(self.questions, self.gold))

    def lacks(self, table: Table) -> list[str]:
        """The recordings that a table needs and that are not there."""
        needed: list[Path] = []
        if table.generate and table.generate.source == "replies":
            needed.append(self.pairs)
        if table.extract and table.extract.source == "replies":
            needed.append(self.graphs[table.graph])
        if asks(self.systems / table.systems):
            needed.append(self.analyses)
        return [path.name for path in needed if not path.exists()]


class Remembering(Embedder):
    """An embedder that embeds no text twice: systems that differ in a share alone ask for the same context."""

    def __init__(self, embedder: Embedder) -> None:
        self._embedder = embedder
        self._known: dict[str, Vectors] = {}
        self.name, self.dimension, self.prefixes = embedder.name, embedder.dimension, embedder.prefixes
        self.reads = embedder.reads

    @cached_property
    def tokenizer(self) -> Tokenizer:
        """The model's tokenizer."""
        return self._embedder.tokenizer

    def _vectors(self, texts: Sequence[str], prefix: str) -> Vectors:
        new = [text for text in dict.fromkeys(texts) if prefix + text not in self._known]
        self._known.update(zip([prefix + text for text in new], self._embedder._vectors(new, prefix), strict=True))
        return np.array([self._known[prefix + text] for text in texts], np.float32).reshape(len(texts), self.dimension)


class GoldFilter:
    """Keeps the triples that stand in the right documents: the upper bound of a filter, no method of its own."""

    name = "the right documents"

    def __init__(self, questions: Sequence[Question], gold: Mapping[str, frozenset[str]]) -> None:
        self._evidence = {question.text: set(question.evidence) for question in questions}
        self._gold = gold

    def known(self, request: Request) -> Reply | None:
        """The numbers of the triples from the right documents."""
        right = self._evidence[request.variables["question"]]
        lines = [line.partition("] ") for line in request.variables["triples"].splitlines()]
        keep = [int(number[1:]) for number, _, ttr in lines if right & self._gold.get(ttr, frozenset())]
        return Reply(request, {"keep": keep}, self.name)


class Sources:
    """Each task's own source."""

    def __init__(self, analyses: Recording, gold: GoldFilter) -> None:
        self._analyses, self._gold = analyses, gold
        self.name = f"{analyses.name}, {gold.name}"

    def known(self, request: Request) -> Reply | None:
        """The reply."""
        return self._gold.known(request) if request.task.name == FILTER else self._analyses.known(request)

    def replies(self, requests: Iterable[Request]) -> Iterator[Replied]:
        """One result per request."""
        for request in requests:
            known = self.known(request)
            if known:
                yield known
            else:
                yield from self._analyses.replies([request])


class Reproduction:
    """The data, where the tables go, and the graph that is made anew as each table needs it."""

    def __init__(
        self, data: Data, output: Path, graph: Graph, limit: int | None = None, embedder: Remembering | None = None
    ) -> None:
        self._data = data
        self._output = output
        self._graph = graph
        self._limit = limit
        self._embedder = embedder or Remembering(open_embedder_of(graph, EmbeddingSettings()))
        self._graph.embedder = self._embedder

    def make(self, table: Table) -> None:
        """Make one table, unless it is there; the sweep is followed by its confirmation on the other half."""
        wanted = [table.name, *([CONFIRMATION] if table.name == SWEEP else [])]
        if all((self._output / name / "table.md").exists() for name in wanted):
            notices().print(f"{table.name} is there already, in {self._output / table.name}.")
            return
        notices().rule(table.name)
        self.prepare(table)
        lineup = read_lineup(self._data.systems / table.systems, source=self._data.source)
        lineup = replace(lineup, note=self._data.note or lineup.note)
        if table.links:
            self._make_links(table, lineup)
            return
        result = self._evaluate(table.name, table, lineup)
        if table.name == SWEEP:
            self._evaluate(CONFIRMATION, replace(table, half=ODD, latency=True), confirmation(result, lineup))

    def _make_links(self, table: Table, lineup: Lineup) -> None:
        """Predictors, each trained and asked before the next; the controls come first."""
        folder = self._output / table.name
        questions = select(self._data.questions, table.half, limit=self._limit)

        def measured(one: Lineup, output: Path) -> RetrievalResult:
            with progress_bar("Asking") as progress:
                settings = EvaluateSettings(latency=table.latency)
                return evaluate_retrieval(self._graph, questions, one, output, settings, progress=progress)

        controls = measured(lineup, folder / "controls")
        tables = LinkTables(self._graph, self._embedder, self._data.batches, self._data.questions)
        rows = tables.measure(folder, measured)
        write_table(folder, controls, rows, command_of(self._data.command, self._limit))

    def prepare(self, table: Table) -> None:
        """Make the graph of a table; what is there already is left as it is."""
        with progress_bar("Loading") as progress:
            load_documents(self._graph, self._embedder, iter(self._data.documents), table.load, progress)
        if table.generate:
            source = None if table.generate == SENTENCES else Recording([self._data.pairs], "generate/pairs")
            with progress_bar("Generating") as progress:
                generate_queries(
                    self._graph,
                    self._embedder,
                    table.generate,
                    source,
                    with_baselines=table.baselines,
                    progress=progress,
                )
            with progress_bar("Building") as progress:
                build_queries(self._graph, BUILD, progress)
        if table.extract:
            with progress_bar("Extracting") as progress:
                replies = table.extract.source == "replies"
                source = Recording([self._data.graphs[table.graph]], "extract/graph") if replies else None
                extract_graph(self._graph, self._embedder, table.extract, source, progress=progress)
        if table.synonyms:
            with progress_bar("Joining synonyms") as progress:
                build_synonyms(self._graph, progress=progress)

        if table.communities:
            with progress_bar("Reporting on communities") as progress:
                build_communities(self._graph)
                write_reports(self._graph, self._embedder, ReportSettings(source="extractive"), progress=progress)
                self._write_levels()

    def _write_levels(self) -> None:
        """The communities of each level, and how long their reports are beside the texts."""
        rows = self._graph.rows("inspect/levels")
        names = ("level", "communities", "largest", "median", "tokens", "percent_of_source")
        body = [[f"C{row['level']}", *(f"{row[name]:,}" for name in names[1:])] for row in rows]
        heads = ("level", "communities", "largest", "median size", "tokens of reports", "% of the texts")
        modularity = stages.recorded(self._graph)["communities"].figures["modularity"]
        best = root_by_leidenalg(self._graph)
        known = (
            f"Modularity at C0: {modularity:.4f}, {modularity / best:.2%} of what leidenalg reaches ({best:.4f}). "
            "The reports are extractive."
        )
        page = f"# Communities\n\n    {self._data.command}\n\n{known}\n\n{markdown_table(heads, body)}\n"
        self._output.mkdir(parents=True, exist_ok=True)
        (self._output / "communities.md").write_text(page, encoding="utf-8")

    def _evaluate(self, name: str, table: Table, lineup: Lineup) -> RetrievalResult:
        questions: Sequence[Question] = select(self._data.questions, table.half, limit=self._limit)
        with progress_bar(f"Asking for {name}") as progress:
            return evaluate_retrieval(
                self._graph,
                questions,
                lineup,
                self._output / name,
                EvaluateSettings(latency=table.latency),
                command=command_of(self._data.command, self._limit),
                progress=progress,
            )


def root_by_leidenalg(graph: Graph) -> float:
    """The modularity that another implementation of Leiden reaches on the same entities."""
    import igraph
    import leidenalg

    rows = graph.rows(str(STATEMENTS / "edges"))
    names = sorted({row[end] for row in rows for end in ("source", "target")})
    place = {name: number for number, name in enumerate(names)}
    network = igraph.Graph(len(place), [(place[row["source"]], place[row["target"]]) for row in rows])
    weights = [row["weight"] for row in rows]
    kind = leidenalg.ModularityVertexPartition
    return float(leidenalg.find_partition(network, kind, weights=weights, n_iterations=-1, seed=1).quality())


def gold(recording: Path) -> dict[str, frozenset[str]]:
    """The documents that each triple's textual representation is from; none where there is no recording."""
    found: dict[str, set[str]] = defaultdict(set)
    if not recording.exists():
        return {}
    for line in recording.read_text(encoding="utf-8").splitlines():
        reply = json.loads(line)
        for relation in reply["reply"]["relations"]:
            found[relation["ttr"]].add(reply["document"])
    return {ttr: frozenset(documents) for ttr, documents in found.items()}


def command_of(command: str, limit: int | None) -> str:
    """The command that makes the tables."""
    return f"{command} --limit {limit}" if limit else command


def confirmation(sweep: RetrievalResult, lineup: Lineup) -> Lineup:
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


def asks(systems: Path) -> bool:
    """Whether a file lists systems that ask a language model, for which recorded analyses stand in."""
    listed = tomllib.loads(systems.read_text(encoding="utf-8"))
    settings = [*listed.get("system", []), *listed.get("sweep", [])]
    return any("expand" in one or "model" in (one.get("analysis"), one.get("triple_filter")) for one in settings)


def require(folder: Path, files: Sequence[str]) -> None:
    """Make sure that the data are there before a server is started.

    Raises:
        InputError: there is no such folder, or a file is missing.
    """
    if not folder.is_dir():
        raise InputError(f"There is no folder {folder}.", f"Give the folder that holds {', '.join(files)}.")
    missing = [name for name in files if not (folder / name).is_file()]
    if missing:
        raise InputError(
            f"{folder} lacks {', '.join(missing)}.",
            f"These tables need {', '.join(files)}. Any folder with passages.jsonl and questions.jsonl: "
            "make reproduce DATA=FOLDER.",
        )


def read_json(file: Path) -> Any:
    """What a file of JSON holds.

    Raises:
        InputError: it is not JSON.
    """
    try:
        return json.loads(file.read_text(encoding="utf-8"))
    except ValueError as error:
        raise InputError(f"{file} is not JSON: {error}.", "Get the file anew; see the README on the data.") from None


@contextmanager
def own_graph(home: Path) -> Iterator[Graph]:
    """A graph on an embedded server that runs as long as it is used."""
    server.start(home, server.ServerSettings(heap="1g", page_cache="256m"))
    try:
        with Graph.connect(home=home) as graph:
            yield graph
    finally:
        server.stop(home)


def comparison(here: Path) -> Callable[[Callable[..., None]], click.Command]:
    """Make a function the command of a comparison: a folder DATA, a home and an output in ``here``, and a limit."""

    def command(function: Callable[..., None]) -> click.Command:
        folder = click.Path(path_type=Path, exists=True, file_okay=False)
        place = click.Path(path_type=Path)
        for decorate in (
            click.option("--limit", type=int, help="Only so many questions, to try it out."),
            click.option("--output", type=place, default=here / "tables", help="Folder of the tables."),
            click.option("--home", type=place, default=here / "home", help="Home of the server."),
            click.argument("folder", metavar="DATA", type=folder),
        ):
            function = decorate(function)
        return click.command()(function)

    return command


def reproduce(
    tables: Sequence[Table], read: Callable[[Path], Data], here: Path | None, files: Sequence[str]
) -> click.Command:
    """The command that makes these tables; ``read`` turns the folder of the data, which holds ``files``, into `Data`.

    Tables, server and expected figures are in ``here``, by default in the folder of the data.
    """

    @click.command()
    @click.argument("data", type=click.Path(path_type=Path))
    @click.option("--home", type=click.Path(path_type=Path), help="Home of the server.")
    @click.option("--output", type=click.Path(path_type=Path), help="Folder of the tables.")
    @click.option(
        "--table", "names", multiple=True, type=click.Choice([table.name for table in tables]), help="Only these."
    )
    @click.option("--limit", type=int, help="Only so many questions, to try it out.")
    def main(data: Path, home: Path | None, output: Path | None, names: tuple[str, ...], limit: int | None) -> None:
        """Make the tables from the folder DATA; a table that is there already is left as it is."""
        require(data, files)
        found, place = read(data), here or data
        output = output or place / "tables"
        wanted = [table for table in tables if not names or table.name in names]
        lacking = {table.name: found.lacks(table) for table in wanted}
        with own_graph(home or place / "home") as graph:
            reproduction = Reproduction(found, output, graph, limit)
            for table in wanted:
                if not lacking[table.name]:
                    reproduction.make(table)
        for name, recordings in lacking.items():
            if recordings:
                click.echo(f"{name} is left out: there is no {' and no '.join(recordings)}.")
        click.echo(write_reference(place, output, command_of(found.command, limit)))
        conclude(place, output, limit)

    return main


def run(command: click.Command, arguments: Sequence[str] | None = None) -> None:
    """Run a script's command; an expected error becomes one message and an exit code."""
    try:
        command(arguments)
    except QcgError as error:
        click.echo(f"Error: {error}", err=True)
        sys.exit(error.exit_code)
