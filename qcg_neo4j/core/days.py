"""Days that a text names, in ISO 8601: read alike in documents and in questions, by Python and by the procedures."""

from __future__ import annotations

import re
from calendar import month_name
from datetime import date
from functools import cache
from importlib import import_module
from typing import Any

_DAY, _YEAR, _MONTH = r"(?<!\d)(?P<day>\d{1,2})", r"(?P<year>(?:1\d|20)\d\d)", r"(?P<month>[^\W\d_]{3,12})\.?"
_CHARACTERS = r"(?P<month>\d{1,2})\s?[月월]\s?(?P<day>\d{1,2})\s?[日일]"
_DAY_FIRST = rf"{_DAY}(?:st|nd|rd|th|er|\.|º)?\s+(?:(?:of|de|di)\s+)?{_MONTH}"
_MONTH_FIRST = rf"{_MONTH}\s+{_DAY}(?:st|nd|rd|th)?"
# Java reads the same forms: `procedures/options.py` writes them, and the names of months, for it.
FORMS = (
    rf"(?<!\d){_YEAR}([-/.]?)(?P<month>\d\d)\2(?P<day>\d\d)(?!\d)",
    rf"{_DAY}\.\s?(?P<month>\d{{1,2}})\.\s?{_YEAR}(?!\d)",
    rf"(?<!\d){_YEAR}\s?[年년]\s?{_CHARACTERS}",
    rf"{_DAY_FIRST},?\s+(?:(?:of|de|del)\s+)?{_YEAR}(?!\d)",
    rf"{_MONTH_FIRST},?\s+{_YEAR}(?!\d)",
)
_FORMS = tuple(map(re.compile, FORMS))
_UNTIL = r"(?!\d|[.,:]\d|\s?%|,?\s\d{2,4}(?![\d.:]))"  # 21 May 987
# Days without a year, and any year.
WITHOUT_YEAR = tuple(
    re.compile(rf"(?<!\d[.,:]){form}{_UNTIL}") for form in (rf"(?<!\d){_CHARACTERS}", _DAY_FIRST, _MONTH_FIRST)
)
A_YEAR = re.compile(rf"(?<!\d){_YEAR}(?!\d)")
_LANGUAGES = (
    *("en", "de", "fr", "es", "it", "pt", "nl", "pl", "ru", "uk", "cs", "sk", "sv", "da", "nb", "fi"),
    *("hu", "ro", "bg", "sl", "el", "tr", "id", "ca"),
)


def days_in(text: str) -> list[str]:
    """The days that a text names, each once, in order: those with day, month and year, in many languages.

    What can be read in two ways (01/02/2026) and what is told by another day (tomorrow) is left out.

    >>> days_in("On 20260410, not 2026-04-09; le 1er mars 2025, 3. Mai 2025, April 5th, 2026, 2025年3月1日")
    ['2025-03-01', '2025-05-03', '2026-04-05', '2026-04-09', '2026-04-10']
    """
    found = (match.group("year", "month", "day") for form in _FORMS for match in form.finditer(text))
    return sorted({day for parts in found if (day := _iso(*parts))})


def _iso(year: str, month: str, day: str) -> str | None:
    number = int(month) if month.isdecimal() else months().get(month.lower(), 0)
    try:
        return date(int(year), number, int(day)).isoformat()
    except ValueError:
        return None


@cache
def months(languages: tuple[str, ...] = _LANGUAGES) -> dict[str, int]:
    """The number of a month by its name in small letters, whole or short, in languages that agree on it."""
    return {
        name.lower(): number
        for language in languages
        for number, month in enumerate(month_name[1:], start=1)
        for name in words_of(language)[month.lower()]
    }


@cache
def words_of(language: str) -> dict[str, Any]:
    """What dateparser knows of a language's dates, by its code; nothing of a language that it does not know."""
    try:
        found: dict[str, Any] = import_module(f"dateparser.data.date_translation_data.{language}").info
    except ModuleNotFoundError:
        return {}
    return found
