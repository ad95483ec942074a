"""What people write as JSON, record by record: fields of the right kind, and mistakes by their place."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from qcg_neo4j.core.errors import InputError, QcgError
from qcg_neo4j.retrieval.method import checked_question

_SHOWN = 5  # mistakes that are named
UNREADABLE = "not JSON that can be read: nested too deeply, or a number with too many digits"


class UnusableError(Exception):
    """A record that cannot be used; the text says why."""


def refuse(mistakes: Sequence[str], look: str) -> None:
    """Refuse to go on where there are mistakes.

    Raises:
        InputError: names the first of them, and how a record has to look.
    """
    if mistakes:
        more = [f"… and {len(mistakes) - _SHOWN:,} more"] if len(mistakes) > _SHOWN else []
        raise InputError("\n".join([*mistakes[:_SHOWN], *more]), look)


def record_of(value: object) -> Mapping[str, Any]:
    """The value, which must be an object."""
    if not isinstance(value, Mapping):
        raise UnusableError("not a JSON object")
    return value


def text_of(record: Mapping[str, Any], name: str) -> str:
    """A field that must be there, and a text."""
    if name not in record:
        raise UnusableError(f"{name!r} is missing")
    if not isinstance(record[name], str):
        raise UnusableError(f"{name!r} is not a text")
    return str(record[name])


def question_of(record: Mapping[str, Any]) -> str:
    """The question that a record holds."""
    try:
        return checked_question(text_of(record, "question"))
    except QcgError as error:
        raise UnusableError(error.problem) from None
