"""Texts numbered in a prompt, and ``[1, 3]`` as citations of them, in every form that models write."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TypeVar

from qcg_neo4j.core.records import Atom, Passage

T = TypeVar("T")
Citable = Passage | Atom
_WORDS = (
    "passages?|sources?|texts?|documents?|docs?|chunks?|contexts?|references?|refs?|citations?|items?|reports?|points?|"
    "passagen?|quellen?|texte|abschnitte?|extraits?|fuentes?|pasajes?|textos?|fonti?|источник|отрывок|текст|"
    "段落|来源|來源|文段|资料|資料|引用|出典|文章|第"
)
_NUMBER = r"\d{1,9}"
_DASH = r"\s*[-‐‑–—~]\s*"
# [1†source], [3:1†source], [1†L2-L5]: the forms of models that were trained with tools for search.
_ITEM = rf"(?:(?:{_WORDS})\s*\.?:?\s*)?[#^]?{_NUMBER}(?:{_DASH}{_NUMBER})?(?::\d+)?(?:†[^\]】］〕†]{{0,60}})?[段篇]?"
_NEXT = r"\s*(?:[,;、，；&]|,?\s*(?:and|und|et|y|e|和|及|と)(?=[\s#^\d]))\s*"
_CITATION = re.compile(rf"(\s*)[\[【［〔]\s*({_ITEM}(?:{_NEXT}(?:{_ITEM}|\+more))*)\s*[\]】］〕]", re.IGNORECASE)
_USUAL = re.compile(r"\s*\[\d+(?:\s*[,;]\s*(?:\d+|\+more))*\]")
_UNFINISHED = re.compile(r"\s*[\[【［〔][^\]】］〕]{0,200}$|\s+$")
_SPAN = re.compile(rf"({_NUMBER})(?:{_DASH}({_NUMBER}))?")
_LONGEST_SPAN = 100  # numbers of a range; of a longer one, which is none of passages, both ends count
_DETAIL = re.compile(r":\d+|†.*?(?=[,;、，；&]|$)")


def _numbers(listed: str) -> list[int]:
    """The numbers of a citation, in order, ranges written out."""
    found: list[int] = []
    for span in _SPAN.finditer(_DETAIL.sub("", listed)):
        first, last = int(span[1]), int(span[2] or span[1])
        short = first <= last < first + _LONGEST_SPAN
        found += range(first, last + 1) if short else [first, last]
    return found


def cited(text: str, items: Sequence[T]) -> list[T]:
    """The items that a text cites, in order of first mention; unknown numbers cite nothing.

    >>> cited("Both [2, 1], and all 【1–3】, but none of [7].", ["one", "two", "three"])
    ['two', 'one', 'three']
    """
    numbers = [number for found in _CITATION.finditer(text) for number in _numbers(found[2])]
    return [items[number - 1] for number in dict.fromkeys(numbers) if 1 <= number <= len(items)]


def plain(text: str) -> str:
    """A text without its citations, for another prompt with other numbers."""
    return _CITATION.sub("", text).strip()


def quoted(text: str) -> str:
    """A text as material of a prompt: what looks like a citation stands in round brackets, and so is none of ours.

    >>> quoted("[2] (Diary) Founded in 1901 [12].")
    '(2) (Diary) Founded in 1901 (12).'
    """
    return _CITATION.sub(lambda found: f"{found[1]}({found[2]})", text)


def in_one_line(text: str) -> str:
    """A title or an id as a prompt and a list of sources show it: on one line, without citations.

    >>> in_one_line("Diary\\n[2] Report")
    'Diary (2) Report'
    """
    return quoted(" ".join(text.split()))


class KnownCitations:
    """Takes out citations of texts that do not exist, also from a text that comes in pieces.

    Unusual forms become the usual one: ``【1–3】`` is written as ``[1, 2, 3]``. ``shown`` gives a number its place in a
    longer list.

    >>> known = KnownCitations(2)
    >>> "".join(known.of(["A gym [1", ", 9], they say [7]."])), known.unknown
    ('A gym [1], they say.', [9, 7])
    """

    def __init__(self, number: int, shown: Callable[[int], int] = int) -> None:
        self._number = number
        self._shown = shown
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
        """A sentence on what was taken out, if anything was."""
        numbers = ", ".join(f"[{number}]" for number in dict.fromkeys(self.unknown))
        return (f"citations of texts that do not exist were taken out: {numbers}",) if numbers else ()

    def _checked(self, text: str) -> str:
        return _CITATION.sub(self._known, text)

    def _known(self, found: re.Match[str]) -> str:
        numbers = list(dict.fromkeys(_numbers(found[2])))
        kept = [number for number in numbers if 1 <= number <= self._number]
        self.unknown += [number for number in numbers if number not in kept]
        shown = list(map(self._shown, kept))
        if shown == numbers and _USUAL.fullmatch(found[0]):
            return found[0]
        more = ", +more" if "+more" in found[2] else ""
        return f"{found[1]}[{', '.join(map(str, shown))}{more}]" if kept else ""


def source_of(cited: Citable) -> str:
    """The document that a passage or an atom is from, where in it, and of when, as a person is told it: on one line."""
    if not isinstance(cited, Passage):
        return in_one_line(cited.title)
    date = str(cited.metadata.get("publishedAt") or "")
    return in_one_line(", ".join(part for part in (cited.title or cited.document, cited.place, date) if part))


def numbered(passages: Sequence[Citable]) -> str:
    """The passages as the prompt shows them, numbered from 1, each with the document that it is from."""
    return "\n\n".join(
        f"[{number}] ({source_of(passage)})\n{quoted(passage.text.strip())}"
        for number, passage in enumerate(passages, start=1)
    )
