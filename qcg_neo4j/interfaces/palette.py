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
# What a relationship shows: a property, or its type ("<type>").
RELATIONSHIPS: dict[str, str] = {
    "FROM_DOCUMENT": "<type>",
    "NEXT_CHUNK": "<type>",
    "SAME_TEXT_AS": "<type>",
    "FROM_CHUNK": "<type>",
    "SIMILAR_TO": "<type>",
    "RELATED_TO": "predicate",
    "MENTIONS": "<type>",
    "ABOUT": "<type>",
    "ANSWERED_BY": "<type>",
    "SYNONYM_OF": "<type>",
    "IN_COMMUNITY": "<type>",
    "PARENT": "<type>",
}
LINE = "#8A8F98"  # of every relationship: grey tells itself from all of the colours
