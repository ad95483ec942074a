"""The front matter of Markdown, in YAML or TOML, as what a document knows about itself."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import replace
from datetime import date, time
from typing import Any

from frontmatter.default_handlers import BaseHandler, YAMLHandler
from yaml import YAMLError

from qcg_neo4j.core.json_lines import UnusableError
from qcg_neo4j.core.records import Scalar, SourceDocument
from qcg_neo4j.indexing.load.validation import RESERVED, metadata

_DATES = ("publishedAt", "published", "date")


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
