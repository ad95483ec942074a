"""Found atoms as values: from the rows of their statement, over several questions, to the chunks that state them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from qcg_neo4j.core.records import Atom, Passage
from qcg_neo4j.database.conversion import from_cypher
from qcg_neo4j.retrieval.rows import complete, passage, paths


def stated(rows: Iterable[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """The rows of atoms that chunks state, with these chunks; only what still exists."""
    there = complete(rows, "id", "text", "score", "similarity")
    held = [
        {**row, "chunks": complete(row["chunks"], "id", "document", "index", "text", "tokenCount")} for row in there
    ]
    return [row for row in held if row["chunks"]]


def atom(row: Mapping[str, Any]) -> Atom:
    """A row of ``retrieve/atomic/evidence`` as an atom."""
    first = row["chunks"][0]
    return Atom(
        row["id"],
        row["text"],
        row["score"],
        row["similarity"],
        tuple(chunk["id"] for chunk in row["chunks"]),
        first["title"] or first["document"],
        paths(row["paths"]),
    )


def merged(found: Iterable[Sequence[Atom]], most: int) -> tuple[Atom, ...]:
    """The atoms of several questions, each with its best score; of equal ones the first seen comes first."""
    best: dict[str, Atom] = {}
    for atoms in found:
        for one in atoms:
            known = best.setdefault(one.id, one)
            if one.score > known.score:
                best[one.id] = one  # keeps the place of the first
    return tuple(sorted(best.values(), key=lambda one: -one.score)[:most])


def ranked_chunks(rows: Iterable[Mapping[str, Any]], atoms: Sequence[Atom]) -> list[Passage]:
    """The chunks that state the atoms, by their best atom, then by the sum over their atoms."""
    facts = {chunk["id"]: chunk for row in rows for chunk in row["chunks"]}
    stating: dict[str, list[Atom]] = {}
    for one in atoms:
        for chunk in one.chunks:
            stating.setdefault(chunk, []).append(one)

    def order(chunk: str) -> tuple[float, float, str]:
        scores = [one.score for one in stating[chunk]]
        return -max(scores), -sum(scores), chunk

    return [_passage(facts[chunk], stating[chunk]) for chunk in sorted(stating, key=order)]


def _passage(chunk: Mapping[str, Any], atoms: Sequence[Atom]) -> Passage:
    row = {**from_cypher(chunk), "score": max(one.score for one in atoms)}
    return passage(row, tuple(path for one in atoms for path in one.paths))
