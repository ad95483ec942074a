"""How many different things claims say: clusters by complete linkage on 1 − ROUGE-L."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from itertools import combinations

import numpy as np

THRESHOLDS = (0.5, 0.6, 0.7, 0.8)
# A word, or a single character of the scripts that put no spaces between words.
_CHARACTER = "\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\u0e00-\u0eff\U00020000-\U0003ffff"
_WORD = re.compile(rf"[{_CHARACTER}]|[^\W{_CHARACTER}]+")

Words = tuple[str, ...]


def words(text: str) -> Words:
    """The words of a text, without case and punctuation."""
    return tuple(_WORD.findall(text.casefold()))


def distinct(claims: Iterable[str]) -> list[str]:
    """The claims, those with the same words once; a claim without any word is none."""
    found: dict[Words, str] = {}
    for claim in claims:
        found.setdefault(words(claim), claim)
    found.pop((), None)
    return list(found.values())


def distance(first: Words, second: Words) -> float:
    """1 − ROUGE-L (F1) of two texts, in [0, 1]: 1 − 2 · longest common subsequence / words of both."""
    both = len(first) + len(second)
    # One division, so that what is 0.6 on paper is the number 0.6 and lies on its threshold.
    return (both - 2 * common_length(first, second)) / both


def common_length(first: Words, second: Words) -> int:
    """The length of the longest common subsequence, a word of ``second`` at a time (Hyyrö, 2004).

    Bit i of ``row`` is 0 where the table of lengths grows from position i to i + 1 of ``first``.
    """
    places: dict[str, int] = {}
    for position, word in enumerate(first):
        places[word] = places.get(word, 0) | 1 << position
    whole = (1 << len(first)) - 1
    row = whole
    for word in second:
        shared = row & places.get(word, 0)
        row = ((row + shared) | (row - shared)) & whole
    return len(first) - row.bit_count()


def cluster_counts(claims: Sequence[str]) -> tuple[int, ...]:
    """The number of clusters at each threshold: two join when no two of their claims are farther apart than that."""
    from scipy.cluster.hierarchy import linkage

    if len(claims) < 2:
        return (len(claims),) * len(THRESHOLDS)
    split = [words(claim) for claim in claims]
    distances = np.array([distance(first, second) for first, second in combinations(split, 2)])
    heights = linkage(distances, method="complete")[:, 2]
    return tuple(1 + int((heights > threshold).sum()) for threshold in THRESHOLDS)
