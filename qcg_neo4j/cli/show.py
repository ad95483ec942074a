"""``qcg show``: the graph as a picture or as a page."""

from __future__ import annotations

from pathlib import Path

import click

from qcg_neo4j.cli.options import Connect, connection_options
from qcg_neo4j.cli.terminal import notices
from qcg_neo4j.errors import InputError

PICTURES = (".png", ".svg", ".pdf")


@click.group()
def show() -> None:
    """Write a picture of what the graph holds."""


@show.command()
@click.argument("file", type=click.Path(dir_okay=False, path_type=Path))
@connection_options
def communities(connect: Connect, file: Path) -> None:
    """Write the hierarchy of communities to FILE: a picture (.png, .svg, .pdf) or a page to move about in (.html)."""
    from qcg_neo4j.show import hierarchy, write_html, write_picture

    ending = file.suffix.lower()
    if ending not in (*PICTURES, ".html"):
        raise InputError(f"{file} ends in {ending!r}.", f"Let it end in {', '.join(PICTURES)} or .html.")
    with connect() as graph:
        places = hierarchy(graph)
    (write_html if ending == ".html" else write_picture)(places, file)
    notices().print(f"{len(places):,} communities are drawn in {file}.")
