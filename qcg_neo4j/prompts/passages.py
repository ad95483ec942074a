"""Evidence as numbered passages in a prompt."""

from __future__ import annotations

from collections.abc import Sequence

from qcg_neo4j.records import Atom, Passage

Citable = Passage | Atom


def source_of(cited: Citable) -> str:
    """The document that a passage or an atom is from, as a person is told it."""
    return cited.title or (cited.document if isinstance(cited, Passage) else "")


def numbered(passages: Sequence[Citable]) -> str:
    """The passages as the prompt shows them, numbered from 1, each with the document that it is from."""
    return "\n\n".join(
        f"[{number}] ({source_of(passage)})\n{passage.text.strip()}" for number, passage in enumerate(passages, start=1)
    )
