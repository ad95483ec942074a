"""Entities that are the same although their names differ: proposed, merged, and split again."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from itertools import chain, pairwise

from qcg_neo4j.core.errors import InputError
from qcg_neo4j.core.progress import Progress, silent
from qcg_neo4j.core.settings import Settings, nearest, setting
from qcg_neo4j.database import stages
from qcg_neo4j.database.connection import Call
from qcg_neo4j.database.conversion import Changes
from qcg_neo4j.database.graph import Graph
from qcg_neo4j.database.schema import await_indexes
from qcg_neo4j.indexing.extract.writer import about, derived, embed_names
from qcg_neo4j.indexing.stage import WHOLE
from qcg_neo4j.models.embedding.embedder import Embedder

__all__ = ["Merge", "ResolveSettings", "merge", "merged", "part", "propose"]
_PAGE = 500  # entities read and compared at once
_AT_ONCE = 200  # entities merged or parted in one transaction
_SHORTEST = 4  # letters and digits; of shorter names one letter makes another word


@dataclass(frozen=True)
class ResolveSettings(Settings):
    """When two names are proposed to be one entity."""

    similarity: float = setting(
        0.8, "Minimum cosine of the names' vectors; names with the same letters always match.", minimum=-1, maximum=1
    )
    spelling: float = setting(0.9, "Minimum share of letters in common, in order.", minimum=0, maximum=1)
    neighbours: int = setting(20, "Number of nearest names compared per name.", minimum=1, maximum=1000)


@dataclass(frozen=True)
class Name:
    """An entity's name and type, and how many chunks state it."""

    id: str
    name: str
    type: str
    mentions: int

    @property
    def letters(self) -> str:
        """The letters and digits of the name, without anything between them."""
        return "".join(letter for letter in self.name.casefold() if letter.isalnum())


@dataclass(frozen=True)
class Merge:
    """An alias that is to become part of an entity, which more chunks state; ``score`` is 1 for the same letters."""

    alias: str
    alias_name: str
    entity: str
    entity_name: str
    score: float


def propose(graph: Graph, settings: ResolveSettings, progress: Progress = silent) -> list[Merge]:
    """The merges that the settings allow, best first; reads the graph and changes nothing.

    Names must agree in spelling and in meaning, in all their numbers, and in their types where both have one.
    """
    names = {name.id: name for name in _names(graph)}
    pairs = _same_letters(names)
    ids = list(names)
    for start in range(0, len(ids), _PAGE):
        page = ids[start : start + _PAGE]
        for row in graph.rows("resolve/nearest", ids=page, neighbours=settings.neighbours):
            one, other = names[row["id"]], names.get(row["other"])
            if other and row["similarity"] >= settings.similarity:
                spelling = _spelling(one, other)
                if spelling >= settings.spelling:
                    pairs[_key(one, other)] = max(pairs.get(_key(one, other), 0.0), spelling)
        progress(start + len(page), len(ids))
    return _stars(names, pairs)


def _names(graph: Graph) -> Iterator[Name]:
    for row in chain.from_iterable(graph.pages("resolve/names", _PAGE)):
        yield Name(row["id"], row["name"] or "", row["type"] or "", row["mentions"])


def _key(one: Name, other: Name) -> tuple[str, str]:
    return (one.id, other.id) if one.id < other.id else (other.id, one.id)


def _same_letters(names: dict[str, Name]) -> dict[tuple[str, str], float]:
    groups: defaultdict[str, list[Name]] = defaultdict(list)
    for name in names.values():
        if name.letters:
            groups[name.letters].append(name)
    found = {}
    for group in groups.values():
        first, *others = sorted(group, key=_first)
        # Neighbours, and each with the first: enough to join a group.
        for one, other in (*((first, other) for other in others), *pairwise(others)):
            if _may_be_same(one, other):
                found[_key(one, other)] = 1.0
    return found


def _spelling(one: Name, other: Name) -> float:
    """How much of the letters two names share, from 0 to 1; 0 for names that cannot be the same."""
    if min(len(one.letters), len(other.letters)) < _SHORTEST or not _may_be_same(one, other):
        return 0.0
    first, second = sorted((one.letters, other.letters))  # the ratio depends on the order
    return SequenceMatcher(None, first, second, autojunk=False).ratio()


def _may_be_same(one: Name, other: Name) -> bool:
    types = {name.type for name in (one, other) if name.type}
    return len(types) <= 1 and re.findall(r"\d+", one.name) == re.findall(r"\d+", other.name)


def _first(name: Name) -> tuple[int, str]:
    """The order in which entities become those that others are merged into: most stated first."""
    return -name.mentions, name.id


def _stars(names: dict[str, Name], pairs: dict[tuple[str, str], float]) -> list[Merge]:
    """Each entity with at most one other, which is itself merged into none: likeness is not handed on in chains."""
    partners: defaultdict[str, dict[str, float]] = defaultdict(dict)
    for (one, other), score in pairs.items():
        partners[one][other] = partners[other][one] = score
    staying: set[str] = set()
    merges = []
    for name in sorted(names.values(), key=_first):
        near = [(score, other) for other, score in partners[name.id].items() if other in staying]
        if near:
            score, other = min(near, key=lambda item: (-item[0], _first(names[item[1]])))
            merges.append(Merge(name.id, name.name, other, names[other].name, round(score, 3)))
        else:
            staying.add(name.id)
    return sorted(merges, key=lambda item: (-item.score, item.entity_name, item.alias_name))


@stages.writes("resolve")
def merge(graph: Graph, embedder: Embedder, merges: Sequence[Merge]) -> Changes:
    """Merge each alias into its entity; its name is kept, and later extractions use it."""
    changes = Changes()
    for start in range(0, len(merges), _AT_ONCE):
        piece = merges[start : start + _AT_ONCE]
        rows = [{"alias": item.alias, "entity": item.entity, "score": item.score} for item in piece]
        calls = [
            Call("resolve/merge", {"rows": rows}),
            # All of them: the going entity may have had aliases itself.
            Call("resolve/move_relations", {"rows": [{"entity": item.alias, "name": None} for item in piece]}),
            Call("resolve/forget", {"ids": [item.alias for item in piece]}),
            *derived([item.entity for item in piece]),
            about(entity_ids=[item.entity for item in piece]),
        ]
        changes += graph.write(*calls, stages=("extract",)).changes
    return changes + _embedded(graph, embedder)


def merged(graph: Graph) -> list[Merge]:
    """The merges that are in the graph."""
    return [
        Merge(row["id"], row["name"], row["entity"], row["entity_name"], row["score"])
        for row in graph.rows("resolve/aliases")
    ]


@stages.writes("resolve")
def part(graph: Graph, embedder: Embedder, merges: Sequence[Merge]) -> Changes:
    """Undo merges: each alias is an entity again, with all that was stated about its name."""
    changes = Changes()
    for start in range(0, len(merges), _AT_ONCE):
        piece = merges[start : start + _AT_ONCE]
        touched = sorted({name for item in piece for name in (item.alias, item.entity)})
        calls = [
            Call("resolve/part", {"ids": [item.alias for item in piece]}),
            Call("resolve/move_relations", {"rows": [{"entity": item.entity, "name": item.alias} for item in piece]}),
            Call("extract/orphans", {"ids": touched}),
            *derived(touched),
            about(entity_ids=touched),
        ]
        changes += graph.write(*calls, stages=("extract",)).changes
    return changes + _embedded(graph, embedder)


def named(merges: Iterable[Merge], names: Sequence[str]) -> list[Merge]:
    """Those merges whose alias or entity has one of the names; all without names.

    Raises:
        InputError: no merge has one of the names.
    """
    found = list(merges)
    known = {name for item in found for name in (item.alias_name, item.entity_name)}
    for name in names:
        if name not in known:
            raise InputError(f"No merge has the name {name!r}.", nearest(name, sorted(known)) if known else "")
    return [item for item in found if not names or {item.alias_name, item.entity_name} & set(names)]


def _embedded(graph: Graph, embedder: Embedder) -> Changes:
    changes = embed_names(graph, embedder, WHOLE)
    if changes.transactions:
        await_indexes(graph)
    return changes
