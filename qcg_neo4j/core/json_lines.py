"""JSON Lines that people give: the object of a line, or why it holds none."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

UNREADABLE = "not JSON that can be read: nested too deeply, or a number with too many digits"


class UnusableError(Exception):
    """A piece of input cannot be used; the text says why, and the caller adds its place."""


def object_of(line: bytes | str, constant: Callable[[str], Any] | None = None) -> dict[str, Any] | None:
    """The object of a line; None where the line is blank.

    ``constant`` makes something of what is no number (NaN, Infinity); without it they are read as Python has them.

    Raises:
        UnusableError: it is not UTF-8, not JSON, or another value.
    """
    try:
        text = (line if isinstance(line, str) else line.decode()).rstrip()
        value = json.loads(text, parse_constant=constant) if text else {}
    except UnicodeDecodeError as error:
        raise UnusableError(f"not UTF-8: byte {error.object[error.start]:#04x} at position {error.start}") from None
    except json.JSONDecodeError as error:
        raise UnusableError(f"not JSON: {error.msg} at column {error.colno}") from None
    except (RecursionError, ValueError):
        raise UnusableError(UNREADABLE) from None
    if not isinstance(value, dict):
        raise UnusableError("not a JSON object; each line is one")
    return value if text else None


def has_half(text: str) -> bool:
    r"""Whether a text holds an unpaired surrogate, as JSON may write one; no file and no database takes it.

    >>> has_half("a\ud83d"), has_half("\U0001f389")
    (True, False)
    """
    try:
        text.encode()
    except UnicodeEncodeError:
        return True
    return False
