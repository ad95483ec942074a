"""Citations of records in a report: ``[E3, R12]``. What the window does not hold is no citation."""

from __future__ import annotations

import re
from collections.abc import Collection
from dataclasses import dataclass

MOST = 5  # GraphRAG paper: ids of one citation; what is more is "+more"
MORE = "+more"
_NUMBER = re.compile(r"[ERCS]\d+")
_ITEM = rf"\s*(?:{_NUMBER.pattern}|{re.escape(MORE)})\s*"
_CITATION = re.compile(rf"\s*\[{_ITEM}(?:[,;]{_ITEM})*\]")


@dataclass(frozen=True)
class Cited:
    """A text with good citations alone: the numbers it cites in order of first mention, and how many were wrong."""

    text: str
    numbers: tuple[str, ...]
    wrong: int


def checked(text: str, known: Collection[str]) -> Cited:
    """Take out numbers that are not known, and cut citations down to `MOST` numbers."""
    numbers: dict[str, None] = {}
    wrong = 0

    def mended(found: re.Match[str]) -> str:
        nonlocal wrong
        given = _NUMBER.findall(found[0])
        if not given:  # of nothing but more
            return found[0]
        good = list(dict.fromkeys(item for item in given if item in known))
        wrong += len([item for item in given if item not in known])
        numbers.update(dict.fromkeys(good[:MOST]))
        more = [MORE] if MORE in found[0] or len(good) > MOST else []
        return f" [{', '.join([*good[:MOST], *more])}]" if good else ""

    return Cited(_CITATION.sub(mended, text), tuple(numbers), wrong)


def without_citations(text: str) -> str:
    """The text without its citations, whose numbers mean nothing outside the window that it was written from."""
    return _CITATION.sub("", text)
