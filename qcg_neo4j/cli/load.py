"""``qcg load``: documents into the graph."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path

import click

from qcg_neo4j.cli.embedder import embedder_of
from qcg_neo4j.cli.index_display import show_left_out
from qcg_neo4j.cli.options import Connect, connection_options, json_option, settings_file_option, settings_options
from qcg_neo4j.cli.question_options import benchmark, format_option
from qcg_neo4j.cli.terminal import notices, print_json, print_table, progress_bars
from qcg_neo4j.cli.workers import WantedWorkers, workers_options
from qcg_neo4j.core.errors import InputError
from qcg_neo4j.core.records import SourceDocument
from qcg_neo4j.database.status import told_of_others
from qcg_neo4j.indexing.load import LoadReport, LoadSettings, load_documents, read_documents
from qcg_neo4j.models.embedding.embedder import EmbeddingSettings

_SHOWN = 20  # notes that are named; --json has more


@click.command()
@click.argument("paths", nargs=-1, required=True, metavar="PATH...")
@format_option("PATH is the folder of a public benchmark, as it is published.")
@settings_options(LoadSettings, "load")
@settings_options(EmbeddingSettings, "embedding", shared=True)
@settings_file_option
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
    """Load documents: files, folders, or - for standard input.

    JSON Lines (.jsonl, .ndjson, standard input) holds a document a line with `id` and `text`, optionally `title`,
    `source`, `publishedAt` and any further fields, or a passage that is already cut with `document`, `index` and
    `text`. Other files are a document each: text (.txt), Markdown (.md, with front matter), HTML, PDF, tables (.csv,
    .tsv), letters (.eml), Word (.docx), PowerPoint (.pptx), Excel (.xlsx), books (.epub) and reStructuredText (.rst).

    With --format the documents are those of a public benchmark, whose questions `qcg evaluate` takes by the same name.

    A file's id is its absolute path, so the same path below two folders is two documents. With --id-prefix it is the
    prefix and the path inside the given folder, so that a folder may move (--replace).

    Loading again changes nothing where nothing changed. What cannot be used is left out and named; the exit code is 2
    only where nothing at all could be used. With --strict the first such piece ends the run with exit code 2.
    """
    if kind and load.id_prefix:
        raise InputError("--id-prefix does not go with --format.", "A benchmark's questions name its documents by id.")
    documents = (
        _benchmark(kind, paths)
        if kind
        else read_documents(paths, load.largest_document, id_prefix=load.id_prefix, follow_links=load.follow_links)
    )
    with connect(create=True) as graph:
        if others := told_of_others(graph.foreign()):
            notices().print(others, style="yellow")
        embedder = embedder_of(graph, embedding)
        with workers.started() as started, progress_bars() as bar:
            bars = bar("Loading"), bar("Chunks of a long document")
            report = load_documents(graph, embedder, documents, load, *bars, workers=started)
    if as_json:
        print_json(asdict(report))
    else:
        _show(report)
    if report.rejected and not report.added + report.changed + report.unchanged:
        raise InputError(f"Nothing was loaded: all {report.rejected:,} pieces of input were left out.")


def _benchmark(kind: str, paths: tuple[str, ...]) -> Iterator[SourceDocument]:
    if len(paths) > 1:
        raise InputError(
            f"With --format there is one folder, and {len(paths):,} are given.", "Load one after the other."
        )
    return iter(benchmark(kind, Path(paths[0])).documents)


def _show(report: LoadReport) -> None:
    show_left_out(report)
    for note in report.notes[:_SHOWN]:
        notices().print(f"Note: {note}.", markup=False, soft_wrap=True)
    if len(report.notes) > _SHOWN:
        notices().print(f"… and {len(report.notes) - _SHOWN:,} more notes; --json has them.")
    names = ("added", "changed", "unchanged", "rejected")
    print_table("Documents", names, [[getattr(report, name) for name in names]])
    what = f"{report.chunks:,} chunks and {report.windows:,} windows written, {report.removed_chunks:,} chunks removed"
    notices().print(f"{what}, in {report.seconds:.1f} s.")
