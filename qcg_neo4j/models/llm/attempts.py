"""What each attempt at a request sends: it asks once more for what was cut off, or shows the error of a wrong reply."""

from __future__ import annotations

import secrets
import string
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from qcg_neo4j.core.errors import InvalidReplyError
from qcg_neo4j.models.llm.completion import Completion
from qcg_neo4j.models.prompts import Message, Task
from qcg_neo4j.models.replies import Request, check_material, read_reply

ATTEMPTS = 2
_CORRECTION = (
    "That reply cannot be used. {error}\nReply again, with one JSON object of the right form and nothing else."
)
_SHOWN = 4000  # characters of a wrong reply that the model is shown again
_LETTERS = string.ascii_lowercase + string.digits


@dataclass(frozen=True)
class Attempt:
    """What is sent, and how many tokens the reply may have."""

    messages: list[Message]
    most_tokens: int


def next_attempt(request: Request, earlier: Sequence[Completion], most_tokens: int) -> Attempt:
    """The attempt after unusable ones; the first one allows ``most_tokens``."""
    mark = "".join(secrets.choice(_LETTERS) for _ in range(12))  # 62 bits
    messages = asked = request.messages(f"material-{mark}")
    for completion in earlier:
        if completion.cut_off:
            most_tokens *= 2
        else:
            correction = _CORRECTION.format(error=_wrong(request, completion, most_tokens))
            messages = [
                *asked,
                {"role": "assistant", "content": completion.text[:_SHOWN] or "(nothing)"},
                {"role": "user", "content": correction},
            ]
    return Attempt(messages, most_tokens)


def read_value(request: Request, completion: Completion, most_tokens: int) -> dict[str, Any]:
    """The reply that a model wrote in at most ``most_tokens``.

    Raises:
        InvalidReplyError: it refused, was cut off, or wrote something else.
    """
    value = read_form(request.task, completion, most_tokens)
    check_material(request, value)
    return value


def read_form(task: Task, completion: Completion, most_tokens: int) -> dict[str, Any]:
    """The same of a request whose text is not at hand: its form alone is checked."""
    if completion.refusal:
        raise InvalidReplyError(f"The model refused: {completion.refusal[:200]}")
    if completion.cut_off:
        raise InvalidReplyError(f"The reply was cut off at {most_tokens} tokens.")
    return read_reply(task, completion.text)


def given_up(reason: str) -> str:
    """What is said of a request whose last attempt brought nothing usable either."""
    return f"two replies could not be used, the second: {reason}"


def _wrong(request: Request, completion: Completion, most_tokens: int) -> str:
    try:
        read_value(request, completion, most_tokens)
    except InvalidReplyError as error:
        return error.problem
    return ""
