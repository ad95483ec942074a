"""Write a file whole or not at all."""

from __future__ import annotations

import os
import secrets
from pathlib import Path

PRIVATE = 0o600


def create_private(path: Path, text: str) -> None:
    """Make a file that only its owner may read, from its first moment on; it must not exist."""
    handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, PRIVATE)
    with os.fdopen(handle, "w", encoding="utf-8") as file:
        file.write(text)
        file.flush()
        os.fsync(file.fileno())


def replace_text(path: Path, text: str) -> None:
    """Put a new text in the place of a file in one step; only the owner may read it."""
    fresh = path.with_name(f".{path.name}.{secrets.token_hex(4)}")
    try:
        create_private(fresh, text)
        fresh.replace(path)
    finally:
        fresh.unlink(missing_ok=True)
