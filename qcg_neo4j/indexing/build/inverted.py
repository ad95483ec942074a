"""Search on this side, exact or nearly so: vectors in lists (an inverted file, IVF), compared by products of blocks.

Lists as of Jégou, Douze, Schmid, "Product Quantization for Nearest Neighbor Search", 2011, section IV, without the
quantization. Two vectors are compared in the few directions in which all differ most; where that, with the lengths of
what is left, says that they are too far from each other, nothing else is read of them.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from qcg_neo4j.database.graph import Graph

Floats = NDArray[np.float32]
Places = NDArray[np.int64]
Near = list[tuple[str, float]]

PAGE = 2000  # vectors that are read at once
JOINED = 250  # whose neighbours are given at once, to be joined in one transaction
BLOCK = 20_000  # vectors whose neighbours are looked for together: so seldom each list is read
ROWS = 2000  # of these that are compared with a list at once: memory is used again, not asked for anew
SAMPLES_PER_LIST, ROUNDS = 64, 10  # of k-means, which finds the middles of the lists
TRIED = 500  # vectors that say into how many lists one has to look
KEPT = 0.85  # of the squared lengths, in the directions in which vectors are compared first
FIRST = 2  # lists that are compared in all directions, so that a good neighbour is known
ROUNDING = 1e-5
MOST_PRODUCTS = 200_000**2 * 384  # of numbers, up to which all vectors are compared: some minutes on two cores
MOST_NUMBERS = 2**29  # of vectors that fit into this side's memory: 2 GiB, for a moment twice


def all_are_compared(number: int, dimension: int) -> bool:
    """Whether so many vectors of so many numbers are few enough for an exact search."""
    return number**2 * dimension <= MOST_PRODUCTS


def has_room(number: int, dimension: int) -> bool:
    """Whether so many vectors of so many numbers may be read to this side without being asked."""
    return number * dimension <= MOST_NUMBERS


def read_vectors(graph: Graph, path: str) -> tuple[list[str], Floats]:
    """Ids, ascending, and vectors (number, dimension) of unit length, by a statement that gives id and embedding."""
    ids: list[str] = []
    pages = []
    for page in graph.pages(path, PAGE):
        ids += [row["id"] for row in page]
        pages.append(np.asarray([row["embedding"] for row in page], dtype=np.float32))
    vectors = np.concatenate(pages) if pages else np.zeros((0, 1), np.float32)
    lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    np.divide(vectors, lengths, out=vectors, where=lengths > 0)
    return ids, vectors


@dataclass(frozen=True)
class Wanted:
    """What is near: so many others, with cosines over ``above``; ``share`` of them shall be found, 1 is all."""

    neighbours: int
    above: float = -np.inf
    share: float = 1.0


@dataclass(frozen=True)
class InvertedFile:
    """Vectors (number, dimension), list by list; a place is one in the order of ``ids``.

    ``order`` has the places in the order of ``vectors``, ``inverse`` says where the vector of a place is. List ``n``
    reaches from ``bounds[n]`` to ``bounds[n + 1]``. ``short`` are vectors (number, few) whose product is no less than
    the cosine, and ``probes`` is into how many lists one looks, those with the nearest middles first.
    """

    ids: list[str]
    vectors: Floats
    short: Floats
    middles: Floats
    bounds: Places
    order: Places
    inverse: Places
    wanted: Wanted
    probes: int

    @classmethod
    def of(cls, ids: list[str], vectors: Floats, wanted: Wanted, seed: int) -> InvertedFile:
        """Put vectors of unit length into lists, and find out into how many of these one has to look."""
        random = np.random.default_rng(seed)
        middles = _middles(vectors, max(1, round(len(ids) ** 0.5)), random)
        owners = _owners(vectors, middles)
        order = np.argsort(owners, kind="stable")
        bounds = np.searchsorted(owners[order], np.arange(len(middles) + 1))
        inverse = np.empty_like(order)
        inverse[order] = np.arange(len(order))
        probes = _probes(vectors, owners, middles, wanted, random)
        short = _shortened(vectors, random)[order]
        return cls(ids, vectors[order], short, middles, bounds, order, inverse, wanted, probes)

    def nearest(self, after: str = "") -> Iterator[tuple[list[str], list[Near]]]:
        """Block after block of the ids behind an id, with what is near to each, best first.

        The next ones are compared while the caller does something with the last.
        """
        begin, number = bisect_right(self.ids, after), len(self.ids)
        with ThreadPoolExecutor(1) as pool:
            coming = pool.submit(self._search, begin)
            for start in range(begin, number, BLOCK):
                scores, places = coming.result()
                coming = pool.submit(self._search, start + BLOCK)
                for first in range(0, len(scores), JOINED):
                    some = slice(first, first + JOINED)
                    found = [
                        [(self.ids[place], score) for score, place in zip(*row, strict=True) if score > -np.inf]
                        for row in zip(scores[some].tolist(), places[some].tolist(), strict=True)
                    ]
                    yield self.ids[start + first : start + first + len(found)], found

    def _search(self, start: int) -> tuple[Floats, Places]:
        """Cosines and places (block, neighbours) of what is near to each of a block, best first; -inf is nothing."""
        here = self.inverse[start : start + BLOCK]
        block, short = self.vectors[here], self.short[here]
        best = _Best(len(block), start, self.wanted)
        lists = _nearest_middles(block, self.middles, self.probes)
        for rows, begin, end in self._looked_into(lists[:, :FIRST]):
            scores = block[rows] @ self.vectors[begin:end].T
            last = min(self.wanted.neighbours, end - begin - 1)  # one more, for a row finds itself
            least = -np.partition(-scores, last, axis=1)[:, last, None]
            self._take(best, block, rows, scores >= least - ROUNDING, begin)
        for rows, begin, end in self._looked_into(lists[:, FIRST:]):
            most = short[rows] @ self.short[begin:end].T
            self._take(best, block, rows, most >= best.least[rows, None] - ROUNDING, begin)
        return best.scores, best.places

    def _looked_into(self, chosen: Places) -> Iterator[tuple[Places, int, int]]:
        """List by list the rows that look into it, ascending, and from where to where it reaches."""
        flat = chosen.ravel()
        order = np.argsort(flat, kind="stable")
        rows, bounds = order // max(chosen.shape[1], 1), np.searchsorted(flat[order], np.arange(len(self.bounds)))
        for number in np.flatnonzero(np.diff(bounds)).tolist():
            begin, end = int(self.bounds[number]), int(self.bounds[number + 1])
            for first in range(bounds[number], bounds[number + 1] if begin < end else 0, ROWS):
                yield rows[first : min(first + ROWS, bounds[number + 1])], begin, end

    def _take(self, best: _Best, block: Floats, rows: Places, may_be: NDArray[np.bool_], begin: int) -> None:
        """Compare rows with those of a list that may be near, in all directions, and keep the best."""
        lines, columns = np.divmod(np.flatnonzero(may_be), may_be.shape[1])
        scores = np.einsum("ij,ij->i", block[rows[lines]], self.vectors[begin + columns])
        best.take(rows[lines], self.order[begin + columns], scores)


class _Best:
    """The cosines and places (rows, neighbours) of what is best so far, best first; the first row is at ``start``.

    ``least`` (rows,) is what another has to reach.
    """

    def __init__(self, rows: int, start: int, wanted: Wanted) -> None:
        self.least = np.full(rows, wanted.above, np.float32)
        self._above = wanted.above
        self.scores = np.full((rows, wanted.neighbours), -np.inf, np.float32)
        self.places = np.zeros((rows, wanted.neighbours), np.int64)
        self._start = start

    def take(self, rows: Places, places: Places, scores: Floats) -> None:
        """Take what is better than what there is, of rows that ascend; a row itself does not count."""
        better = (scores >= self.least[rows]) & (scores > self._above) & (places != rows + self._start)
        if not better.any():
            return
        rows, places, scores = rows[better], places[better], scores[better]
        touched, firsts, counts = np.unique(rows, return_index=True, return_counts=True)
        neighbours = self.scores.shape[1]
        shape = len(touched), neighbours + int(counts.max())
        found, where = np.full(shape, -np.inf, np.float32), np.zeros(shape, np.int64)
        found[:, :neighbours], where[:, :neighbours] = self.scores[touched], self.places[touched]
        line = np.repeat(np.arange(len(touched)), counts)
        column = neighbours + np.arange(len(rows)) - np.repeat(firsts, counts)
        found[line, column], where[line, column] = scores, places
        kept = np.lexsort((where, -found), axis=1)[:, :neighbours]  # of equal ones that with the smaller id
        self.scores[touched] = np.take_along_axis(found, kept, axis=1)
        self.places[touched] = np.take_along_axis(where, kept, axis=1)
        self.least[touched] = np.maximum(self.scores[touched, -1], self._above)


def _owners(vectors: Floats, middles: Floats) -> Places:
    """The list of each vector."""
    starts = range(0, len(vectors), BLOCK)
    found = [np.argmax(vectors[start : start + BLOCK] @ middles.T, axis=1) for start in starts]
    return np.concatenate(found) if found else np.zeros(0, np.int64)


def _middles(vectors: Floats, lists: int, random: np.random.Generator) -> Floats:
    """Middles (lists, dimension) of unit length, by k-means on a sample."""
    sample = vectors[random.permutation(len(vectors))[: SAMPLES_PER_LIST * lists]]
    middles = sample[:lists].copy()
    for _ in range(ROUNDS if len(sample) else 0):
        owners = _owners(sample, middles)
        order = np.argsort(owners, kind="stable")
        present, firsts = np.unique(owners[order], return_index=True)
        sums = np.add.reduceat(sample[order], firsts, axis=0)
        lengths = np.linalg.norm(sums, axis=1, keepdims=True)
        middles[present] = np.divide(sums, lengths, out=middles[present], where=lengths > 0)
    return middles


def _nearest_middles(block: Floats, middles: Floats, number: int) -> Places:
    """The lists (block, number) whose middles are nearest, the nearest first."""
    scores = block @ middles.T
    near = np.argpartition(-scores, number - 1, axis=1)[:, :number] if len(middles) else np.zeros((len(block), 0), int)
    order = np.argsort(-np.take_along_axis(scores, near, axis=1), axis=1, kind="stable")
    return np.take_along_axis(near, order, axis=1)


def _shortened(vectors: Floats, random: np.random.Generator) -> Floats:
    """Vectors (number, few) whose product is no less than that of the vectors themselves.

    They are turned into the directions in which vectors differ most; of the others the lengths alone are kept, since
    a product is at most that of the lengths.
    """
    sample = vectors[random.permutation(len(vectors))[:BLOCK]]
    squares, directions = np.linalg.eigh(sample.T @ sample)
    shares = np.cumsum(squares[::-1]) / max(float(squares.sum()), 1e-9)
    turned = vectors @ directions[:, ::-1][:, : 1 + int(np.searchsorted(shares, KEPT))]
    left = (vectors**2).sum(axis=1, keepdims=True) - (turned**2).sum(axis=1, keepdims=True)
    return np.hstack([turned, np.sqrt(np.maximum(left, 0))])


def _probes(vectors: Floats, owners: Places, middles: Floats, wanted: Wanted, random: np.random.Generator) -> int:
    """Into how many lists one has to look for the wanted share of a sample's true neighbours."""
    others = min(wanted.neighbours, len(vectors) - 1)
    if wanted.share >= 1 or others < 1:
        return len(middles)
    chosen = random.permutation(len(vectors))[:TRIED]
    scores = vectors[chosen] @ vectors.T
    scores[np.arange(len(chosen)), chosen] = -np.inf
    true = np.argpartition(scores, -others, axis=1)[:, -others:]
    ranks = np.argsort(np.argsort(-(vectors[chosen] @ middles.T), axis=1), axis=1)
    needed = np.take_along_axis(ranks, owners[true], axis=1)
    near = np.take_along_axis(scores, true, axis=1) > wanted.above
    return 1 + int(np.quantile(needed[near] if near.any() else needed, wanted.share, method="higher"))
