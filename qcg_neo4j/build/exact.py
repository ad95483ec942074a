"""Exact search on this side, by matrix products of blocks of vectors: up to many thousands sooner than any index."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from qcg_neo4j.graph import Graph

PAGE = 2000  # vectors that are read at once
BLOCK = 250  # that are compared with all others at once, and joined in one transaction
# Products of numbers up to which this is sooner than the vector index, whose time grows with the number of vectors
# alone: on two cores 150,000 vectors of 384 numbers take as long either way.
MOST_PRODUCTS = 150_000**2 * 384

Near = list[tuple[str, float]]


def is_sooner(number: int, dimension: int) -> bool:
    """Whether so many vectors of so many numbers are compared sooner here than the index is asked for each."""
    return number**2 * dimension <= MOST_PRODUCTS


@dataclass(frozen=True)
class Exact:
    """All vectors (number, dimension), of unit length, by their ids in the order of the database."""

    ids: list[str]
    vectors: NDArray[np.float32]

    @classmethod
    def read(cls, graph: Graph, path: str) -> Exact:
        """Read them, page by page, with a statement that gives id and embedding."""
        ids: list[str] = []
        blocks = []
        for page in graph.pages(path, PAGE):
            ids += [row["id"] for row in page]
            blocks.append(np.asarray([row["embedding"] for row in page], dtype=np.float32))
        vectors = np.concatenate(blocks) if blocks else np.zeros((0, 1), np.float32)
        lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
        return cls(ids, np.divide(vectors, lengths, out=np.zeros_like(vectors), where=lengths > 0))

    def nearest(self, after: str, neighbours: int, above: float) -> Iterator[tuple[list[str], list[Near]]]:
        """Block after block of those behind an id, with what is nearest to each: cosines over ``above``, best first.

        The next block is compared while the caller does something with the last one.
        """
        begin = bisect_right(self.ids, after)
        with ThreadPoolExecutor(1) as pool:
            coming = pool.submit(self._block, begin, neighbours, above)
            for start in range(begin, len(self.ids), BLOCK):
                found = coming.result()
                coming = pool.submit(self._block, start + BLOCK, neighbours, above)
                yield self.ids[start : start + BLOCK], found

    def _block(self, start: int, neighbours: int, above: float) -> list[Near]:
        block = self.vectors[start : start + BLOCK]
        scores = block @ self.vectors.T
        places = np.arange(len(block))
        scores[places, start + places] = -np.inf
        wanted = min(neighbours, len(self.ids) - 1)
        if wanted < 1:
            return [[] for _ in block]
        least = np.partition(scores, -wanted, axis=1)[:, -wanted] if len(block) else np.zeros(0)
        return [
            self._best(row, max(float(bound), above), wanted, above) for row, bound in zip(scores, least, strict=True)
        ]

    def _best(self, row: NDArray[np.float32], bound: float, wanted: int, above: float) -> Near:
        """The best of a row; of equal ones that with the smaller id, as the database has it."""
        found = [(self.ids[place], float(row[place])) for place in np.flatnonzero(row >= bound) if row[place] > above]
        return sorted(found, key=lambda near: (-near[1], near[0]))[:wanted]
