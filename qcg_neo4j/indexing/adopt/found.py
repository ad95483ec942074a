"""What others keep in the database that could be chunks: labels, texts, vectors, documents."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from qcg_neo4j.core.errors import InputError
from qcg_neo4j.core.settings import Settings, nearest, setting
from qcg_neo4j.database.graph import Graph

Row = Mapping[str, Any]
SAMPLE = 200  # nodes of a label that are looked at
LEAST_CHARACTERS, LONG_CHARACTERS = 10, 100  # that a text has on average, in a property of a known name or another
# What others call these things, the most telling first.
LABELS = ("Chunk", "TextChunk", "TextUnit", "Passage", "Paragraph", "Section", "Document", "Text")
TEXTS = ("text", "content", "page_content", "body", "passage", "chunk")
VECTORS = ("embedding", "vector", "embeddings", "textEmbedding")
JOINED = ("FROM_DOCUMENT", "PART_OF", "HAS_CHUNK", "BELONGS_TO", "IN_DOCUMENT", "CONTAINS", "CHUNK_OF", "HAS_PASSAGE")
NAMES = ("source", "fileName", "file_name", "document_id", "documentId", "doc_id", "file", "path", "url")
ORDERS = ("index", "position", "chunk_index", "chunkIndex", "chunk", "order", "start_index")
# What adopting and the stages write to a chunk: on theirs these names must be free.
OWN = (
    *("textHash", "tokenCount", "embeddedAs", "words", "expandedWords", "generated", "expanded", "extracted"),
    *("extractedBy", "namesOnly", "d2qAllEmbedding", "d2qKeptEmbedding", "headings", "page", "lastPage", "dates"),
)
HELD = (*OWN, "qcgAdded", "adoptedFrom", "contentHash")


@dataclass(frozen=True)
class AdoptSettings(Settings):
    """Which nodes of others are chunks, and what their properties and relationships mean; what is not said is found."""

    chunk_label: str | None = setting(None, "The label of the chunks.")
    text_property: str | None = setting(None, "The property with the text of a chunk.")
    embedding_property: str | None = setting(None, "The property with the vector of a chunk.")
    their_vectors: bool = setting(
        False,
        "Reuse the existing vectors; they must come from the embedding model. Off: embed again.",
    )
    document_relationship: str | None = setting(
        None, "The type of the relationship between chunks and documents, in either direction."
    )
    document_property: str | None = setting(
        None, "The property of a chunk that names its document, if documents have no nodes."
    )
    order_property: str | None = setting(None, "The property with the position of a chunk in its document.")
    beside: bool = setting(False, "Create a node of our own for each chunk and document; theirs stay unmarked.")


@dataclass(frozen=True)
class Found:
    """Nodes of others that may be chunks: their label, how many there are, and what holds text, vector and the rest.

    ``document`` is the label at the other end of ``relationship``; ``indexes`` are over the vectors.
    """

    label: str
    nodes: int
    texts: int
    text: str
    embedding: str | None = None
    dimension: int | None = None
    indexes: tuple[str, ...] = ()
    relationship: str | None = None
    document: str | None = None
    document_property: str | None = None
    order: str | None = None
    maker: str = "unknown"

    @property
    def told_documents(self) -> str:
        """How a chunk's document is found, in words."""
        if self.relationship:
            return f"{self.document} ({self.relationship})"
        return f"by {self.document_property}" if self.document_property else "one for all"


def find(graph: Graph, settings: AdoptSettings = AdoptSettings()) -> tuple[Found, ...]:
    """What may be adopted, the most probable first; changes nothing.

    Raises:
        InputError: the label, or a property that the settings name, is not there.
    """
    rows: defaultdict[str, list[Row]] = defaultdict(list)
    for row in graph.rows("adopt/properties", sample=SAMPLE, own=list(HELD)):
        rows[row["label"]].append(row)
    _checked(settings.chunk_label, rows, "Others have no nodes with the label")
    labels = [settings.chunk_label] if settings.chunk_label else list(rows)
    texts = {label: settings.text_property or _text(rows[label]) for label in labels}
    candidates = sorted((label for label in labels if texts[label]), key=lambda label: _rank(label, rows[label]))
    if settings.text_property is not None:
        candidates = [name for name in candidates if settings.text_property in _names(rows[name], "text")]
    if settings.chunk_label is not None and not candidates:
        raise _no_text(settings, rows[settings.chunk_label])
    fitting, problems = [], []
    for label in candidates:
        try:
            fitting.append(_found(graph, label, str(texts[label]), rows[label], settings))
        except InputError as problem:
            problems.append(problem)
    if problems and not fitting:  # what the first one lacks
        raise problems[0]
    return tuple(fitting)


def _found(graph: Graph, label: str, text: str, rows: list[Row], settings: AdoptSettings) -> Found:
    number = graph.rows("adopt/number", label=label, text=text)[0]
    vectors = _names(rows, "vector")
    given = _checked(settings.embedding_property, vectors, f"Nodes with the label {label!r} have no vectors in")
    embedding = given or _first(VECTORS, vectors) or next(iter(vectors), None)
    indexes = [row["name"] for row in graph.rows("schema/indexes") if row["dimension"] and label in row["covers"]]
    for name in (settings.order_property, settings.document_property):
        _checked(name, [row["property"] for row in rows], "The chunks have no property")
    found = Found(
        label,
        **number,
        text=text,
        embedding=embedding,
        dimension=next((row["dimension"] for row in rows if row["property"] == embedding), None),
        indexes=tuple(indexes),
        order=settings.order_property or _first(ORDERS, _names(rows, "integer")),
    )
    return _with_maker(_with_documents(graph, found, rows, settings), rows)


def _with_documents(graph: Graph, found: Found, rows: list[Row], settings: AdoptSettings) -> Found:
    if settings.document_property is not None:
        return replace(found, document_property=settings.document_property)
    joined = graph.rows("adopt/neighbours", label=found.label, sample=SAMPLE)
    types = [row["type"] for row in joined]
    wanted = _checked(settings.document_relationship, types, "The chunks have no relationships of type")
    known = [row for row in joined if row["type"] == wanted or (wanted is None and row["type"] in JOINED)]
    known.sort(key=lambda row: JOINED.index(row["type"]) if row["type"] in JOINED else 0)
    if best := max(known, key=lambda row: row["chunks"], default=None):  # of equals that of the better known name
        return replace(found, relationship=best["type"], document=best["label"])
    everywhere = [row["property"] for row in rows if row["kind"] == "text" and row["number"] == row["nodes"]]
    return replace(found, document_property=_first(NAMES, everywhere))


def _with_maker(found: Found, rows: list[Row]) -> Found:
    properties = {row["property"] for row in rows}
    if any(row["builder"] for row in rows):
        maker = "neo4j-graphrag"
    elif found.relationship == "PART_OF" and {"position", "fileName"} & properties:
        maker = "llm-graph-builder"
    elif found.relationship is None and found.indexes and {"id", found.text, found.embedding} <= properties:
        maker = "LangChain"
    else:
        maker = found.maker
    return replace(found, maker=maker)


def _text(rows: Iterable[Row]) -> str | None:
    """The property that most probably holds a chunk's text: a known name, else the longest texts."""
    texts = {row["property"]: row["characters"] for row in rows if row["kind"] == "text"}
    long = [name for name, characters in texts.items() if characters >= LONG_CHARACTERS]
    known = [name for name, characters in texts.items() if characters >= LEAST_CHARACTERS]
    return _first(TEXTS, known) or max(long, key=texts.__getitem__, default=None)


def _rank(label: str, rows: list[Row]) -> tuple[bool, int, int, str]:
    """The most probable first: with vectors, of a known name, many."""
    known = LABELS.index(label) if label in LABELS else len(LABELS)
    return not _names(rows, "vector"), known, -rows[0]["nodes"], label


def _names(rows: Iterable[Row], kind: str) -> list[str]:
    return [row["property"] for row in rows if row["kind"] == kind]


def _first(known: Iterable[str], there: Iterable[str]) -> str | None:
    present = set(there)
    return next((name for name in known if name in present), None)


def _checked(name: str | None, there: Iterable[str], lacking: str) -> str | None:
    """A name as it is given, if at all; refused where it is not there."""
    names = sorted(set(there))
    if name is not None and name not in names:
        raise InputError(f"{lacking} {name!r}.", nearest(name, names))
    return name


def _no_text(settings: AdoptSettings, rows: Iterable[Row]) -> InputError:
    texts = _names(rows, "text")
    if settings.text_property is not None:
        return InputError(
            f"The nodes with the label {settings.chunk_label!r} hold no text in {settings.text_property!r}.",
            nearest(settings.text_property, texts),
        )
    return InputError(
        f"None of the properties of {settings.chunk_label!r} looks like the text of a chunk.",
        f"Name it with --text-property; texts are in {', '.join(texts)}." if texts else "",
    )
