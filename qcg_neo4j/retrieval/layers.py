"""The layers of one graph together, and a walk over shared entities: the default method."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar
from unicodedata import category

import numpy as np

from qcg_neo4j.core.days import days_in
from qcg_neo4j.core.settings import setting
from qcg_neo4j.database.connection import Call
from qcg_neo4j.database.conversion import Rows
from qcg_neo4j.database.graph import Graph
from qcg_neo4j.database.permission import Permission
from qcg_neo4j.retrieval.method import PASSAGES, OneStatement, RetrieveSettings, Vector, call_of

STATEMENT = (
    "retrieve/words | retrieve/layers/hits | retrieve/layers/seeds"
    " | retrieve/layers/walk | retrieve/layers/walk | retrieve/layers" + PASSAGES
)
WALK = "Entity"  # what the paths call the walk
# The layers that indexes are asked for, with the names of their weights.
WEIGHTS = {
    "Query": "query_weight",
    "Window": "window_weight",
    "Atom": "atom_weight",
    "RELATED_TO": "triple_weight",
    "words": "fulltext_weight",
    "expandedWords": "expanded_weight",
    "dates": "date_weight",
}
WORDS_LAYERS = ("words", "expandedWords", "dates")  # without a common word a chunk counts as 0 in these


@dataclass(frozen=True)
class LayersSettings(RetrieveSettings):
    """All layers of the graph together, and a walk over shared entities; a weight of 0 leaves a layer out."""

    hits: int = setting(
        100, "Number of nearest entries per layer; at least the number of candidates.", minimum=1, maximum=1000
    )
    query_weight: float = setting(1.0, "Weight of the cosine of a chunk's best query.", minimum=0.0)
    window_weight: float = setting(1.0, "Weight of the cosine of its best window.", minimum=0.0)
    atom_weight: float = setting(1.0, "Weight of the cosine of its best atom.", minimum=0.0)
    triple_weight: float = setting(1.0, "Weight of the cosine of its best triple.", minimum=0.0)
    fulltext_weight: float = setting(1.0, "Weight of BM25 relative to the question's best score.", minimum=0.0)
    expanded_weight: float = setting(
        1.0,
        "Weight of BM25 over the text with its queries, atoms and triples, relative to the best score.",
        minimum=0.0,
    )
    date_weight: float = setting(
        2.0, "Weight of a day of the question that a chunk names, or its document is of.", minimum=0.0
    )
    walk_weight: float = setting(3.0, "Weight of the walk over entities, if it starts at the best chunks.", minimum=0.0)
    walk_seeds: int = setting(3, "Number of chunks at which the walk starts.", minimum=1, maximum=1000)
    name_share: float = setting(
        0.9,
        "Share of the walk that starts at the pages of names in the question; 0 = off.",
        minimum=0.0,
        maximum=1.0,
    )
    page_share: float = setting(
        0.7, "Minimum share of the mentions of a name that its page holds.", minimum=0.0, maximum=1.0
    )
    chain_weight: float = setting(10.0, "Weight of the walk over entities, if it starts at names.", minimum=0.0)
    about_power: float = setting(
        2.0,
        "When the question names an entity, weight chunks by (how much they are about an entity) to this power.",
        minimum=0.0,
        maximum=100.0,
    )
    relation_sharpness: float = setting(
        10.0,
        "When the question names an entity, weight entities by exp(x · cosine of their best triple); 0 = off.",
        minimum=0.0,
        maximum=100.0,
    )
    further_chunks: int = setting(
        10,
        "When the question names an entity, number of chunks from which half of the walk continues; 0 = off.",
        minimum=0,
        maximum=1000,
    )
    rest_alone: bool = setting(
        True, "When the question names an entity, compare other chunks with the question without its names."
    )
    max_entity_degree: int = setting(1000, "Maximum number of chunks of an entity that the walk follows.", minimum=1)


@dataclass(frozen=True)
class Layers(OneStatement):
    """Sum of a chunk's best query, window, atom, triple, BM25, and a walk over shared entities.

    The walk begins at the most promising chunks; with ``name_share`` mostly at the pages of names in the question.

    Cosines are taken as they are, BM25 as a share of the question's best. Each layer brings its nearest ``hits``; a
    chunk that is not among them counts as the last of them, without a common word as 0. A layer that the graph lacks
    takes no part; the paths say what each layer found and adds to the score.
    """

    settings: LayersSettings = LayersSettings()
    name: ClassVar[str] = "layers"
    procedure: ClassVar[str] = "qcg.retrieve.layers"
    searches_words: ClassVar[bool] = True

    @property
    def looks_at(self) -> tuple[str, ...]:  # type: ignore[override] # which layers count is a matter of the settings
        """The kinds of the layers in use, besides the ones that every document has."""
        return tuple(kind for kind in self.layers if kind in ("Query", "Atom", "RELATED_TO"))

    @property
    def layers(self) -> list[str]:
        """The layers that count."""
        return [layer for layer, weight in WEIGHTS.items() if getattr(self.settings, weight)]

    def call(self, question: str, vector: Vector | None, names: Sequence[Mapping[str, Any]] = ()) -> Call:
        """All of it in one statement; ``names`` are the rows of ``retrieve/layers/names``."""
        assert vector is not None  # noqa: S101 - the method needs it
        chosen = self.settings
        rest = without(vector, [name["vector"] for name in names])
        questions = [{"vector": vector, "without": []}]
        if names and chosen.rest_alone:
            words = [word for name in names for word in name["name"].split()]
            questions.append({"vector": rest, "without": words})
        candidates = chosen.candidate_factor * chosen.passages
        told = {
            "questions": questions,
            "names": [{**name, "vector": None} for name in names],
            "dates": days_in(question),
            "rest": rest,
        }
        hits = max(chosen.hits, candidates)
        # As one map: the database makes a plan for each length of a list.
        return call_of(
            STATEMENT, chosen, question, vector, asked=told, layers=self.layers, candidates=candidates, hits=hits
        )

    def names(self, graph: Graph, question: str, vector: Vector | None, permitted: Permission) -> Rows:
        """The names in a question that have a page; asked for where it has a capital inside, or a script without."""
        chosen = self.settings
        follows = chosen.walk_weight and chosen.name_share and chosen.chain_weight
        may_name = any(map(str.isupper, question[1:])) or any(category(letter) == "Lo" for letter in question)
        if not (follows and may_name):
            return []
        return graph.rows(permitted.applied(call_of("retrieve/layers/names", chosen, question, vector)))

    def rows(self, graph: Graph, question: str, vector: Vector | None, permitted: Permission) -> Rows:
        """One round trip, or two where the question may hold a name."""
        names = self.names(graph, question, vector, permitted)
        return graph.rows(permitted.applied(self.call(question, vector, names)))


def without(vector: Vector, names: Sequence[Sequence[float] | None]) -> Vector:
    """The vector of unit length without what it shares with those of the names; itself where nothing would be left.

    >>> without(np.array([0.6, 0.8]), [[1.0, 0.0]]).tolist()
    [0.0, 1.0]
    """
    for name in (np.asarray(name, vector.dtype) for name in names if name is not None):
        left = vector - (vector @ name) * name
        if (length := np.linalg.norm(left)) > 1e-3:
            vector = left / length
    return vector
