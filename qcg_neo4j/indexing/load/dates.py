"""Dates as people write them, in ISO 8601."""

from __future__ import annotations

import re
from calendar import month_name
from dataclasses import replace
from datetime import datetime
from functools import cache, lru_cache
from importlib import import_module

from qcg_neo4j.core.records import SourceDocument

_ISO = re.compile(r"\d{4}(-\d{2}(-\d{2}([T ]\d{2}:\d{2}(:\d{2}(\.\d+)?)?(Z|[+-]\d{2}:?\d{2})?)?)?)?")
_COMPACT = re.compile(r"(\d{4})(\d{2})(\d{2})(?:[T_ ]?(\d{2}):?(\d{2}))?")
_DAY_FIRST = re.compile(r"\d{1,2}\.\s?\d{1,2}\.\s?\d{2,4}\b")  # with full stops the day comes first everywhere
_MONTH_OR_DAY = re.compile(r"0?(\d|1[0-2])/0?(\d|1[0-2])/\d{4}\b")
_LONGEST = 100
_YEAR, _MONTH = r"(?P<year>(?:1[0-9]|20)\d\d)", r"(?P<month>[^\W\d_]{3,12})\.?"
_DAY = r"(?<!\d)(?P<day>\d{1,2})"
_NUMBERS = (
    re.compile(rf"(?<!\d){_YEAR}([-/.]?)(?P<month>\d\d)\2(?P<day>\d\d)(?!\d)"),
    re.compile(rf"{_DAY}\.\s?(?P<month>\d{{1,2}})\.\s?{_YEAR}(?!\d)"),
    re.compile(rf"{_YEAR}\s?[年년]\s?(?P<month>\d{{1,2}})\s?[月월]\s?(?P<day>\d{{1,2}})\s?[日일]"),
)
_WITH_WORDS = (
    re.compile(
        rf"{_DAY}(?:st|nd|rd|th|er|\.|º)?\s+(?:(?:of|de|di)\s+)?{_MONTH},?\s+(?:(?:of|de|del)\s+)?{_YEAR}(?!\d)"
    ),
    re.compile(rf"{_MONTH}\s+{_DAY}(?:st|nd|rd|th)?,?\s+{_YEAR}(?!\d)"),
)
_LANGUAGES = (
    *("en", "de", "fr", "es", "it", "pt", "nl", "pl", "ru", "uk", "cs", "sk", "sv", "da", "nb", "fi"),
    *("hu", "ro", "bg", "hr", "sl", "el", "tr", "id", "vi", "ca"),
)


def dated(document: SourceDocument) -> SourceDocument:
    """The document with its date in ISO 8601, and a note where that cannot be read or can be read in two ways."""
    given = document.published_at
    if given is None or _ISO.fullmatch(given.strip()):
        return document
    read = as_iso(given)
    if read is None:
        note = f"publishedAt {given[:_LONGEST]!r} is no date that can be read, so that filters by date pass over it"
        return replace(document, notes=(*document.notes, note))
    if _MONTH_OR_DAY.match(given.strip()):
        note = f"publishedAt {given!r} is read as {read}; write the year first where the day is meant to come first"
        document = replace(document, notes=(*document.notes, note))
    return replace(document, published_at=read)


@lru_cache(maxsize=10_000)
def as_iso(text: str) -> str | None:
    """A date in ISO 8601, with its time where one is given; None where it cannot be read as one.

    >>> [as_iso(text) for text in ("1. März 2025", "2025/03/01", "20260105_11:00", "some day")]
    ['2025-03-01', '2025-03-01', '2026-01-05T11:00', None]
    """
    text = text.strip()
    if _ISO.fullmatch(text):
        return text
    if compact := _COMPACT.fullmatch(text):
        return _moment(*compact.groups())
    if len(text) > _LONGEST or not any(letter.isdigit() for letter in text):
        return None
    from dateparser import parse

    order = {"DATE_ORDER": "DMY"} if _DAY_FIRST.match(text) else {}
    found = parse(text, settings={"STRICT_PARSING": True, **order})
    return None if found is None else _shown(found)


def days_in(text: str) -> tuple[str, ...]:
    """The days that a text names, each once, in ISO 8601: those with day, month and year, in many languages.

    What can be read in two ways (01/02/2026) and what is told by another day (tomorrow) is left out.

    >>> days_in("On 20260410, not 2026-04-09; le 1er mars 2025, 3. Mai 2025, April 5th, 2026, 2025年3月1日")
    ('2025-03-01', '2025-05-03', '2026-04-05', '2026-04-09', '2026-04-10')
    """
    numbers = [found.group("year", "month", "day") for form in _NUMBERS for found in form.finditer(text)]
    words = [found.group("year", "month", "day") for form in _WITH_WORDS for found in form.finditer(text)]
    if words:
        numbers += [(year, str(_months().get(month.casefold(), 0)), day) for year, month, day in words]
    days = {_moment(year, month, day, None, None) for year, month, day in numbers}
    return tuple(sorted(day for day in days if day))


@cache
def _months() -> dict[str, int]:
    """The number of a month by its name, whole or short, in the languages that most pages are written in."""
    found: dict[str, int] = {}
    for language in _LANGUAGES:
        known = import_module(f"dateparser.data.date_translation_data.{language}").info
        for number, name in enumerate(month_name[1:], start=1):
            for word in known[name.lower()]:
                found.setdefault(word.casefold(), number)
    return found


def _moment(year: str, month: str, day: str, hour: str | None, minute: str | None) -> str | None:
    try:
        return _shown(datetime(int(year), int(month), int(day), int(hour or 0), int(minute or 0)))
    except ValueError:
        return None


def _shown(moment: datetime) -> str:
    if moment.tzinfo is None and (moment.hour, moment.minute, moment.second) == (0, 0, 0):
        return moment.date().isoformat()
    return moment.isoformat(timespec="seconds" if moment.second else "minutes")
