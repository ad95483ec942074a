"""What is taken from a model's text as the reply to a task, and what is not."""

from __future__ import annotations

import json
from unicodedata import normalize

import pytest

from qcg_neo4j.core.errors import InvalidReplyError
from qcg_neo4j.models.prompts import task
from qcg_neo4j.models.replies import (
    Request,
    check_material,
    read_reply,
    split_reasoning,
    without_opened_reasoning,
)

PAIRS = [{"question": "Who?", "answer": "Li."}]
VALUE = {"pairs": PAIRS}
GOOD = json.dumps(VALUE)
DRAFT = json.dumps({"pairs": [{"question": "A draft?", "answer": "Yes."}]})
TAKEN = {
    "as it is": GOOD,
    "fenced": f"```json\n{GOOD}\n```",
    "between sentences": f"Here you are:\n{GOOD}\nAnything else?",
    "single quotes, no quotes, trailing commas": "{pairs: [{'question': 'Who?', answer: 'Li.',},]} // done",
    "cut off at its end": GOOD[:-2],
    "reasoning between tags": f"<think>The passage names Li.</think>\n\n{GOOD}",
    "reasoning with braces": f"<think>I may write {DRAFT} or {{}}.</think>{GOOD}",
    "reasoning with braces before a fence": f"<think>{{pairs}}?</think>\n```json\n{GOOD}\n```",
    "only the closing tag": f"The reply could be {DRAFT}.\n</think>\n{GOOD}",
    "other tags": f"<reasoning>Well.</reasoning><Reflection>{DRAFT}</Reflection> {GOOD}",
    "tags that nobody knows": f"<inner_voice>{DRAFT}</inner_voice>{GOOD}",
    "tags in square brackets": f"[THINK]{DRAFT}[/THINK]{GOOD}",
    "other signs": f"◁think▷{DRAFT}◁/think▷{GOOD}",
    "channels": f"<|channel|>analysis<|message|>{DRAFT}<|end|><|start|>assistant<|channel|>final<|message|>{GOOD}",
    "a draft without tags": f"First idea: {DRAFT}. Better: {GOOD}",
    "a list of sources before it": f"[1] and [2] say so. {GOOD}",
    "the list alone": json.dumps(PAIRS),
    "inside another object": json.dumps({"response": VALUE}),
    "names in other case": '{"Pairs": [{"Question": "Who?", "ANSWER": "Li."}]}',
    "a tag inside the reply": json.dumps({"pairs": PAIRS, "note": "</think> is a tag"}),
}
NOT_TAKEN = {
    "nothing": "",
    "reasoning alone": f"<think>{GOOD}</think>",
    "reasoning without an end": f"<think>I could write {GOOD}",
    "prose": "Li met Adam.",
    "names in another language": '{"paare": [{"frage": "Wer?", "antwort": "Li."}]}',
    "names that mean the same": '{"questions": [{"q": "Who?", "a": "Li."}]}',
    "a list of something else": '["Who?", "Li."]',
    "the schema itself": json.dumps(dict(task("generate/pairs").schema)),
    "a form without its fields": '{"pairs": [{"question": "Who?"}]}',
}


@pytest.mark.parametrize("text", TAKEN.values(), ids=TAKEN.keys())
def test_what_is_taken(text: str) -> None:
    assert read_reply(task("generate/pairs"), text)["pairs"] == PAIRS


@pytest.mark.parametrize("text", NOT_TAKEN.values(), ids=NOT_TAKEN.keys())
def test_what_is_not_taken(text: str) -> None:
    with pytest.raises(InvalidReplyError):
        read_reply(task("generate/pairs"), text)


@pytest.mark.parametrize("value", [[1, 3], [2]])
def test_numbers_in_a_sentence_are_no_reply(value: list[int]) -> None:
    with pytest.raises(InvalidReplyError):
        read_reply(task("retrieve/filter_triples"), f"I think that {value} do not help.")


@pytest.mark.parametrize("name", ["think", "thinking", "thought", "reasoning", "seed:think", "scratchpad"])
@pytest.mark.parametrize("size", [1, 3, 1000])
def test_an_answer_comes_without_the_reasoning_before_it(name: str, size: int) -> None:
    text = f"\n<{name}>Perhaps [2]? <b>No</b>.</{name}>\n\nIt was <b>Li</b> [1]."
    pieces = [text[start : start + size] for start in range(0, len(text), size)]
    assert "".join(without_opened_reasoning(pieces)).strip() == "It was <b>Li</b> [1]."
    assert split_reasoning(text) == ("Perhaps [2]? <b>No</b>.", "It was <b>Li</b> [1].")


def request(text: str) -> Request:
    return Request(task("generate/pairs"), text, {"text": text, "count": "20"})


@pytest.mark.parametrize(
    ("text", "question", "answer"),
    [
        ("Li met Adam.", "Whom did Li meet?", "Adam."),
        ("李明在星期一见到了亚当。", "李明见到了谁?", "亚当"),
        ("ลีพบกับอดัมในวันจันทร์", "ใครพบอดัม", "ลี"),
        ("Ли встретил Адама.", "Кого встретил Ли?", "Адама"),
        (normalize("NFD", "김치는 맛있다"), "무엇이 맛있나?", "김치"),
        ("\ufeb3\ufefc\ufee1", "ما هذا؟", "سلام"),  # as PDFs hold Arabic
        ("Write pairs of a question and its answer about this passage, she said.", "Who said it?", "She, about pairs."),
    ],
)
def test_a_reply_about_the_text_is_taken(text: str, question: str, answer: str) -> None:
    check_material(request(text), {"pairs": [{"question": question, "answer": answer}]})


@pytest.mark.parametrize(
    ("question", "answer", "said"),
    [
        ("What is the capital of France?", "Paris.", "shares no word"),
        ("谁写了这本书?", "鲁迅", "shares no word"),
        ("Who met Li?", "Its short answer, in the passage's words.", "repeats the prompt"),
        ("Write pairs of a question and its answer about this passage", "Li.", "repeats the prompt"),
    ],
)
def test_a_reply_about_something_else_is_not_taken(question: str, answer: str, said: str) -> None:
    with pytest.raises(InvalidReplyError, match=said):
        check_material(request("Li met Adam in the garden."), {"pairs": [{"question": question, "answer": answer}]})


def test_a_reply_that_says_nothing_is_one() -> None:
    check_material(request("Li met Adam."), {"pairs": []})


@pytest.mark.parametrize("choice", ["yes", "no"])
def test_a_choice_of_the_schema_is_about_any_text(choice: str) -> None:
    variables = {"text": "Li met Adam."}
    check_material(Request(task("extract/missed"), variables["text"], variables), {"missed": choice})


def test_the_mark_around_material_is_another_one_at_every_call() -> None:
    from qcg_neo4j.models.llm.attempts import next_attempt

    sent = [str(next_attempt(request("Li met Adam."), [], 100).messages) for _ in range(50)]
    assert len(set(sent)) == 50
    assert request("Li met Adam.").prompt == request("Li met Adam.").prompt
