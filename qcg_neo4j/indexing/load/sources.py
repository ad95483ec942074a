"""From paths to documents: files, folders and standard input, one document at a time."""

from __future__ import annotations

import os
import stat
import sys
from collections.abc import Iterable, Iterator
from dataclasses import replace
from hashlib import blake2b
from pathlib import Path
from typing import BinaryIO

from qcg_neo4j.core.errors import InputError, MissingPackageError
from qcg_neo4j.core.json_lines import UnusableError
from qcg_neo4j.core.records import Rejected, SourceDocument
from qcg_neo4j.indexing.load.files import ENDINGS, read_document
from qcg_neo4j.indexing.load.json_lines import Read, read_json_lines

JSON_LINES = (".jsonl", ".ndjson")
STANDARD_INPUT = "-"
KNOWN = ", ".join((*JSON_LINES, *ENDINGS))
_KINDS = {
    stat.S_IFIFO: "a named pipe",
    stat.S_IFSOCK: "a socket",
    stat.S_IFCHR: "a device",
    stat.S_IFBLK: "a device",
    stat.S_IFDIR: "a folder",
}


def read_documents(
    paths: Iterable[str | Path],
    largest: int = 64 * 1024 * 1024,
    standard_input: BinaryIO | None = None,
    id_prefix: str | None = None,
    *,
    follow_links: bool = False,
) -> Iterator[SourceDocument | Rejected]:
    """The documents of files, of folders (all levels, by name, hidden files left out) and of ``-``.

    Standard input is JSON Lines. A file that is a document has as id its absolute path, however it was given; with
    ``id_prefix`` this and its path inside the given folder, or its name. Before ids of JSON Lines it stands as well.
    Nothing is read before the first document is asked for, except that every path is known to exist. A file that
    cannot be read is a `Rejected` with the reason, also where the package for its format is not installed. Links out
    of a folder are read with ``follow_links``.

    Raises:
        InputError: a path does not exist or cannot be read, or a folder is empty.
    """
    given = [str(path) for path in paths]
    check_paths(given)
    return _unique(_all(given, standard_input or sys.stdin.buffer, largest, id_prefix, follow_links=follow_links))


def _all(
    paths: list[str], standard_input: BinaryIO, largest: int, prefix: str | None, *, follow_links: bool
) -> Iterator[Read | Rejected]:
    for path in paths:
        if path == STANDARD_INPUT:
            yield from _listed(read_json_lines(standard_input, "standard input", largest), prefix)
            continue
        root = Path(path)
        for file in list(files_below(root, follow_links=follow_links)) if root.is_dir() else [root]:
            if isinstance(file, Rejected):
                yield file
            else:
                yield from _of_file(file, file.relative_to(root if root.is_dir() else root.parent), largest, prefix)


def check_paths(paths: Iterable[str | Path], *, may_be_empty: bool = False) -> None:
    """Refuse a path that is not there or cannot be read, or a folder without a file unless it ``may_be_empty``.

    Raises:
        InputError: a path does not exist or cannot be read, or a folder is empty.
    """
    for path in (Path(path) for path in paths if str(path) != STANDARD_INPUT):
        try:
            if not path.is_dir():
                path.stat()
                continue
            os.scandir(path).close()
        except (FileNotFoundError, NotADirectoryError):
            raise InputError(
                f"There is no file or folder {path}.", "Give files, folders, or - for standard input."
            ) from None
        except OSError as error:
            problem = f"{path} cannot be read: {error.strerror}."
            raise InputError(problem, "Give the user the right to read it.") from None
        if not may_be_empty and next(files_below(path, follow_links=True), None) is None:
            raise InputError(f"The folder {path} holds no file.", f"Known are: {KNOWN}.")


def _of_file(path: Path, inside: Path, largest: int, prefix: str | None) -> Iterator[Read | Rejected]:
    """The documents of a file, which lies ``inside`` the folder that was given."""
    ending = path.suffix.lower()
    try:
        if reason := why_not_regular(path):
            yield Rejected(name_of(path), None, reason)
        elif ending in JSON_LINES:
            with path.open("rb") as stream:
                found = read_json_lines(stream, path.as_posix(), largest)
                yield from _listed(found, prefix, source_of(path).as_posix())
        elif ending in ENDINGS:
            whole = source_of(path)
            identity = whole.as_posix() if prefix is None else prefix + inside.as_posix()
            yield Read(read_document(whole, identity, largest), path.as_posix())
        else:
            yield Rejected(name_of(path), None, f"unknown ending {ending!r}; known are {KNOWN}")
    except UnusableError as error:
        yield Rejected(name_of(path), None, str(error))
    except MissingPackageError as error:
        yield Rejected(name_of(path), None, error.problem, error.remedy)
    except OSError as error:
        yield Rejected(name_of(path), None, f"cannot be read: {error.strerror}")


def source_of(path: Path) -> Path:
    """The absolute path of a file, or of a folder, as documents have it in ``source``.

    Links are followed on the way to a file, which keeps its own name: a link is a document of its own.
    """
    return path.resolve() if path.is_dir() else path.parent.resolve() / path.name


def _listed(items: Iterable[Read | Rejected], prefix: str | None, file: str | None = None) -> Iterator[Read | Rejected]:
    """Documents of JSON Lines, with the prefix before their ids, and with the file that lists them."""
    for item in items:
        if isinstance(item, Rejected):
            yield item
        else:
            document = replace(item.document, id=(prefix or "") + item.document.id, listed_in=file)
            yield replace(item, document=document)


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


def files_below(root: Path, *, follow_links: bool) -> Iterator[Path | Rejected]:
    """All files below a folder, folder by folder and by name, hidden ones left out.

    A link to a folder inside of ``root`` adds nothing, because its files are read where they are. A link that leads
    out of ``root`` is rejected, or with ``follow_links`` read under the link's own path; each folder is read once, so
    that loops end.
    """
    top = root.resolve()
    entered: set[Path] = set()
    waiting, linked = [root], list[Path]()
    while waiting or linked:
        folder = (waiting or linked).pop()
        if (real := folder.resolve()) in entered:
            continue
        entered.add(real)
        deeper = []
        for path in _entries(folder):
            if isinstance(path, Rejected):
                yield path
            elif path.is_symlink() and not path.resolve().is_relative_to(top) and not follow_links:
                reason = f"a link out of the folder, to {name_of(path.resolve())}; see --follow-links"
                yield Rejected(name_of(path), None, reason)
            elif not path.is_dir():
                yield path
            elif not path.is_symlink():
                deeper.append(path)
            elif not path.resolve().is_relative_to(top):
                linked.append(path)
        waiting += reversed(deeper)


def _entries(folder: Path) -> Iterator[Path | Rejected]:
    try:
        found = sorted(path for path in folder.iterdir() if not path.name.startswith("."))
    except OSError as error:
        yield Rejected(name_of(folder), None, f"the folder cannot be read: {error.strerror}")
        return
    for path in found:
        try:
            path.name.encode()
        except UnicodeEncodeError:
            reason = "its name is not UTF-8, which ids are made of; rename it (`convmv -t utf8` renames many)"
            yield Rejected(name_of(path), None, reason)
        else:
            yield path


def why_not_regular(path: Path) -> str | None:
    """What a path is that is no regular file, so that reading it might never end; None for a regular file.

    Raises:
        OSError: there is no such file, or it cannot be looked at.
    """
    kind = stat.S_IFMT(path.stat().st_mode)
    return None if kind == stat.S_IFREG else f"it is {_KINDS.get(kind, 'no file')}; only regular files are read"


def name_of(path: Path) -> str:
    """The path as text, bytes that are not UTF-8 as escapes."""
    return os.fsencode(path).decode("utf-8", "backslashreplace")
