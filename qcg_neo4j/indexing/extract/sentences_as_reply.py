"""Sentences with the names in them, in the form of a reply of a language model."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from itertools import combinations
from typing import Any

from qcg_neo4j.indexing.extract.findings import STRONGEST

PREDICATE = "occurs with"
CONCEPT, TITLE = "concept", "title"  # the types of a proper noun that has no other, and of a title
MOST_WORDS = 5  # of a proper noun
_MOST = 10  # entities of one sentence that are joined with each other: a list says little about its items
_PARTNERS = 3  # others that an entity of a chunk is joined with, those that most sentences name with it


def reply(named: Iterable[tuple[str, Mapping[str, str]]], title: str | None) -> Mapping[str, Any]:
    """Sentences, each with its names and their types, as a reply of the form of ``extract/graph``.

    The title of the document is a name as well, with and without what follows in brackets.
    """
    entities: dict[str, str] = {}
    together: dict[tuple[str, str], list[str]] = {}
    atoms: list[dict[str, Any]] = []
    for text, found in named:
        names = list(found)
        entities = {**found, **entities}
        atoms.append({"text": text, "entities": names})
        for pair in combinations(names[:_MOST], 2):
            together.setdefault(pair if pair[::-1] not in together else pair[::-1], []).append(text)
    titles = [name for text in (title or "", (title or "").split("(")[0]) if (name := " ".join(text.split()))]
    titled = {name: kind if (kind := entities.get(name)) and kind != CONCEPT else TITLE for name in titles}
    listed = [{"name": name, "type": kind} for name, kind in (titled | entities | titled).items()]
    return {"entities": listed, "relations": list(_relations(together)), "atoms": atoms}


def _relations(together: Mapping[tuple[str, str], list[str]]) -> Iterator[dict[str, Any]]:
    """The strongest few pairs of each entity, with the first sentence that names both; each entity has one."""
    joined: Counter[str] = Counter()
    for pair, texts in sorted(together.items(), key=lambda item: -len(item[1])):
        fewest, most = sorted(joined[name] for name in pair)
        if most < _PARTNERS or not fewest:
            joined.update(pair)
            source, target = pair
            yield {
                "source": source,
                "predicate": PREDICATE,
                "target": target,
                "ttr": texts[0],
                "strength": min(len(texts), STRONGEST),
            }
