"""Where a running embedded server is reached."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(frozen=True)
class ServerAddress:
    """How to log in; the password stays out of every printed form."""

    uri: str
    user: str
    password: str = field(repr=False)
    http_uri: str
