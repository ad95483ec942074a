"""The folder that an evaluation writes to: files that appear whole, one evaluation at a time."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path

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
