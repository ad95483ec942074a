"""Conditions on the metadata of documents, as values and as dictionaries: what a filter is made of."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date, datetime
from typing import Any

from qcg_neo4j.core.errors import InputError
from qcg_neo4j.core.records import Scalar
from qcg_neo4j.core.settings import nearest

# Operators as the text has them. What a document lacks makes a condition neither true nor false, as in Cypher and SQL.
COMPARISONS = ("=", "!=", "<", "<=", ">", ">=")
TEXT_OPERATORS = ("prefix", "contains", "icontains")
EMPTY = ("is null", "is not null")
ORDERING = ("<", "<=", ">", ">=")
PUBLISHED = "publishedAt"  # the property; people say `published`
ALIASES = {"published": PUBLISHED, "published_at": PUBLISHED}
_DATE = re.compile(r"\d{4}-\d{2}(-\d{2}([T ]\d{2}:\d{2}(:\d{2}(\.\d+)?)?(Z|[+-]\d{2}:?\d{2})?)?)?")
_NEGATED = {"in": "not in", "is null": "is not null"}
_WORD = re.compile(r"[^\W\d][\w.]*")
_KEYWORDS = {"and", "or", "not", "in", "has", "is", "null", "true", "false", *TEXT_OPERATORS}
# Operators as the dictionaries of neo4j-graphrag have them; added are $not, $has, $prefix, $contains, $null.
_OPERATORS = {
    "$eq": "=",
    "$ne": "!=",
    "$lt": "<",
    "$lte": "<=",
    "$gt": ">",
    "$gte": ">=",
    "$in": "in",
    "$nin": "in",
    "$has": "has",
    "$prefix": "prefix",
    "$contains": "contains",
    "$like": "contains",
    "$ilike": "icontains",
}
_JOINING = {"$and": "and", "$or": "or"}
KNOWN = (*_OPERATORS, *_JOINING, "$not", "$between", "$null")
DEEPEST = 100  # brackets, negations or dictionaries in each other
_TEXT = ("$prefix", "$contains", "$like", "$ilike")


@dataclass(frozen=True)
class Moment:
    """A date or time in ISO format at any precision: a year, a month, a day …"""

    text: str

    def __str__(self) -> str:
        return self.text


Value = Scalar | Moment | tuple[Scalar | Moment, ...] | None


@dataclass(frozen=True)
class Condition:
    """A test of one property of a document."""

    name: str
    operator: str
    value: Value = None

    def __str__(self) -> str:
        shown = "" if self.operator in EMPTY else f" {written(self.value)}"
        return f"{written_name(self.name)} {self.operator}{shown}"

    def steps(self) -> Iterator[dict[str, Any]]:
        """The step that pushes what the test says."""
        is_moment = isinstance(self.value, Moment)
        plain = list(self.value) if isinstance(self.value, tuple) else str(self.value) if is_moment else self.value
        yield {"operator": self.operator, "name": self.name, "value": plain, "moment": is_moment}


@dataclass(frozen=True)
class Joined:
    """Several conditions, all of which (``and``) or one of which (``or``) must hold."""

    word: str
    parts: tuple[Part, ...]

    def __str__(self) -> str:
        # In brackets, so that nobody has to know what binds more.
        return f" {self.word} ".join(f"({part})" if isinstance(part, Joined) else str(part) for part in self.parts)

    def steps(self) -> Iterator[dict[str, Any]]:
        """The steps of the parts, and the joining steps."""
        for place, part in enumerate(self.parts):
            yield from part.steps()
            if place:
                yield {"operator": self.word}


@dataclass(frozen=True)
class Negated:
    """A condition that must not hold."""

    part: Part

    def __str__(self) -> str:
        if isinstance(self.part, Condition):
            word = _NEGATED.get(self.part.operator)
            return str(replace(self.part, operator=word)) if word else f"not {self.part}"
        return f"not ({self.part})"

    def steps(self) -> Iterator[dict[str, Any]]:
        """The steps of the condition, and the one that turns what it says."""
        yield from self.part.steps()
        yield {"operator": "not"}


Part = Condition | Joined | Negated


def joined(word: str, parts: Sequence[Part]) -> Part:
    """The parts with a word between them; one alone is itself."""
    return parts[0] if len(parts) == 1 else Joined(word, tuple(parts))


def condition(name: str, operator: str, value: Any) -> Part:
    """A condition as it is meant: times compared as times, lists with times taken apart."""
    name = ALIASES.get(name, name)
    if isinstance(value, list | tuple):
        items = tuple(_meant(name, item, operator) for item in value)
        if any(isinstance(item, Moment) for item in items):
            return joined("or", [Condition(name, "=", item) for item in items])
        return Condition(name, operator, items)
    return Condition(name, operator, _meant(name, value, operator))


def _meant(name: str, value: Any, operator: str) -> Any:
    if isinstance(value, datetime | date):
        return Moment(value.isoformat())
    if isinstance(value, int | float) and not isinstance(value, bool) and not -(2**63) <= value < 2**63:
        raise InputError(f"The filter compares {name!r} with {value}, which is out of range.")
    is_year = name == PUBLISHED and isinstance(value, int) and not isinstance(value, bool) and 1000 <= value <= 9999
    if is_year and (operator in COMPARISONS or operator == "in"):
        return Moment(str(value))
    is_text = operator in ORDERING and isinstance(value, str) and is_moment(value)
    return Moment(value.replace(" ", "T")) if is_text else value


def is_moment(text: str) -> bool:
    """Whether a text is a date (of a month at least) as ISO 8601 has it."""
    return _DATE.fullmatch(text) is not None


def written(value: Any) -> str:
    """A value as the text of a filter has it."""
    if isinstance(value, tuple | list):
        return f"[{', '.join(map(written, value))}]"
    return str(value) if isinstance(value, Moment) else json.dumps(value, ensure_ascii=False)


def written_name(name: str) -> str:
    """The name of a property as the text of a filter has it."""
    if name == PUBLISHED:
        return "published"
    is_plain = _WORD.fullmatch(name) and name.lower() not in _KEYWORDS
    return name if is_plain else "`" + name.replace("`", "``") + "`"


def from_dictionary(given: Mapping[str, Any], depth: int = 0) -> Part:
    """The conditions that a dictionary states; several keys must all hold.

    >>> str(from_dictionary({"author": "Wu", "$or": [{"year": {"$gte": 2025}}, {"tags": {"$has": "law"}}]}))
    'author = "Wu" and (year >= 2025 or tags has "law")'

    Raises:
        InputError: it does not say what a filter can say.
    """
    if not isinstance(given, Mapping) or not given:
        raise InputError(f"A filter as a dictionary is {given!r}.", 'Such as {"author": "Wu", "year": {"$gte": 2025}}.')
    if depth > DEEPEST:
        raise InputError(f"More than {DEEPEST} dictionaries of a filter are nested.")
    return joined("and", [_entry(str(key), value, depth + 1) for key, value in given.items()])


def _entry(key: str, value: Any, depth: int) -> Part:
    word = key.lower()
    if word == "$not":
        return Negated(from_dictionary(value, depth))
    if word in _JOINING:
        if not isinstance(value, Sequence) or isinstance(value, str) or not value:
            raise InputError(f"{key} of a filter is {value!r}.", "It takes a list of filters.")
        return joined(_JOINING[word], [from_dictionary(item, depth) for item in value])
    if key.startswith("$"):
        raise InputError(f"{key!r} of a filter is given instead of a property.", nearest(word, list(_JOINING)))
    if not isinstance(value, Mapping):
        return _stated(key, "$eq", value)
    if not value:
        raise InputError(f"{key!r} of a filter has no operator.", f"Known are: {', '.join(KNOWN)}.")
    return joined("and", [_stated(key, str(operator).lower(), item) for operator, item in value.items()])


def _stated(name: str, operator: str, value: Any) -> Part:
    if operator == "$null":
        empty = condition(name, "is null", None)
        return empty if value else Negated(empty)
    if operator == "$between":
        low, high = _items(operator, value, 2)
        return Joined("and", (condition(name, ">=", low), condition(name, "<=", high)))
    if operator not in _OPERATORS:
        raise InputError(f"A filter has no operator {operator!r}.", nearest(operator, list(KNOWN)))
    if operator in ("$in", "$nin"):
        found = condition(name, "in", _items(operator, value))
        return Negated(found) if operator == "$nin" else found
    if operator in _TEXT and not isinstance(value, str):
        raise InputError(f"{operator} of {name!r} is {value!r}, but must be text.")
    value = value.rstrip("%") if operator in ("$like", "$ilike") else value  # as neo4j-graphrag has it
    return condition(name, _OPERATORS[operator], _scalar(name, value))


def _items(operator: str, value: Any, number: int | None = None) -> list[Any]:
    if not isinstance(value, list | tuple) or (number is not None and len(value) != number):
        wanted = "a list" if number is None else f"a list of {number} values"
        raise InputError(f"{operator} of a filter is {value!r}, but must be {wanted}.")
    return [_scalar(operator, item) for item in value]


def _scalar(name: str, value: Any) -> Any:
    if isinstance(value, str | int | float | bool | date):
        return value
    raise InputError(f"The filter compares {name!r} with {value!r}.", "Compare with text, numbers, dates, true, false.")
