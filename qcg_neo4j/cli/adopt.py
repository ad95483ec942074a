"""``qcg adopt``: chunks that others made and keep in the database."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import asdict, replace
from typing import Any

import click

from qcg_neo4j.cli.command import command, option
from qcg_neo4j.cli.models import embedder_of, embedding_option
from qcg_neo4j.cli.options import Connect, Typed, connection_options, is_given, json_option, settings_options
from qcg_neo4j.cli.terminal import advice, notices, print_json, print_table, progress_bar
from qcg_neo4j.core.errors import InputError, number_of
from qcg_neo4j.database.graph import Graph
from qcg_neo4j.indexing.adopt import AdoptReport, AdoptSettings, Found, adopt_chunks, find, remembered, undo_adoption
from qcg_neo4j.indexing.load import LoadSettings


@command()
@option("--yes", is_flag=True, help="adopt the first chunks found, without asking")
@option("--undo", is_flag=True, help="release adopted chunks and delete what was made from them")
@settings_options(
    AdoptSettings,
    "adopt",
    Typed("chunk_label", "LABEL", "label of the chunks"),
    Typed("text_property", "NAME", "property with the text of a chunk"),
    Typed("embedding_property", "NAME", "property with the vector of a chunk"),
    Typed("document_relationship", "TYPE", "relationship of chunks and documents"),
    Typed("document_property", "NAME", "property of a chunk that names its document"),
    Typed("order_property", "NAME", "property with a chunk's place in its document"),
    Typed("beside", meaning="add nodes of our own; leave theirs without labels of ours"),
)
@settings_options(LoadSettings, "load")
@embedding_option
@connection_options
@json_option
def adopt(connect: Connect, yes: bool, undo: bool, as_json: bool, **sections: Any) -> None:
    """Use chunks that another tool wrote into the database; theirs stay unchanged.

    Run again, it adopts new chunks and releases deleted ones. Their vectors are used if --embedding names their model.
    """
    with connect(create=not undo) as graph:
        if undo:
            _undo(graph, as_json)
            return
        settings = _settings(graph, sections["adopt"])
        candidates = find(graph, settings)
        if not candidates:
            raise InputError("The database holds no chunks of other applications.", "`qcg load FILE` loads documents.")
        if as_json and not yes:
            print_json({"found": [asdict(found) for found in candidates]})
            return
        if not as_json:
            _show(candidates, settings)
        if not yes:
            _ask(candidates[0])
        embedder = embedder_of(graph, sections["embedding"])
        with progress_bar("Adopting") as progress:
            report = adopt_chunks(graph, embedder, candidates[0], settings, sections["load"], progress)
    _tell(report, as_json)


def _settings(graph: Graph, settings: AdoptSettings) -> AdoptSettings:
    """Those given, else those of the last run; who names a model says that their vectors are its."""
    named = is_given("embedding", "model")
    return replace(remembered(graph, settings), their_vectors=True) if named else remembered(graph, settings)


def _show(candidates: Sequence[Found], settings: AdoptSettings) -> None:
    columns = ("label", "nodes", "text in", "vectors in", "documents", "order", "made by")
    print_table("Found", columns, [_row(found) for found in candidates])
    found = candidates[0]
    vectors = f"those in {found.embedding}" if settings.their_vectors and found.embedding else "new ones are made"
    notices().print(f"To adopt: {found.texts:,} {found.label}; vectors: {vectors}.")
    if found.embedding and not settings.their_vectors:
        notices().print("--embedding NAME uses their vectors, if this model made them.", style="dim")


def _row(found: Found) -> list[Any]:
    indexes = f", index {', '.join(found.indexes)}" if found.indexes else ""
    vectors = f"{found.embedding} ({found.dimension}{indexes})" if found.embedding else "none"
    return [found.label, found.nodes, found.text, vectors, found.told_documents, found.order or "as made", found.maker]


def _ask(found: Found) -> None:
    """Ask a person; where there is none, say how to go on."""
    if not sys.stdin.isatty():
        raise InputError("Nothing was changed: this terminal cannot ask.", "`qcg adopt --yes` adopts without asking.")
    if not click.confirm(f"Adopt {found.label}?", err=True):
        raise InputError("Nothing was changed.", "--chunk-label and --text-property name other chunks.")


def _tell(report: AdoptReport, as_json: bool) -> None:
    if as_json:
        print_json(asdict(report))
        return
    names = ("documents", "chunks", "in_place", "beside", "embedded", "unchanged", "changed", "gone", "without_text")
    rows = [(name.replace("_", " "), getattr(report, name)) for name in names]
    print_table("Adopted", ("what", "number"), rows)
    left = "`qcg status` names the next step; `qcg adopt --undo` releases the chunks again."
    notices().print(advice(f"In {report.seconds:.1f} s. {left}"), soft_wrap=True)


def _undo(graph: Graph, as_json: bool) -> None:
    with progress_bar("Letting go") as progress:
        report = undo_adoption(graph, progress)
    if as_json:
        print_json(asdict(report))
        return
    left = " Nothing of ours is left in the database." if report.is_empty else ""
    notices().print(
        f"{number_of(report.documents, 'document')} and {number_of(report.chunks, 'chunk')} released.{left}"
    )
