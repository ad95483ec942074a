"""What is asked in each turn of a request: once more for what was cut off, or with the error of a wrong reply shown."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from qcg_neo4j.core.errors import InvalidReplyError
from qcg_neo4j.models.llm.completion import Completion
from qcg_neo4j.models.prompts import Message, Task
from qcg_neo4j.models.replies import Request, read_reply

TURNS = 2
_CORRECTION = (
    "That reply cannot be used. {error}\nReply again, with one JSON object of the right form and nothing else."
)
_SHOWN = 4000  # characters of a wrong reply that the model is shown again


@dataclass(frozen=True)
class Turn:
    """What is sent, and how many tokens the reply may have."""

    messages: list[Message]
    longest: int


def next_turn(request: Request, came: Iterable[Completion], longest: int) -> Turn:
    """The turn after those that brought nothing usable; the first one allows ``longest`` tokens."""
    messages = request.messages()
    for completion in came:
        if completion.cut_off:
            longest *= 2
        else:
            messages = [*request.messages(), *_correction(completion.text, _wrong(request.task, completion, longest))]
    return Turn(messages, longest)


def read_value(task: Task, completion: Completion, longest: int) -> dict[str, Any]:
    """The reply that a model wrote in at most ``longest`` tokens.

    Raises:
        InvalidReplyError: it refused, was cut off, or wrote something else.
    """
    if completion.refusal:
        raise InvalidReplyError(f"The model refused: {completion.refusal[:200]}")
    if completion.cut_off:
        raise InvalidReplyError(f"The reply was cut off at {longest} tokens.")
    return read_reply(task, completion.text)


def given_up(reason: str) -> str:
    """What is told of a request whose last turn brought nothing usable either."""
    return f"two replies could not be used, the second: {reason}"


def _wrong(task: Task, completion: Completion, longest: int) -> str:
    try:
        read_value(task, completion, longest)
    except InvalidReplyError as error:
        return error.problem
    return ""


def _correction(text: str, error: str) -> list[Message]:
    return [
        {"role": "assistant", "content": text[:_SHOWN] or "(nothing)"},
        {"role": "user", "content": _CORRECTION.format(error=error)},
    ]
