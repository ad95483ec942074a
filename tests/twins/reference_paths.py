"""Beam search and all paths in plain Python, to hold the plug-in to; written from the description, not its code."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field


@dataclass(frozen=True)
class Relationship:
    """A stored relationship; ``vector`` is None where it has none."""

    id: str
    source: str
    target: str
    vector: tuple[float, ...] | None


@dataclass
class Found:
    """Paths as ids along the way with the score, best first; and how many extensions were looked at."""

    rows: list[tuple[tuple[str, ...], float]] = field(default_factory=list)
    extensions: int = 0


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

    def beam(self, sources: Sequence[str], targets: Sequence[str], width: int = 3, length: int = 3) -> Found:
        """One beam per source: the best extensions survive, and those that reach a target leave the beam."""
        complete, found = [], Found()
        for source in dict.fromkeys(sources):
            partial = [_Path((), (source,), ())]
            for _ in range(length):
                extended = [longer for path in partial for longer in self._extended(path)]
                found.extensions += len(extended)
                best = sorted(extended, key=lambda path: path.order)[:width]
                complete += [path for path in best if path.nodes[-1] in targets]
                partial = [path for path in best if path.nodes[-1] not in targets]
        found.rows = [(path.ids, path.score) for path in sorted(complete, key=lambda path: path.order)]
        return found

    def all(self, sources: Sequence[str], targets: Sequence[str], length: int = 3) -> Found:
        """Every path without repeated node up to a length."""
        complete, found = [], Found()
        for source in dict.fromkeys(sources):
            partial = [_Path((), (source,), ())]
            for _ in range(length):
                partial = [longer for path in partial for longer in self._extended(path)]
                found.extensions += len(partial)
                complete += [path for path in partial if path.nodes[-1] in targets]
        found.rows = [(path.ids, path.score) for path in sorted(complete, key=lambda path: path.order)]
        return found
