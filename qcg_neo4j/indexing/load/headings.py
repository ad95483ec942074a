"""The headings of Markdown, and its sections as pieces that are cut no further than they must be."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import accumulate, groupby, pairwise
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from markdown_it import MarkdownIt

_LINE_END = re.compile(r"\r\n?|\n")
_SIGNS = re.compile(r"[*_`\[\]<>\\&!]")


@dataclass(frozen=True)
class Heading:
    """A heading, from its first character to that behind its last line."""

    level: int
    text: str
    start: int
    end: int


@dataclass(frozen=True)
class Section:
    """Characters ``start`` to ``end`` of a text, and their common headings."""

    start: int
    end: int
    path: tuple[Heading, ...] = ()

    @property
    def headings(self) -> tuple[str, ...]:
        """The texts of the headings, the outermost first."""
        return tuple(heading.text for heading in self.path)


def headings(text: str) -> Iterator[Heading]:
    """The headings of a text in Markdown, without those inside of lists and quotations.

    >>> [(heading.level, heading.text) for heading in headings("# *Rye*\\n\\n```\\n# no\\n```\\n\\nBread\\n---")]
    [(1, 'Rye'), (2, 'Bread')]
    """
    starts = [0, *(line.end() for line in _LINE_END.finditer(text)), len(text)]
    tokens = _blocks().parse(text)
    for token, content in pairwise(tokens):
        if token.type == "heading_open" and token.level == 0 and token.map and (shown := _plain(content.content)):
            first, behind = token.map
            yield Heading(int(token.tag[1]), shown, starts[first], starts[min(behind, len(starts) - 1)])


@cache
def _blocks() -> MarkdownIt:
    from markdown_it import MarkdownIt

    parser = MarkdownIt("commonmark")
    parser.core.ruler.enableOnly(["normalize", "block"])  # what stands inside of paragraphs is not looked at
    return parser


@cache
def _inline() -> MarkdownIt:
    from markdown_it import MarkdownIt

    return MarkdownIt("commonmark")


def _plain(text: str) -> str:
    """A heading's text without the signs of Markdown."""
    if not _SIGNS.search(text):
        return " ".join(text.split())
    parts = _inline().parseInline(text)[0].children or []
    shown = "".join(part.content or " " for part in parts if part.type not in {"html_inline", "image"})
    return " ".join(shown.split())


def sections(text: str, tokens: Callable[[Sequence[str]], list[int]], joined: int) -> list[Section]:
    """A text in Markdown, cut at its headings; neighbours below the same heading stay together up to ``joined`` tokens.

    ``tokens`` counts them. What lies below a heading of its own is never joined with what does not.
    """
    parts = _glued(text, list(_bodies(text)))
    sizes = tokens([text[part.start : part.end] for part in parts])
    return _packed(list(zip(parts, sizes, strict=True)), 0, joined)


def _bodies(text: str) -> Iterator[Section]:
    """From each heading to the next, whatever their levels."""
    start = 0
    path: tuple[Heading, ...] = ()
    for heading in headings(text):
        if text[start : heading.start].strip():
            yield Section(start, heading.start, path)
        start, path = heading.start, (*(above for above in path if above.level < heading.level), heading)
    if text[start:].strip():
        yield Section(start, len(text), path)


def _glued(text: str, parts: list[Section]) -> list[Section]:
    """A heading without a text of its own goes with the first section below it."""
    found: list[Section] = []
    for part in reversed(parts):
        alone = part.path and not text[part.path[-1].end : part.end].strip()
        if alone and found and found[-1].path[: len(part.path)] == part.path:
            found[-1] = Section(part.start, found[-1].end, found[-1].path)
        else:
            found.append(part)
    return found[::-1]


Sized = tuple[Section, int]


def _packed(parts: list[Sized], depth: int, joined: int) -> list[Section]:
    """Parts that share ``depth`` headings, as few pieces as ``joined`` tokens allow."""
    if len(parts) == 1 or sum(size for _, size in parts) <= joined:
        return [_together(parts)]
    groups = [list(group) for _, group in groupby(parts, key=lambda part: part[0].path[: depth + 1])]
    if len(groups) == 1:
        return _packed(parts, depth + 1, joined)
    found: list[Section] = []
    waiting: list[Sized] = []
    for group in groups:
        if sum(size for _, size in [*waiting, *group]) > joined:
            found += [_together(waiting)] if waiting else []
            waiting = []
        if sum(size for _, size in group) > joined:
            found += _packed(group, depth + 1, joined)
        else:
            waiting += group
    return [*found, _together(waiting)] if waiting else found


def _together(parts: list[Sized]) -> Section:
    paths = [part.path for part, _ in parts]
    shared = accumulate(zip(*paths, strict=False), lambda known, level: level if len(set(level)) == 1 else (None,))
    path = [level[0] for level in shared]
    common = path[: path.index(None)] if None in path else path
    return Section(parts[0][0].start, parts[-1][0].end, tuple(heading for heading in common if heading))
