"""The values that travel between the stages: documents in, evidence and answers out."""

from __future__ import annotations

import json
import unicodedata
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from hashlib import sha256
from typing import Any

Scalar = str | int | float | bool


def content_id(*parts: str) -> str:
    """An id made from contents: 32 hexadecimal digits that are the same wherever the parts read the same.

    Line ends, the byte order mark and the form in which Unicode writes an accent make no difference to a reader.

    >>> content_id("ab", "c") == content_id("ab", "c"), content_id("ab", "c") == content_id("a", "bc")
    (True, False)
    >>> content_id("a\\r\\nZu\\u0308rich") == content_id("\\ufeffa\\nZ\\u00fcrich")
    True
    """
    # JSON keeps the borders between the parts: ("ab", "c") and ("a", "bc") differ.
    return sha256(json.dumps([_as_read(part) for part in parts], ensure_ascii=False).encode()).hexdigest()[:32]


def _as_read(text: str) -> str:
    plain = text.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n")
    return unicodedata.normalize("NFC", plain)


@dataclass(frozen=True)
class SourceDocument:
    """A document as a person has it: either one ``text``, or ``passages`` that are already cut.

    ``markdown`` says that the text's headings and blocks may guide where it is cut; ``pages`` are where its pages end,
    in characters. ``notes`` say what a person should know of how it was read, ``listed_in`` is the file of JSON Lines
    that lists it.
    """

    id: str
    text: str = ""
    passages: tuple[str, ...] = ()
    title: str | None = None
    source: str | None = None
    published_at: str | None = None
    metadata: Mapping[str, Scalar | list[Scalar]] = field(default_factory=dict)
    markdown: bool = False
    pages: tuple[int, ...] = ()
    notes: tuple[str, ...] = ()
    listed_in: str | None = None


@dataclass(frozen=True)
class Rejected:
    """A piece of input that was left out: where it is and why.

    ``remedy`` says how such files can be read, where that is the same for all of them (a missing extra).
    """

    source: str
    line: int | None
    reason: str
    remedy: str = ""

    def __str__(self) -> str:
        return f"{self.source}:{self.line}: {self.reason}" if self.line else f"{self.source}: {self.reason}"


@dataclass(frozen=True)
class Step:
    """One node on the way from a question to a passage.

    ``relationship`` says how it was reached: ``HIT`` from the question itself, else the relationship's type
    from the step before. ``similarity`` is the cosine of node and question in [-1, 1]; ``weight`` belongs to
    the relationship (the cosine of both nodes for ``SIMILAR_TO``), None where it has none. ``layer`` is what found the
    passage, where a method adds several layers: then ``weight`` is what that one adds to the score.
    """

    label: str
    id: str
    text: str
    relationship: str
    similarity: float | None = None
    weight: float | None = None
    layer: str | None = None


@dataclass(frozen=True)
class NamedDocument:
    """A document as a result names it."""

    id: str
    title: str | None = None

    def __str__(self) -> str:
        return self.id if self.title in (None, self.id) else f"{self.title} ({self.id})"


@dataclass(frozen=True)
class Passage:
    """A chunk with its score (cosine scale unless the method says otherwise) and the paths that led to it.

    ``also`` are further documents that hold the same text, which is one passage. ``page`` to ``last_page`` are its
    pages (or slides), ``headings`` those that it stands below, the outermost first, ``metadata`` what its document
    says of itself.
    """

    id: str
    document: str
    index: int
    text: str
    score: float
    token_count: int
    title: str | None = None
    paths: tuple[tuple[Step, ...], ...] = ()
    also: tuple[NamedDocument, ...] = ()
    page: int | None = None
    last_page: int | None = None
    headings: tuple[str, ...] = ()
    metadata: Mapping[str, Any] = field(default_factory=dict)

    @property
    def place(self) -> str:
        """Its position in its document, in words; empty if unknown.

        >>> Passage("c", "d", 0, "…", 0.5, 9, "Handbook", page=3, last_page=4, headings=("Handbook", "Leave")).place
        'pages 3–4, Leave'
        """
        several = self.last_page is not None and self.last_page != self.page
        pages = "" if self.page is None else f"pages {self.page}–{self.last_page}" if several else f"page {self.page}"
        path = self.headings[1:] if self.headings[:1] == (self.title,) else self.headings
        return ", ".join(part for part in (pages, " › ".join(path)) if part)

    @property
    def documents(self) -> tuple[NamedDocument, ...]:
        """All documents that hold the text."""
        return (NamedDocument(self.document, self.title), *self.also)


@dataclass(frozen=True)
class Triple:
    """A relation as one chunk states it, with its textual representation (``ttr``) and its cosine to the question.

    ``added`` says that a path brought it, not the question's own likeness.
    """

    id: str
    source: str
    predicate: str
    target: str
    ttr: str
    chunk: str
    similarity: float
    added: bool = False


@dataclass(frozen=True)
class TriplePath:
    """A path through the subgraph: the ids of its triples, and its score (their mean cosine to the question)."""

    score: float
    triples: tuple[str, ...]


@dataclass(frozen=True)
class Subgraph:
    """What KG-CQR reads a question's context from: triples in the order of the context, paths best first."""

    triples: tuple[Triple, ...]
    paths: tuple[TriplePath, ...] = ()
    context: str = ""


@dataclass(frozen=True)
class Report:
    """A report on a community of a level; ``source`` is the model that wrote it, or "extractive" when none did.

    ``rating`` is its weight for the whole collection, 0 to 10; ``text`` is all of it.
    """

    id: str
    level: int
    title: str
    summary: str
    rating: float
    text: str
    source: str
    similarity: float | None = None


@dataclass(frozen=True)
class EntityHit:
    """An entity near to a question, with its cosine to it."""

    id: str
    name: str
    type: str
    description: str
    similarity: float


@dataclass(frozen=True)
class Claim:
    """A claim that somebody makes about an entity."""

    id: str
    type: str
    status: str
    description: str


@dataclass(frozen=True)
class Neighbourhood:
    """The neighbourhood of the entities near to a question: their relations and claims, the most important first."""

    entities: tuple[EntityHit, ...]
    relations: tuple[Triple, ...] = ()
    claims: tuple[Claim, ...] = ()


@dataclass(frozen=True)
class Atom:
    """A found atom: its PageRank as score, its cosine to the question, the chunks that state it.

    ``title`` is that of the first chunk's document; ``paths`` say why it was found: from which seeds, or as one.
    """

    id: str
    text: str
    score: float
    similarity: float
    chunks: tuple[str, ...]
    title: str
    paths: tuple[tuple[Step, ...], ...] = ()


@dataclass(frozen=True)
class Evidence:
    """What a method found for a question: passages in order, best first; the same type from every method.

    ``subgraph``, ``thoughts`` (the steps of a multi-step retrieval), ``reports`` (on communities), ``neighbourhood``
    (of entities) and ``atoms`` are there where the method has them.
    """

    question: str
    method: str
    passages: tuple[Passage, ...]
    settings: Mapping[str, Any] = field(default_factory=dict)
    seconds: float = 0.0
    notes: tuple[str, ...] = ()
    subgraph: Subgraph | None = None
    thoughts: tuple[str, ...] = ()
    reports: tuple[Report, ...] = ()
    neighbourhood: Neighbourhood | None = None
    atoms: tuple[Atom, ...] = ()

    @property
    def citable(self) -> tuple[Passage | Atom, ...]:
        """What an answer is written from, and cites: the atoms where the method found some, else the passages."""
        return self.atoms or self.passages

    def as_dict(self) -> dict[str, Any]:
        """Everything as plain values, for JSON."""
        return asdict(self)


@dataclass(frozen=True)
class Usage:
    """What calls of a language model cost: numbers of calls and of tokens; ``untold`` calls came without the latter."""

    calls: int = 0
    input_tokens: int = 0
    output_tokens: int = 0
    untold: int = 0

    def __add__(self, other: Usage) -> Usage:
        return Usage(
            self.calls + other.calls,
            self.input_tokens + other.input_tokens,
            self.output_tokens + other.output_tokens,
            self.untold + other.untold,
        )


@dataclass(frozen=True)
class MissingReply:
    """What a language model gave no usable reply about (its id, or what it was), and why; what was there stays.

    ``place`` is what people call it: a chunk's document and index, an entity's name.
    """

    id: str
    reason: str
    place: str | None = None

    def __str__(self) -> str:
        return f"{self.place or self.id}: {self.reason}"
