"""Between the client's values and ours: reply formats, usage, errors (without any secret in them)."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from typing import Any

from qcg_neo4j.core.errors import LanguageModelError
from qcg_neo4j.models.prompts import Task
from qcg_neo4j.models.refusals import is_about_text, reason_of, redact

_LONGEST = 300
_UNDECIDED = (408, 409, 429)  # the call may have been taken nevertheless, or is taken later
ANOTHER = "Such a text is not sent to this model again. Another model may take it, or smaller chunks."
CERTIFICATE = (
    "Name the file of the authority that signed the endpoint's certificate in SSL_CERT_FILE, or correct the address: "
    "http:// is without encryption."
)
LARGER = "If that is a reply, allow it with --set llm.largest_reply=BYTES."


class PermanentError(LanguageModelError):
    """The endpoint will fail for every further call as well."""


class RefusedError(LanguageModelError):
    """The endpoint has refused this call, and done nothing."""


class RefusedTextError(RefusedError):
    """It has refused this call for its text: what it says, or how long it is."""


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
    import httpx2
    import openai

    known = json.JSONDecodeError | UnicodeDecodeError | RecursionError
    return isinstance(error, openai.OpenAIError | httpx2.HTTPError | httpx2.StreamError | known)


def translate(
    error: Exception, address: str, model: str, secrets: Sequence[str], variable: str = "OPENAI_API_KEY"
) -> LanguageModelError:
    """The client's error in our words; `PermanentError` where another call cannot do better.

    ``variable`` is where the key comes from.
    """
    import httpx2
    import openai

    from qcg_neo4j.models.bounded_client import GivenUpError, TooLargeError

    told = _told(error, secrets)
    if isinstance(error, openai.APITimeoutError | httpx2.TimeoutException):
        return LanguageModelError(
            f"{address} did not reply in time.",
            "Ask fewer at once (--set llm.concurrency=N), or wait longer (--set llm.timeout_seconds=SECONDS).",
        )
    if isinstance(error, GivenUpError):
        return LanguageModelError(f"{address} {told}.", LARGER if isinstance(error, TooLargeError) else "")
    if isinstance(error, RecursionError):
        return LanguageModelError(f"{address} sent JSON that is nested too deep.")
    if isinstance(error, openai.APIStatusError):
        return _status(error, reason_of(error, secrets), address, model, variable)
    if isinstance(error, openai.APIConnectionError):
        cause = type(error.__cause__).__name__
        kind = PermanentError if cause in ("ConnectError", "UnsupportedProtocol") else LanguageModelError
        reason = redact(str(error.__cause__ or error), secrets)
        remedy = CERTIFICATE if "SSL" in reason or "CERTIFICATE" in reason else "Is the endpoint running?"
        return kind(f"The connection to {address} failed: {reason}", remedy)
    return LanguageModelError(f"{address}: {told}")


def _status(error: Any, told: str, address: str, model: str, variable: str) -> LanguageModelError:
    code = error.status_code
    if code in (401, 403):
        return PermanentError(f"{address} refuses the key ({code}): {told}", f"Set {variable} to a valid key.")
    if code == 404:
        return PermanentError(f"{address} does not know the model {model!r}, or has nothing at this path: {told}")
    if code == 402 or getattr(error, "code", None) in ("insufficient_quota", "billing_not_active"):
        return PermanentError(f"{address} requires payment: {told}")
    problem = f"{address} failed with status {code}: {told}"
    if 400 <= code < 500 and code not in _UNDECIDED:
        return RefusedTextError(problem, ANOTHER) if is_about_text(error, told) else RefusedError(problem)
    return LanguageModelError(problem)


def _told(error: Exception, secrets: Sequence[str]) -> str:
    """What the client says of itself; the errors inside a stream have a body as well."""
    body = getattr(error, "body", None)
    message = body.get("message") if isinstance(body, dict) else None
    return redact(str(message or getattr(error, "message", "") or error), secrets)[:_LONGEST]
