"""A picture of nodes and relationships in columns: a page to move about in, an image, or a notebook's output."""

from __future__ import annotations

import re
import textwrap
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING, Any

from qcg_neo4j.core.errors import needs
from qcg_neo4j.interfaces.palette import DRAWN, LINE, LOOKS, Look
from qcg_neo4j.interfaces.show.arrangement import arranged, through
from qcg_neo4j.interfaces.show.files import page_of, write_image, write_page
from qcg_neo4j.retrieval.reasons import shortened

if TYPE_CHECKING:
    from matplotlib.axes import Axes

WIDE, HIGH = 300, 140  # pixels from column to column and from row to row of a page
READABLE = 0.45  # zoom of a page from which on captions are read
VIEW = 1100, 560  # pixels of a page that are surely seen
MOST = 20  # boxes in a column of an image, which a screen shows at once or in two parts
BOX_WIDTH, BOX_HEIGHT = 1.95, 0.62  # of an image, in inches
Point = tuple[float, float]
_GAP = 0.8  # inches between the boxes of neighbouring columns: room for what a line says
_LETTERS, _LINES = 25, 3  # that fit into a box


@dataclass(frozen=True)
class Dot:
    """A node: its label, its text, and its column."""

    id: str
    label: str
    text: str
    column: int

    @property
    def look(self) -> Look:
        """How its label is drawn."""
        return (LOOKS | DRAWN)[self.label]


@dataclass(frozen=True)
class Line:
    """A relationship: what it is called, and its similarity or weight where it has one."""

    source: str
    target: str
    name: str
    number: float | None = None

    @property
    def caption(self) -> str:
        """The number where there is one, else the name."""
        return self.name if self.number is None else f"{self.name} {self.number:.2f}"


@dataclass(frozen=True)
class Picture:
    """Nodes in the order of their columns, and the relationships between them; shows itself in a notebook.

    ``left_out`` says how many nodes of each label are not in it, so that it can be read.

    >>> dots = [Dot("c", "Chunk", "Li Hua went to the gym.", 1), Dot("q", "Query", "Who went to the gym?", 0)]
    >>> picture = Picture.of("A query", dots, [Line("q", "c", "FROM_CHUNK"), Line("q", "elsewhere", "SIMILAR_TO")])
    >>> [dot.id for dot in picture.dots], [line.name for line in picture.lines]
    (['q', 'c'], ['FROM_CHUNK'])
    """

    title: str
    dots: tuple[Dot, ...]
    lines: tuple[Line, ...]
    left_out: str = ""

    @classmethod
    def of(cls, title: str, dots: Iterable[Dot], lines: Iterable[Line]) -> Picture:
        """A picture without what is twice, and without relationships to nodes that are not in it."""
        by_id = {dot.id: dot for dot in dots}
        kept = sorted(by_id.values(), key=lambda dot: dot.column)
        known = [line for line in dict.fromkeys(lines) if line.source in by_id and line.target in by_id]
        return cls(title, tuple(kept), tuple(known))

    @property
    def tallest(self) -> int:
        """How many nodes its highest column has."""
        return max(Counter(dot.column for dot in self.dots).values(), default=0)

    def limited(self, most: int) -> Picture:
        """The same with at most ``most`` nodes in a column, where all that it hangs on have their turn."""
        kept: set[str] = set()
        for _, column in groupby(self.dots, key=lambda dot: dot.column):
            kept.update(self._in_turn([dot.id for dot in column], kept)[:most])
        gone = Counter(dot.label for dot in self.dots if dot.id not in kept)
        found = Picture.of(self.title, [dot for dot in self.dots if dot.id in kept], self.lines)
        return replace(found, left_out=", ".join(f"{label} {number:,}" for label, number in gone.items()))

    def _in_turn(self, column: Sequence[str], kept: set[str]) -> list[str]:
        """The nodes of a column: the first one joined to each of what is kept, the second ones …, then the others."""
        ends = (pair for line in self.lines for pair in ((line.source, line.target), (line.target, line.source)))
        joined = {name: other for name, other in ends if other in kept}
        turns: Counter[str] = Counter()
        places = {}
        for name in column:
            other = joined.get(name, "")
            places[name] = (not other, turns[other])
            turns[other] += 1
        return sorted(column, key=lambda name: places[name])

    def places(self) -> dict[str, tuple[int, float]]:
        """Column and row of every node; a column's rows are centred at 0, and lines cross as little as possible."""
        rooms = self._rooms()
        return {dot.id: rooms[dot.id] for dot in self.dots}

    def _rooms(self) -> dict[str, tuple[int, float]]:
        """The places, and those that lines keep free in the columns that they pass."""
        return arranged(
            [(dot.id, dot.column) for dot in self.dots], [(line.source, line.target) for line in self.lines]
        )

    def _repr_html_(self) -> str:
        return self.page()

    def page(self, height: str = "640px") -> str:
        """The picture as HTML that needs nothing else (neo4j-viz).

        Raises:
            MissingPackageError: neo4j-viz is not installed.
        """
        with needs("A page", "neo4j-viz", "show"):
            from neo4j_viz import Layout, Node, Relationship, VisualizationGraph
        places = self.places()
        last = max((column for column, _ in places.values()), default=0)
        zoom = min(1.0, VIEW[0] / ((last + 1) * WIDE), VIEW[1] / (max(1, self.tallest) * HIGH))
        # Columns that are too high to be read are left to the forces between the nodes.
        fits = zoom >= READABLE
        nodes = [
            Node(
                id=dot.id,
                caption=shortened(dot.text, 60),
                size=0.8 * dot.look.diameter,
                color=dot.look.colour,
                x=(places[dot.id][0] - last / 2) * WIDE if fits else None,
                y=places[dot.id][1] * HIGH if fits else None,
                properties={"label": dot.label, "text": dot.text},
            )
            for dot in self.dots
        ]
        edges = [
            Relationship(source=line.source, target=line.target, caption=line.caption, caption_size=2)
            for line in self.lines
        ]
        graph = VisualizationGraph(nodes, edges)
        graph.set_legend(nodes={dot.label: dot.look.colour for dot in self.dots})
        return page_of(
            graph,
            self.title,
            layout=Layout.COORDINATE if fits else Layout.FORCE_DIRECTED,
            height=height,
            pan_position=(0, 0) if fits else None,
            initial_zoom=zoom if fits else None,
        )

    def write(self, path: Path) -> Picture:
        """Write the picture; the file's ending says as what: .html, or .png, .svg, .pdf. What is drawn of it.

        A page has all, an image at most `MOST` nodes in a column.

        Raises:
            InputError: the file cannot be written.
            MissingPackageError: it is a page, and neo4j-viz is not installed.
        """
        if path.suffix.lower() == ".html":
            write_page(self.page("95vh"), path)
            return self
        drawn = self.limited(MOST)
        write_image(drawn._figure(), path, 160)
        return drawn

    def _figure(self) -> Any:
        with needs("A picture", "matplotlib", "show"):
            from matplotlib.figure import Figure

        places = self._rooms()
        columns = sorted({column for column, _ in places.values()}) or [0]
        tallest = max((2 * abs(row) + 1 for _, row in places.values()), default=0)
        step = BOX_WIDTH + _GAP
        width, height = len(columns) * step, max(3, tallest) * (BOX_HEIGHT + 0.2) + 1.2
        figure = Figure(figsize=(width, height), layout="constrained")
        axes = figure.subplots()
        at = {name: (columns.index(column) * step, row * (BOX_HEIGHT + 0.2)) for name, (column, row) in places.items()}
        for line in self.lines:
            passed = (through(line.source, line.target, column) for column in columns)
            _draw_line(axes, line, at, [at[room] for room in passed if room in at])
        for dot in self.dots:
            _draw_box(axes, dot, at[dot.id])
        axes.set_xlim(-BOX_WIDTH / 2 - 0.2, (len(columns) - 1) * step + BOX_WIDTH / 2 + 0.2)
        axes.set_ylim((height - 1.2) / 2, -(height - 1.2) / 2)
        axes.axis("off")
        told = f"\nleft out: {self.left_out}" if self.left_out else ""
        figure.suptitle(shortened(self.title, 110) + told, parse_math=False)
        _draw_legend(axes, self.dots)
        return figure


def _draw_line(axes: Axes, line: Line, at: Mapping[str, Point], rooms: Sequence[Point]) -> None:
    """Draw a line from box to box, straight through the ``rooms`` of the columns between."""
    (x, y), (to_x, to_y) = at[line.source], at[line.target]
    for room_x, room_y in rooms:
        axes.plot(
            [x + BOX_WIDTH / 2, room_x - BOX_WIDTH / 2, room_x + BOX_WIDTH / 2], [y, room_y, room_y],
            color=LINE, linewidth=1, zorder=1,
        )  # fmt: skip
        x, y = room_x, room_y
    side = BOX_WIDTH / 2 if to_x >= x else -BOX_WIDTH / 2
    arrow = {"arrowstyle": "->", "color": LINE, "shrinkA": 0, "shrinkB": 0}
    if x == to_x:
        # Within a column it goes around the boxes between, further out the more there are.
        bend = 0.5 * _GAP / max(abs(to_y - y), 0.1)
        arrow["connectionstyle"] = f"arc3,rad={-bend if to_y > y else bend}"
        axes.annotate("", (to_x + side, to_y), (x + side, y), arrowprops=arrow, zorder=1)
        place = x + side + 0.25 * _GAP, (y + to_y) / 2
    else:
        axes.annotate("", (to_x - side, to_y), (x + side, y), arrowprops=arrow, zorder=1)
        # In the gap before its end: lines that begin together are apart there.
        share = 1 - 0.45 * _GAP / max(_GAP, abs(to_x - x) - BOX_WIDTH)
        place = x + side + share * (to_x - x - 2 * side), y + share * (to_y - y)
    if line.number is not None:
        axes.text(
            *place, line.caption, ha="center", va="center", fontsize=7, zorder=3,
            bbox={"facecolor": "white", "edgecolor": "none", "pad": 0.8},
        )  # fmt: skip


def _draw_box(axes: Axes, dot: Dot, at: tuple[float, float]) -> None:
    from matplotlib.patches import FancyBboxPatch

    corner = at[0] - BOX_WIDTH / 2, at[1] - BOX_HEIGHT / 2
    box = FancyBboxPatch(
        corner, BOX_WIDTH, BOX_HEIGHT, boxstyle="round,pad=0,rounding_size=0.08",
        facecolor=dot.look.colour, edgecolor=LINE, zorder=2,
    )  # fmt: skip
    axes.add_patch(box)
    lines = textwrap.wrap(_letters(dot.text), _LETTERS, max_lines=_LINES, placeholder=" …") or [dot.label]
    axes.text(
        *at, "\n".join(lines), ha="center", va="center", fontsize=9, zorder=3,
        color=dot.look.text_colour, parse_math=False,
    )  # fmt: skip


def _letters(text: str) -> str:
    """The text without pictograms: the fonts of images have none."""
    return re.sub("[\U0001f000-\U0001ffff\u200d\ufe0f]", "", text)


def _draw_legend(axes: Axes, dots: tuple[Dot, ...]) -> None:
    from matplotlib.patches import Patch

    labels = list(dict.fromkeys((dot.label, dot.look.colour) for dot in dots))
    handles = [Patch(facecolor=colour, edgecolor=LINE, label=label) for label, colour in labels]
    axes.legend(handles=handles, loc="upper center", bbox_to_anchor=(0.5, 0), ncols=max(1, len(handles)), frameon=False)
