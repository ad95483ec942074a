"""A question with its sub-questions: what is asked, and how the rows of all become one ranking."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from qcg_neo4j.core.errors import SettingsError
from qcg_neo4j.models.replies import Recording, key_of
from qcg_neo4j.retrieval.chain import MOST, LayersOfParts, sub_questions, together

QUESTION = "Who is the mother of the director of The Circle?"


def row(chunk: str, **shares: float) -> dict[str, Any]:
    """A row of the layers; the hits are called by their shares, so that it is seen whose are shown."""
    paths = [[{"layer": layer, "weight": share, "id": f"{layer} {share}"}] for layer, share in shares.items()]
    return {"id": chunk, "score": sum(shares.values()), "paths": paths}


def test_layers_count_by_their_mean_and_the_walk_by_its_most() -> None:
    found = together(
        [
            [row("page", Query=0.9, words=1.0, Entity=9.0), row("other", Query=0.5, words=0.2)],
            [row("page", Query=0.3, Entity=2.0), row("bridge", Query=0.7, words=0.4, Entity=6.0)],
        ]
    )
    assert {one["id"]: one["score"] for one in found} == pytest.approx(
        {
            "page": 0.6 + 0.5 + 9.0,
            "bridge": (0.7 + 0.5) / 2 + 0.2 + 6.0,  # 0.5: the worst query that the first question has found
            "other": (0.5 + 0.3) / 2 + 0.1,
        }
    )
    assert [one["id"] for one in found] == ["page", "bridge", "other"]


def test_a_layer_without_anything_of_a_chunk_counts_as_the_worst_as_it_does_for_one_question() -> None:
    found = together([[row("a", Query=0.9, Atom=0.8), row("b", Query=0.7)], [row("a", Query=0.5), row("b", Query=0.5)]])
    assert {one["id"]: one["score"] for one in found} == pytest.approx({"a": 0.7 + 0.4, "b": 0.6 + 0.4})
    assert [path[-1]["layer"] for path in found[1]["paths"]] == ["Query"]  # what it has nothing of is not shown


def test_a_part_is_shown_as_the_question_has_it_that_it_is_best_for() -> None:
    found = together([[row("page", Query=0.3, Entity=2.0)], [row("page", Query=0.9, Entity=9.0)]])
    assert [path[-1]["id"] for path in found[0]["paths"]] == ["Entity 9.0", "Query 0.9"]


def test_one_question_alone_stays_as_it_is() -> None:
    rows = [row("a", Query=0.9, Entity=1.0), row("b", Query=0.5)]
    assert together([rows]) == [
        {**one, "paths": sorted(one["paths"], key=lambda path: -path[-1]["weight"])} for one in rows
    ]


def test_sub_questions_are_asked_once_and_not_the_question_again(tmp_path: Path) -> None:
    texts = [QUESTION, "Who directed The Circle?", " Who directed The Circle? ", "", *(f"Who {i}?" for i in range(9))]
    parts = [{"focus": "entity", "question": text} for text in texts]
    reply = {"complexity": 9, "entities": [], "sub_questions": parts, "hypothetical_passage": ""}
    file = tmp_path / "analyses.jsonl"
    file.write_text(json.dumps({"task": "analyse/question", "key": key_of(QUESTION), "reply": reply}), encoding="utf-8")
    asked = sub_questions(QUESTION, Recording([file]))
    assert asked == ["Who directed The Circle?", "Who 0?", "Who 1?", "Who 2?"]
    assert len(asked) == MOST


def test_there_is_no_single_statement() -> None:
    with pytest.raises(SettingsError, match="run several statements"):
        LayersOfParts().call(QUESTION, None)
