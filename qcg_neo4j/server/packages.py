"""The optional packages of the embedded server, with a clear error where they are not installed."""

from __future__ import annotations

from importlib import import_module
from typing import Any

from qcg_neo4j.errors import MissingPackageError


def package(name: str) -> Any:
    """The named package of the extra `embedded`.

    Raises:
        MissingPackageError: it is not installed.
    """
    try:
        return import_module(name)
    except ModuleNotFoundError:
        raise MissingPackageError(
            f"The embedded server needs the package {name}.", "Install it with: pip install 'qcg-neo4j[embedded]'"
        ) from None


def psutil() -> Any:
    """What watches processes."""
    return package("psutil")
