"""Beam search and all paths in plain Python, to hold the plug-in to; written from the description, not its code."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class Relationship:
    """A stored relationship; ``vector`` is None where it has none."""

    id: str
    source: str
    target: str
    vector: tuple[float, ...] | None


Rows = list[tuple[tuple[str, ...], float]]  # the ids along each path and its score, best first


@dataclass(frozen=True)
class _Path:
    ids: tuple[str, ...]
    nodes: tuple[str, ...]
    scores: tuple[float, ...]

    @property
    def score(self) -> float:
        total = 0.0
        for score in self.scores:  # in the order of the path, so that equal sums are equal to the last bit
            total += score
        return total / len(self.scores)

    @property
    def order(self) -> tuple[float, tuple[str, ...]]:
        return -self.score, self.ids


def cosine(left: Sequence[float], right: Sequence[float]) -> float:
    """The cosine of two vectors of any length."""
    return _product(left, right) / (math.sqrt(_product(left, left)) * math.sqrt(_product(right, right)))


def _product(left: Sequence[float], right: Sequence[float]) -> float:
    total = 0.0
    for one, other in zip(left, right, strict=True):
        total += one * other
    return total


@dataclass(frozen=True)
class Multigraph:
    """Relationships and how they are followed."""

    relationships: Sequence[Relationship]
    question: Sequence[float]
    direction: str = "outgoing"

    def _extended(self, path: _Path) -> Iterator[_Path]:
        here = path.nodes[-1]
        for step in self.relationships:
            if step.vector is None or not any(step.vector):
                continue
            ends = []
            if self.direction != "incoming" and step.source == here:
                ends.append(step.target)
            if self.direction != "outgoing" and step.target == here:
                ends.append(step.source)
            for end in ends:
                if end not in path.nodes:
                    score = cosine(self.question, step.vector)
                    yield _Path((*path.ids, step.id), (*path.nodes, end), (*path.scores, score))

    def beam(self, sources: Sequence[str], targets: Sequence[str], width: int = 3, length: int = 3) -> Rows:
        """Every partial path goes on with its best extensions; those that end at a target are found."""
        found: list[_Path] = []
        for source in dict.fromkeys(sources):
            partial = [_Path((), (source,), ())]
            for _ in range(length):
                ranked = [sorted(self._extended(path), key=lambda path: path.order) for path in partial]
                partial = [longer for extended in ranked for longer in extended[:width]]
                found += [path for path in partial if path.nodes[-1] in targets]
        return [(path.ids, path.score) for path in sorted(found, key=lambda path: path.order)]

    def all(self, sources: Sequence[str], targets: Sequence[str], length: int = 3) -> Rows:
        """Every path without repeated node up to a length."""
        return self.beam(sources, targets, len(self.relationships), length)
