"""Filters on the metadata of documents: text or dictionaries, read into one value that the database evaluates."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from qcg_neo4j.core.filters.conditions import (
    Condition,
    Joined,
    Moment,
    Negated,
    Part,
    from_dictionary,
    written_name,
)
from qcg_neo4j.core.filters.text import parse

Where = str | Mapping[str, Any]  # the two ways to write a filter


def read(where: Where) -> Part:
    """The conditions of a filter, whichever way it was written.

    Raises:
        InputError: it cannot be read.
    """
    return parse(where) if isinstance(where, str) else from_dictionary(where)


def steps(part: Part) -> list[dict[str, Any]]:
    """The conditions as the database evaluates them: tests, and what joins them, in the order of their evaluation."""
    return list(part.steps())


__all__ = [
    "Condition",
    "Joined",
    "Moment",
    "Negated",
    "Part",
    "Where",
    "from_dictionary",
    "parse",
    "read",
    "steps",
    "written_name",
]
