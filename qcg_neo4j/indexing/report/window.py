"""What a report is written from, as the graph has it, and the window that is filled with it (GraphRAG paper, §3.1.5).

The window is filled by combined degree; above the lowest level reports stand in the place of parts. A report cites
records by their numbers in it: ``[E3, R12]``. What the window does not hold is no citation.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from qcg_neo4j.models.embedding.windows import TokenCounter

_LINE_ENDS = re.compile(r"[ \t]*[\r\n]+\s*")
_NUMBER_TOKENS = 4  # "R12: " in front of a record
_SECTIONS = {"S": "Reports of smaller communities", "E": "Entities", "R": "Relations", "C": "Claims"}


@dataclass(frozen=True)
class EntityRecord:
    """An entity of a community; ``child`` is the community below that it is in, ``degree`` its number of relations."""

    id: str
    name: str
    type: str
    description: str
    degree: int
    child: str | None = None


@dataclass(frozen=True)
class RelationRecord:
    """A relation between two entities of a community (their ids), as one chunk states it."""

    id: str
    source: str
    target: str
    ttr: str
    strength: float


@dataclass(frozen=True)
class ClaimRecord:
    """A claim about entities of a community (their ids); or the summary of all about one, with the entity's own id."""

    id: str
    type: str
    status: str
    description: str
    entities: tuple[str, ...]


@dataclass(frozen=True)
class Child:
    """A community below with its report; ``report`` is None as long as it has none."""

    id: str
    title: str | None
    report: str | None


@dataclass(frozen=True)
class Material:
    """A community with all that a report on it may use; ``mark`` identifies what its present report is made from."""

    id: str
    level: int
    entities: tuple[EntityRecord, ...]
    relations: tuple[RelationRecord, ...]
    claims: tuple[ClaimRecord, ...] = ()
    children: tuple[Child, ...] = ()
    mark: str | None = None


def material(row: Mapping[str, Any]) -> Material:
    """A row of ``report/material``."""
    claims = (ClaimRecord(**{**claim, "entities": tuple(claim["entities"])}) for claim in row["claims"])
    return Material(
        row["id"],
        row["level"],
        tuple(EntityRecord(**entity) for entity in row["entities"]),
        tuple(RelationRecord(**relation) for relation in row["relations"]),
        tuple(claims),
        tuple(Child(**child) for child in row["children"]),
        row["mark"],
    )


@dataclass(frozen=True)
class Record:
    """A line of a window: the letter of its kind, its id in the graph, its text, and how long that is."""

    kind: str
    id: str
    text: str
    tokens: int


@dataclass(frozen=True)
class Window:
    """What a report is written from: the text, its records by their numbers (``E1`` …), and how many were left out.

    ``replaced`` are the ids of the communities below that their reports stand for.
    """

    text: str
    records: Mapping[str, Record]
    tokens: int
    replaced: tuple[str, ...] = ()
    left_out: int = 0


def pack(material: Material, window_tokens: int, count: TokenCounter) -> Window:
    """The window of a community: all its records where they fit.

    Else the communities below, the largest first, are replaced by their reports until the rest fits; what still does
    not fit is left out, the relations of least degree first.
    """
    parts = _Parts(material, count)
    replaced: list[Child] = []
    reports: list[Record] = []
    left = sum(parts.sizes.values())
    children = [child for child in material.children if child.report]
    for child in sorted(children, key=lambda child: (-parts.sizes[child.id], child.id)):
        if left + sum(record.tokens for record in reports) <= window_tokens:
            break
        replaced.append(child)
        left -= parts.sizes[child.id]
        # Its own numbers mean nothing here.
        reports.append(parts.record("S", child.id, without_citations(child.report or "").strip()))
    kept, left_out = _fill([*([report] for report in reports), *parts.groups(replaced)], window_tokens)
    return _window(kept, tuple(child.id for child in replaced), left_out)


class _Parts:
    """The records of a community, each made and counted once, by the community below that it is of ("" for none)."""

    def __init__(self, material: Material, count: TokenCounter) -> None:
        self._material, self._count = material, count
        self._entities = {entity.id: entity for entity in material.entities}
        self.sizes: Counter[str] = Counter()  # tokens of what belongs to each
        self._entity_records = {
            entity.id: self._part("E", entity.id, _entity(entity), [entity.id]) for entity in material.entities
        }
        self._relations = sorted(material.relations, key=self._order)
        names = {entity.id: entity.name for entity in material.entities}
        self._relation_records = {
            relation.id: self._part("R", relation.id, _relation(relation, names), [relation.source, relation.target])
            for relation in self._relations
        }
        self._claim_records = {
            claim.id: self._part("C", claim.id, _claim(claim), claim.entities) for claim in material.claims
        }
        self._claims_of: dict[str, list[str]] = defaultdict(list)
        for claim in material.claims:
            for entity in claim.entities:
                self._claims_of[entity].append(claim.id)

    def groups(self, replaced: Sequence[Child]) -> Iterator[list[Record]]:
        """What belongs together, most important first: a relation with its ends and their claims; then single entities.

        Ends and claims that have been there before are there again; the window takes each once.
        """
        gone = {child.id for child in replaced}
        for relation in self._relations:
            if self._child([relation.source, relation.target]) not in gone:
                ends = [end for end in (relation.source, relation.target) if self._entities[end].child not in gone]
                yield [
                    *(self._entity_records[end] for end in ends),
                    self._relation_records[relation.id],
                    *self._claims(ends),
                ]
        for entity in self._material.entities:
            if entity.child not in gone:
                yield [self._entity_records[entity.id], *self._claims([entity.id])]

    def _claims(self, entities: Iterable[str]) -> list[Record]:
        return [self._claim_records[claim] for entity in entities for claim in self._claims_of[entity]]

    def _order(self, relation: RelationRecord) -> tuple[float, float, str]:
        degree = self._entities[relation.source].degree + self._entities[relation.target].degree
        return (-degree, -relation.strength, relation.id)

    def _child(self, entities: Iterable[str]) -> str:
        """The community below that holds all of these; "" where they are in several."""
        homes = {self._entities[entity].child or "" for entity in entities}
        return homes.pop() if len(homes) == 1 else ""

    def _part(self, kind: str, name: str, text: str, entities: Iterable[str]) -> Record:
        record = self.record(kind, name, text)
        self.sizes[self._child(entities)] += record.tokens
        return record

    def record(self, kind: str, name: str, text: str) -> Record:
        """A record with its length."""
        return Record(kind, name, text, self._count(text) + _NUMBER_TOKENS)


def _entity(entity: EntityRecord) -> str:
    kind = f" ({entity.type})" if entity.type else ""
    return f"{entity.name}{kind}: {entity.description}" if entity.description else f"{entity.name}{kind}"


def _relation(relation: RelationRecord, names: Mapping[str, str]) -> str:
    return f"{names[relation.source]} – {names[relation.target]}: {relation.ttr} (strength {relation.strength:g})"


def _claim(claim: ClaimRecord) -> str:
    kind = ", ".join(part for part in (claim.type, claim.status) if part)
    return f"{kind}: {claim.description}" if kind else claim.description


def _fill(groups: Iterable[list[Record]], window_tokens: int) -> tuple[list[Record], int]:
    """The groups, in order, until one does not fit; and how many records come behind.

    A first record that is longer than the window alone is cut, so that no window is empty.
    """
    kept: dict[tuple[str, str], Record] = {}
    waiting = iter(groups)
    left, over = window_tokens, 0
    for group in waiting:
        new = {(record.kind, record.id): record for record in group if (record.kind, record.id) not in kept}
        size = sum(record.tokens for record in new.values())
        if size > left:
            rest = {(r.kind, r.id) for one in waiting for r in one} | set(new)
            over = len(rest - set(kept))
            if not kept:
                first = next(iter(new.values()))
                kept[first.kind, first.id] = _cut(first, window_tokens)
                over -= 1
            break
        kept.update(new)
        left -= size
    return list(kept.values()), over


def _cut(record: Record, tokens: int) -> Record:
    share = min(1.0, tokens / record.tokens)
    return Record(record.kind, record.id, record.text[: int(share * len(record.text))], min(tokens, record.tokens))


def _window(kept: Sequence[Record], replaced: tuple[str, ...], left_out: int) -> Window:
    lines: list[str] = []
    records: dict[str, Record] = {}
    for kind, title in _SECTIONS.items():
        of_kind = [record for record in kept if record.kind == kind]
        if of_kind:
            lines.append(f"# {title}")
        for number, record in enumerate(of_kind, start=1):
            records[f"{kind}{number}"] = record
            lines.append(f"{kind}{number}: {_LINE_ENDS.sub(' ', record.text)}")  # a record has one line
    return Window("\n".join(lines), records, sum(record.tokens for record in kept), replaced, left_out)


MOST = 5  # GraphRAG paper: ids of one citation; what is more is "+more"
MORE = "+more"
_NUMBER = re.compile(r"[ERCS]\d+")
_ITEM = rf"\s*(?:{_NUMBER.pattern}|{re.escape(MORE)})\s*"
_CITATION = re.compile(rf"\s*\[{_ITEM}(?:[,;]{_ITEM})*\]")


@dataclass(frozen=True)
class Cited:
    """A text with good citations alone: the numbers it cites in order of first mention, and how many were wrong."""

    text: str
    numbers: tuple[str, ...]
    wrong: int


def checked(text: str, known: Collection[str]) -> Cited:
    """Take out numbers that are not known, and cut citations down to `MOST` numbers."""
    numbers: dict[str, None] = {}
    wrong = 0

    def mended(found: re.Match[str]) -> str:
        nonlocal wrong
        given = _NUMBER.findall(found[0])
        if not given:  # of nothing but more
            return found[0]
        good = list(dict.fromkeys(item for item in given if item in known))
        wrong += len([item for item in given if item not in known])
        numbers.update(dict.fromkeys(good[:MOST]))
        more = [MORE] if MORE in found[0] or len(good) > MOST else []
        return f" [{', '.join([*good[:MOST], *more])}]" if good else ""

    return Cited(_CITATION.sub(mended, text), tuple(numbers), wrong)


def without_citations(text: str) -> str:
    """The text without its citations, whose numbers mean nothing outside the window that it was written from."""
    return _CITATION.sub("", text)
