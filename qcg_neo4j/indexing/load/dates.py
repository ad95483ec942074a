"""Dates as people write them, in ISO 8601; and days that a text names by that on which it was written."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace
from datetime import date, datetime, time
from functools import cache, lru_cache

from qcg_neo4j.core.days import A_YEAR, WITHOUT_YEAR, days_in, months, words_of
from qcg_neo4j.core.records import SourceDocument
from qcg_neo4j.indexing.load.languages import probably

_ISO = re.compile(r"\d{4}(-\d{2}(-\d{2}([T ]\d{2}:\d{2}(:\d{2}(\.\d+)?)?(Z|[+-]\d{2}:?\d{2})?)?)?)?")
_COMPACT = re.compile(r"(\d{4})(\d{2})(\d{2})(?:[T_ ]?(\d{2}):?(\d{2}))?")
_DAY_FIRST = re.compile(r"\d{1,2}\.\s?\d{1,2}\.\s?\d{2,4}\b")  # with full stops the day comes first everywhere
_MONTH_OR_DAY = re.compile(r"0?(\d|1[0-2])/0?(\d|1[0-2])/\d{4}\b")
_LONGEST = 100
_RELATIVE = re.compile(r"[1-9] day ago|in [1-9] day|last [a-z]+day")  # what dateparser translates such words to
_NUMBER, _ANY_NUMBER = r"(\d++[.,]?\d*+)", r"(?:\d{1,3}|[^\W\d_]{1,15})"  # it reads no word that is no number
_BEFORE_A_SENTENCE = '.!?…:;()[]"“„«»*>-–—\n'
# Characters before and behind a day without a year in which a year may be that day's; behind it in its line.
_BEFORE, _BEHIND = 1000, 40


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
        year, month, day, hour, minute = (int(part or 0) for part in compact.groups())
        try:
            return _shown(datetime(year, month, day, hour, minute))
        except ValueError:
            return None
    if len(text) > _LONGEST or not any(letter.isdigit() for letter in text):
        return None
    from dateparser import parse

    order = {"DATE_ORDER": "DMY"} if _DAY_FIRST.match(text) else {}
    found = parse(text, settings={"STRICT_PARSING": True, **order})
    return None if found is None else _shown(found)


def _shown(moment: datetime) -> str:
    if moment.tzinfo is None and (moment.hour, moment.minute, moment.second) == (0, 0, 0):
        return moment.date().isoformat()
    return moment.isoformat(timespec="seconds" if moment.second else "minutes")


def days_of(text: str, written: str | None) -> list[str]:
    """The days that a text names, in ISO 8601; if it is known when it was written, also by that day.

    A relative day is read by dateparser, in the text's language; one without a year is of the nearest year, but none
    if the text speaks of another year. Without such a day whole dates alone are days.

    >>> days_of("We met yesterday, and we will meet again on 3 January.", "2025-12-30T09:00")
    ['2025-12-29', '2026-01-03']
    >>> days_of("We met yesterday, and we will meet again on 3 January.", None)
    []
    """
    days = {*days_in(text)}
    with suppress(ValueError):  # it is a year, a month, or no date
        if written:
            days.update(day.isoformat() for day in _relative_to(text, date.fromisoformat(written[:10])))
    return sorted(days)


def _relative_to(text: str, written: date) -> Iterator[date]:
    found = probably(text)  # words of a language confirm it
    language = "nb" if found == "no" else found
    if not words_of(language):
        return
    for form in WITHOUT_YEAR:
        for match in form.finditer(text):
            yield from _of_nearest_year(match, language, written)
    for match in _relative(language).finditer(text):
        yield from _read(match, language, written)


def _of_nearest_year(match: re.Match[str], language: str, written: date) -> Iterator[date]:
    before = match.string[max(0, match.start() - _BEFORE) : match.start()]
    behind = match.string[match.end() : match.end() + _BEHIND].partition("\n")[0]
    years = {int(year) for year in (*A_YEAR.findall(before)[-1:], *A_YEAR.findall(behind))}
    name, days = match["month"], []
    if years - {written.year} or (language == "en" and name.islower()):  # may, march
        return
    month = int(name) if name.isdecimal() else months((language,)).get(name.lower(), 0)
    for year in (written.year - 1, written.year, written.year + 1):
        with suppress(ValueError):  # there is no such day
            days.append(date(year, month, int(match["day"])))
    if days:
        yield min(days, key=lambda day: abs(day - written))


def _read(match: re.Match[str], language: str, written: date) -> Iterator[date]:
    from dateparser import parse

    said, before = match.group(), match.string[: match.start()].rstrip(" ")[-1:]
    if said[0].isupper() and before not in _BEFORE_A_SENTENCE:  # a name, a title
        return
    found = parse(said, languages=[language], settings={"RELATIVE_BASE": datetime.combine(written, time())})
    if found:
        yield found.date()


@cache
def _relative(language: str) -> re.Pattern[str]:
    """Relative days in a language, by the words that dateparser reads."""
    words = words_of(language)
    fixed = (
        re.escape(said)
        for day, all_said in words.get("relative-type", {}).items()
        if _RELATIVE.fullmatch(day)
        for said in all_said
    )
    counted = (
        form.replace(_NUMBER, _ANY_NUMBER) for form in words.get("relative-type-regex", {}).get(r"\1 day ago", ())
    )
    one = "|".join(sorted([*fixed, *counted], key=len, reverse=True)) or "(?!)"
    if words.get("no_word_spacing") == "True":
        return re.compile(one)
    return re.compile(rf"(?<!\w)(?<!la )(?:{one})(?!\w| of )", re.IGNORECASE)  # la mañana is the morning
