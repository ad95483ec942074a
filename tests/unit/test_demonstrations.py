"""Demonstrations: each prompt that has one in its paper has one of ours, as a turn that can be left out."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from qcg_neo4j.cli.index import PROFILES
from qcg_neo4j.core.errors import InvalidReplyError
from qcg_neo4j.models.prompts import task
from qcg_neo4j.models.prompts.task import tasks
from qcg_neo4j.models.replies import Request, check_material

# Doc2Query; elements and report of GraphRAG; names and triples, answers of AtomicRAG; chunks and questions of LP-RAG.
SHOWN = [
    "answer/abstract",
    "answer/precise",
    "extract/granular",
    "extract/graph",
    "generate/pairs",
    "report/community",
    "train/questions",
]
FOLDER = Path(__file__).parents[2] / "qcg_neo4j/models/prompts"
VARIABLES = dict.fromkeys(
    ("text", "count", "types", "about", "examples", "records", "names", "atoms", "passages", "question", "knowledge"),
    "given",
)


def test_these_prompts_have_one() -> None:
    assert [name for name in tasks() if task(name).demonstration] == SHOWN
    assert len(list(FOLDER.rglob("*.example.json"))) == len(SHOWN)


@pytest.mark.parametrize("name", SHOWN)
def test_it_is_a_good_reply_in_a_turn_of_its_own(name: str) -> None:
    plain, shown = (Request(task(name), "text", VARIABLES, demonstrated) for demonstrated in (False, True))
    system, asked, reply, question = shown.messages()
    assert [system, question] == plain.messages()
    assert [asked["role"], reply["role"]] == ["user", "assistant"]
    assert "Lindau" in asked["content"]
    task(name).check(json.loads(reply["content"]))
    assert (plain.key == shown.key, plain.prompt == shown.prompt) == (True, False)


def test_an_answer_that_reasons_first_is_shown_as_plain_text() -> None:
    chat = task("answer/precise").messages({**VARIABLES, "mark": "m"}, as_json=False, demonstrated=True)
    assert chat[2]["content"].endswith("\nAnswer: Jonas Feld")


def test_a_reply_that_repeats_the_demonstration_is_refused() -> None:
    text = "Adam went to the harbour, and paid for the repair of a boat."
    asked = Request(task("generate/pairs"), text, {"text": text, "count": "3"}, demonstrated=True)
    demonstration = asked.task.demonstration
    assert demonstration is not None
    with pytest.raises(InvalidReplyError, match=r"repeats the prompt|shares no word"):
        check_material(asked, demonstration["reply"])


def test_profiles_of_papers_show_them() -> None:
    shown = {
        (name, stage)
        for name, stages in PROFILES.items()
        for stage, table in stages.items()
        if "demonstration" in table
    }
    assert shown == {
        ("qcg-rag", "generate"),
        ("graphrag", "extract"),
        ("graphrag", "report"),
        ("atomic-rag", "extract"),
        ("lp-rag", "extract"),
    }
