"""Documents whose files, or lines, are not there any more; what cannot be read this time is no such case."""

from __future__ import annotations

import os
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain
from pathlib import Path
from typing import Any

from qcg_neo4j.core.errors import InputError
from qcg_neo4j.core.records import Rejected, SourceDocument
from qcg_neo4j.database.graph import Graph
from qcg_neo4j.indexing.load import source_of

_AT_ONCE = 5000
# So many documents must have vanished, and be more than half, before a run asks whether that is meant.
_MANY = 20


def vanished_documents(graph: Graph, paths: Sequence[Path], *, all_of_them: bool = False) -> list[str]:
    """The ids of documents whose file is one of these absolute paths, or lies below, and is no file any more.

    Raises:
        InputError: a folder seems to be empty by accident, and ``all_of_them`` does not say that it is meant.
    """
    found: list[str] = []
    for path in paths:
        known, gone = 0, []
        for row in _below(graph, path):
            known += 1
            if _is_gone(row["file"]):
                gone.append(row["id"])
        is_most = len(gone) >= _MANY and 2 * len(gone) > known
        if not all_of_them and (is_most or (gone and len(gone) == known and holds_nothing(path))):
            raise InputError(
                f"Of the {known:,} documents that the graph holds from {path}, {len(gone):,} have no file any more. "
                "Nothing was changed.",
                "Is its disk there? If the files are meant to be gone, give --remove-all; --keep leaves the documents.",
            )
        found += gone
    return found


def moved_from(graph: Graph, paths: Sequence[Path]) -> tuple[str, ...]:
    """The files elsewhere that are gone, and whose text is below these absolute paths too: they were moved here."""
    roots = [path.as_posix().rstrip("/") for path in paths]
    rows = chain.from_iterable(graph.pages("index/moved", _AT_ONCE, roots=roots))
    return tuple(dict.fromkeys(row["file"] for row in rows if _is_gone(row["file"])))


class Lines:
    """What a run has read: the ids, which are not gone, and files of JSON Lines with a line that was left out."""

    def __init__(self) -> None:
        self.seen: set[str] = set()
        self._doubtful: set[str] = set()

    def noted(self, documents: Iterable[SourceDocument | Rejected]) -> Iterator[SourceDocument | Rejected]:
        """The documents as they come."""
        for item in documents:
            if isinstance(item, Rejected):
                self._doubtful.add(source_of(Path(item.source)).as_posix())
            else:
                self.seen.add(item.id)
            yield item

    def vanished(self, graph: Graph, paths: Sequence[Path], *, all_of_them: bool = False) -> list[str]:
        """The ids of documents whose file was read whole and lists them no more.

        Raises:
            InputError: most or all of a file's lines have vanished, and ``all_of_them`` does not say that it is meant.
        """
        known: Counter[str] = Counter()
        gone: dict[str, list[str]] = defaultdict(list)
        for row in chain.from_iterable(_below(graph, path) for path in paths):
            file = row["file"]
            known[file] += 1
            if row["listed"] and file not in self._doubtful and row["id"] not in self.seen:
                gone[file].append(row["id"])
        for file, ids in gone.items():
            if not all_of_them and (len(ids) == known[file] or (len(ids) >= _MANY and 2 * len(ids) > known[file])):
                raise InputError(
                    f"Of the {known[file]:,} documents that the graph holds from {file}, {len(ids):,} have no line any "
                    "more. None was removed.",
                    "Is the file whole? If the lines are meant to be gone, give --remove-all; --keep leaves the "
                    "documents.",
                )
        return [name for ids in gone.values() for name in ids]


def _below(graph: Graph, path: Path) -> Iterator[dict[str, Any]]:
    return chain.from_iterable(graph.pages("index/below", _AT_ONCE, root=path.as_posix().rstrip("/")))


def _is_gone(source: str) -> bool:
    """Whether there is certainly no such file; what may be there but cannot be looked at is not gone."""
    try:
        Path(source).stat()
    except OSError as error:
        return isinstance(error, FileNotFoundError | NotADirectoryError)
    return False


def holds_nothing(path: Path) -> bool:
    """Whether there is neither such a file nor a file below such a folder; what cannot be looked into may hold some."""
    unreadable: list[OSError] = []
    found = path.is_file() or any(names for _, _, names in os.walk(path, onerror=unreadable.append))
    return not found and all(isinstance(error, FileNotFoundError) for error in unreadable)
