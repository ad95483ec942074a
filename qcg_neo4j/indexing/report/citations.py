"""Citations of records in a report: ``[E3, R12]``. What the window does not hold is no citation."""

from __future__ import annotations

import re
from collections.abc import Collection
from dataclasses import dataclass

MOST = 5  # GraphRAG paper: ids of one citation; what is more is "+more"
MORE = "+more"
_BRACKET = re.compile(r"\s*\[([^\[\]]*)\]")
_NUMBER = re.compile(r"[ERCS]\d+")


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
        items = [item.strip() for item in re.split(r"[,;]", found[1])]
        given = [item for item in items if _NUMBER.fullmatch(item)]
        if not given or any(item not in given and item != MORE for item in items):
            return found[0]  # brackets that are no citation
        good = list(dict.fromkeys(item for item in given if item in known))
        wrong += len([item for item in given if item not in known])
        numbers.update(dict.fromkeys(good[:MOST]))
        more = [MORE] if MORE in items or len(good) > MOST else []
        return f" [{', '.join([*good[:MOST], *more])}]" if good else ""

    return Cited(_BRACKET.sub(mended, text), tuple(numbers), wrong)


def without_citations(text: str) -> str:
    """The text without its citations, whose numbers mean nothing outside the window that it was written from."""

    def gone(found: re.Match[str]) -> str:
        items = [item.strip() for item in re.split(r"[,;]", found[1])]
        return "" if all(_NUMBER.fullmatch(item) or item == MORE for item in items) else found[0]

    return _BRACKET.sub(gone, text)
