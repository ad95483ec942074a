"""Pictures as files for their owner alone: images, and pages that run their own scripts and load nothing."""

from __future__ import annotations

import os
import re
from base64 import b64encode
from collections.abc import Iterator
from contextlib import contextmanager
from hashlib import sha256
from html import escape
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING, Any

from qcg_neo4j.core.errors import InputError
from qcg_neo4j.server.home import PRIVATE, replace_text

if TYPE_CHECKING:
    from matplotlib.figure import Figure
    from neo4j_viz import VisualizationGraph

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


def page_of(graph: VisualizationGraph, title: str, **how: Any) -> str:
    """The page of all nodes, with a title of its own in place of its maker's; ``how`` it is rendered."""
    page = str(graph.render(max_allowed_nodes=max(10_000, len(graph.nodes)), **how).data)
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


def write_page(page: str, path: Path) -> None:
    """Write a page with its policy; an `InputError` where that cannot be done."""
    with _refused(path):
        replace_text(Path(os.path.realpath(path)), with_policy(page))  # so that a link stays one


def write_image(figure: Figure, path: Path, dpi: int) -> None:
    """Write an image, whose format the file's ending says; an `InputError` where that cannot be done."""
    image = BytesIO()
    with _refused(path):
        figure.savefig(image, dpi=dpi, format=path.suffix.lower().removeprefix("."))  # a wrong ending leaves no file
        path.touch(mode=PRIVATE)
        path.write_bytes(image.getvalue())


@contextmanager
def _refused(path: Path) -> Iterator[None]:
    try:
        yield
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or error
        raise InputError(f"The picture {path} cannot be written: {reason}.") from None
