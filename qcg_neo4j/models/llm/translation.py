"""Between the client's values and ours: reply formats, usage, errors (without any secret in them)."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from typing import Any

from qcg_neo4j.core.errors import LanguageModelError
from qcg_neo4j.models.prompts import Task

_KEY = re.compile(r"\b(sk|key|gsk|xai)-[\w*.-]{4,}")
_LONGEST = 300
_UNDECIDED = (408, 409, 429)  # the call may have been taken nevertheless, or is taken later
LARGER = "If that is a reply, allow it with --set llm.largest_reply=BYTES."


class PermanentError(LanguageModelError):
    """The endpoint will fail for every further call as well."""


class RefusedError(LanguageModelError):
    """The endpoint has refused this call, and done nothing."""


def response_format(task: Task) -> dict[str, Any]:
    """The task's schema as the endpoint takes it for structured output."""
    name = re.sub(r"\W", "_", task.name)
    return {"type": "json_schema", "json_schema": {"name": name, "strict": True, "schema": _closed(task.schema)}}


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


def is_endpoints(error: Exception) -> bool:
    """Whether the endpoint or the way to it failed, rather than this program.

    While a text streams, the errors of reading it come through; what is no JSON is a ValueError, unless it is nested
    too deep.
    """
    from qcg_neo4j.models.transfer import TooLargeError

    package = type(error).__module__.partition(".")[0]
    known = json.JSONDecodeError | UnicodeDecodeError | RecursionError | TimeoutError | TooLargeError
    return package in ("openai", "httpx", "httpx2") or isinstance(error, known)


def translate(
    error: Exception, address: str, model: str, secrets: Sequence[str], variable: str = "OPENAI_API_KEY"
) -> LanguageModelError:
    """The client's error in our words; `PermanentError` where another call cannot do better.

    ``variable`` is where the key comes from.
    """
    import openai

    from qcg_neo4j.models.transfer import TooLargeError

    told = redact(_message(error), secrets)
    if isinstance(error, openai.APITimeoutError | TimeoutError) or isinstance(error.__cause__, TimeoutError):
        return LanguageModelError(
            f"{address} did not reply in time.", "Allow more time with --set llm.timeout_seconds=SECONDS."
        )
    if isinstance(error, TooLargeError):
        return LanguageModelError(f"{address} {error}.", LARGER)
    if isinstance(error, RecursionError):
        return LanguageModelError(f"{address} sent JSON that is nested too deep.")
    if isinstance(error, openai.APIStatusError):
        return _status(error, told, address, model, variable)
    if isinstance(error, openai.APIConnectionError):
        cause = type(error.__cause__).__name__
        kind = PermanentError if cause in ("ConnectError", "UnsupportedProtocol") else LanguageModelError
        reason = redact(str(error.__cause__ or error), secrets)
        return kind(f"The connection to {address} failed: {reason}", "Is the endpoint running?")
    return LanguageModelError(f"{address}: {told}")


def _status(error: Any, told: str, address: str, model: str, variable: str) -> LanguageModelError:
    code = error.status_code
    if given_up := error.response.extensions.get("given_up"):
        return LanguageModelError(f"{address} {given_up}.", LARGER if "bytes" in given_up else "")
    if code in (401, 403):
        return PermanentError(f"{address} refuses the key ({code}): {told}", f"Set {variable} to a valid key.")
    if code == 404:
        return PermanentError(f"{address} does not know the model {model!r}, or has nothing at this path: {told}")
    if code == 402 or getattr(error, "code", None) in ("insufficient_quota", "billing_not_active"):
        return PermanentError(f"{address} asks for money first: {told}")
    kind = RefusedError if 400 <= code < 500 and code not in _UNDECIDED else LanguageModelError
    return kind(f"{address} failed with status {code}: {told}")


def _message(error: Exception) -> str:
    body = getattr(error, "body", None)
    told = body.get("message") if isinstance(body, dict) else None
    return str(told or getattr(error, "message", "") or error)[:_LONGEST]


def redact(text: str, secrets: Sequence[str]) -> str:
    """The text without secrets: the given ones, and whatever looks like a key."""
    for secret in secrets:
        text = text.replace(secret, "***")
    return _KEY.sub("***", text)
