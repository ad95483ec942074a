"""The folder that an evaluation writes to: files that appear whole, and what one evaluation at a time keeps there."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, closing, contextmanager, suppress
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING, Any

from filelock import FileLock, Timeout

from qcg_neo4j.core.errors import InputError, check_installed

if TYPE_CHECKING:
    from matplotlib.figure import Figure

Record = dict[str, Any]
_BEGIN = b'{"key": "'  # of each record that is kept
Kinds = Mapping[str, Callable[[Record], Any]]  # a record is of the kind whose name it has, which makes its value


def check_packages() -> None:
    """Refuse to begin what could not be reckoned or drawn at the end: a `MissingPackageError` names the extra."""
    for package in ("ir-measures", "matplotlib", "scipy"):
        check_installed("Evaluation", package, "evaluate")


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
    """Write files into a folder, each at once; an `InputError` where one cannot be written.

    A link stays one, and so does a pipe or a device.
    """
    for name, text in texts.items():
        _write(folder / name, text.encode())


def remove(file: Path) -> None:
    """Remove a file that an earlier run may have written; an `InputError` where it cannot be removed."""
    try:
        if file.is_file():
            file.unlink()
    except OSError as error:
        raise InputError(f"{file} cannot be removed: {error.strerror}.") from None


def write_picture(file: Path, figure: Figure) -> None:
    """Write a picture at once; an `InputError` where it cannot be written."""
    image = BytesIO()
    figure.savefig(image, dpi=150, format="png")
    _write(file, image.getvalue())


def _write(file: Path, content: bytes) -> None:
    try:
        _replace(file, content)
    except OSError as error:
        raise InputError(f"{file} cannot be written: {error.strerror}.") from None


def _replace(file: Path, content: bytes) -> None:
    if file.exists() and not file.is_file():
        file.write_bytes(content)
        return
    file = Path(os.path.realpath(file))  # which refuses no ring of links
    unfinished = file.with_name(f".{file.name}.part")
    try:
        unfinished.write_bytes(content)
        unfinished.replace(file)
    finally:
        with suppress(OSError):
            unfinished.unlink(missing_ok=True)


class Kept:
    """The values that a file of JSON Lines holds, by kind and key; new ones are appended at once."""

    def __init__(self, path: Path, kinds: Kinds) -> None:
        """Read the file where it exists; an `InputError` names a line that is none of ours."""
        self._values: dict[tuple[str, str], Any] = {}
        if path.exists():
            self._read(path, kinds)
        self._path, self._file = path, path.open("a", encoding="utf-8")

    def value(self, kind: str, key: str) -> Any:
        """The value of that key; None if there is none."""
        return self._values.get((kind, key))

    def add(self, kind: str, key: str, value: object, record: Record) -> None:
        """Keep a value, as the record that it is made of again."""
        self._values[kind, key] = value
        try:
            self._file.write(json.dumps({"key": key, **record}, ensure_ascii=False) + "\n")
            self._file.flush()
        except OSError as error:
            raise InputError(f"{self._path} cannot be written: {error.strerror}.") from None

    def close(self) -> None:
        """Close the file."""
        with suppress(OSError):  # what cannot be written was told when it was added
            self._file.close()

    def _read(self, path: Path, kinds: Kinds) -> None:
        *lines, rest = path.read_bytes().split(b"\n")
        for number, line in enumerate(lines, start=1):
            try:
                record = json.loads(line.decode(errors="replace"))
                kind = next(name for name in kinds if name in record)
                self._values[kind, record["key"]] = kinds[kind](record)
            except (ValueError, TypeError, KeyError, AttributeError, StopIteration):
                raise _foreign(path, number) from None
        if not (rest.startswith(_BEGIN) or _BEGIN.startswith(rest)):
            raise _foreign(path, len(lines) + 1)
        if rest:  # a killed run leaves half a line, which the next one would be glued to
            with path.open("r+b") as file:
                file.truncate(path.stat().st_size - len(rest))


def _foreign(path: Path, number: int) -> InputError:
    return InputError(
        f"{path}:{number} is no result of an evaluation.",
        "Give another --output, or remove the line, or the file to start again.",
    )


@contextmanager
def open_kept(path: Path, kinds: Kinds) -> Iterator[Kept]:
    """The values of a file, in a folder of its own, made where it is missing; no other evaluation writes there.

    Raises:
        InputError: the folder cannot be written, another evaluation is using it, or the file is not one of ours.
        MissingPackageError: a package of the extra `evaluate` is not installed.
    """
    check_packages()
    folder = path.parent
    with ExitStack() as opened:
        try:
            folder.mkdir(parents=True, exist_ok=True)
            opened.enter_context(FileLock(folder / ".runs.lock", timeout=0))
            kept = opened.enter_context(closing(Kept(path, kinds)))
        except Timeout:
            raise InputError(
                f"Another evaluation is writing to {folder}.", "Wait for it, or give another --output."
            ) from None
        except OSError as error:
            raise InputError(f"{error.filename or folder} cannot be written: {error.strerror}.") from None
        yield kept
