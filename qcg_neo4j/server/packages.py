"""The optional packages of the embedded server, with a clear error where they are not installed."""

from __future__ import annotations

from importlib import import_module
from typing import Any

from qcg_neo4j.core.errors import needs


def package(name: str) -> Any:
    """The named package of the extra `embedded`.

    Raises:
        MissingPackageError: it is not installed.
    """
    with needs("The embedded server", name, "embedded"):
        return import_module(name)


def psutil() -> Any:
    """What watches processes."""
    return package("psutil")
