"""The nearest others of each vector, compared in this process: with all others, or with those of near lists (faiss)."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from importlib.util import find_spec
from typing import Any

import numpy as np
from numpy.typing import NDArray

from qcg_neo4j.database.graph import Graph

Floats = NDArray[np.float32]
Places = NDArray[np.int64]
Near = list[tuple[str, float]]
# For a block of vectors: pairs of a row of the block and the place of another vector.
Candidates = Callable[[Floats], tuple[Places, Places]]

PAGE = 2000  # vectors that are read at once
JOINED = 250  # whose neighbours are given at once, to be joined in one transaction
BLOCK, TILE = 1000, 20_000  # vectors whose neighbours are searched at once, and of these others compared at once
TRIED = 500  # vectors that show how many lists have to be searched
PER_LIST = 64  # vectors from which the middle of a list is found
PART, CODES = 4, 16  # numbers that one code stands for, and how many codes there are
MOST_KEPT = 1000  # vectors that are best by their codes, of which cosines are taken
ROUNDING = 1e-5
MOST_PRODUCTS = 200_000**2 * 384  # numbers multiplied up to which all vectors are compared: some minutes on two cores
MOST_NUMBERS = 2**29  # numbers of vectors that are read into memory: 2 GiB, for a moment twice


@dataclass(frozen=True)
class Wanted:
    """How many others, with cosines over ``above``; ``share`` is the required recall, 1 = exact."""

    neighbours: int
    above: float = -np.inf
    share: float = 1.0


def all_are_compared(number: int, dimension: int) -> bool:
    """Whether this number of vectors of this dimension is small enough for an exact search."""
    return number**2 * dimension <= MOST_PRODUCTS


def has_room(number: int, dimension: int) -> bool:
    """Whether this number of vectors of this dimension fits into memory."""
    return number * dimension <= MOST_NUMBERS


def has_lists() -> bool:
    """Whether faiss is installed."""
    return find_spec("faiss") is not None


def read_vectors(graph: Graph, path: str, label: str) -> tuple[list[str], Floats]:
    """Ids, ascending, and vectors (number, dimension) of unit length, of what a statement gives with this label."""
    ids: list[str] = []
    pages = []
    for page in graph.pages(path, PAGE):
        if rows := [row for row in page if label in row["labels"]]:
            ids += [row["id"] for row in rows]
            pages.append(np.asarray([row["embedding"] for row in rows], dtype=np.float32))
    vectors = np.concatenate(pages) if pages else np.zeros((0, 1), np.float32)
    lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    np.divide(vectors, lengths, out=vectors, where=lengths > 0)
    return ids, vectors


def nearest(
    ids: list[str], vectors: Floats, wanted: Wanted, candidates: Candidates, after: str = ""
) -> Iterator[tuple[list[str], list[Near]]]:
    """Some ids behind an id after the other, with what is near to each, best first, of equal ones the smaller id.

    The next ones are compared while the caller does something with the last.
    """
    begin, number = bisect_right(ids, after), len(ids)

    def search(start: int) -> list[Near]:
        own = np.arange(start, min(start + BLOCK, number))
        best = _best(vectors, own, wanted, *candidates(vectors[own]))
        return [[(ids[place], score) for place, score in near] for near in best]

    with ThreadPoolExecutor(1) as pool:
        coming = pool.submit(search, begin)
        for start in range(begin, number, BLOCK):
            found = coming.result()
            coming = pool.submit(search, start + BLOCK)
            for first in range(0, len(found), JOINED):
                some = found[first : first + JOINED]
                yield ids[start + first : start + first + len(some)], some


def among_all(vectors: Floats, wanted: Wanted) -> Candidates:
    """Every vector is compared with all."""
    most = wanted.neighbours + 1  # one more, since a vector finds itself

    def candidates(block: Floats) -> tuple[Places, Places]:
        rows, places, scores = np.zeros(0, np.int64), np.zeros(0, np.int64), np.zeros(0, np.float32)
        for start in range(0, len(vectors), TILE):
            found = block @ vectors[start : start + TILE].T
            last = min(most, found.shape[1]) - 1
            least = -np.partition(-found, last, axis=1)[:, last, None]
            new = np.nonzero(found >= np.maximum(least, wanted.above) - ROUNDING)
            rows = np.concatenate([rows, new[0]])
            places, scores = np.concatenate([places, new[1] + start]), np.concatenate([scores, found[new]])
        order = np.lexsort((-scores, rows))
        rows, places, scores = rows[order], places[order], scores[order]
        ends = np.searchsorted(rows, np.arange(len(block)), side="right")
        kept = scores[np.minimum(np.searchsorted(rows, rows) + most, ends[rows]) - 1] - ROUNDING <= scores
        return rows[kept], places[kept]

    return candidates


def among_near_lists(vectors: Floats, wanted: Wanted, seed: int) -> Candidates:
    """Every vector is compared, by codes of half a byte per part, with those of the lists whose middles are nearest.

    As many by these codes, and as many lists, as bring the wanted share of a sample's true neighbours. Where all are
    wanted, or there are too few to learn codes from, every vector is compared with all. Jégou, Douze, Schmid, "Product
    Quantization for Nearest Neighbor Search", 2011, by faiss.
    """
    number, dimension = vectors.shape
    if wanted.share == 1 or number < CODES:
        return among_all(vectors, wanted)
    import faiss

    lists, parts = max(1, round(number**0.5)), dimension if dimension % PART else dimension // PART
    index: Any = faiss.index_factory(dimension, f"IVF{lists},PQ{parts}x4fs", faiss.METRIC_INNER_PRODUCT)
    index.cp.seed, index.cp.max_points_per_centroid = seed, PER_LIST
    index.cp.min_points_per_centroid = index.pq.cp.min_points_per_centroid = 1
    index.train(vectors)
    index.add(vectors)
    kept = wanted.neighbours + 1

    def candidates(block: Floats) -> tuple[Places, Places]:
        _scores, found = index.search(block, kept)
        rows, columns = np.nonzero(found >= 0)
        return rows, found[rows, columns]

    sample = np.sort(np.random.default_rng(seed).permutation(number)[:TRIED])
    true = _pairs(vectors, sample, wanted, among_all(vectors, wanted))

    def misses(share: float) -> bool:
        return len(true & _pairs(vectors, sample, wanted, candidates)) < share * len(true)

    index.nprobe = lists
    while 2 * kept <= MOST_KEPT and misses((1 + wanted.share) / 2):  # half of what may be missed, the rest by lists
        kept *= 2
    index.nprobe = 1
    while index.nprobe < lists and misses(wanted.share):
        index.nprobe = min(2 * index.nprobe, lists)
    return candidates


def _pairs(vectors: Floats, own: Places, wanted: Wanted, candidates: Candidates) -> set[tuple[int, int]]:
    best = _best(vectors, own, wanted, *candidates(vectors[own]))
    return {(row, place) for row, near in enumerate(best) for place, _ in near}


def _best(vectors: Floats, own: Places, wanted: Wanted, rows: Places, places: Places) -> list[list[tuple[int, float]]]:
    """The best of the candidates of each row, scored exactly: places and cosines; a vector itself is left out."""
    others = places != own[rows]
    rows, places = rows[others], places[others]
    bounds = np.searchsorted(rows, np.arange(len(own) + 1))
    scores = np.zeros(len(rows), np.float32)
    for one, begin, end in zip(own, bounds[:-1], bounds[1:], strict=True):  # equal ones alike, unlike a matrix product
        scores[begin:end] = np.einsum("ij,j->i", vectors[places[begin:end]], vectors[one])
    order = np.lexsort((places, -scores, rows))
    order = order[scores[order] > wanted.above]
    rows, places, scores = rows[order], places[order], scores[order]
    bounds = np.searchsorted(rows, np.arange(len(own) + 1))
    return [
        list(zip(places[begin:end].tolist(), scores[begin:end].tolist(), strict=True))
        for begin, end in zip(bounds[:-1], np.minimum(bounds[1:], bounds[:-1] + wanted.neighbours), strict=True)
    ]
