"""Evidence as numbered passages in a prompt, and the way back from the numbers in an answer to the passages."""

from __future__ import annotations

import re
from collections.abc import Sequence

from qcg_neo4j.records import Atom, Passage

Citable = Passage | Atom
_BRACKETS = re.compile(r"\[(\d+(?:\s*[,;]\s*\d+)*)\]")


def source_of(cited: Citable) -> str:
    """The document that a passage or an atom is from, as a person is told it."""
    return cited.title or (cited.document if isinstance(cited, Passage) else "")


def numbered(passages: Sequence[Citable]) -> str:
    """The passages as the prompt shows them, numbered from 1, each with the document that it is from."""
    return "\n\n".join(
        f"[{number}] ({source_of(passage)})\n{passage.text.strip()}" for number, passage in enumerate(passages, start=1)
    )


def citations(answer: str, passages: Sequence[Citable]) -> tuple[str, ...]:
    """The ids of the passages that an answer cites as ``[1]`` or ``[1, 3]``, in order of first mention.

    A number that no passage has is no citation.
    """
    numbers = [int(number) for group in _BRACKETS.findall(answer) for number in re.findall(r"\d+", group)]
    return tuple(dict.fromkeys(passages[number - 1].id for number in numbers if 1 <= number <= len(passages)))
