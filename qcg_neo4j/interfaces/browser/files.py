"""The files that Browser takes, by name, with what a web server says of each."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path

from qcg_neo4j.core.errors import InputError
from qcg_neo4j.database.corpora import DEFAULT
from qcg_neo4j.interfaces.browser.favourites import favourites
from qcg_neo4j.interfaces.browser.guide import guide
from qcg_neo4j.interfaces.browser.style import style

GUIDE, STYLE, FAVOURITES = "guide.html", "qcg.grass", "qcg-favourites.zip"
FILES: Mapping[str, str] = {
    GUIDE: "text/html; charset=utf-8",
    STYLE: "text/plain; charset=utf-8",
    FAVOURITES: "application/zip",
}


def contents(name: str, address: str, corpus: str = DEFAULT) -> bytes:
    """The bytes of one of `FILES` for a corpus; ``address`` is where all are served from, for the links."""
    makers: dict[str, Callable[[], bytes]] = {
        GUIDE: lambda: guide(f"{address}/{STYLE}", f"{address}/{FAVOURITES}", corpus).encode(),
        STYLE: lambda: style(corpus).encode(),
        FAVOURITES: lambda: favourites(corpus),
    }
    return makers[name]()


def write_files(folder: Path, address: str, corpus: str = DEFAULT) -> list[Path]:
    """Write all files into a folder, made where it is missing, for a web server at that address.

    Raises:
        InputError: the folder cannot be written.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for name in FILES:
            (folder / name).write_bytes(contents(name, address, corpus))
    except OSError as error:
        raise InputError(f"The folder {folder} cannot be written: {error.strerror}.", "Choose another.") from None
    return [folder / name for name in FILES]
