"""The passages of the sample that comes with the package, and the documents that they make."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from qcg_neo4j.core.records import SourceDocument

SAMPLE = Path(__file__).parents[2] / "qcg_neo4j/samples/lihuaworld"


def lines(name: str) -> list[dict[str, Any]]:
    """The lines of a file of the sample."""
    return [json.loads(line) for line in (SAMPLE / name).read_text(encoding="utf-8").splitlines()]


PASSAGES = lines("passages.jsonl")


def documents(number: int = 12) -> list[SourceDocument]:
    """The documents of the first passages."""
    texts: dict[str, list[str]] = {}
    for passage in PASSAGES[:number]:
        texts.setdefault(passage["document"], []).append(passage["text"])
    return [SourceDocument(name, passages=tuple(parts)) for name, parts in texts.items()]
