"""The layers of one graph together, and a walk over shared entities: the default method."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, ClassVar

from qcg_neo4j.core.records import Passage, Step
from qcg_neo4j.core.settings import setting
from qcg_neo4j.database.connection import Call
from qcg_neo4j.database.conversion import configuration
from qcg_neo4j.retrieval.method import CandidateSettings, OneStatement, RetrieveSettings, call_of
from qcg_neo4j.retrieval.present import metadata, named

if TYPE_CHECKING:
    from qcg_neo4j.retrieval.method import Vector

# What the rows call the walk, and the layers of words; without anything in these a chunk counts as 0.
WALK, WORDS_LAYERS = "Entity", ("words", "expandedWords")
# What a step to the chunk itself says, since it has no text of its own.
WORDS = "the question's words in its text"
EXPANDED_WORDS = "the question's words in its text and in what was generated from it"
WALK_BEGINS = "where the walk over shared entities begins"


@dataclass(frozen=True)
class LayerScoreSettings(CandidateSettings):
    """What the layers and the walk weigh; a weight of 0 leaves a layer out."""

    layer_candidates: int = setting(5, "Chunks that each layer proposes.", minimum=1, maximum=1000)
    query_weight: float = setting(1.0, "Weight of the cosine of a chunk's best query.", minimum=0.0)
    window_weight: float = setting(1.0, "Weight of the cosine of its best window.", minimum=0.0)
    atom_weight: float = setting(1.0, "Weight of the cosine of its best atom.", minimum=0.0)
    triple_weight: float = setting(1.0, "Weight of the cosine of its best triple.", minimum=0.0)
    fulltext_weight: float = setting(1.0, "Weight of BM25, as a share of the question's best.", minimum=0.0)
    expanded_weight: float = setting(
        1.0, "Weight of BM25 over the text with its queries, atoms and triples, as a share of the best.", minimum=0.0
    )
    walk_weight: float = setting(
        3.0, "Weight of being reached over entities that the most promising chunks name.", minimum=0.0
    )
    walk_seeds: int = setting(3, "Chunks that the walk begins at.", minimum=1, maximum=1000)
    walk_chunks: int = setting(10, "Chunks that the walk proposes.", minimum=0, maximum=1000)
    name_share: float = setting(
        0.9,
        "Share of the walk that begins at the pages of names in the question; 0 looks for no names.",
        minimum=0.0,
        maximum=1.0,
    )
    page_share: float = setting(
        0.7, "Share of what chunks say about a name that one must hold to be its page.", minimum=0.0, maximum=1.0
    )
    chain_weight: float = setting(10.0, "Weight of being reached where the walk begins at names.", minimum=0.0)
    about_power: float = setting(
        2.0, "With names: the walk prefers chunks by how much they are about an entity, to this power.", minimum=0.0
    )
    relation_sharpness: float = setting(
        10.0, "With names: the walk prefers entities by e to so many cosines of their triple; 0 none.", minimum=0.0
    )
    further_chunks: int = setting(
        10, "With names: chunks from which half of the walk goes on once more; 0 none.", minimum=0, maximum=1000
    )
    rest_alone: bool = setting(
        True, "With names: whether all chunks but their pages are compared with the question without its names."
    )
    max_entity_degree: int = setting(1000, "Entities that more chunks name are not followed.", minimum=1)


@dataclass(frozen=True)
class LayersSettings(LayerScoreSettings, RetrieveSettings):
    """All layers of the graph together, and a walk over shared entities; a weight of 0 leaves a layer out."""


class LayeredMethod(OneStatement):
    """A method whose rows say what each layer found; here this becomes paths."""

    searches_words: ClassVar[bool] = True

    def passage(self, question: str, row: Mapping[str, Any]) -> Passage:
        """A row as a passage, with a path per layer, that first which adds most."""
        facts = {**row, "headings": tuple(row["headings"] or ()), "metadata": metadata(row["metadata"])}
        parts, also = facts.pop("layers"), named(facts.pop("also"))
        return Passage(**facts, also=also, paths=tuple(_path(part, row["text"]) for part in parts))


def _path(part: Mapping[str, Any], text: str) -> tuple[Step, ...]:
    """What the layer found; from another chunk over what that states, if the walk came from one, and from its name."""
    layer = part["layer"]
    # What a layer finds in the chunk itself has no text of its own.
    own = {
        **dict(zip(WORDS_LAYERS, (WORDS, EXPANDED_WORDS), strict=True)),
        WALK: WALK_BEGINS,
        "Window": text,
    }
    is_chunk = part["text"] is None and layer != "Window"
    before = _before(part)
    found = Step(
        "Chunk" if is_chunk else layer,
        part["id"],
        own[layer] if part["text"] is None else part["text"],
        "FROM_CHUNK" if before else "HIT",
        part["score"],
        part["share"],
    )
    return (*before, found)


def _before(part: Mapping[str, Any]) -> tuple[Step, ...]:
    """The way of the walk to the entity over which it came: a name in the question, its page, a triple of that."""
    ways = (("Entity", "name", "nameText"), ("Chunk", "seed", "seedText"), ("RELATED_TO", "stated", "statedText"))
    steps: list[Step] = []
    for label, key, text in ways:
        if part[key] is not None:
            steps.append(Step(label, part[key], part[text], "FROM_CHUNK" if steps else "HIT", None, None))
    return tuple(steps)


@dataclass(frozen=True)
class Layers(LayeredMethod):
    """Best query, window, atom, triple and BM25 of a chunk, and a walk over entities, added.

    The walk begins at the most promising chunks; with ``name_share`` mostly at the pages of names in the question.

    Cosines are taken as they are, BM25 as a share of the question's best, so that a score does not depend on the other
    candidates. A layer that the graph lacks takes no part; the paths say what each layer found and adds to the score.
    """

    settings: LayersSettings = LayersSettings()
    name: ClassVar[str] = "layers"
    procedure: ClassVar[str] = "qcg.retrieve.layers"

    @property
    def looks_at(self) -> tuple[str, ...]:  # type: ignore[override] # which layers count is a matter of the settings
        """The kinds of the layers that count, besides those that every document has."""
        chosen = self.settings
        weights = {"Query": chosen.query_weight, "Atom": chosen.atom_weight, "RELATED_TO": chosen.triple_weight}
        return tuple(kind for kind, weight in weights.items() if weight)

    def call(self, question: str, vector: Vector | None) -> Call:
        """``retrieve/layers`` with these settings; ``retrieve/parts/layers_scored`` where the plug-in is."""
        chosen = self.settings
        candidates = chosen.candidate_factor * chosen.layer_candidates
        by_statement = call_of("retrieve/layers", chosen, question, vector, candidates=candidates)
        told = {**configuration(chosen, LayerScoreSettings), "candidates": candidates}
        by_procedure = call_of("retrieve/parts/layers_scored", chosen, question, vector, configuration=told)
        return replace(by_statement, by_procedure=by_procedure)
