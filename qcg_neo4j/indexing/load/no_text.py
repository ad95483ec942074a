"""What is no text inside a text: embedded images, base64, minified code."""

from __future__ import annotations

import re

LEFT_OUT = "…"
_DATA = re.compile(
    r"data:[\w.+-]+/[\w.+-]+(?:;[\w=.+-]+)*;base64,[A-Za-z0-9+/=%]{64,}"  # an address that is a picture
    r"|(?:^[ \t>]*[A-Za-z0-9+/]{60,}={0,2}[ \t]*(?:\r?\n|\Z)){5,}"  # base64 in lines, as in letters and keys
    r"|[A-Za-z0-9+/=_-]{1000,}",
    re.MULTILINE,
)
_LONG_LINE = re.compile(r"[^\n]{2000,}")
_LEAST_WORDS = 0.09  # of the letters of a line: English has 0.2, Finnish 0.13, minified code 0.02 to 0.08


def without_data(text: str) -> tuple[str, tuple[str, ...]]:
    """The text without what no person reads in it, and a note where that was something.

    >>> without_data("An oven: ![oven](data:image/png;base64," + "iVBORw0KGgo" * 50 + ") It is hot.")
    ('An oven: ![oven](…) It is hot.', ('572 characters of data (pictures, base64, minified code) are left out',))
    """
    kept = _LONG_LINE.sub(lambda line: LEFT_OUT if _is_minified(line.group()) else line.group(), _DATA.sub(_gap, text))
    gone = len(text) - len(kept) + kept.count(LEFT_OUT) - text.count(LEFT_OUT)
    note = f"{gone:,} characters of data (pictures, base64, minified code) are left out"
    return kept, (note,) if gone else ()


def _gap(data: re.Match[str]) -> str:
    return f"{LEFT_OUT}\n" if data.group().endswith("\n") else LEFT_OUT


def _is_minified(line: str) -> bool:
    """Whether a long line is in a script that puts blanks between words, and has next to none."""
    # Counted by what runs in C: a file may be a line of many megabytes.
    words = line.split()
    letters = sum(map(len, words))
    return len(words) < _LEAST_WORDS * letters and len(line.encode("ascii", "ignore")) > 0.9 * len(line)
