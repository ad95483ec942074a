"""Texts numbered in a prompt, and ``[1, 3]`` as citations of them; a number that no text has is taken out."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import TypeVar

from qcg_neo4j.core.records import Atom, Passage

T = TypeVar("T")
Citable = Passage | Atom
_CITATION = re.compile(r"(\s*)\[(\d+(?:\s*[,;]\s*(?:\d+|\+more))*)\]")
_UNFINISHED = re.compile(r"\s*\[[\d\s,;+a-z]{0,200}$|\s+$")  # may become a citation with what comes next


def cited(text: str, items: Sequence[T]) -> list[T]:
    """The items that a text cites, in order of first mention; unknown numbers cite nothing.

    >>> cited("Both [2, 1], and nobody [7].", ["one", "two"])
    ['two', 'one']
    """
    numbers = [int(number) for found in _CITATION.finditer(text) for number in re.findall(r"\d+", found[2])]
    return [items[number - 1] for number in dict.fromkeys(numbers) if 1 <= number <= len(items)]


def plain(text: str) -> str:
    """A text without its citations, for another prompt with other numbers."""
    return _CITATION.sub("", text).strip()


class KnownCitations:
    """Takes out citations of texts that do not exist, also from a text that comes in pieces.

    >>> known = KnownCitations(2)
    >>> "".join(known.of(["A gym [1", ", 9], they say [7]."])), known.unknown
    ('A gym [1], they say.', [9, 7])
    """

    def __init__(self, number: int) -> None:
        self._number = number
        self.unknown: list[int] = []

    def of(self, pieces: Iterable[str]) -> Iterator[str]:
        """The pieces; what may yet become a citation is held back until it is whole."""
        held = ""
        for piece in pieces:
            text = held + piece
            unfinished = _UNFINISHED.search(text)
            cut = unfinished.start() if unfinished else len(text)
            held = text[cut:]
            if shown := self._checked(text[:cut]):
                yield shown
        if shown := self._checked(held):
            yield shown

    @property
    def notes(self) -> tuple[str, ...]:
        """A word on what was taken out, if anything was."""
        numbers = ", ".join(f"[{number}]" for number in dict.fromkeys(self.unknown))
        return (f"citations of texts that do not exist were taken out: {numbers}",) if numbers else ()

    def _checked(self, text: str) -> str:
        return _CITATION.sub(self._known, text)

    def _known(self, found: re.Match[str]) -> str:
        items = re.split(r"\s*[,;]\s*", found[2])
        wrong = [item for item in items if item.isdigit() and not 1 <= int(item) <= self._number]
        self.unknown += [int(item) for item in wrong]
        kept = [item for item in items if item not in wrong]
        if not wrong:
            return found[0]
        return f"{found[1]}[{', '.join(kept)}]" if any(item.isdigit() for item in kept) else ""


def source_of(cited: Citable) -> str:
    """The document that a passage or an atom is from, and where in it, as a person is told it."""
    if not isinstance(cited, Passage):
        return cited.title
    return ", ".join(part for part in (cited.title or cited.document, cited.place) if part)


def numbered(passages: Sequence[Citable]) -> str:
    """The passages as the prompt shows them, numbered from 1, each with the document that it is from."""
    return "\n\n".join(
        f"[{number}] ({source_of(passage)})\n{passage.text.strip()}" for number, passage in enumerate(passages, start=1)
    )
