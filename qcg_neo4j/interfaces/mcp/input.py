"""What agents send, with half characters mended: the protocol's package gives no answer to a line that has one."""

from __future__ import annotations

import io
import re
from typing import BinaryIO

_HIGH, _LOW = rb"\\u[dD][89abAB][0-9a-fA-F]{2}", rb"\\u[dD][c-fC-F][0-9a-fA-F]{2}"
# Backslashes in pairs are letters; a high half with the low one behind it is a character.
_TOKEN = re.compile(rb"\\\\|" + _HIGH + _LOW + rb"|(" + _HIGH + rb"|" + _LOW + rb")")
_REPLACEMENT = rb"\ufffd"


def mended(line: bytes) -> bytes:
    r"""A line of JSON in which the escape of half a character is that of U+FFFD.

    >>> mended(rb'["\ud83c\udf89", "a\ud800", "\\ud800"]')
    b'["\\ud83c\\udf89", "a\\ufffd", "\\\\ud800"]'
    """
    return _TOKEN.sub(lambda found: _REPLACEMENT if found[1] else found[0], line)


class MendedLines(io.RawIOBase):
    """The lines of a stream, mended."""

    def __init__(self, stream: BinaryIO) -> None:
        self._stream, self._left = stream, b""

    def readable(self) -> bool:
        """It can be read."""
        return True

    def readinto(self, buffer: memoryview) -> int:  # type: ignore[override] # any buffer will do
        """As much of the present line as fits."""
        self._left = self._left or mended(self._stream.readline())
        size = min(len(buffer), len(self._left))
        buffer[:size], self._left = self._left[:size], self._left[size:]
        return size
