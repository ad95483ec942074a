"""``qcg load``: documents into the graph."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path

import click

from qcg_neo4j.cli.command import command
from qcg_neo4j.cli.evaluation_options import benchmark, format_option
from qcg_neo4j.cli.index_display import refuse_if_nothing_was_read, show_left_out
from qcg_neo4j.cli.models import embedder_of, embedding_option
from qcg_neo4j.cli.options import Connect, Typed, connection_options, json_option, settings_options
from qcg_neo4j.cli.server import say_if_it_wants_memory
from qcg_neo4j.cli.stages import WantedWorkers, workers_options
from qcg_neo4j.cli.terminal import notices, print_json, print_table, progress_bars
from qcg_neo4j.core.errors import InputError, number_of
from qcg_neo4j.core.records import SourceDocument
from qcg_neo4j.database.schema import nodes_of_others
from qcg_neo4j.database.status import told_of_others
from qcg_neo4j.indexing.load import LoadReport, LoadSettings, load_documents, read_documents
from qcg_neo4j.models.embedding.embedder import EmbeddingSettings

_SHOWN = 20  # notes that are named; --json has more


@command()
@click.argument("paths", nargs=-1, required=True, metavar="PATH...")
@format_option("PATH is the folder of this public benchmark")
@settings_options(
    LoadSettings,
    "load",
    Typed("id_prefix", "PREFIX", "ids are PREFIX and the path inside the given folder"),
    Typed("replace", meaning="replace documents whose id came from another source"),
    Typed("follow_links", meaning="read behind links that lead out of the folder"),
    Typed("language", "CODE", "language of the documents, such as de [detected]"),
    Typed("strict", meaning="stop at the first input that cannot be read"),
    Typed("chunk_tokens", "N", "largest chunk in tokens"),
    Typed("overlap_tokens", "N", "largest overlap of neighbouring chunks in tokens"),
)
@embedding_option
@connection_options
@workers_options
@json_option
def load(
    paths: tuple[str, ...],
    connect: Connect,
    kind: str | None,
    load: LoadSettings,
    embedding: EmbeddingSettings,
    workers: WantedWorkers,
    as_json: bool,
) -> None:
    """Load documents from files, folders, or standard input (-): cut into chunks, embed, write.

    Formats: JSON Lines, text, Markdown, HTML, PDF, CSV, email, Word, PowerPoint, Excel, EPUB, reStructuredText. Input
    that cannot be read is reported and skipped. Unchanged documents are skipped.
    """
    if kind and load.id_prefix:
        raise InputError("--id-prefix does not go with --format.", "A benchmark's questions name its documents by id.")
    documents = (
        _benchmark(kind, paths)
        if kind
        else read_documents(paths, load.largest_document, id_prefix=load.id_prefix, follow_links=load.follow_links)
    )
    with connect(create=True) as graph:
        if others := told_of_others(nodes_of_others(graph)):
            notices().print(others, style="yellow")
        embedder = embedder_of(graph, embedding)
        with workers.started() as started, progress_bars() as bar:
            bars = bar("Loading"), bar("Chunks of a long document")
            report = load_documents(graph, embedder, documents, load, *bars, workers=started)
        say_if_it_wants_memory(graph)
    if as_json:
        print_json(asdict(report))
    else:
        _show(report)
    refuse_if_nothing_was_read(report)


def _benchmark(kind: str, paths: tuple[str, ...]) -> Iterator[SourceDocument]:
    if len(paths) > 1:
        raise InputError(
            f"With --format there is one folder, and {len(paths):,} are given.", "Load one after the other."
        )
    return iter(benchmark(kind, Path(paths[0]))[0])


def _show(report: LoadReport) -> None:
    show_left_out(report.rejections)
    for note in report.notes[:_SHOWN]:
        notices().print(f"Note: {note}.", soft_wrap=True)
    if len(report.notes) > _SHOWN:
        notices().print(f"… and {number_of(len(report.notes) - _SHOWN, 'more note')}; --json has them.")
    names = ("added", "changed", "unchanged", "rejected")
    print_table("Documents", names, [[getattr(report, name) for name in names]])
    what = (
        f"{number_of(report.chunks, 'chunk')} and {number_of(report.windows, 'window')} written, "
        f"{number_of(report.removed_chunks, 'chunk')} removed"
    )
    notices().print(f"{what}, in {report.seconds:.1f} s.")
