"""The guide that walks a newcomer from a document to an answer, in the form that `:play` shows."""

from __future__ import annotations

from html import escape
from importlib.resources import files

from qcg_neo4j.database.corpora import DEFAULT, chosen, translated


def guide(style: str, favourites: str, corpus: str = DEFAULT) -> str:
    """The guide's page for a corpus; ``style`` and ``favourites`` are the addresses that it leads to."""
    page = files("qcg_neo4j").joinpath("interfaces", "browser", "guide.html").read_text(encoding="utf-8")
    page = translated(page, corpus).replace("{{corpus}}", "" if corpus == DEFAULT else f", {chosen(corpus)}")
    return page.replace("{{style}}", escape(style)).replace("{{favourites}}", escape(favourites))
