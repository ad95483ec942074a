"""The files of a folder: regular ones below it, and what is left out on the way with the reason."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from pathlib import Path

from qcg_neo4j.core.records import Rejected

_KINDS = {
    stat.S_IFIFO: "a named pipe",
    stat.S_IFSOCK: "a socket",
    stat.S_IFCHR: "a device",
    stat.S_IFBLK: "a device",
    stat.S_IFDIR: "a folder",
}


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
