"""What each attempt at a request sends, and what comes back, read without trust."""

from __future__ import annotations

import json
import re
import secrets
import string
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from qcg_neo4j.core.errors import InvalidReplyError, LanguageModelError
from qcg_neo4j.core.records import Usage
from qcg_neo4j.models.prompts import Message, Task
from qcg_neo4j.models.refusals import reason_in
from qcg_neo4j.models.replies import Request, check_material, read_reply

ATTEMPTS = 2
_CORRECTION = (
    "That reply cannot be used. {error}\nReply again, with one JSON object of the right form and nothing else."
)
_SHOWN = 4000  # characters of a wrong reply that the model is shown again
_LETTERS = string.ascii_lowercase + string.digits
# Why a model ends a whole reply, in the words of several endpoints; "" where that is not told.
_WHOLE = ("", "stop", "stop_sequence", "end_turn", "eos", "eos_token", "complete", "tool_calls", "function_call")
_FILTERED = "content_filter"
_MOST_TOKENS = 2**40  # no call has more; what is told beyond it is no count


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
    """The reply that a model wrote; `InvalidReplyError` where it refused, was cut off, or wrote something else."""
    value = read_form(request.task, completion, most_tokens)
    check_material(request, value)
    return value


def read_form(task: Task, completion: Completion, most_tokens: int) -> dict[str, Any]:
    """The same of a request whose text is not at hand: its form alone is checked."""
    check_end(completion, most_tokens)
    return read_reply(task, completion.text)


def check_end(completion: Completion, most_tokens: int) -> None:
    """`InvalidReplyError` where the model refused or was cut off."""
    if completion.refusal:
        raise InvalidReplyError(f"The model refused: {completion.refusal[:200]}")
    if completion.cut_off:
        more = "If it needs more, allow them with --set llm.max_output_tokens=N."
        raise InvalidReplyError(f"The reply was cut off; it could have {most_tokens} tokens.", more)


def given_up(reason: str) -> str:
    """What is said of a request whose last attempt brought nothing usable either."""
    return f"two replies could not be used, the second: {reason}"


def _wrong(request: Request, completion: Completion, most_tokens: int) -> str:
    try:
        read_value(request, completion, most_tokens)
    except InvalidReplyError as error:
        return error.problem
    return ""


@dataclass(frozen=True)
class Completion:
    """What a model wrote; ``cut_off`` when it was not finished, mostly since it was at its longest."""

    text: str
    usage: Usage
    cut_off: bool = False
    refusal: str | None = None

    @classmethod
    def from_dict(cls, values: dict[str, Any]) -> Completion:
        """The completion of these values, as `asdict` gives them."""
        return cls(**{**values, "usage": Usage(**values["usage"])})


def read_completion(body: bytes, address: str, secrets: Sequence[str]) -> Completion:
    """The completion in the body of a response; `LanguageModelError` where there is none."""
    try:
        found = json.loads(body)
    except (ValueError, RecursionError):
        raise no_completion(address, "what is no JSON") from None
    return completion_of(found, address, secrets)


def completion_of(found: Any, address: str, secrets: Sequence[str]) -> Completion:
    """The completion in a decoded body; `LanguageModelError` where there is none, without ``secrets``."""
    choices = _get(found, "choices")
    if not choices and (reason := reason_in({"error": _get(found, "error")}, secrets)):
        raise LanguageModelError(f"{address} failed: {reason}")
    if not isinstance(choices, list) or not choices or not isinstance(choices[0], dict):
        raise no_completion(address, "no choices")
    message = choices[0].get("message")
    if not isinstance(message, dict):
        raise no_completion(address, "a choice without a message")
    text, usage = text_of(message.get("content")), read_usage(found.get("usage"))
    return ended(text, usage, choices[0].get("finish_reason"), message.get("refusal"))


def ended(text: str, usage: Usage, reason: Any, refusal: Any = None) -> Completion:
    """What a model wrote until it ended for that reason: a filter refuses; what is not known to be whole is cut off."""
    known = reason.lower() if isinstance(reason, str) else ""
    if known == _FILTERED:
        refusal = refusal or "a content filter ended the reply"
    return Completion(text, usage, known not in (*_WHOLE, _FILTERED), refusal if isinstance(refusal, str) else None)


def text_of(content: Any) -> str:
    """The text of a message: the content itself, or that of its parts which are text."""
    if isinstance(content, str):
        return content
    parts = content if isinstance(content, list) else []
    texts = (part.get("text") if isinstance(part, dict) else part for part in parts)
    return "".join(text for text in texts if isinstance(text, str))


def read_usage(told: Any) -> Usage:
    """One call with the tokens that the endpoint reports; ``untold`` if it reports none."""
    counts = [_get(told, name) for name in ("prompt_tokens", "completion_tokens")]
    if all(type(count) is int and 0 <= count < _MOST_TOKENS for count in counts):
        return Usage(1, *counts)
    return Usage(1, untold=1)


def read_piece(event: Any) -> tuple[str, Usage | None, Any]:
    """The text of an event of a stream, its usage if reported, and why the text ends, if it does."""
    choices, told = _get(event, "choices"), _get(event, "usage")
    choice = choices[0] if isinstance(choices, list) and choices else None
    text = text_of(_get(_get(choice, "delta"), "content"))
    return text, read_usage(told) if told else None, _get(choice, "finish_reason")


def _get(value: Any, name: str) -> Any:
    return value.get(name) if isinstance(value, dict) else getattr(value, name, None)


def no_completion(address: str, what: str) -> LanguageModelError:
    """What came is no completion, but ``what``."""
    return LanguageModelError(f"{address} sent {what}: it is not an OpenAI-compatible endpoint, or it is failing.")


def reply_format(task: Task) -> dict[str, Any]:
    """The parameter that holds a reply to the task's schema, as structured output."""
    schema = {"name": re.sub(r"\W", "_", task.name), "strict": True, "schema": _closed(task.schema)}
    return {"response_format": {"type": "json_schema", "json_schema": schema}}


def _closed(schema: Any) -> Any:
    """The schema with all properties required and no further ones allowed, as strict structured output demands."""
    if isinstance(schema, list):
        return [_closed(item) for item in schema]
    if not isinstance(schema, dict):
        return schema
    closed = {name: _closed(value) for name, value in schema.items()}
    if schema.get("type") != "object":
        return closed
    return {**closed, "required": list(schema.get("properties", {})), "additionalProperties": False}
