"""Amounts of memory as Java and Neo4j write them."""

from __future__ import annotations

import re
from pathlib import Path

from qcg_neo4j.server.packages import psutil

BYTES = re.compile(r"[1-9][0-9]{0,8}[kmg]", re.IGNORECASE)
FACTORS = {"k": 2**10, "m": 2**20, "g": 2**30}


def bytes_of(amount: str) -> int:
    """The number of bytes of an amount such as ``512m``; the text must match `BYTES`."""
    return int(amount[:-1]) * FACTORS[amount[-1].lower()]


def default_heap(store: int) -> str:
    """A quarter of this machine's memory, between 512m and 4g; for a large store twice its size, up to two fifths.

    An eighth of the heap is for copies of what questions read, which are less than a quarter of a store.
    """
    whole = psutil().virtual_memory().total
    return _amount(max(min(max(whole // 4, 512 * 2**20), 4 * 2**30), min(2 * store, 2 * whole // 5)))


def default_page_cache(store: int) -> str:
    """As large as the store, at least 512m, at most a fifth of this machine's memory: the indexes want the rest."""
    return _amount(max(512 * 2**20, min(store, psutil().virtual_memory().total // 5)))


def has_outgrown(before: int, now: int) -> bool:
    """Whether a store of ``now`` bytes needs half as much memory again as one of ``before``."""
    wanted = [bytes_of(default_heap(store)) + bytes_of(default_page_cache(store)) for store in (before, now)]
    return wanted[1] >= 1.5 * wanted[0]


def store_size(data: Path) -> int:
    """Bytes of the stores in a folder of data, without indexes and logs."""
    return sum(file.stat().st_size for file in data.glob("databases/*/neostore*"))


def _amount(size: int) -> str:
    return f"{size // FACTORS['m']}m"
