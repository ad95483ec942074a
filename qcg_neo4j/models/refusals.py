"""What an endpoint says when it refuses a call or fails, in our words and without secrets."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from qcg_neo4j.core.addresses import redact
from qcg_neo4j.core.errors import LanguageModelError

if TYPE_CHECKING:
    from openai import APIStatusError

_LONGEST = 300  # characters of a reason that are shown
_TAG = re.compile(r"<(script|style)\b.*?</\1>|<[^>]*>", re.DOTALL | re.IGNORECASE)
# Where the reason is: OpenAI and vLLM, FastAPI, TEI, TGI, LM Studio, Mistral, Gemini, problem details (RFC 9457).
_NAMES = ("message", "msg", "error", "errors", "detail", "details", "reason", "error_description", "title")
_ABOUT_TEXT = re.compile(
    r"content.?(?:filter|policy|management)|safety|moderation|prohibited|recitation|"
    r"context.?(?:length|size|window)|(?:prompt|input|text|request)s? (?:is|are)? ?too (?:long|large)|"
    r"maximum (?:context|input|sequence)|too many (?:input )?tokens|"
    r"tokens?\b.{0,60}\b(?:exceed|maximum|must be (?:<|less))",
    re.IGNORECASE,
)
_TOO_LARGE = 413
_UNDECIDED = (408, 409, 429)  # the call may have been taken nevertheless, or is taken later
ANOTHER = "Such a text is not sent to this model again. Another model may take it, or smaller chunks."
CERTIFICATE = (
    "Name the file of the authority that signed the endpoint's certificate in SSL_CERT_FILE, or correct the address: "
    "http:// is without encryption."
)
LARGER = "If that is a reply, allow it with --set llm.largest_reply=BYTES."


def reason_of(error: APIStatusError, secrets: Sequence[str]) -> str:
    """Why an endpoint refuses a call, in its own words."""
    text = error.response.text
    try:
        told = reason_in(json.loads(text), secrets)
    except (ValueError, RecursionError):
        told = reason_in(_TAG.sub(" ", text), secrets)
    return told or redact(str(error.message), secrets)[:_LONGEST]


def reason_in(found: Any, secrets: Sequence[str]) -> str:
    """The reason in the decoded body of an error; empty where none is in it, or too deep."""
    try:
        told = " ".join("; ".join(dict.fromkeys(_reasons(found))).split())
    except RecursionError:
        return ""
    return redact(told, secrets)[:_LONGEST]


def _reasons(found: Any) -> Iterator[str]:
    """The sentences of an error's body, wherever they are in it; a parameter's name before its own."""
    if isinstance(found, str) and found.strip():
        yield found.strip()
    elif isinstance(found, list):
        for item in found:
            yield from _reasons(item)
    elif isinstance(found, dict):
        place = found.get("loc")
        where = ".".join(str(part) for part in place if part != "body") if isinstance(place, list) else ""
        for name in _NAMES:
            for reason in _reasons(found.get(name)):
                yield f"{where}: {reason}" if where else reason


def is_about_text(error: APIStatusError, reason: str) -> bool:
    """Whether the endpoint refuses this text (its content, its length), rather than the way it is asked."""
    return error.status_code == _TOO_LARGE or names_text(f"{reason} {error.code or ''}")


def refuses_text(status: int, reason: str) -> bool:
    """Whether a call that ended with this status, and for this reason, was refused for its text."""
    return _is_refusal(status) and (status == _TOO_LARGE or names_text(reason))


def _is_refusal(status: int) -> bool:
    return 400 <= status < 500 and status not in _UNDECIDED


def names_text(reason: str) -> bool:
    """Whether a reason is about the text that was sent: its content or its length."""
    return bool(_ABOUT_TEXT.search(reason))


class PermanentError(LanguageModelError):
    """The endpoint will fail for every further call as well."""


class RefusedError(LanguageModelError):
    """The endpoint has refused this call, and done nothing."""


class RefusedTextError(RefusedError):
    """It has refused this call for its text: what it says, or how long it is."""


def is_endpoints(error: Exception) -> bool:
    """Whether the endpoint or the way to it failed, rather than this program.

    While a text streams, the errors of reading it come through; what is no JSON is a ValueError, unless it is nested
    too deep.
    """
    import httpx2
    import openai

    known = json.JSONDecodeError | UnicodeDecodeError | RecursionError
    return isinstance(error, openai.OpenAIError | httpx2.HTTPError | httpx2.StreamError | known)


def translate(error: Exception, address: str, model: str, secrets: Sequence[str], variable: str) -> LanguageModelError:
    """The client's error in our words; ``variable`` is where the key comes from."""
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
    if _is_refusal(code):
        return RefusedTextError(problem, ANOTHER) if is_about_text(error, told) else RefusedError(problem)
    return LanguageModelError(problem)


def _told(error: Exception, secrets: Sequence[str]) -> str:
    """What the client says of itself; the errors inside a stream have a body as well."""
    body = getattr(error, "body", None)
    message = body.get("message") if isinstance(body, dict) else None
    return redact(str(message or getattr(error, "message", "") or error), secrets)[:_LONGEST]
