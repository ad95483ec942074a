"""Why a passage was found: what led to it, the most informative first; in short, and in words."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, replace
from typing import Any
from unicodedata import category

from qcg_neo4j.core.records import Evidence, Passage, Step
from qcg_neo4j.models.embedding.known_models import DEFAULT_MODEL

# What a person calls it, and what that means; the most informative first.
KINDS = {
    "sentence": "one of the passage",
    "fact": "a single statement of the passage",
    "query": "a question written for it",
    "chain": "from a name or a passage over what is stated and named there to the passage",
    "triple": "a relation that it states",
    "entity": "an entity that it names",
    "report": "a report on a community of entities",
    "window": "a piece of its text",
    "text": "the passage's own",
    "words": "words of the question in it, relative to the best passage",
    "date": "a day of the question that it names, or its document is of",
}
RANKS = {kind: rank for rank, kind in enumerate(KINDS)}
TELLING = 3
CHARACTERS = 400
PAGE_CHARACTERS = 40  # of the text of a passage that a way leads over
_NO_BLANKS = re.compile("[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]")
_OF_LABELS = {
    "Atom": "fact",
    "Query": "query",
    "RELATED_TO": "triple",
    "Entity": "entity",
    "Community": "report",
    "Window": "window",
    "Chunk": "text",
}
_STATED = ("fact", "query", "triple")  # without a language model these are sentences
_MADE = ("Query", "Atom", "RELATED_TO", "Window")
# From what cosine on a question is found, or weakly found, by the embedding model that this was measured with.
# LiHua-World, 569 questions of its own and 80 about something else: tests/reproduction/lihuaworld/tables/relevance.md.
WORDS = {DEFAULT_MODEL: ((0.5, "found"), (0.4, "weak"), (-1.0, "nothing near"))}


@dataclass(frozen=True)
class Reason:
    """A way to a passage: its kind, its steps, and how much it counts.

    ``value`` is what it adds to the score where it ``adds``, else how near it is to the question.
    """

    kind: str
    path: tuple[Step, ...]
    value: float | None
    adds: bool

    @property
    def last(self) -> Step:
        """What was found."""
        return self.path[-1]


@dataclass(frozen=True)
class Nearness:
    """How near to a question the nearest is that led to a passage: its kind, and 0 (nothing in common) to 1 (the same).

    ``word`` says what that means: found, weak, nothing near; None for a model that it was not measured with.
    """

    kind: str
    similarity: float
    word: str | None


def reasons(passage: Passage) -> list[Reason]:
    """What led to a passage, in the order of `KINDS`, then by how much it counts; the same sentence once."""
    held: dict[str, Reason] = {}
    for reason in sorted(_reasons(passage), key=_order):
        name = _same(reason)
        known = held.setdefault(name, reason)
        if known is not reason and known.adds and reason.adds:
            held[name] = replace(known, value=(known.value or 0.0) + (reason.value or 0.0))
    return sorted(held.values(), key=_order)


def telling(passage: Passage, most: int = TELLING) -> list[Reason]:
    """The most informative reasons: of each kind one, before a kind has a second."""
    every = reasons(passage)
    places: dict[str, int] = {}
    turns = []
    for reason in every:
        turns.append(places.get(reason.kind, 0))
        places[reason.kind] = turns[-1] + 1
    chosen = sorted(range(len(every)), key=lambda place: (turns[place], place))[:most]
    return [every[place] for place in sorted(chosen)]


def nearness(evidence: Evidence, model: str | None) -> Nearness | None:
    """How near the nearest of all that led to the passages is, by vectors of ``model``; None where none is known."""
    near = [
        (step.similarity, _kind(path[: place + 1], passage))
        for passage in evidence.passages
        for path in passage.paths
        for place, step in enumerate(path)
        if step.label in _MADE and step.similarity is not None
    ]
    if not near:
        return None
    similarity, kind = max(near)
    word = next((word for least, word in WORDS.get(model or "", ()) if similarity >= least), None)
    return Nearness(kind, min(1.0, max(0.0, similarity)), word)


def with_nearest(evidence: Evidence, model: str | None) -> dict[str, Any]:
    """Everything as plain values, for JSON, with its `nearness`."""
    near = nearness(evidence, model)
    return {**evidence.as_dict(), "nearest": asdict(near) if near else None}


def _reasons(passage: Passage) -> Iterator[Reason]:
    for path in passage.paths:
        last = path[-1]
        adds = last.weight is not None and last.relationship in ("HIT", "FROM_CHUNK")
        yield Reason(_kind(path, passage), path, last.weight if adds else last.similarity, adds)


def _kind(path: tuple[Step, ...], passage: Passage) -> str:
    last = path[-1]
    if last.layer in ("words", "expandedWords"):
        return "words"
    if last.layer == "dates":
        return "date"
    if last.label == "Entity" and path[0].label == "Community":
        return "report"
    if last.label == "Entity" and len(path) > 2:
        return "chain"
    kind = _OF_LABELS.get(last.label, last.label.lower())
    return "sentence" if kind in _STATED and _flat(last.text) in _flat(passage.text) else kind


def _order(reason: Reason) -> tuple[int, float]:
    return RANKS.get(reason.kind, len(RANKS)), -(reason.value or 0.0)


def _same(reason: Reason) -> str:
    """What two reasons have in common that say the same."""
    if reason.kind == "chain" or reason.last.label == "Entity":
        return f"{reason.last.label} {reason.last.id}"
    return _flat(reason.last.text)


def _flat(text: str) -> str:
    return in_line(text).casefold()


@dataclass(frozen=True)
class Excerpt:
    """A part of a passage's text in one line; its nearest sentence is from ``first`` to ``last``, nothing if equal."""

    text: str
    first: int
    last: int


def excerpt(passage: Passage, question: str, most: int | None = CHARACTERS) -> Excerpt:
    """The text of a passage around the sentence nearest to what was found; all of it without ``most`` characters.

    The nearest sentence has the most words of the best query, fact or triple that led here, and of the question.
    """
    flat = in_line(passage.text)
    first, last = _stated(passage, flat) or _sentence(flat, _wanted(passage) | set(_words(question)))
    begin, end = 0, len(flat)
    if most is not None and len(flat) > most:
        room = max(0, most - (last - first)) // 2
        begin = min(max(0, first - room), len(flat) - most)
        end = begin + most
    text = f"{'…' if begin else ''}{flat[begin:end]}{'…' if end < len(flat) else ''}"
    shift = begin - (1 if begin else 0)
    return Excerpt(text, max(0, first - shift), max(0, min(last, end) - shift))


def way(reason: Reason, passage: Passage, places: Mapping[str, int], most: int = CHARACTERS) -> str:
    """What was found and how it leads here, in words; ``places`` are numbers by id: of passages, and of reports."""
    if reason.kind == "chain":
        return " → ".join(_before(step, places, most) for step in reason.path)
    before = " ← ".join(_before(step, places, most) for step in reversed(reason.path[:-1]))
    found = reason.last
    # A passage's text is no evidence for itself, and stands above already.
    is_itself = found.id == passage.id and found.text == passage.text
    text = "the passage itself" if is_itself else shortened(found.text, most)
    return f"{text}  ← {before}" if before else text


def amount(reason: Reason) -> str:
    """What a reason adds to the score, with its sign, or how near it is to the question."""
    return "" if reason.value is None else f"{reason.value:+.2f}" if reason.adds else f"{reason.value:.2f}"


def in_line(text: str) -> str:
    """The text in one line."""
    return " ".join(text.split())


def shortened(text: str, most: int = CHARACTERS) -> str:
    """The beginning of a text, in one line."""
    flat = in_line(text)
    return flat if len(flat) <= most else flat[: most - 1] + "…"


def _before(step: Step, places: Mapping[str, int], most: int) -> str:
    near = "" if step.similarity is None or step.layer else f" ({step.similarity:.2f})"
    if step.label == "Chunk":
        return (
            f"passage {places[step.id]}" if step.id in places else f"passage “{shortened(step.text, PAGE_CHARACTERS)}”"
        )
    return f"report {places[step.id]}{near}" if step.id in places else f"{shortened(step.text, most)}{near}"


def _stated(passage: Passage, flat: str) -> tuple[int, int] | None:
    """Where the best of its sentences begins and ends, where one led to the passage."""
    found = [in_line(reason.last.text) for reason in reasons(passage) if reason.kind == "sentence"]
    return next(((start, start + len(text)) for text in found if (start := flat.find(text)) >= 0), None)


def _wanted(passage: Passage) -> set[str]:
    """The words of the best query, fact or triple that led to a passage."""
    steps = [path[-1] for path in passage.paths if path[-1].label in ("Query", "Atom", "RELATED_TO")]
    best = max(steps, key=lambda step: step.similarity or 0.0, default=None)
    return set(_words(best.text)) if best else set()


def _sentence(text: str, wanted: set[str]) -> tuple[int, int]:
    """Where the sentence with the most of the wanted words begins and ends; nothing where none has two of them."""
    found = [(match.start(), match.end()) for match in re.finditer(r"\S.*?(?:[.!?؟۔](?=\s|$)|[。！？।]|$)", text)]
    hits = [len(wanted & set(_words(text[first:last]))) for first, last in found]
    best = max(range(len(found)), key=lambda place: hits[place], default=None)
    return found[best] if best is not None and hits[best] > 1 else (0, 0)


def _words(text: str) -> list[str]:
    """Words of three letters or more; pairs of letters in scripts that put no blanks between words."""
    # Marks are parts of words: vowels of Hindi, tones of Thai.
    words = "".join(" " if category(sign)[0] in "PSZC" else sign for sign in text.lower()).split()
    pairs = [word[place : place + 2] for word in words if _NO_BLANKS.search(word) for place in range(len(word) - 1)]
    return [word for word in words if len(word) > 2] + pairs
