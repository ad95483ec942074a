"""The picture of evidence: from the question over queries, triples, atoms or communities to chunks and documents."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from qcg_neo4j.core.records import Evidence, Passage, Step
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
        dots += [Dot(item.id, "Chunk", item.text, depth + 1), _document(item, depth + 2)]
        lines.append(Line(item.id, _document(item, 0).id, "FROM_DOCUMENT"))
        for path in ways[item.id] or [()]:
            steps = _before(path, item)
            dots += [Dot(step.id, _label(step), step.text, place) for place, step in enumerate(steps, start=1)]
            lines += _lines(steps, path, item)
    return Picture.of(f"{evidence.question}  ({evidence.method})", dots, lines)


def _ways(item: Passage, number: int) -> list[tuple[Step, ...]]:
    """The most informative paths; a chain first, which says how one passage led to another."""
    told = telling(item, max(number, TELLING))
    return [one.path for one in sorted(told, key=lambda one: one.kind != "chain")[:number]]


def _before(path: Sequence[Step], item: Passage) -> list[Step]:
    """The steps of a path without the chunk itself, where a method found it directly."""
    return [step for step in path if step.id != item.id]


def _label(step: Step) -> str:
    return "Triple" if step.label == "RELATED_TO" else step.label


def _document(item: Passage, column: int) -> Dot:
    return Dot(f"document {item.document}", "Document", item.title or item.document, column)


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
