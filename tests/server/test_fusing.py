"""Several rankings as one, by hand and over the sample."""

from __future__ import annotations

import pytest

from qcg_neo4j.core.errors import InputError
from qcg_neo4j.core.records import Passage, Step
from qcg_neo4j.database.graph import Graph
from qcg_neo4j.retrieval import Fulltext, Fused, RetrieveSettings, VectorBaseline, VectorSettings
from qcg_neo4j.retrieval.around.reordered import fused
from qcg_neo4j.retrieval.catalogue import AroundSettings, compose

QUESTION = "Which gym did Wolfgang recommend to Li Hua?"


def passages(**scores: float) -> list[Passage]:
    step = Step("Window", "w", "text", "HIT")
    return [Passage(name, "d", 0, name, score, 1, paths=((step,),)) for name, score in scores.items()]


def test_reciprocal_ranks_by_hand() -> None:
    found = fused([passages(a=9.0, b=8.0), passages(c=0.3, a=0.2)], "ranks")
    assert [item.id for item in found] == ["a", "c", "b"]
    assert [item.score for item in found] == pytest.approx([1 / 61 + 1 / 62, 1 / 61, 1 / 62])
    assert [len(item.paths) for item in found] == [2, 1, 1]


def test_standardized_scores_by_hand() -> None:
    """A passage that one has not found counts as its last one; equal scores say nothing."""
    found = fused([passages(a=3.0, b=1.0), passages(c=5.0, a=1.0), passages(a=2.0)], "scores")
    assert [(item.id, item.score) for item in found] == [("a", 0.0), ("c", 0.0), ("b", -2.0)]


def test_methods_are_fused_in_the_database(sample: Graph) -> None:
    vector, words = VectorBaseline(VectorSettings(passages=3)), Fulltext(RetrieveSettings(passages=3))
    for by in ("ranks", "scores"):
        both = Fused(vector, (words,), by)
        found = both.retrieve(sample, QUESTION)
        assert found.method == both.name == f"vector + fulltext fused by {by}"
        assert len(found.passages) == 3
        deep = [
            inner.with_settings(RetrieveSettings(passages=50, context_tokens=10**6)).retrieve(sample, QUESTION).passages
            for inner in (words,)
        ] + [VectorBaseline(VectorSettings(passages=50, context_tokens=10**6)).retrieve(sample, QUESTION).passages]
        assert [item.id for item in found.passages] == [item.id for item in fused(deep[::-1], by)[:3]]


def test_methods_are_named_on_the_command_line() -> None:
    made = compose("vector", {}, AroundSettings(fuse="fulltext, layers", fuse_by="scores"), None)
    assert made.name == "vector + fulltext + layers fused by scores"
    with pytest.raises(InputError, match="nonsense"):
        compose("vector", {}, AroundSettings(fuse="nonsense"), None)
