"""Filters as dictionaries, in the form of the package neo4j-graphrag: ``{"author": "Wu", "year": {"$gte": 2025}}``."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import date
from typing import Any

from qcg_neo4j.core.errors import InputError
from qcg_neo4j.core.filters.conditions import Joined, Negated, Part, condition
from qcg_neo4j.core.settings import nearest

# What ours adds to theirs: $not, $has, $prefix, $contains, $null.
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
DEEPEST = 100
_TEXT = ("$prefix", "$contains", "$like", "$ilike")


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
    return _joined("and", [_entry(str(key), value, depth + 1) for key, value in given.items()])


def _joined(word: str, parts: Sequence[Part]) -> Part:
    return parts[0] if len(parts) == 1 else Joined(word, tuple(parts))


def _entry(key: str, value: Any, depth: int) -> Part:
    word = key.lower()
    if word == "$not":
        return Negated(from_dictionary(value, depth))
    if word in _JOINING:
        if not isinstance(value, Sequence) or isinstance(value, str) or not value:
            raise InputError(f"{key} of a filter is {value!r}.", "It takes a list of filters.")
        return _joined(_JOINING[word], [from_dictionary(item, depth) for item in value])
    if key.startswith("$"):
        raise InputError(f"{key!r} of a filter is given instead of a property.", nearest(word, list(_JOINING)))
    if not isinstance(value, Mapping):
        return _condition(key, "$eq", value)
    if not value:
        raise InputError(f"{key!r} of a filter has no operator.", f"Known are: {', '.join(KNOWN)}.")
    return _joined("and", [_condition(key, str(operator).lower(), item) for operator, item in value.items()])


def _condition(name: str, operator: str, value: Any) -> Part:
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
