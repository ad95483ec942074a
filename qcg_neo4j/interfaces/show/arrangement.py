"""Places of nodes in columns, so that lines between them cross little: Sugiyama's method with mean rows."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from itertools import accumulate, pairwise

Edge = tuple[str, str]
Columns = dict[int, list[str]]
ROOM = 0.25  # the height of a room, that of a node being 1
_SWEEPS = 8


def through(source: str, target: str, column: int) -> str:
    """The name of the room that a line keeps free in a column between its ends."""
    return f"{source} {target} {column}"


def arranged(nodes: Iterable[tuple[str, int]], edges: Sequence[Edge]) -> dict[str, tuple[int, float]]:
    """Column and row of every node (each with its column), and of the room of each line that passes a column.

    Nodes of a column are one apart, rooms are lower, and all are centred at 0.

    >>> arranged([("q", 0), ("a", 1), ("b", 1), ("x", 2)], [("q", "a"), ("q", "b"), ("a", "x"), ("q", "x")])["a"]
    (1, -0.625)
    """
    columns: Columns = defaultdict(list)
    place: dict[str, int] = {}
    for name, column in nodes:
        columns[column].append(name)
        place[name] = column
    used = sorted(columns)
    parts = [part for edge in edges for part in _parts(edge, place, used, columns)]
    best = columns = {column: columns[column] for column in used}
    fewest = _crossings(columns, parts)
    for sweep in range(_SWEEPS):
        columns = _swept(columns, used if sweep % 2 == 0 else used[::-1], parts)
        if (number := _crossings(columns, parts)) < fewest:
            best, fewest = columns, number
    placed: dict[str, tuple[int, float]] = {}
    for column, members in best.items():
        heights = [1 if name in place else ROOM for name in members]
        bottoms = accumulate(heights, initial=-sum(heights) / 2)
        placed |= {name: (column, y + high / 2) for name, y, high in zip(members, bottoms, heights, strict=False)}
    return placed


def _parts(edge: Edge, place: Mapping[str, int], used: Sequence[int], columns: Columns) -> Iterable[Edge]:
    """A line as steps from column to column; the rooms between are added to these."""
    source, target = edge
    between = [column for column in used if place[source] < column < place[target]]
    rooms = [through(source, target, column) for column in between]
    for column, room in zip(between, rooms, strict=True):
        if room not in columns[column]:
            columns[column].append(room)
    return pairwise([source, *rooms, target])


def _swept(columns: Columns, order: Sequence[int], parts: Sequence[Edge]) -> Columns:
    """Each column in the order of the mean rows of what it is joined with in the column before."""
    kept = {column: list(members) for column, members in columns.items()}
    for before, column in pairwise(order):
        rows = {name: row - len(kept[before]) / 2 for row, name in enumerate(kept[before])}
        own = {name: row - len(kept[column]) / 2 for row, name in enumerate(kept[column])}
        near = defaultdict(list)
        for one, other in parts:
            for name, neighbour in ((one, other), (other, one)):
                if name in own and neighbour in rows:
                    near[name].append(rows[neighbour])
        mean = {name: sum(near[name]) / len(near[name]) if near[name] else own[name] for name in own}
        kept[column].sort(key=lambda name: mean[name])
    return kept


def _crossings(columns: Columns, parts: Sequence[Edge]) -> int:
    """How many pairs of lines cross between neighbouring columns."""
    rows = {name: (column, row) for column, members in columns.items() for row, name in enumerate(members)}
    gaps: dict[tuple[int, int], list[tuple[int, int]]] = defaultdict(list)
    for ends in parts:
        (column, row), (to_column, to_row) = sorted(rows[end] for end in ends)
        gaps[column, to_column].append((row, to_row))
    return sum(
        (one[0] - other[0]) * (one[1] - other[1]) < 0
        for lines in gaps.values()
        for place, one in enumerate(lines)
        for other in lines[place + 1 :]
    )
