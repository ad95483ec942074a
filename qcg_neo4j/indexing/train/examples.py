"""What the tuned recipe learns from in one step: right atoms beside wrong ones, near and random."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from qcg_neo4j.indexing.train.network import Flags, Floats, Network, Whole, nearest
from qcg_neo4j.indexing.train.settings import PredictorSettings

MOST_RIGHT = 16  # right atoms of a question that one step looks at
MOST_COMPARED = 20_000  # atoms among which near wrong ones are looked for; more would take hours


@dataclass(frozen=True)
class Step:
    """Questions with the atoms of each: (questions, entries); ``right`` and ``real`` distinguish them.

    ``asking`` are the places of the atoms that ask, where atoms do.
    """

    questions: Floats
    entries: Whole
    right: Flags
    real: Flags
    asking: Whole


class Examples:
    """Who asks, which atoms are right, and which wrong ones are near."""

    def __init__(self, network: Network, training: Whole, settings: PredictorSettings) -> None:
        self._settings = settings
        self._random = np.random.default_rng(settings.random_seed)
        self._atoms = len(network.atoms)
        self._by_degree = settings.negatives == "degree"
        self._chances = network.degrees / max(1, network.degrees.sum())
        if settings.asking == "atoms":
            self.asking = np.unique(network.pairs)
            self._rows = network.vectors[self.asking]
            self._right = _neighbours(network)
        else:
            self.asking = np.empty(0, np.int64)
            self._rows = network.questions[training]
            self._right = [network.right(int(question)) for question in training]
        self._near = self._nearest_wrong(network)

    def __len__(self) -> int:
        return len(self._rows)

    def steps(self, size: int) -> Iterator[Step]:
        """All examples once, in random order."""
        order = self._random.permutation(len(self._rows))
        for start in range(0, len(order), size):
            yield self._step(order[start : start + size])

    def _step(self, places: Whole) -> Step:
        chosen = self._settings
        right = [self._some(self._right[place], MOST_RIGHT) for place in places]
        wide = max(len(atoms) for atoms in right)
        hard = min(chosen.hard_negatives, self._near.shape[1])
        entries = np.zeros((len(places), wide + hard + chosen.random_negatives), np.int64)
        is_right, real = np.zeros(entries.shape, bool), np.ones(entries.shape, bool)
        for row, (place, atoms) in enumerate(zip(places, right, strict=True)):
            entries[row, : len(atoms)] = atoms
            is_right[row, : len(atoms)] = True
            real[row, len(atoms) : wide] = False
            entries[row, wide : wide + hard] = self._some(self._near[place], hard)
        drawn = self._drawn((len(places), chosen.random_negatives))
        entries[:, wide + hard :] = drawn
        for row, place in enumerate(places):  # a right atom that was drawn as a wrong one does not count
            real[row, wide + hard :] &= ~np.isin(drawn[row], self._right[place])
        asking = self.asking[places] if len(self.asking) else self.asking
        return Step(self._rows[places], entries, is_right, real, asking)

    def _drawn(self, shape: tuple[int, int]) -> Whole:
        if self._by_degree:
            return self._random.choice(self._atoms, shape, p=self._chances)
        return self._random.integers(self._atoms, size=shape)

    def _some(self, values: Whole, number: int) -> Whole:
        return values if len(values) <= number else self._random.choice(values, number, replace=False)

    def _nearest_wrong(self, network: Network) -> Whole:
        compared = np.arange(self._atoms)
        if self._atoms > MOST_COMPARED:
            compared = np.sort(self._random.choice(self._atoms, MOST_COMPARED, replace=False))
        most = max(len(atoms) for atoms in self._right)
        wanted = min(self._settings.hard_pool, max(1, len(compared) - most - 1))
        found = compared[nearest(self._rows, network.vectors[compared], wanted + most + 1)[0]]
        near = np.empty((len(found), wanted), np.int64)
        for row, places in enumerate(found):
            own = self.asking[row : row + 1]
            near[row] = places[~np.isin(places, np.concatenate([self._right[row], own]))][:wanted]
        return near


def _neighbours(network: Network) -> list[Whole]:
    """The neighbours of every atom that has some, in the order of the atoms."""
    edges, _ = network.directed
    order = np.argsort(edges[0], kind="stable")
    _, starts = np.unique(edges[0][order], return_index=True)
    return np.split(edges[1][order], starts[1:])
