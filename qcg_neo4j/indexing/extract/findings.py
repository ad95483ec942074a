"""What a reply finds in a chunk: cleaned, references repaired, everything that was changed counted."""

from __future__ import annotations

import unicodedata
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, TypeVar

from qcg_neo4j.core.days import days_in
from qcg_neo4j.core.records import content_id

WEAKEST, STRONGEST = 1, 10
# What a reply about one chunk brings at most: ten times what replies about 1,200 tokens hold. The rest is left out.
MOST = {"entities": 500, "relations": 1000, "atoms": 1000, "claims": 500}
_MOST_REFERENCES = 100  # entities that one atom mentions
_MOST_NAMED = 4000  # entities of a chunk, with those that something else names
_LONGEST_NAME, _LONGEST_TEXT = 500, 20_000  # characters
# Signs that look alike become one; what frames a name is none of it.
_ALIKE = str.maketrans("\u2018\u2019\u02bc\u2032\u2010\u2011\u2012\u2013\u2014\u2212", "'" * 4 + "-" * 6)
_QUOTES = " \"'`´“”„‟«»‹›‚()[]{}<>「」『』《》〈〉【】、,;:"
_BEFORE, _BEHIND = _QUOTES + "•·¿¡", _QUOTES + ".!…。！"
DATE = "date"  # the type of a day
UNNAMED = "related to"  # the predicate of a relation that has none


@dataclass(frozen=True)
class Entity:
    """An entity as one chunk has it."""

    id: str
    name: str
    type: str = ""
    description: str = ""


@dataclass(frozen=True)
class Relation:
    """A triple by the ids of its entities, with its text (TTR)."""

    source: str
    predicate: str
    target: str
    strength: int
    ttr: str

    def id(self, chunk_id: str) -> str:
        """Its id as a statement of that chunk."""
        return content_id(chunk_id, self.source, self.predicate, self.target, self.ttr)


@dataclass(frozen=True)
class Atom:
    """A fact that is understood on its own, with the ids of the entities that it mentions."""

    text: str
    entities: tuple[str, ...]

    @property
    def id(self) -> str:
        """Its id: chunks that state the same state one atom."""
        return content_id(self.text)


@dataclass(frozen=True)
class Claim:
    """A claim about a subject, and an object where it has one (``entities`` are the ids of both)."""

    entities: tuple[str, ...]
    type: str
    status: str
    description: str
    start: str
    end: str
    quote: str

    def id(self, chunk_id: str) -> str:
        """Its id as a statement of that chunk."""
        return content_id(chunk_id, *self.entities, self.type, self.status, self.description)


@dataclass(frozen=True)
class Findings:
    """All that is found in one chunk; ``counts`` says what was repaired, merged and dropped on the way.

    ``repaired``: entities added because something referred to them; ``dropped``: what had no name or no text, or one
    of a length that none has; ``left_out``: what one reply brought beyond `MOST`;
    ``duplicates``: the same again; ``self_loops``: dropped relations of an entity with itself; ``without_ttr``:
    relations whose text had to be made of their three parts; ``clamped``: strengths outside of 1 to 10.
    """

    entities: tuple[Entity, ...]
    relations: tuple[Relation, ...]
    atoms: tuple[Atom, ...]
    claims: tuple[Claim, ...] = ()
    counts: Mapping[str, int] = field(default_factory=dict, compare=False)


S = TypeVar("S", Relation, Atom, Claim)


def clean(replies: Sequence[Mapping[str, Any]], claims: Sequence[Mapping[str, Any]] = ()) -> Findings:
    """The findings of a reply to ``extract/graph``, of those to ``extract/glean`` behind it, and of claims."""
    return _Cleaning().findings(replies, claims)


class _Cleaning:
    """The findings of one chunk while they are gathered."""

    def __init__(self) -> None:
        self._entities: dict[str, Entity] = {}
        self._counts: Counter[str] = Counter()

    def findings(self, replies: Sequence[Mapping[str, Any]], claims: Sequence[Mapping[str, Any]]) -> Findings:
        for item in self._items(replies, "entities"):
            self._add_entity(item)
        relations = [self._relation(item) for item in self._items(replies, "relations")]
        atoms = [self._atom(item) for item in self._items(replies, "atoms")]
        stated = [self._claim(item) for item in self._items(claims, "claims")]
        return Findings(
            entities=tuple(self._entities.values()),
            relations=self._unique(relations, lambda relation: relation.id("")),
            atoms=self._unique(atoms, lambda atom: atom.id),
            claims=self._unique(stated, lambda claim: claim.id("")),
            counts=self._counts,
        )

    def _items(self, replies: Sequence[Mapping[str, Any]], name: str) -> list[Mapping[str, Any]]:
        given = [item for reply in replies for item in reply.get(name, [])]
        self._counts["left_out"] += max(0, len(given) - MOST[name])
        return given[: MOST[name]]

    def _add_entity(self, item: Mapping[str, Any]) -> None:
        name = _text(item, "name")
        if not _is_name(name):
            self._counts["dropped"] += 1
            return
        found = Entity(entity_id(name), name, _text(item, "type").casefold(), _text(item, "description"))
        known = self._entities.setdefault(found.id, found)
        if known is not found:
            self._counts["duplicates"] += 1
            descriptions = dict.fromkeys(text for text in (known.description, found.description) if text)
            self._entities[found.id] = Entity(known.id, known.name, known.type or found.type, " ".join(descriptions))

    def _refer(self, name: str) -> str:
        """The id of a named entity, which is added where the reply forgot it."""
        name_id = entity_id(name)
        if name_id not in self._entities:
            self._counts["repaired"] += 1
            self._entities[name_id] = Entity(name_id, name)
        return name_id

    def _relation(self, item: Mapping[str, Any]) -> Relation | None:
        source, target = _text(item, "source"), _text(item, "target")
        if not _is_name(source) or not _is_name(target):
            self._counts["dropped"] += 1
            return None
        if entity_id(source) == entity_id(target):
            self._counts["self_loops"] += 1
            return None
        predicate, ttr = _text(item, "predicate") or UNNAMED, _text(item, "ttr")
        if not ttr:
            self._counts["without_ttr"] += 1
            ttr = f"{source} {predicate} {target}"
        return Relation(self._refer(source), predicate, self._refer(target), self._strength(item), ttr)

    def _strength(self, item: Mapping[str, Any]) -> int:
        given: float = item.get("strength", WEAKEST)
        within = max(WEAKEST, min(STRONGEST, given))
        self._counts["clamped"] += within != given
        return round(within)

    def _atom(self, item: Mapping[str, Any]) -> Atom | None:
        text = _text(item, "text")
        if not text:
            self._counts["dropped"] += 1
            return None
        given = item.get("entities", [])[:_MOST_REFERENCES]
        names = [name for name in map(_trim, given) if _is_name(name)]
        if len(self._entities) >= _MOST_NAMED:
            names = [name for name in names if entity_id(name) in self._entities]
        return Atom(text, tuple(dict.fromkeys(self._refer(name) for name in names)))

    def _claim(self, item: Mapping[str, Any]) -> Claim | None:
        names = [name for name in (_text(item, "subject"), _text(item, "object")) if _is_name(name)]
        description = _text(item, "description")
        if not _is_name(_text(item, "subject")) or not description:
            self._counts["dropped"] += 1
            return None
        return Claim(
            tuple(dict.fromkeys(self._refer(name) for name in names)),
            _text(item, "type"),
            _text(item, "status"),
            description,
            _text(item, "start"),
            _text(item, "end"),
            _text(item, "quote"),
        )

    def _unique(self, given: Sequence[S | None], id_of: Callable[[S], str]) -> tuple[S, ...]:
        found = [item for item in given if item]
        unique: dict[str, S] = {}
        for item in found:
            unique.setdefault(id_of(item), item)
        self._counts["duplicates"] += len(found) - len(unique)
        return tuple(unique.values())


def _text(item: Mapping[str, Any], name: str) -> str:
    return _trim(item.get(name) or "")


def _is_name(text: str) -> bool:
    return 0 < len(text) <= _LONGEST_NAME


def _trim(text: str) -> str:
    """The text with single white space and without what cannot be seen at its ends; cut where it has no end."""
    return " ".join(text[:_LONGEST_TEXT].split())


def in_parts(findings: Findings) -> Findings:
    """The findings with the three parts of each relation as its text: what KG-CQR is without TTR."""
    names = {entity.id: entity.name for entity in findings.entities}
    relations = [
        replace(relation, ttr=f"{names[relation.source]} {relation.predicate} {names[relation.target]}")
        for relation in findings.relations
    ]
    # The same parts said in two ways are one relation now; the first one stays.
    unique = {(relation.source, relation.predicate, relation.target): relation for relation in reversed(relations)}
    return replace(findings, relations=tuple(reversed(unique.values())))


def with_days(findings: Findings) -> Findings:
    """The findings with the days that atoms name as entities that these mention, in ISO 8601."""
    days = {atom: days_in(atom.text) for atom in findings.atoms}
    named = {entity_id(day): Entity(entity_id(day), day, DATE) for found in days.values() for day in found}
    atoms = [
        replace(atom, entities=tuple(dict.fromkeys([*atom.entities, *map(entity_id, found)])))
        for atom, found in days.items()
    ]
    known = {entity.id for entity in findings.entities}
    new = (entity for entity in named.values() if entity.id not in known)
    return replace(findings, entities=(*findings.entities, *new), atoms=tuple(atoms))


def normalized(name: str) -> str:
    """The name without what spellings differ in: case, forms of a letter, white space, and what frames a name.

    Quotation marks, brackets and the signs that end a part of a sentence go at the ends. Other signs tell names apart,
    as in C and C#, AA and AA-, HIV and HIV-, .NET and NET. A name that is nothing but signs keeps them.

    >>> [normalized(name) for name in ("“Li\u200b Hua”,", "C#", ".NET", "O\u2019Hara", "(100%)")]
    ['li hua', 'c#', '.net', "o'hara", '100%']
    """
    folded = unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", name).casefold()).translate(_ALIKE)
    seen = " ".join("".join(letter for letter in folded if unicodedata.category(letter) != "Cf").split())
    return seen.lstrip(_BEFORE).rstrip(_BEHIND).strip() or seen


def entity_id(name: str) -> str:
    """The id of the entity of that name."""
    return content_id(normalized(name))
