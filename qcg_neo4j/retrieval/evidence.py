"""What all methods do for evidence: rows as passages and atoms, what fits, what lacks, which language.

Nodes that another transaction deletes while a question is answered are read without values, and left out.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from qcg_neo4j.core.errors import number_of
from qcg_neo4j.core.records import Atom, Evidence, NamedDocument, Passage, Step
from qcg_neo4j.database.conversion import from_cypher
from qcg_neo4j.database.graph import Graph
from qcg_neo4j.database.model import recorded_model
from qcg_neo4j.models.embedding.known_models import KNOWN_MODELS

OF_PASSAGE = ("id", "document", "index", "text", "score", "token_count")  # what no row of a passage lacks
OF_TRIPLE = ("id", "source", "predicate", "target", "ttr", "chunk", "similarity")
_OF_STEP = ("id", "text", "relationship")
NOTHING_OF = {
    "Query": "the graph holds no queries; make them with `qcg generate`, then `qcg build`",
    "Atom": "the graph holds no atoms; make them with `qcg extract`, then `qcg build`",
    "RELATED_TO": "the graph holds no triples; make them with `qcg extract`",
}
_OWN = ("id", "title", "contentHash", "displayName", "listedIn")
# Words that English questions have: with one of them nothing needs to be looked up.
_ENGLISH = re.compile(r"\b(the|of|is|are|was|were|does|did|what|which|who|when|where|how|why)\b", re.IGNORECASE)
_OF_ONE_LANGUAGE = {
    model.plain_name: model.languages for model in KNOWN_MODELS if not re.search("[0-9]", model.languages)
}


def complete(rows: Iterable[Mapping[str, Any]], *needed: str) -> list[Mapping[str, Any]]:
    """The rows that have all these values.

    >>> complete([{"id": "a", "text": "Li Hua"}, {"id": "b", "text": None}], "id", "text")
    [{'id': 'a', 'text': 'Li Hua'}]
    """
    return [row for row in rows if all(row[name] is not None for name in needed)]


def passages_of(rows: Iterable[Mapping[str, Any]]) -> list[Passage]:
    """The rows of a ``retrieve/`` statement as passages."""
    return [passage(row, paths(row["paths"])) for row in complete(rows, *OF_PASSAGE)]


def passage(row: Mapping[str, Any], found_by: tuple[tuple[Step, ...], ...]) -> Passage:
    """A row as a passage with these paths."""
    read = {"paths": found_by, "also": named(row["also"]), "headings": tuple(row["headings"] or ())}
    return Passage(**{**row, **read, "metadata": metadata(row["metadata"])})


def paths(rows: Iterable[Iterable[Mapping[str, Any]]]) -> tuple[tuple[Step, ...], ...]:
    """Paths whose steps are all there, but for those of a walk over no name, or of none: that is no reason."""
    there = [path for path in map(list, rows) if len(complete(path, *_OF_STEP)) == len(path)]
    return tuple(tuple(Step(**step) for step in path) for path in there if path and not _is_unnamed(path[-1]))


def _is_unnamed(step: Mapping[str, Any]) -> bool:
    """Whether a walk ends at the chunk and not at the name that led to it."""
    return step.get("layer") == "Entity" and step["label"] == "Chunk"


def metadata(document: Mapping[str, Any]) -> dict[str, Any]:
    """What a document says of itself beside its id and its title, which a passage has anyway.

    >>> metadata({"id": "a", "title": None, "contentHash": "0f", "publishedAt": "2025-01-31", "tags": ["law"]})
    {'publishedAt': '2025-01-31', 'tags': ['law']}
    """
    return {name: value for name, value in document.items() if name not in _OWN and value is not None}


def named(rows: Iterable[Mapping[str, Any]]) -> tuple[NamedDocument, ...]:
    """Documents that are all there."""
    return tuple(NamedDocument(**row) for row in complete(rows, "id"))


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


def within(passages: Iterable[Passage], tokens: int) -> tuple[tuple[Passage, ...], tuple[str, ...]]:
    """The passages, in order, that fit into this many tokens together; at least the first one."""
    kept: list[Passage] = []
    left, dropped = tokens, 0
    for item in passages:
        if kept and item.token_count > left:
            dropped += 1
            continue
        kept.append(item)
        left -= item.token_count
    note = f"{number_of(dropped, 'further passage')} did not fit into {tokens:,} tokens"
    return tuple(kept), (note,) if dropped else ()


def what_is_lacking(
    graph: Graph, looked_at: Iterable[str], passages: Collection[Passage], met: Collection[str]
) -> tuple[str, ...]:
    """A word on each kind that was looked at and the graph holds nothing of; kinds that were met need none."""
    wanted = [kind for kind in looked_at if kind not in met]
    if graph.restriction is not None or (passages and not wanted):
        return ()
    counts = {row["kind"]: row["number"] for row in graph.rows("inspect/counts")}
    if not counts["Chunk"]:
        return ("the graph holds no documents; load some with `qcg load`",)
    return tuple(NOTHING_OF[kind] for kind in wanted if not counts[kind])


def with_language_told(graph: Graph, evidence: Evidence) -> Evidence:
    """The evidence, with a note where its question is in another language than the corpus and its embedding model.

    There is none where the model reads many languages, or nothing is certain.
    """
    found, question = recorded_model(graph), evidence.question
    if not found or not found["language"] or found["model"] not in _OF_ONE_LANGUAGE:
        return evidence
    if found["language"] == "en" and question.isascii() and _ENGLISH.search(question):
        return evidence
    from qcg_neo4j.indexing.load.languages import surely  # which brings what reads files, and most questions do without

    asked = surely(question)
    if asked in (None, found["language"]):
        return evidence
    note = (
        f"the question seems to be in another language ({asked}) than the documents ({found['language']}), and "
        f"{found['model']} reads {_OF_ONE_LANGUAGE[found['model']]}: ask in theirs, or index with a multilingual model"
    )
    return replace(evidence, notes=(*evidence.notes, note))
