"""From paths to documents: files, folders and standard input, one document at a time."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Iterator
from dataclasses import replace
from hashlib import blake2b
from pathlib import Path
from typing import BinaryIO

from qcg_neo4j.core.errors import InputError
from qcg_neo4j.core.records import Rejected, SourceDocument
from qcg_neo4j.indexing.load.files import ENDINGS, read_document
from qcg_neo4j.indexing.load.json_lines import Read, read_json_lines
from qcg_neo4j.indexing.load.validation import UnusableError

JSON_LINES = (".jsonl", ".ndjson")
STANDARD_INPUT = "-"
KNOWN = ", ".join((*JSON_LINES, *ENDINGS))


def read_documents(
    paths: Iterable[str | Path],
    largest: int = 64 * 1024 * 1024,
    standard_input: BinaryIO | None = None,
    id_prefix: str | None = None,
) -> Iterator[SourceDocument | Rejected]:
    """The documents of files, of folders (all levels, by name, hidden files left out) and of ``-``.

    Standard input is JSON Lines. A file that is a document has as id its absolute path, however it was given; with
    ``id_prefix`` this and its path inside the given folder, or its name. Before ids of JSON Lines it stands as well.
    Nothing is read before the first document is asked for, except that every path is known to exist.

    Raises:
        InputError: a path does not exist or cannot be read, or a folder is empty.
        MissingPackageError: a format needs a package that is not installed.
    """
    given = [str(path) for path in paths]
    for path in given:
        if path != STANDARD_INPUT:
            _check(Path(path))
    return _unique(_all(given, largest, standard_input or sys.stdin.buffer, id_prefix))


def _all(paths: list[str], largest: int, standard_input: BinaryIO, prefix: str | None) -> Iterator[Read | Rejected]:
    for path in paths:
        if path == STANDARD_INPUT:
            yield from _prefixed(read_json_lines(standard_input, "standard input", largest), prefix)
            continue
        root = Path(path)
        unreadable: list[OSError] = []
        files = list(_files(root, unreadable)) if root.is_dir() else [root]
        if not files and not unreadable:
            raise InputError(f"The folder {path} holds no file.", f"Known are: {KNOWN}.")
        for error in unreadable:
            yield Rejected(str(error.filename), None, f"the folder cannot be read: {error.strerror}")
        for file in files:
            inside = file.relative_to(root if root.is_dir() else root.parent)
            yield from _file(file, inside, largest, prefix)


def _check(path: Path) -> None:
    """Refuse a path that is not there, or a folder that cannot be read."""
    try:
        if path.is_dir():
            os.scandir(path).close()
        else:
            path.stat()
    except (FileNotFoundError, NotADirectoryError):
        raise InputError(
            f"There is no file or folder {path}.", "Give files, folders, or - for standard input."
        ) from None
    except OSError as error:
        raise InputError(f"{path} cannot be read: {error.strerror}.", "Give the user the right to read it.") from None


def _files(root: Path, unreadable: list[OSError]) -> Iterator[Path]:
    """All files below a folder by name, hidden ones left out; ``unreadable`` receives what cannot be looked into."""
    for folder, folders, names in os.walk(root, onerror=unreadable.append):
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        for name in sorted(names):
            if not name.startswith("."):
                yield Path(folder) / name


def _file(path: Path, inside: Path, largest: int, prefix: str | None) -> Iterator[Read | Rejected]:
    """``inside`` is where it lies in the folder that was given."""
    ending = path.suffix.lower()
    try:
        if ending in JSON_LINES:
            with path.open("rb") as stream:
                found = read_json_lines(stream, path.as_posix(), largest)
                yield from _listed(_prefixed(found, prefix), source_of(path).as_posix())
        elif ending in ENDINGS:
            whole = source_of(path)
            identity = whole.as_posix() if prefix is None else prefix + inside.as_posix()
            yield Read(read_document(whole, identity, largest), path.as_posix())
        else:
            yield Rejected(path.as_posix(), None, f"unknown ending {ending!r}; known are {KNOWN}")
    except UnusableError as error:
        yield Rejected(path.as_posix(), None, str(error))
    except OSError as error:
        yield Rejected(path.as_posix(), None, f"cannot be read: {error.strerror}")


def source_of(path: Path) -> Path:
    """The absolute path of a file, or of a folder, as documents have it in ``source``.

    Links are followed on the way to a file, which keeps its own name: a link is a document of its own.
    """
    return path.resolve() if path.is_dir() else path.parent.resolve() / path.name


def _prefixed(items: Iterable[Read | Rejected], prefix: str | None) -> Iterator[Read | Rejected]:
    for item in items:
        if prefix and isinstance(item, Read):
            yield replace(item, document=replace(item.document, id=prefix + item.document.id))
        else:
            yield item


def _listed(items: Iterable[Read | Rejected], file: str) -> Iterator[Read | Rejected]:
    for item in items:
        yield item if isinstance(item, Rejected) else replace(item, document=replace(item.document, listed_in=file))


def _unique(items: Iterable[Read | Rejected]) -> Iterator[SourceDocument | Rejected]:
    # Eight bytes a document, so that memory stays small; a chance hit among ten million has odds of 1 in 300,000.
    seen: set[int] = set()
    for item in items:
        if isinstance(item, Rejected):
            yield item
            continue
        mark = int.from_bytes(blake2b(item.document.id.encode(), digest_size=8).digest())
        if mark in seen:
            yield Rejected(item.source, item.line, f"the id {item.document.id!r} occurs twice in the input")
            continue
        seen.add(mark)
        yield item.document
