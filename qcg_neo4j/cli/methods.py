"""``qcg methods``: the retrieval methods, what each does, and what it requires."""

from __future__ import annotations

import inspect
from typing import Any

from qcg_neo4j.cli.command import command
from qcg_neo4j.cli.options import json_option
from qcg_neo4j.cli.terminal import print_json, print_table
from qcg_neo4j.retrieval import DEFAULT_METHOD, METHODS
from qcg_neo4j.retrieval.answer import ANSWERERS
from qcg_neo4j.retrieval.catalogue import TUNED_SETTINGS

_MADE_BY = {"Query": ("generate", "build"), "Atom": ("extract", "build"), "RELATED_TO": ("extract",)}


@command()
@json_option
def methods(as_json: bool) -> None:
    """List the retrieval methods: what each does, and which stages it requires."""
    rows = [
        {"method": name, "does": _sentence(kind), "requires": _required(kind()), "tuned": name in TUNED_SETTINGS}
        for name, kind in METHODS.items()
    ]
    only = [name for name in ANSWERERS if name not in METHODS]
    if as_json:
        print_json({"methods": rows, "answer only": only})
        return
    title = f"Retrieval methods; default: {DEFAULT_METHOD}; `qcg settings METHOD` lists the settings of each"
    print_table(title, ("method", "finds passages by", "requires"), [list(row.values())[:3] for row in rows])


def _sentence(kind: type) -> str:
    """The first line of a method's docstring."""
    return inspect.cleandoc(kind.__doc__ or "").partition("\n")[0].replace("``", "`").rstrip(".")


def _required(method: Any) -> str:
    """The stages behind loading that a method's nodes come from."""
    labels = getattr(method, "looks_at", ())
    return ", ".join(dict.fromkeys(stage for label in labels for stage in _MADE_BY.get(label, ())))
