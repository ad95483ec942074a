"""The folder that an evaluation writes to: files that appear whole, and one that grows by a line at a time."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from filelock import FileLock, Timeout

from qcg_neo4j.core.errors import InputError, needs


def check_packages() -> None:
    """Refuse to begin what could not be reckoned or drawn at the end.

    Raises:
        MissingPackageError: a package of the extra `evaluate` is not installed.
    """
    for name, package in (("ir_measures", "ir-measures"), ("matplotlib", "matplotlib"), ("scipy", "scipy")):
        with needs("Evaluation", package, "evaluate"):
            if find_spec(name) is None:
                raise ModuleNotFoundError(name)


def checked_folder(folder: Path) -> Path:
    """The folder, made where it is missing; so that nothing is paid for that cannot be written.

    Raises:
        InputError: nothing can be written there.
        MissingPackageError: a package of the extra `evaluate` is not installed.
    """
    check_packages()
    try:
        folder.mkdir(parents=True, exist_ok=True)
        probe = folder / ".writable"
        probe.touch()
        probe.unlink()
    except OSError as error:
        raise InputError(f"The folder {folder} cannot be written: {error.strerror}.") from None
    return folder


def write_texts(folder: Path, texts: Mapping[str, str]) -> None:
    """Write files into a folder, each at once.

    Raises:
        InputError: one cannot be written.
    """
    for name, text in texts.items():
        unfinished = folder / f".{name}"
        try:
            unfinished.write_text(text, encoding="utf-8", newline="")
            unfinished.replace(folder / name)
        except OSError as error:
            raise InputError(f"{folder / name} cannot be written: {error.strerror}.") from None


@contextmanager
def own_folder(folder: Path) -> Iterator[None]:
    """Hold a folder, made where it is missing, so that no other evaluation writes there meanwhile.

    Raises:
        InputError: the folder cannot be written, or another evaluation is using it.
        MissingPackageError: a package of the extra `evaluate` is not installed.
    """
    check_packages()
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with FileLock(folder / ".runs.lock", timeout=0):
            yield
    except Timeout:
        raise InputError(
            f"Another evaluation is writing to {folder}.", "Wait for it, or give another --output."
        ) from None
    except OSError as error:
        raise InputError(f"{error.filename or folder} cannot be written: {error.strerror}.") from None


class Journal:
    """A file of JSON Lines: what it holds goes to ``keep`` when it is opened, new records are appended at once."""

    def __init__(self, path: Path, keep: Callable[[dict[str, Any]], None]) -> None:
        """Read the file where it exists.

        Raises:
            InputError: a line is none of ours.
        """
        self._path = path
        self._read(keep)
        self._file = path.open("a", encoding="utf-8")

    def append(self, record: dict[str, Any]) -> None:
        """Write a record."""
        self._file.write(json.dumps(record, ensure_ascii=False) + "\n")
        self._file.flush()

    def close(self) -> None:
        """Close the file."""
        self._file.close()

    def _read(self, keep: Callable[[dict[str, Any]], None]) -> None:
        if not self._path.exists():
            return
        content = self._path.read_bytes()
        whole = content.rfind(b"\n") + 1
        if whole < len(content):  # a killed run leaves half a line, which the next one would be glued to
            with self._path.open("r+b") as file:
                file.truncate(whole)
        for number, line in enumerate(content[:whole].decode(errors="replace").split("\n")[:-1], start=1):
            try:
                keep(json.loads(line))
            except (ValueError, TypeError, KeyError, AttributeError):
                raise InputError(
                    f"{self._path}:{number} is no result of an evaluation.",
                    "Remove the line, or the file to start again.",
                ) from None
