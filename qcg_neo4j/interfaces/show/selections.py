"""Pictures of evidence, and of parts of the graph: all that was made from a document, a community, a sample."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from qcg_neo4j.core.errors import GraphError, InputError, number_of
from qcg_neo4j.core.records import Evidence, Passage, Step
from qcg_neo4j.database.conversion import plain
from qcg_neo4j.database.graph import Graph
from qcg_neo4j.interfaces.palette import LOOKS
from qcg_neo4j.interfaces.show.picture import Dot, Line, Picture
from qcg_neo4j.retrieval.reasons import TELLING, telling

QUESTION = "Question"
BOXES = 5  # in a column, which a person takes in at a glance


def evidence_picture(evidence: Evidence, passages: int = 5, paths: int | None = None) -> Picture:
    """The way to the first passages, each with its most informative paths, and similarities on it.

    Without ``paths`` as many of each are drawn as leave no column with more than `BOXES`, at least one. Needs nothing
    but the evidence: what it shows are the steps that the method has written down.
    """
    shown = evidence.passages[:passages]
    if paths is None:
        pictures = (evidence_picture(evidence, passages, number) for number in range(TELLING, 0, -1))
        return next((one for one in pictures if one.tallest <= BOXES), evidence_picture(evidence, passages, 1))
    ways = {item.id: _ways(item, paths) for item in shown}
    depth = max((len(_before(path, item)) for item in shown for path in ways[item.id]), default=0)
    dots = [Dot(QUESTION, QUESTION, evidence.question, 0)]
    lines: list[Line] = []
    for item in shown:
        document = Dot(f"document {item.document}", "Document", item.title or item.document, depth + 2)
        dots += [Dot(item.id, "Chunk", item.text, depth + 1), document]
        lines.append(Line(item.id, document.id, "FROM_DOCUMENT"))
        for path in ways[item.id] or [()]:
            steps = _before(path, item)
            for place, step in enumerate(steps, start=1):
                label = "Triple" if step.label == "RELATED_TO" else step.label
                dots.append(Dot(step.id, label, step.text, place))
            lines += _lines(steps, path, item)
    return Picture.of(f"{evidence.question}  ({evidence.method})", dots, lines)


def _ways(item: Passage, number: int) -> list[tuple[Step, ...]]:
    """The most informative paths; a chain first, which says how one passage led to another."""
    told = telling(item, max(number, TELLING))
    return [one.path for one in sorted(told, key=lambda one: one.kind != "chain")[:number]]


def _before(path: Sequence[Step], item: Passage) -> list[Step]:
    """The steps of a path without the chunk itself, where a method found it directly."""
    return [step for step in path if step.id != item.id]


def _lines(steps: Sequence[Step], path: Sequence[Step], item: Passage) -> Iterator[Line]:
    before = QUESTION
    for step in steps:
        yield Line(before, step.id, *_measured(step, from_question=before == QUESTION))
        before = step.id
    direct = path[-1].similarity if path and path[-1].id == item.id else None
    if direct is None:
        yield Line(before, item.id, "FROM_CHUNK" if steps else "HIT")
    else:
        yield Line(before, item.id, *_measured(path[-1], from_question=not steps))


def _measured(step: Step, *, from_question: bool) -> tuple[str, float | None]:
    """What a line's number is, and the number: what the step adds to the score, a cosine, a method's own score."""
    if step.weight is not None and step.relationship in ("HIT", "FROM_CHUNK"):
        return "adds", step.weight
    if not from_question:
        return step.relationship, step.weight
    return ("score" if step.label == "Chunk" else "cosine"), step.similarity


COLUMNS = {
    "Document": 0,
    "Chunk": 1,
    "Window": 2,
    "Query": 2,
    "SyntheticQuery": 2,
    "Atom": 3,
    "Claim": 3,
    "Entity": 4,
    "Community": 5,
}
_LONGEST = 2000


def document_picture(graph: Graph, document: str) -> Picture:
    """All that was made from a document, by its id.

    Raises:
        InputError: there is no such document.
    """
    rows = graph.rows("inspect/derivation", document=document)
    if not rows:
        raise InputError(
            f"The graph has no document {document!r}, or it has no chunks.",
            "`qcg documents` lists documents with their ids.",
        )
    return _picture(f"What was made from {document}", rows)


def community_picture(graph: Graph, community: str, entities: int = 30) -> Picture:
    """A community, by its id, with a limited number of its entities, their relations and chunks.

    Raises:
        InputError: there is no such community.
    """
    rows = graph.rows("show/community", community=community, entities=entities)
    if not rows:
        raise InputError(
            f"The graph has no community {community!r}, or it has no entities.",
            "`qcg cypher inspect/hierarchy` prints the statement for Browser that lists communities with their ids.",
        )
    return _picture(f"Community {community}", rows)


def sample_picture(graph: Graph, documents: int = 2, queries: int = 4) -> Picture:
    """The first documents with what was made from them.

    Raises:
        GraphError: the graph holds no documents.
    """
    rows = graph.rows("show/sample", documents=documents, queries=queries)
    if not rows:
        raise GraphError("The graph is empty.", "Load documents first: `qcg load FILE`.")
    title = number_of(documents, "document, and what was made from it", "documents, and what was made from them")
    return _picture(title, rows)


def _picture(title: str, rows: Any) -> Picture:
    found = list(_entities(plain(rows, _LONGEST)))
    # What has been deleted since it was found has neither labels nor an id.
    dots = [_dot(item) for item in found if set(item.get("labels", ())) & set(LOOKS) and item.get("id")]
    lines = [_line(item) for item in found if item.get("source") and item.get("target") and "labels" not in item]
    return Picture.of(title, dots, lines)


def _entities(value: Any) -> Iterator[Mapping[str, Any]]:
    """The nodes and relationships in plain values."""
    if isinstance(value, Mapping):
        if "labels" in value or {"type", "source", "target"} <= set(value):
            yield value
        else:
            for item in value.values():
                yield from _entities(item)
    elif isinstance(value, list):
        for item in value:
            yield from _entities(item)


def _dot(node: Mapping[str, Any]) -> Dot:
    label = next(label for label in node["labels"] if label in LOOKS)
    text = node.get(LOOKS[label].caption)
    if label == "Community" and not text:  # without a report it has no title
        text = f"Community of {number_of(node['size'], 'entity', 'entities')}"
    shown = f"{label} {text}" if isinstance(text, int) else str(text or node["id"])
    return Dot(node["id"], label, shown, COLUMNS[label])


def _line(item: Mapping[str, Any]) -> Line:
    held = item["properties"]
    return Line(item["source"], item["target"], held.get("predicate") or item["type"], held.get("score"))
