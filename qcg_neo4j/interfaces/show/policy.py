"""The title of a page, and what it may do: run its own scripts, and load nothing."""

from __future__ import annotations

import re
from base64 import b64encode
from hashlib import sha256
from html import escape

_SCRIPT = re.compile(r"<!--.*?-->|<script(?P<attributes>[^>]*)>(?P<text>.*?)</script>", re.DOTALL)
_ALLOWED = (
    "default-src 'none'",
    "style-src 'unsafe-inline'",
    "img-src data: blob:",
    "font-src data:",
    "worker-src blob: data:",
    "base-uri 'none'",
    "form-action 'none'",
)


def titled(page: str, title: str) -> str:
    """The page with a title of its own in place of its maker's."""
    return re.sub("<title>.*?</title>", lambda _: f"<title>{escape(' '.join(title.split()))}</title>", page, count=1)


def with_policy(page: str) -> str:
    """The page with a content security policy: no script but its own runs, by their hashes, and nothing is loaded.

    What documents and models say stands in it as data; were it ever taken for a script, it would not run.

    >>> page = with_policy("<head><script>own()</script></head>")
    >>> "script-src 'sha256-" in page.replace("&#x27;", "'"), "default-src" in page
    (True, True)
    """
    scripts = [found["text"] for found in _SCRIPT.finditer(page) if found["text"] and "json" not in found["attributes"]]
    hashes = [f"'sha256-{b64encode(sha256(script.encode()).digest()).decode()}'" for script in scripts]
    policy = "; ".join([*_ALLOWED, " ".join(["script-src", *hashes])])
    return page.replace("<head>", f'<head><meta http-equiv="Content-Security-Policy" content="{escape(policy)}">', 1)
