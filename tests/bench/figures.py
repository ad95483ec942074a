"""What was measured: the loop that takes the time, the figures as values, and their table."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from statistics import median
from typing import Any, TypeVar

import numpy as np

from qcg_neo4j.core.errors import InputError
from qcg_neo4j.core.progress import Progress
from qcg_neo4j.core.settings import Settings, setting

Asked = TypeVar("Asked")
Found = TypeVar("Found")
Times = dict[str, list[float]]


@dataclass(frozen=True)
class TimedSettings(Settings):
    """How often is asked; what every measurement of latency can be told."""

    questions: int = setting(50, "Questions, searches or walks that are timed.", minimum=1)
    warm_up: int = setting(20, "So many beforehand, untimed.", minimum=1)
    seed: int = setting(0, "Seed of the synthetic data.", minimum=0)


@dataclass(frozen=True)
class Spread:
    """Where the measured values lie."""

    median: float
    minimum: float
    quarter: float
    three_quarters: float
    p95: float
    maximum: float


@dataclass(frozen=True)
class Measured:
    """One way of doing it at one size; ``ratio`` is the median of the pairwise ratios to the row compared with.

    ``returned`` is how many rows or passages an answer has (mean), where that says something.
    """

    name: str
    size: int
    spread: Spread
    ratio: float | None = None
    returned: float | None = None


@dataclass(frozen=True)
class Result:
    """A whole measurement: its table, the unit of its figures, and what a reader must know."""

    title: str
    unit: str
    size_name: str
    compared_with: str
    rows: tuple[Measured, ...]
    notes: tuple[str, ...] = ()
    facts: Mapping[str, Any] = field(default_factory=dict)
    command: str = ""

    def as_dict(self) -> dict[str, Any]:
        """Everything as plain values, for JSON."""
        return asdict(self)


# Measuring


def growing(sizes: Sequence[int], per_topic: int, least: int = 1) -> list[tuple[int, range]]:
    """Each size with the numbers of the topics that it has and the size before it has not.

    Raises:
        InputError: the sizes do not rise, or the first is too small.
    """
    if not sizes or sorted(set(sizes)) != list(sizes) or sizes[0] < least:
        raise InputError(f"The sizes {list(sizes)} do not rise from {least}.", "Give numbers such as 10000,100000.")
    topics = [0, *(-(-size // per_topic) for size in sizes)]
    return [(size, range(*topics[place : place + 2])) for place, size in enumerate(sizes)]


def in_turns(
    ways: Mapping[str, Callable[[Asked], Found]], asked: Sequence[Asked], warm_up: int, progress: Progress
) -> tuple[Times, dict[str, list[Found]]]:
    """Milliseconds and findings of each way for all that is asked, but for the first ``warm_up``.

    Each is asked every way, beginning with another one each time, so that drift hits all alike.
    """
    names = list(ways)
    times: Times = {name: [] for name in names}
    found: dict[str, list[Found]] = {name: [] for name in names}
    for number, one in enumerate(asked):
        for name in turned(names, number):
            start = time.perf_counter()
            answer = ways[name](one)
            taken = time.perf_counter() - start
            if number >= warm_up:
                times[name].append(1000 * taken)
                found[name].append(answer)
        progress(number + 1, len(asked))
    return times, found


def turned(ways: Sequence[Asked], number: int) -> list[Asked]:
    """All of them, beginning with another one for each number."""
    first = number % len(ways)
    return [*ways[first:], *ways[:first]]


def compared(
    values: Mapping[str, Sequence[float]], size: int, against: str, returned: Mapping[str, float] | None = None
) -> list[Measured]:
    """A row of the table for each way."""
    return [
        Measured(name, size, spread(own), ratio(own, values[against]), (returned or {}).get(name))
        for name, own in values.items()
    ]


def means(found: Mapping[str, Sequence[float]]) -> dict[str, float]:
    """The mean of what each way found."""
    return {name: float(np.mean(numbers)) for name, numbers in found.items()}


def spread(values: Sequence[float]) -> Spread:
    """The spread of at least one value."""
    quarter, middle, three_quarters, p95 = np.quantile(values, [0.25, 0.5, 0.75, 0.95]).tolist()
    return Spread(middle, min(values), quarter, three_quarters, p95, max(values))


def ratio(values: Sequence[float], others: Sequence[float]) -> float:
    """The median of the ratios of values that were measured side by side."""
    return median(value / other for value, other in zip(values, others, strict=True))


# The table


def columns(result: Result) -> list[str]:
    """The names of the columns."""
    returned = ["returned"] if _has_returned(result) else []
    return [
        *(result.size_name, "what", *returned),
        *(f"median {result.unit}", "min", "25 %", "75 %", "95 %", "max", "ratio"),
    ]


def rows(result: Result) -> list[list[str]]:
    """The cells, as a person reads them."""
    return [_cells(row, _has_returned(result)) for row in result.rows]


def as_markdown(result: Result) -> str:
    """The whole page: command, facts, table, notes."""
    facts = "\n".join(f"- {name}: {value}" for name, value in result.facts.items())
    notes = "\n".join(f"- {note}" for note in result.notes)
    table = "\n".join(_table_lines(result))
    parts = (f"# {result.title}", f"    {result.command}" if result.command else "", facts, table, notes)
    return "\n\n".join(part for part in parts if part) + "\n"


def _table_lines(result: Result) -> Iterator[str]:
    names = columns(result)
    yield f"| {' | '.join(names)} |"
    yield f"|{'|'.join('---' if name == 'what' else '---:' for name in names)}|"
    for cells in rows(result):
        yield f"| {' | '.join(cells)} |"


def _cells(row: Measured, with_returned: bool) -> list[str]:
    found = row.spread
    figures = (found.median, found.minimum, found.quarter, found.three_quarters, found.p95, found.maximum)
    returned = [f"{row.returned:.1f}" if row.returned is not None else ""] if with_returned else []
    ratio = f"{row.ratio:.2f}" if row.ratio is not None else ""
    return [f"{row.size:,}", row.name, *returned, *(_figure(value) for value in figures), ratio]


def _figure(value: float) -> str:
    return f"{value:,.0f}" if value >= 100 else f"{value:.2f}"


def _has_returned(result: Result) -> bool:
    return any(row.returned is not None for row in result.rows)
