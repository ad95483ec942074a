"""What an endpoint says when it refuses a call, in every usual form, and its address, both without secrets."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

if TYPE_CHECKING:
    from openai import APIStatusError

_KEY = re.compile(r"\b(sk|key|gsk|xai)-[\w*.-]{4,}")
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


def reason_of(error: APIStatusError, secrets: Sequence[str]) -> str:
    """Why an endpoint refuses a call, in its own words."""
    text = error.response.text
    try:
        found = list(dict.fromkeys(_reasons(json.loads(text))))
    except (ValueError, RecursionError):
        found = [_TAG.sub(" ", text)]
    told = " ".join("; ".join(found).split())
    return redact(told or str(error.message), secrets)[:_LONGEST]


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


def names_text(reason: str) -> bool:
    """Whether a reason is about the text that was sent: its content or its length."""
    return bool(_ABOUT_TEXT.search(reason))


def redact(text: str, secrets: Sequence[str]) -> str:
    """The text without secrets: the given ones, and whatever looks like a key."""
    for secret in secrets:
        text = text.replace(secret, "***")
    return _KEY.sub("***", text)


def shown_address(address: str) -> str:
    """The address without user, password and query."""
    try:
        parts = urlsplit(address)
    except ValueError:  # an address that is none may have a password, too
        return address.rpartition("@")[2].partition("?")[0]
    return parts._replace(netloc=parts.netloc.rpartition("@")[2], query="", fragment="").geturl()


def is_address(address: str) -> bool:
    """Whether it is the whole address of an endpoint: http or https, a host, and a port that is a number."""
    try:
        parts = urlsplit(address)
        return parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
    except ValueError:
        return False
