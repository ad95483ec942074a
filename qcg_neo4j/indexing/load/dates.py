"""Dates as people write them, in ISO 8601."""

from __future__ import annotations

import re
from dataclasses import replace
from datetime import datetime
from functools import lru_cache

from qcg_neo4j.core.records import SourceDocument

_ISO = re.compile(r"\d{4}(-\d{2}(-\d{2}([T ]\d{2}:\d{2}(:\d{2}(\.\d+)?)?(Z|[+-]\d{2}:?\d{2})?)?)?)?")
_COMPACT = re.compile(r"(\d{4})(\d{2})(\d{2})(?:[T_ ]?(\d{2}):?(\d{2}))?")
_DAY_FIRST = re.compile(r"\d{1,2}\.\s?\d{1,2}\.\s?\d{2,4}\b")  # with full stops the day comes first everywhere
_MONTH_OR_DAY = re.compile(r"0?(\d|1[0-2])/0?(\d|1[0-2])/\d{4}\b")
_LONGEST = 100


def dated(document: SourceDocument) -> SourceDocument:
    """The document with its date in ISO 8601, and a note where that cannot be read or can be read in two ways."""
    given = document.published_at
    if given is None or _ISO.fullmatch(given.strip()):
        return document
    read = as_iso(given)
    if read is None:
        note = f"publishedAt {given[:_LONGEST]!r} is not a valid date; filters by date ignore it"
        return replace(document, notes=(*document.notes, note))
    if _MONTH_OR_DAY.match(given.strip()):
        note = f"publishedAt {given!r} is read as {read}; write the year first to avoid this"
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


def _moment(year: str, month: str, day: str, hour: str | None, minute: str | None) -> str | None:
    try:
        return _shown(datetime(int(year), int(month), int(day), int(hour or 0), int(minute or 0)))
    except ValueError:
        return None


def _shown(moment: datetime) -> str:
    if moment.tzinfo is None and (moment.hour, moment.minute, moment.second) == (0, 0, 0):
        return moment.date().isoformat()
    return moment.isoformat(timespec="seconds" if moment.second else "minutes")
