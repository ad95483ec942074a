"""A question together with its sub-questions: the layers of all of them, and one walk."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar

from qcg_neo4j.core.errors import SettingsError
from qcg_neo4j.database.connection import Call
from qcg_neo4j.database.graph import Graph
from qcg_neo4j.database.permission import Permission
from qcg_neo4j.models.replies import ReplySource
from qcg_neo4j.retrieval.evidence import OF_PASSAGE, complete
from qcg_neo4j.retrieval.layers import WALK, WORDS_LAYERS, Layers, LayersSettings
from qcg_neo4j.retrieval.method import Found, Vector
from qcg_neo4j.retrieval.model_steps import AskingMethod, analysis

CANDIDATES = 50  # passages of each question that are looked at together
MOST = 4  # sub-questions
WITHOUT = (*WORDS_LAYERS, WALK)  # layers in which a chunk without anything counts as 0

Row = Mapping[str, Any]
Path = Sequence[Mapping[str, Any]]


@dataclass(frozen=True)
class LayersOfParts(AskingMethod):
    """The layers, asked for a question and for each sub-question of its analysis, added as one.

    A chunk scores in each layer the mean of what it scores for each of the questions, and by the walk that which
    reaches it most: from the names and the most promising passages of any of them. ``source`` is the language model
    (or recording) that analyses.
    """

    settings: LayersSettings = LayersSettings()
    source: ReplySource | None = field(default=None, compare=False, repr=False)
    name: ClassVar[str] = "layers of sub-questions"
    procedure: ClassVar[None] = None
    searches_words: ClassVar[bool] = True
    asks_model: ClassVar[bool] = True  # for the analysis

    def call(self, question: str, vector: Vector | None) -> Call:
        """None: each sub-question is a call of its own.

        Raises:
            SettingsError: always.
        """
        raise SettingsError("The layers of sub-questions run several statements.", "Take the method layers.")

    @property
    def looks_at(self) -> tuple[str, ...]:  # type: ignore[override] # which layers count is a matter of the settings
        """The kinds that the layers look at."""
        return Layers(self.settings).looks_at

    def _found(self, graph: Graph, question: str, vector: Vector, permitted: Permission) -> Found:
        """What the question and its sub-questions find together; the notes name these.

        Raises:
            SettingsError: no language model is given.
            MissingReplyError: the question has no analysis.
        """
        asked = [question, *sub_questions(question, self.needed_source())]
        vectors = [vector, *(graph.question_embedder().embed_questions(asked[1:]) if asked[1:] else ())]
        deep = Layers(replace(self.settings, passages=max(CANDIDATES, self.settings.passages)))
        both = zip(asked, vectors, strict=True)
        found = [complete(deep.rows(graph, text, own, permitted), *OF_PASSAGE) for text, own in both]
        notes = (f"asked as well: {'; '.join(asked[1:])}",) if asked[1:] else ()
        return Found.by_paths(together(found)[: self.settings.passages], notes)


def sub_questions(question: str, source: ReplySource) -> list[str]:
    """The sub-questions of a question's analysis, at most `MOST`; none that is the question itself.

    Raises:
        MissingReplyError: the question has no analysis.
    """
    texts = (one["question"].strip() for one in analysis(question, source)["sub_questions"])
    return [text for text in dict.fromkeys(texts) if text and text != question][:MOST]


def together(found: Sequence[Sequence[Row]]) -> list[Row]:
    """The rows of `Layers` for several questions as one ranking.

    Each layer counts by its mean, the walk by its most; what a question has not found counts as the worst that it has.
    """
    held: dict[str, Row] = {row["id"]: row for rows in found for row in rows}
    asked = [{row["id"]: {path[-1]["layer"]: path for path in row["paths"]} for row in rows} for rows in found]
    layers = dict.fromkeys(layer for paths in asked for own in paths.values() for layer in own)
    least = {layer: [_least(paths, layer) for paths in asked] for layer in layers}
    rows = [_added(row, [paths.get(key, {}) for paths in asked], least) for key, row in held.items()]
    return sorted(rows, key=lambda row: (-row["score"], row["id"]))


def _least(paths: Mapping[str, Mapping[str, Path]], layer: str) -> float:
    """What a chunk counts in which a question has found nothing by the layer."""
    if layer in WITHOUT:
        return 0.0
    return min((_adds(own[layer]) for own in paths.values() if layer in own), default=0.0)


def _adds(path: Path) -> float:
    """What the layer at the end of a path adds to the score."""
    return float(path[-1]["weight"])


def _added(row: Row, found: Sequence[Mapping[str, Path]], least: Mapping[str, Sequence[float]]) -> Row:
    """A chunk by its parts for all questions, each shown as the question has it that it is best for."""
    score, shown = 0.0, []
    for layer, worst in least.items():
        shares = [_adds(own[layer]) if layer in own else low for own, low in zip(found, worst, strict=True)]
        share = max(shares) if layer == WALK else sum(shares) / len(shares)
        score += share
        if own := [paths[layer] for paths in found if layer in paths]:
            *before, last = max(own, key=_adds)
            shown.append([*before, {**last, "weight": share}])
    return {**row, "score": score, "paths": sorted(shown, key=lambda path: -_adds(path))}
