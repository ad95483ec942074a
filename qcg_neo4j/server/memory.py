"""Amounts of memory as Java and Neo4j write them."""

from __future__ import annotations

import re

from qcg_neo4j.server.packages import psutil

BYTES = re.compile(r"([1-9][0-9]{0,8})([kmg])", re.IGNORECASE)
FACTORS = {"k": 2**10, "m": 2**20, "g": 2**30}


def bytes_of(amount: str) -> int:
    """The number of bytes of an amount such as ``512m``; the text must match `BYTES`."""
    found = BYTES.fullmatch(amount)
    if found is None:
        raise ValueError(amount)
    return int(found[1]) * FACTORS[found[2].lower()]


def default_heap() -> str:
    """A quarter of this machine's memory, between 512m and 4g."""
    quarter = psutil().virtual_memory().total // 4 // FACTORS["m"]
    return f"{min(max(quarter, 512), 4096)}m"
