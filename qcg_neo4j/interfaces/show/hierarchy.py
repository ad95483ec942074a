"""The hierarchy of communities as a picture (a row per level, widths by numbers of entities) and as a page."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from qcg_neo4j.core.errors import GraphError, needs, number_of
from qcg_neo4j.database.graph import Graph
from qcg_neo4j.interfaces.show.files import page_of, write_image, write_page
from qcg_neo4j.retrieval.evidence import complete
from qcg_neo4j.retrieval.reasons import shortened

if TYPE_CHECKING:
    from matplotlib.axes import Axes

# Okabe and Ito's palette without black and yellow: people with any colour vision can tell these apart.
COLOURS = ("#0072B2", "#E69F00", "#009E73", "#CC79A7", "#56B4E9", "#D55E00")
_LETTER = 0.0052  # of the picture's width
_FADING = 0.16  # a level is so much paler than the one above


@dataclass(frozen=True)
class Place:
    """A community in the picture: where it begins, in entities, and the colour of its root."""

    id: str
    level: int
    size: int
    parent: str | None
    title: str
    start: int
    colour: str


def hierarchy(graph: Graph) -> list[Place]:
    """All communities with their places, largest first beside each other, children under their parents.

    Raises:
        GraphError: there are none.
    """
    below: dict[str | None, list[Mapping[str, Any]]] = defaultdict(list)
    for row in complete(graph.rows("inspect/hierarchy"), "id", "level", "size", "title"):
        below[row["parent"]].append(row)
    places: list[Place] = []
    waiting: list[tuple[str | None, int, str]] = [(None, 0, "")]
    while waiting:
        parent, start, colour = waiting.pop()
        for number, row in enumerate(sorted(below[parent], key=lambda row: (-row["size"], row["id"]))):
            own = colour or COLOURS[number % len(COLOURS)]
            facts = {name: row[name] for name in ("id", "level", "size", "parent", "title")}
            places.append(Place(**facts, start=start, colour=own))
            waiting.append((row["id"], start, own))
            start += row["size"]
    if not places:
        raise GraphError("The graph has no communities.", "Make them first: `qcg build communities`.")
    return sorted(places, key=lambda place: (place.level, place.start))


def write_picture(places: list[Place], path: Path) -> None:
    """Write the hierarchy as an icicle plot; the file's ending says the format (png, svg, pdf)."""
    with needs("A picture", "matplotlib", "show"):
        from matplotlib.figure import Figure

    levels = max(place.level for place in places) + 1
    figure = Figure(figsize=(16, 1.6 + 1.3 * levels), layout="constrained")
    axes = figure.subplots()
    whole = sum(place.size for place in places if place.level == 0)
    for place in places:
        _draw(axes, place, whole)
    axes.set_xlim(0, whole)
    axes.set_ylim(levels, 0)
    axes.set_yticks([level + 0.5 for level in range(levels)], [f"C{level}" for level in range(levels)])
    axes.set_xlabel("entities")
    figure.suptitle(_title(places))
    write_image(figure, path, 150)


def _title(places: list[Place]) -> str:
    levels, whole = max(place.level for place in places) + 1, sum(place.size for place in places if not place.level)
    return (
        f"{number_of(len(places), 'community', 'communities')} of {number_of(whole, 'entity', 'entities')} on "
        f"{number_of(levels, 'level')}"
    )


def _draw(axes: Axes, place: Place, whole: int) -> None:
    from matplotlib.patches import Rectangle

    paler = 1 - min(0.75, _FADING * (place.level + 1))
    axes.add_patch(
        Rectangle((place.start, place.level), place.size, 1, facecolor=place.colour, alpha=paler, edgecolor="white")
    )
    letters = int(place.size / whole / _LETTER)
    if letters >= 5:
        axes.text(
            place.start + place.size / 2, place.level + 0.5, f"{shortened(place.title, letters)}\n{place.size:,}",
            ha="center", va="center", fontsize=9, color="black", clip_on=True, parse_math=False,
        )  # fmt: skip


def write_html(places: list[Place], path: Path) -> None:
    """Write the hierarchy as one self-contained page, to move about in (neo4j-viz).

    Raises:
        MissingPackageError: neo4j-viz is not installed.
    """
    with needs("A page", "neo4j-viz", "show"):
        from neo4j_viz import Layout, Node, Relationship, VisualizationGraph
    nodes = [
        Node(
            id=place.id,
            caption=f"{place.title} ({place.size:,})",
            size=8 + 3 * place.size**0.5,
            color=place.colour,
            properties={"level": place.level, "entities": place.size, "title": place.title},
        )
        for place in places
    ]
    edges = [Relationship(source=place.id, target=place.parent, caption="PARENT") for place in places if place.parent]
    graph = VisualizationGraph(nodes, edges)
    write_page(page_of(graph, _title(places), layout=Layout.FORCE_DIRECTED, height="95vh"), path)
