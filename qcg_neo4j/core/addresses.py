"""Addresses, and texts that may repeat them: shown without the secrets in them."""

from __future__ import annotations

import re
from collections.abc import Sequence
from urllib.parse import unquote, urlsplit

_KEY = re.compile(r"\b(sk|key|gsk|xai)-[\w*.-]{4,}")
_ADDRESS = re.compile(r"[a-z][a-z0-9+.-]*://\S+", re.IGNORECASE)


def redact(text: str, secrets: Sequence[str]) -> str:
    """The text without secrets: the given ones, and whatever looks like a key."""
    for secret in secrets:
        text = text.replace(secret, "***")
    return _KEY.sub("***", text)


def shown_address(address: str) -> str:
    """The address without user, password and query.

    >>> shown_address("https://user:se/cret@host/v1")
    'host/v1'
    """
    try:
        parts = urlsplit(address)
        parts.port  # noqa: B018 - no port is one that ends within a password
    except ValueError:  # an address that is none may have a password, too
        return address.rpartition("@")[2].partition("?")[0]
    return parts._replace(netloc=parts.netloc.rpartition("@")[2], query="", fragment="").geturl()


def shown_addresses(text: str) -> str:
    """The text, each address in it without user, password and query.

    >>> shown_addresses("x@https://user:secret@host/v1?key=secret")
    'x@https://host/v1'
    """
    return _ADDRESS.sub(lambda found: shown_address(found[0]), text)


def secrets_of(address: str | None, api_key: str | None) -> tuple[str, ...]:
    """What an endpoint may repeat, and no message shows: the key, and the password of the address in both forms.

    >>> secrets_of("https://user:a%2Fb@host/v1", "key")
    ('key', 'a%2Fb', 'a/b')
    """
    try:
        password = urlsplit(address or "").password or ""
    except ValueError:  # no address, so nobody is asked
        password = ""
    return tuple(dict.fromkeys(secret for secret in (api_key, password, unquote(password)) if secret))


def is_address(address: str) -> bool:
    """Whether it is the whole address of an endpoint: http or https, a host, and a port that is a number."""
    try:
        parts = urlsplit(address)
        return parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
    except ValueError:
        return False


def is_of_this_machine(address: str) -> bool:
    """Whether it is the address of an endpoint on this machine.

    >>> is_of_this_machine("http://localhost:11434/v1"), is_of_this_machine("http://localhost@there/v1")
    (True, False)
    """
    return is_address(address) and urlsplit(address).hostname in ("localhost", "127.0.0.1", "::1")
