"""``qcg show``: the graph as a picture or as a page."""

from __future__ import annotations

from pathlib import Path

import click

from qcg_neo4j.cli.command import Group, option
from qcg_neo4j.cli.method_options import ChosenMethod, method_options
from qcg_neo4j.cli.models import embedding_option, use_for_questions
from qcg_neo4j.cli.options import Connect, connection_options
from qcg_neo4j.cli.terminal import notices, searching
from qcg_neo4j.core.errors import InputError, check_installed, number_of
from qcg_neo4j.interfaces import show as drawing
from qcg_neo4j.models.embedding.embedder import EmbeddingSettings

PICTURES = (".png", ".svg", ".pdf")


def checked_ending(_: click.Context, __: click.Parameter, file: Path) -> Path:
    """Callback of the file that is drawn: nothing is searched for that could not be drawn then.

    Raises:
        InputError: no picture is written to such a file.
        MissingPackageError: what draws it is not installed.
    """
    ending = file.suffix.lower()
    if ending not in (*PICTURES, ".html"):
        raise InputError(f"{file} ends in {ending!r}.", f"Let it end in {', '.join(PICTURES)} or .html.")
    what, package = ("A page", "neo4j-viz") if ending == ".html" else ("A picture", "matplotlib")
    check_installed(what, package, "show")
    return file


FILE = click.argument("file", type=click.Path(dir_okay=False, path_type=Path), callback=checked_ending)


@click.group(cls=Group)
def show() -> None:
    """Draw the graph as a picture (.png, .svg, .pdf) or as a page (.html)."""


@show.command()
@FILE
@connection_options
def communities(connect: Connect, file: Path) -> None:
    """Draw the hierarchy of communities into FILE (.png, .svg, .pdf or .html)."""
    with connect() as graph:
        places = drawing.hierarchy(graph)
    (drawing.write_html if file.suffix.lower() == ".html" else drawing.write_picture)(places, file)
    notices().print(f"{number_of(len(places), 'community is', 'communities are')} drawn in {file}.")


@show.command()
@click.argument("question")
@FILE
@method_options()
@option("--paths", type=click.IntRange(1, 20), metavar="N", help="paths to each passage [as many as fit]")
@embedding_option
@connection_options
def answer(
    connect: Connect, question: str, file: Path, chosen: ChosenMethod, paths: int | None, embedding: EmbeddingSettings
) -> None:
    """Draw the evidence for QUESTION into FILE, with the paths that lead to it."""
    with chosen.open() as method, connect() as graph:
        use_for_questions(graph, embedding)
        with searching():
            evidence = method.retrieve(graph, question)
    if not evidence.passages:
        notices().print("No passage was found.")
    write(drawing.evidence_picture(evidence, len(evidence.passages), paths), file)


@show.command()
@click.argument("document_id", metavar="DOCUMENT")
@FILE
@connection_options
def document(connect: Connect, document_id: str, file: Path) -> None:
    """Draw everything that was made from DOCUMENT (an id) into FILE."""
    with connect() as graph:
        picture = drawing.document_picture(graph, document_id)
    write(picture, file)


@show.command()
@click.argument("community_id", metavar="COMMUNITY")
@FILE
@option("--entities", type=click.IntRange(1, 300), metavar="N", default=30, help="most entities [30]")
@connection_options
def community(connect: Connect, community_id: str, file: Path, entities: int) -> None:
    """Draw the entities of COMMUNITY (an id) and their chunks into FILE."""
    with connect() as graph:
        picture = drawing.community_picture(graph, community_id, entities)
    write(picture, file)


@show.command()
@FILE
@option("--documents", type=click.IntRange(1, 100), metavar="N", default=2, help="documents to begin with [2]")
@option("--queries", type=click.IntRange(0, 100), metavar="N", default=4, help="queries of each chunk [4]")
@connection_options
def sample(connect: Connect, file: Path, documents: int, queries: int) -> None:
    """Draw a part of the graph into FILE: documents, what was made from them, communities."""
    with connect() as graph:
        picture = drawing.sample_picture(graph, documents, queries)
    write(picture, file)


def write(picture: drawing.Picture, file: Path) -> None:
    """Write the picture, and say what it holds."""
    drawn = picture.write(file)
    notices().print(
        f"{number_of(len(drawn.dots), 'node')} and {number_of(len(drawn.lines), 'relationship')} are drawn in {file}."
    )
    if drawn.left_out:
        notices().print(f"Left out: {drawn.left_out}. A page shows all and can be zoomed: let the file end in .html.")
