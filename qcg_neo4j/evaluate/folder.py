"""The folder that an evaluation writes to: it is there before anything is paid for, and files appear whole."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from qcg_neo4j.errors import InputError


def checked_folder(folder: Path) -> Path:
    """The folder, made where it is missing.

    Raises:
        InputError: nothing can be written there.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
        probe = folder / ".writable"
        probe.touch()
        probe.unlink()
    except OSError as error:
        raise InputError(f"The folder {folder} cannot be written: {error.strerror}.") from None
    return folder


def write_texts(folder: Path, texts: Mapping[str, str]) -> None:
    """Write files into a folder, each at once."""
    for name, text in texts.items():
        unfinished = folder / f".{name}"
        try:
            unfinished.write_text(text, encoding="utf-8", newline="")
            unfinished.replace(folder / name)
        except OSError as error:
            raise InputError(f"{folder / name} cannot be written: {error.strerror}.") from None
