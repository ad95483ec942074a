"""A language model that orders passages: what it reads, what becomes of what it says."""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest

from qcg_neo4j.cli.method_options import step_settings
from qcg_neo4j.core.errors import SettingsError
from qcg_neo4j.core.records import Evidence, Passage
from qcg_neo4j.models.prompts import numbered
from qcg_neo4j.models.replies import Recording
from qcg_neo4j.models.replies.exchange import key_of
from qcg_neo4j.retrieval.around.reordered import JUDGE, JudgedOrder
from qcg_neo4j.retrieval.catalogue import AroundSettings, around_method, asks_a_model
from qcg_neo4j.retrieval.method import OneStatement, RetrieveSettings

PASSAGES = tuple(Passage(f"c{number}", "d", number, f"Text {number}.", 1.0, 5) for number in range(30))
QUESTION = "Who founded it?"


@dataclass(frozen=True)
class Found(OneStatement):
    """Finds the first of the passages above."""

    settings: RetrieveSettings = RetrieveSettings()
    name = "found"

    def call(self, question: str, vector: Any) -> Any:
        raise NotImplementedError

    def retrieve(self, graph: Any, question: str, vector: Any = None) -> Evidence:
        return Evidence(question, self.name, PASSAGES[: self.settings.passages])


def recording(folder: Path, read: tuple[Passage, ...], order: list[int]) -> Recording:
    key = key_of(f"{QUESTION}\n{numbered(read)}")
    (folder / "judge.jsonl").write_text(json.dumps({"task": JUDGE, "key": key, "reply": {"order": order}}) + "\n")
    return Recording([folder / "judge.jsonl"])


def names(method: Any) -> list[str]:
    return [passage.id for passage in method.retrieve(None, QUESTION).passages]


def test_the_first_stays_and_what_the_model_names_comes_next(tmp_path: Path) -> None:
    source = recording(tmp_path, PASSAGES[:20], [7, 3, 1, 99, 7])
    judged = JudgedOrder(Found(), source=source)
    found = judged.retrieve(None, QUESTION)  # type: ignore[arg-type] # nothing asks the graph
    assert [passage.id for passage in found.passages] == ["c0", "c6", "c2", "c1", "c3"]
    assert [passage.score for passage in found.passages] == pytest.approx([1, 1 / 2, 1 / 3, 1 / 4, 1 / 5])
    assert (found.method, judged.asks_model) == ("found + judge over 20", True)
    many = judged.with_settings(replace(judged.settings, passages=25))
    assert names(many) == ["c0", "c6", "c2", "c1", *(f"c{place}" for place in (3, 4, 5, *range(7, 25)))]


def test_as_few_as_is_said_are_read_and_nothing_is_no_question(tmp_path: Path) -> None:
    made = around_method(Found(), AroundSettings(judge=5), recording(tmp_path, PASSAGES[:5], [5]))
    assert names(made) == ["c0", "c4", "c1", "c2", "c3"]
    one = Found(RetrieveSettings(passages=1))
    source = Recording([])
    assert JudgedOrder(one, source=source).ordered(None, QUESTION, ()) == []  # type: ignore[arg-type] # not asked
    assert [one.id for one in JudgedOrder(one, source=source).ordered(None, QUESTION, PASSAGES[:1])] == ["c0"]  # type: ignore[arg-type]


def test_it_is_a_step_of_its_own() -> None:
    assert step_settings(("judge",)) == {"judge": "20"}
    assert step_settings(("judge=5",)) == {"judge": "5"}
    assert asks_a_model(Found(), AroundSettings(judge=20))
    with pytest.raises(SettingsError, match="'judge' requires a language model"):
        around_method(Found(), AroundSettings(judge=20), None)
    with pytest.raises(SettingsError, match="2 to 20"):
        AroundSettings(judge=21)
