"""What every format is read into."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from qcg_neo4j.core.errors import InputError
from qcg_neo4j.core.records import SourceDocument

_SHOWN = 5


@dataclass(frozen=True)
class Dataset:
    """Documents, and questions with the fields of a line of a questions file; ``notes`` say what was left out."""

    documents: tuple[SourceDocument, ...]
    questions: tuple[Mapping[str, Any], ...]
    notes: tuple[str, ...] = ()


def unique(documents: Sequence[tuple[str, SourceDocument]]) -> tuple[SourceDocument, ...]:
    """Documents, each with its position.

    Raises:
        InputError: two have the same id.
    """
    places: dict[str, str] = {}
    for where, document in documents:
        if document.id in places:
            raise InputError(f"{where}: the id {document.id!r} is that of {places[document.id]} as well.")
        places[document.id] = where
    return tuple(document for _, document in documents)


def left_out(what: str, names: Sequence[str]) -> tuple[str, ...]:
    """A note on what was left out, if anything was."""
    shown = ", ".join(names[:_SHOWN]) + (", …" if len(names) > _SHOWN else "")
    return (f"{len(names):,} {what}: {shown}",) if names else ()
