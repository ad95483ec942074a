"""Filters in plain Python: the twin of what the database evaluates, with true, false and neither (None)."""

from __future__ import annotations

import operator
import re
from collections.abc import Callable, Mapping
from typing import Any

from qcg_neo4j.core.filters import Condition, Joined, Moment, Part

ORDER: Mapping[str, Callable[[Any, Any], bool]] = {
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}
Said = bool | None


def says(part: Part, document: Mapping[str, Any]) -> Said:
    """What a filter says of a document."""
    if isinstance(part, Condition):
        return _tested(part, document.get(part.name))
    if isinstance(part, Joined):
        found = [says(inner, document) for inner in part.parts]
        decisive = part.word == "or"
        return decisive if decisive in found else None if None in found else not decisive
    inner = says(part.part, document)
    return None if inner is None else not inner


def _tested(test: Condition, held: Any) -> Said:
    wanted = test.value
    if isinstance(wanted, Moment):
        held, wanted = _as_moment(held, wanted.text), wanted.text
    if test.operator == "is null" or held is None:
        return held is None if test.operator == "is null" else None
    if test.operator in ORDER:
        return ORDER[test.operator](held, wanted) if _kind(held) == _kind(wanted) is not None else None
    if test.operator in ("prefix", "contains", "icontains"):
        return _text_test(test.operator, held, str(wanted))
    if test.operator == "has":
        return any(_equal(item, wanted) for item in (held if isinstance(held, list) else [held]))
    if isinstance(wanted, tuple):
        return any(_equal(held, item) for item in wanted)
    return _equal(held, wanted) == (test.operator == "=")


def _as_moment(held: Any, text: str) -> str | None:
    shown = None if isinstance(held, list | bool) or held is None else str(held)
    if shown is None or not re.fullmatch(r"[0-9]{4}(-.*)?", shown) or len(shown) < len(text):
        return None
    return shown.replace(" ", "T")[: len(text)]


def _text_test(how: str, held: Any, wanted: str) -> Said:
    if not isinstance(held, str):
        return None
    return {
        "prefix": held.startswith(wanted),
        "contains": wanted in held,
        "icontains": wanted.lower() in held.lower(),
    }[how]


def _kind(value: Any) -> str | None:
    if isinstance(value, bool):
        return "truth"
    return "number" if isinstance(value, int | float) else "text" if isinstance(value, str) else None


def _equal(one: Any, other: Any) -> bool:
    return _kind(one) == _kind(other) is not None and bool(one == other)
