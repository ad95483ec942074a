"""Whether there is room on the disk of a home."""

from __future__ import annotations

import shutil
from pathlib import Path

from qcg_neo4j.core.errors import ServerError

ROOM = 64 * 2**20  # bytes that a start needs: the first files of a store and its log of transactions
_NOTHING = 2**20  # bytes; with less Neo4j cannot write


def is_full(folder: Path) -> bool:
    """Whether the disk of a folder has no room for what a server writes."""
    return shutil.disk_usage(folder).free < _NOTHING


def check_room(folder: Path) -> None:
    """Refuse to start a server on a disk that is full.

    Raises:
        ServerError: says where, how much there is and how much is needed.
    """
    free = shutil.disk_usage(folder).free
    if free < ROOM:
        raise ServerError(
            f"There is no space on the disk of {folder}: {free >> 20:,} MB are free, a server needs {ROOM >> 20:,}.",
            "Make room there, then start the server again (`qcg server start`).",
        )
