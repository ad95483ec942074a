"""Markdown: its front matter (YAML or TOML), its headings, and its sections as pieces that are cut no further."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date, time
from functools import cache
from itertools import groupby, pairwise, takewhile
from typing import TYPE_CHECKING, Any

from frontmatter.default_handlers import BaseHandler, YAMLHandler
from yaml import YAMLError

from qcg_neo4j.core.json_lines import UnusableError
from qcg_neo4j.core.records import Scalar, SourceDocument
from qcg_neo4j.indexing.load.validation import RESERVED, metadata

if TYPE_CHECKING:
    from markdown_it import MarkdownIt

_DATES = ("publishedAt", "published", "date")
_LINE_END = re.compile(r"\r\n?|\n")
_SIGNS = re.compile(r"[*_`\[\]<>\\&!]")


def read_markdown(text: str) -> SourceDocument:
    """A document of Markdown with what its front matter says; that stays in the text where it cannot be read.

    >>> found = read_markdown("---\\ntitle: Rye\\ndate: 2026-02-03\\nauthor: {name: Greta}\\n---\\nText")
    >>> found.title, found.published_at, found.metadata, found.text
    ('Rye', '2026-02-03', {'author.name': 'Greta'}, 'Text')
    """
    whole = SourceDocument("", text, markdown=True)
    handler = next((kind() for kind in (YAMLHandler, _Toml) if kind().detect(text)), None)
    if handler is None:
        return whole
    try:
        front, body = handler.split(text)
    except ValueError:  # the fence is never closed
        return whole
    try:
        given = handler.load(front)
    except (ValueError, RecursionError, YAMLError) as error:
        why = " ".join(str(error).split())[:200]
    except (AttributeError, LookupError, TypeError) as error:  # a value that is not what its tag says
        why = f"a value is not of its type ({error})"
    else:
        if not isinstance(given, dict):  # a text between two rules
            return whole
        return _with_facts(body.lstrip("\r\n"), {str(name): _plain(value) for name, value in given.items()})
    return replace(whole, notes=(f"its front matter stays in the text: {why}",))


class _Toml(BaseHandler):
    """Front matter in TOML, read by Python's own parser."""

    FM_BOUNDARY = re.compile(r"^\+{3,}[ \t]*$", re.MULTILINE)

    def load(self, fm: str) -> dict[str, Any]:
        """The values between the fences."""
        return tomllib.loads(fm)


def _plain(value: Any) -> Any:
    """Dates as text; a list of several kinds as a list of texts. What is nested deeper stays as it is."""
    if not isinstance(value, list):
        return value.isoformat() if isinstance(value, date | time) else value
    items = [item.isoformat() if isinstance(item, date | time) else item for item in value]
    scalars = all(isinstance(item, str | int | float) for item in items)
    return [str(item) for item in items] if scalars and len({type(item) for item in items}) > 1 else items


def _with_facts(text: str, given: dict[str, Any]) -> SourceDocument:
    title = given.pop("title") if isinstance(given.get("title"), str | int | float) else None
    published = next((given.pop(name) for name in _DATES if isinstance(given.get(name), str)), None)
    kept: dict[str, Scalar | list[Scalar]] = {}
    notes: list[str] = []
    for name, value in _flat(given):
        try:
            kept.update(metadata({name: value}))
        except UnusableError as error:
            notes.append(f"of its front matter is left out: {error}")
    return SourceDocument(
        "",
        text,
        title=None if title is None else str(title),
        published_at=published,
        metadata=kept,
        markdown=True,
        notes=tuple(notes),
    )


def _flat(given: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    """One level of nesting becomes names with a dot; what has the name of our own property is said to be theirs."""
    for name, value in given.items():
        if isinstance(value, dict):
            yield from ((f"{name}.{inner}", _plain(item)) for inner, item in value.items())
        else:
            yield (f"frontMatter.{name}" if name in RESERVED else name), value


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
    tokens = _parser("normalize", "block").parse(text)  # what stands inside of paragraphs is not looked at
    for token, content in pairwise(tokens):
        if token.type == "heading_open" and token.level == 0 and token.map and (shown := _shown(content.content)):
            first, behind = token.map
            yield Heading(int(token.tag[1]), shown, starts[first], starts[min(behind, len(starts) - 1)])


@cache
def _parser(*rules: str) -> MarkdownIt:
    from markdown_it import MarkdownIt

    parser = MarkdownIt("commonmark")
    if rules:
        parser.core.ruler.enableOnly(rules)
    return parser


def _shown(text: str) -> str:
    """A heading's text without the signs of Markdown."""
    if not _SIGNS.search(text):
        return " ".join(text.split())
    parts = _parser().parseInline(text)[0].children or []
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
    levels = zip(*(part.path for part, _ in parts), strict=False)
    common = takewhile(lambda level: len(set(level)) == 1, levels)
    return Section(parts[0][0].start, parts[-1][0].end, tuple(level[0] for level in common))
