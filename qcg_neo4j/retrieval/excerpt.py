"""Evidence in short: the part of a passage around its best hit, and how a reason leads to a passage, in words."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from unicodedata import category

from qcg_neo4j.core.records import Passage, Step
from qcg_neo4j.retrieval.reasons import Reason, reasons

CHARACTERS = 400
PAGE_CHARACTERS = 40  # of the text of a passage that a way leads over
_NO_BLANKS = re.compile("[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]")


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
    return re.sub(r"\s+", " ", text).strip()


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
    found = [" ".join(reason.last.text.split()) for reason in reasons(passage) if reason.kind == "sentence"]
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
