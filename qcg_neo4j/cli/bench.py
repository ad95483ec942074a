"""``qcg bench``: how fast retrieval and writing are."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any, TypeVar

import click

from qcg_neo4j.bench import (
    CommunitiesBenchSettings,
    EmbedBenchSettings,
    LinksBenchSettings,
    LoadBenchSettings,
    PageRankBenchSettings,
    PathsBenchSettings,
    Result,
    RetrieveBenchSettings,
    TrainingBenchSettings,
    as_markdown,
    columns,
    empty_database,
    own_database,
    rows,
)
from qcg_neo4j.bench import bench_communities as run_communities
from qcg_neo4j.bench import bench_embed as run_embed
from qcg_neo4j.bench import bench_links as run_links
from qcg_neo4j.bench import bench_load as run_load
from qcg_neo4j.bench import bench_page_rank as run_page_rank
from qcg_neo4j.bench import bench_paths as run_paths
from qcg_neo4j.bench import bench_retrieve as run_retrieve
from qcg_neo4j.bench import bench_training as run_training
from qcg_neo4j.cli.command_line import COMMAND, RememberingCommand
from qcg_neo4j.cli.download_bar import starting
from qcg_neo4j.cli.embedder import embedder_of
from qcg_neo4j.cli.options import json_option, settings_file_option, settings_options
from qcg_neo4j.cli.terminal import notices, print_json, print_table, progress_bar, results
from qcg_neo4j.embedding import EmbeddingSettings
from qcg_neo4j.errors import InputError
from qcg_neo4j.graph import Graph
from qcg_neo4j.server import ServerSettings

F = TypeVar("F", bound=Callable[..., Any])


def _numbers(_: click.Context, option: click.Parameter, text: str) -> tuple[int, ...]:
    """``10000,100000`` -> ``(10000, 100000)``."""
    try:
        return tuple(int(part) for part in text.split(","))
    except ValueError:
        raise click.BadParameter("must be whole numbers such as 10000,100000", param=option) from None


@click.group()
def bench() -> None:
    """Measure latency and throughput on synthetic data, in a database of its own."""


def _common(command: F) -> F:
    for option in (
        json_option,
        click.option(
            "--output",
            type=click.Path(path_type=Path, file_okay=False),
            help="Folder in which the table is written as Markdown, with the command on top.",
        ),
        click.option("--database", help="Name of the database at --uri; NEO4J_DATABASE."),
        click.option("--user", help="Name of the user at --uri; NEO4J_USERNAME."),
        click.option(
            "--uri",
            help="Address of an EMPTY database, emptied again at the end; the password comes from NEO4J_PASSWORD. "
            "[default: a server of its own in a temporary home]",
        ),
        settings_file_option,
        settings_options(ServerSettings, "server"),
    ):
        command = option(command)
    return command


@bench.command(cls=RememberingCommand)
@click.option(
    "--sizes",
    callback=_numbers,
    default="10000,100000",
    show_default=True,
    help="Numbers of queries in the graph, rising.",
)
@settings_options(RetrieveBenchSettings, "bench_retrieve")
@_common
@click.pass_context
def retrieve(
    context: click.Context, /, sizes: tuple[int, ...], bench_retrieve: RetrieveBenchSettings, **rest: Any
) -> None:
    """Time every retrieval method against the bare vector index and a client with one round trip per step."""
    with _database(rest) as graph:
        result = run_retrieve(graph, sizes, bench_retrieve, progress_bar, context.meta[COMMAND])
    _show(result, "retrieve", rest)


@bench.command(cls=RememberingCommand)
@settings_options(LoadBenchSettings, "bench_load")
@settings_options(EmbeddingSettings, "embedding", shared=True)
@_common
@click.pass_context
def load(context: click.Context, /, bench_load: LoadBenchSettings, embedding: EmbeddingSettings, **rest: Any) -> None:
    """Compare the writing of chunks and vectors with the writer of neo4j-graphrag."""
    with _database(rest, with_apoc=True) as graph:
        result = run_load(graph, embedder_of(graph, embedding), bench_load, progress_bar, context.meta[COMMAND])
    _show(result, "load", rest)


@bench.command(cls=RememberingCommand)
@click.option(
    "--sizes", callback=_numbers, default="13,254", show_default=True, help="Tokens per text: a question's, a window's."
)
@settings_options(EmbedBenchSettings, "bench_embed")
@_common
@click.pass_context
def embed(context: click.Context, /, sizes: tuple[int, ...], bench_embed: EmbedBenchSettings, **rest: Any) -> None:
    """Compare the model inside the database with sentence-transformers: texts a second, and the first text."""
    with _database(rest) as graph:
        result = run_embed(graph, sizes, bench_embed, progress_bar, context.meta[COMMAND])
    _show(result, "embed", rest)


@bench.command(cls=RememberingCommand)
@click.option(
    "--sizes",
    callback=_numbers,
    default="1000,10000,100000,1000000",
    show_default=True,
    help="Numbers of relationships in the graph, rising.",
)
@settings_options(PathsBenchSettings, "bench_paths")
@_common
@click.pass_context
def paths(context: click.Context, /, sizes: tuple[int, ...], bench_paths: PathsBenchSettings, **rest: Any) -> None:
    """Time path completion: beam search in the database, in plain Cypher and by a client, and every path."""
    with _database(rest) as graph:
        result = run_paths(graph, sizes, bench_paths, progress_bar, context.meta[COMMAND])
    _show(result, "paths", rest)


@bench.command(cls=RememberingCommand)
@click.option(
    "--sizes",
    callback=_numbers,
    default="1000,10000,100000",
    show_default=True,
    help="Numbers of entities in the graph, rising.",
)
@settings_options(CommunitiesBenchSettings, "bench_communities")
@_common
@click.pass_context
def communities(
    context: click.Context, /, sizes: tuple[int, ...], bench_communities: CommunitiesBenchSettings, **rest: Any
) -> None:
    """Time the building of communities, anew and after a change, beside leidenalg; and searching from them."""
    with _database(rest) as graph:
        result = run_communities(graph, sizes, bench_communities, progress_bar, context.meta[COMMAND])
    _show(result, "communities", rest)


@bench.command("page-rank", cls=RememberingCommand)
@click.option(
    "--sizes",
    callback=_numbers,
    default="10000,100000,1000000",
    show_default=True,
    help="Numbers of edges in the graph, rising.",
)
@settings_options(PageRankBenchSettings, "bench_page_rank")
@_common
@click.pass_context
def page_rank(
    context: click.Context, /, sizes: tuple[int, ...], bench_page_rank: PageRankBenchSettings, **rest: Any
) -> None:
    """Time personalized PageRank: forward push and GDS in the database, and igraph in this process."""
    with _database(rest) as graph:
        result = run_page_rank(graph, sizes, bench_page_rank, progress_bar, context.meta[COMMAND])
    _show(result, "page_rank", rest)


@bench.command(cls=RememberingCommand)
@click.option(
    "--candidates",
    callback=_numbers,
    default="50,200,1000",
    show_default=True,
    help="Numbers of atoms that are scored.",
)
@click.option(
    "--degrees", callback=_numbers, default="5,20,50", show_default=True, help="Numbers of neighbours of an atom."
)
@settings_options(LinksBenchSettings, "bench_links")
@_common
@click.pass_context
def links(
    context: click.Context,
    /,
    candidates: tuple[int, ...],
    degrees: tuple[int, ...],
    bench_links: LinksBenchSettings,
    **rest: Any,
) -> None:
    """Time link prediction: the procedure in the database, and PyTorch in this process."""
    with _database(rest) as graph:
        result = run_links(graph, candidates, degrees, bench_links, progress_bar, context.meta[COMMAND])
    _show(result, "links", rest)


@bench.command(cls=RememberingCommand)
@click.option(
    "--sizes",
    callback=_numbers,
    default="4000,40000,400000",
    show_default=True,
    help="Numbers of atoms.",
)
@settings_options(TrainingBenchSettings, "bench_training")
@settings_file_option
@click.option(
    "--output", type=click.Path(path_type=Path, file_okay=False), help="Folder in which the table is written."
)
@json_option
@click.pass_context
def training(
    context: click.Context, /, sizes: tuple[int, ...], bench_training: TrainingBenchSettings, **rest: Any
) -> None:
    """Time an epoch of training a link predictor; needs no database."""
    result = run_training(sizes, bench_training, progress_bar, context.meta[COMMAND])
    _show(result, "training", rest)


@contextmanager
def _database(options: dict[str, Any], *, with_apoc: bool = False) -> Iterator[Graph]:
    signal.signal(signal.SIGTERM, signal.default_int_handler)  # so that a server of its own goes with the command
    if options["uri"]:
        with empty_database(options["uri"], options["user"], options["database"]) as graph:
            yield graph
        return
    settings: ServerSettings = options["server"]
    java_home = settings.java_home or os.environ.get("JAVA_HOME") or None
    with ExitStack() as opened:
        with starting("Starting Neo4j") as progress:
            graph = opened.enter_context(
                own_database(replace(settings, java_home=java_home), progress, with_apoc=with_apoc)
            )
        yield graph


def _show(result: Result, name: str, options: dict[str, Any]) -> None:
    folder: Path | None = options["output"]
    if folder:
        _write(result, folder / f"{name}.md")
    if options["as_json"]:
        print_json(result.as_dict())
        return
    print_table(f"{result.title} ({result.unit})", columns(result), rows(result))
    for note in (*(f"{fact}: {value}" for fact, value in result.facts.items()), *result.notes):
        results().print(f"- {note}", markup=False)


def _write(result: Result, file: Path) -> None:
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(as_markdown(result), encoding="utf-8")
    except OSError as error:
        raise InputError(f"{file} cannot be written: {error.strerror}.") from None
    notices().print(f"Written to {file}.", markup=False)
