"""One look for every place where the graph is drawn: a colour, a size and a caption per label.

The colours are Okabe and Ito's, which people with any colour vision tell apart; a paler one of the same hue belongs to
the same layer. The five layers: documents, queries, entities, atoms, communities.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Look:
    """How a label is drawn: colours of node and text, diameter in Browser's pixels, and the property shown."""

    layer: str
    colour: str
    text_colour: str
    diameter: int
    caption: str


BLACK, WHITE = "#000000", "#FFFFFF"
LOOKS: dict[str, Look] = {
    "Document": Look("documents", "#0072B2", WHITE, 80, "id"),
    "Chunk": Look("documents", "#56B4E9", BLACK, 65, "text"),
    "Window": Look("documents", "#BBE1F6", BLACK, 40, "index"),
    "Query": Look("queries", "#E69F00", BLACK, 65, "question"),
    "SyntheticQuery": Look("queries", "#F5D590", BLACK, 50, "text"),
    "Entity": Look("entities", "#009E73", BLACK, 65, "name"),
    "Atom": Look("atoms", "#D55E00", WHITE, 65, "text"),
    "Claim": Look("atoms", "#F2BF9E", BLACK, 50, "description"),
    "Community": Look("communities", "#CC79A7", BLACK, 80, "title"),
}
# In pictures alone: a question is no node, and a triple is a relationship between entities.
DRAWN: dict[str, Look] = {
    "Question": Look("question", "#F0E442", BLACK, 90, "text"),
    "Triple": Look("entities", "#009E73", BLACK, 65, "ttr"),
}
LINE = "#8A8F98"  # of every relationship: grey tells itself from all of the colours
# Label -> the properties that are for people; vectors are for programs.
PROPERTIES = {
    "Document": ("title", "id", "source", "publishedAt"),
    "Chunk": ("text", "id", "index", "tokenCount"),
    "Window": ("index", "start", "end", "id"),
    "Query": ("question", "answer", "similarity", "source", "text", "id"),
    "SyntheticQuery": ("text", "source", "id"),
    "Entity": ("name", "type", "description", "id"),
    "Atom": ("text", "source", "id"),
    "Claim": ("description", "type", "status", "startDate", "endDate", "id"),
    "Community": ("title", "summary", "level", "size", "rating", "report", "reportSource", "id"),
}
# Type of relationship -> the labels that it joins; below, its properties for people.
SEGMENTS: dict[str, tuple[tuple[str, str], ...]] = {
    "FROM_DOCUMENT": (("Chunk", "Document"),),
    "NEXT_CHUNK": (("Chunk", "Chunk"),),
    "SAME_TEXT_AS": (("Chunk", "Chunk"),),
    "FROM_CHUNK": tuple((label, "Chunk") for label in ("Window", "Query", "Entity", "Atom", "Claim")),
    "SIMILAR_TO": (("Query", "Query"), ("Atom", "Atom")),
    "ANSWERED_BY": (("SyntheticQuery", "Atom"),),
    "RELATED_TO": (("Entity", "Entity"),),
    "MENTIONS": (("Atom", "Entity"),),
    "ABOUT": (("Claim", "Entity"),),
    "SYNONYM_OF": (("Entity", "Entity"),),
    "IN_COMMUNITY": (("Entity", "Community"),),
    "PARENT": (("Community", "Community"),),
}
RELATIONSHIP_PROPERTIES = {
    "SIMILAR_TO": ("score",),
    "RELATED_TO": ("predicate", "strength", "ttr", "chunkId", "id"),
    "SYNONYM_OF": ("score",),
}
# The types of properties that are no texts, as Bloom names them.
TYPES = {
    **dict.fromkeys(("index", "tokenCount", "start", "end", "level", "size"), "bigint"),
    **dict.fromkeys(("similarity", "rating", "score", "strength"), "number"),
}
# What a relationship shows that does not show its type.
CAPTIONS = {"RELATED_TO": "predicate"}
