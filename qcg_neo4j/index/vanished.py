"""Documents whose files are not there any more; a file that cannot be read, or a disk that is away, is no such case."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from itertools import chain
from pathlib import Path

from qcg_neo4j.errors import InputError
from qcg_neo4j.graph import Graph

_AT_ONCE = 5000
# So many documents must have vanished, and be more than half, before a run asks whether that is meant.
_MANY = 20


def vanished_documents(graph: Graph, paths: Sequence[Path], *, all_of_them: bool = False) -> list[str]:
    """The ids of documents whose ``source`` is one of these absolute paths, or lies below, and is no file any more.

    Raises:
        InputError: a folder seems to be empty by accident, and ``all_of_them`` does not say that it is meant.
    """
    found: list[str] = []
    for path in paths:
        known, gone = 0, []
        for identity, source in _below(graph, path):
            known += 1
            if _is_gone(source):
                gone.append(identity)
        if gone and not all_of_them:
            _ask_whether_meant(path, known, len(gone))
        found += gone
    return found


def _below(graph: Graph, path: Path) -> Iterator[tuple[str, str]]:
    pages = graph.pages("index/below", _AT_ONCE, root=path.as_posix().rstrip("/"))
    return ((row["id"], row["source"]) for row in chain.from_iterable(pages))


def _is_gone(source: str) -> bool:
    """Whether there is certainly no such file; what may be there but cannot be looked at is not gone."""
    try:
        Path(source).stat()
    except (FileNotFoundError, NotADirectoryError):
        return True
    except OSError:
        return False
    return False


def _ask_whether_meant(path: Path, known: int, gone: int) -> None:
    if not (gone >= _MANY and 2 * gone > known) and not (gone == known and holds_nothing(path)):
        return
    raise InputError(
        f"Of the {known:,} documents that the graph holds from {path}, {gone:,} have no file any more. "
        "Nothing was changed.",
        "Is its disk there? If the files are meant to be gone, give --remove-all; --keep leaves the documents.",
    )


def holds_nothing(path: Path) -> bool:
    """Whether there is neither such a file nor a file below such a folder."""
    return not path.is_file() and not any(names for _, _, names in os.walk(path))
