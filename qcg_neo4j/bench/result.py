"""What was measured, as values."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from statistics import median
from typing import Any

import numpy as np


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
    """A whole measurement: its table, the unit and the direction of its figures, and what a reader must know."""

    title: str
    unit: str
    size_name: str
    compared_with: str
    rows: tuple[Measured, ...]
    facts: Mapping[str, Any] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
    command: str = ""

    def as_dict(self) -> dict[str, Any]:
        """Everything as plain values, for JSON."""
        return asdict(self)


def spread(values: Sequence[float]) -> Spread:
    """The spread of at least one value."""
    quarter, middle, three_quarters, p95 = np.quantile(values, [0.25, 0.5, 0.75, 0.95]).tolist()
    return Spread(middle, min(values), quarter, three_quarters, p95, max(values))


def ratio(values: Sequence[float], others: Sequence[float]) -> float:
    """The median of the ratios of values that were measured side by side."""
    return median(value / other for value, other in zip(values, others, strict=True))
