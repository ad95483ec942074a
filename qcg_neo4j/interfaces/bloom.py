"""A perspective for Neo4j Bloom and Explore, made from the graph's schema and the statements for people.

There is no published description of the file; its form is that of perspectives which Bloom itself exported, of the
versions 2.4 to 2.7. The same call always makes the same file.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any
from uuid import NAMESPACE_URL, uuid5

from qcg_neo4j.database.corpora import DEFAULT, RELATED_TO, mark, suffix, translated
from qcg_neo4j.database.statements import Parameter, paths, statement
from qcg_neo4j.interfaces.palette import CAPTIONS, LINE, LOOKS, PROPERTIES, RELATIONSHIP_PROPERTIES, SEGMENTS, TYPES

__all__ = ["PHRASES", "SCENE_ACTIONS", "perspective"]
_ON_NODES = re.compile(r"FOR \((?P<node>\w+):(?P<label>\w+)\)\s+(?:ON|REQUIRE) (?P<properties>.*)")


def indexes() -> Iterator[tuple[str, tuple[str, ...]]]:
    """Label and properties of every index and constraint on nodes that finds whole values, as the schema has them."""
    for path in paths():
        found = _ON_NODES.search(statement(path).body) if path.startswith("schema/index/") else None
        if found:
            yield found["label"], tuple(re.findall(rf"{found['node']}\.(\w+)", found["properties"]))


VERSION = "2.4.0"
TEXT = "string"
NAME = "qcg: from documents to answers"
_MADE = 1_767_225_600_000  # the first moment of 2026 in milliseconds; a fixed one keeps the file the same
_LARGEST = 80  # Browser's diameter that is size 1.6 here


def perspective(corpus: str = DEFAULT) -> dict[str, Any]:
    """The perspective on a corpus, ready to be written as JSON."""
    made: dict[str, Any] = _of_corpus(_made(), corpus)
    if corpus != DEFAULT:
        made |= {"name": f"{NAME} ({corpus})", "id": str(uuid5(NAMESPACE_URL, f"{made['id']}/{corpus}"))}
    return made


def _of_corpus(value: Any, corpus: str) -> Any:
    """The value with the corpus's own marks, type of triples and statements."""
    match value:
        case dict():
            return {_of_corpus(key, corpus): _of_corpus(item, corpus) for key, item in value.items()}
        case list():
            return [_of_corpus(item, corpus) for item in value]
        case str():
            return value + suffix(corpus) if value == RELATED_TO else translated(value, corpus)
        case _:
            return value


def _made() -> dict[str, Any]:
    return {
        "name": NAME,
        "id": str(uuid5(NAMESPACE_URL, "qcg-neo4j/bloom/2")),
        "palette": {"colors": [look.colour for look in LOOKS.values()], "currentIndex": len(LOOKS)},
        "createdAt": _MADE,
        "lastEditedAt": _MADE,
        "hiddenRelationshipTypes": [],
        "hiddenCategories": [],
        "hideUncategorisedData": True,
        "parentPerspectiveId": None,
        "templates": [_template(place, phrase) for place, phrase in enumerate(PHRASES)],
        "version": VERSION,
        "categories": [_category(place, label) for place, label in enumerate(LOOKS, start=1)],
        "labels": {mark(label): _typed(mark(label), properties) for label, properties in PROPERTIES.items()},
        "relationshipTypes": [_relationship(kind) for kind in SEGMENTS],
        "sceneActions": [_action(place, action) for place, action in enumerate(SCENE_ACTIONS)],
        "isAuto": False,
        "metadata": _metadata(),
    }


def _category(place: int, label: str) -> dict[str, Any]:
    look = LOOKS[label]
    return {
        "id": place,
        "name": label,
        "labels": [mark(label)],
        "properties": [
            {"name": name, "exclude": False, "isCaption": name == look.caption, "dataType": TYPES.get(name, TEXT)}
            for name in PROPERTIES[label]
        ],
        "createdAt": _MADE,
        "lastEditedAt": _MADE,
        "color": look.colour,
        "size": round(1.6 * look.diameter / _LARGEST, 2),
        "icon": "no-icon",
        "captionKeys": [look.caption],
        "styleRules": [],
    }


def _typed(kind: str, properties: Sequence[str]) -> list[dict[str, str]]:
    return [{"propertyKey": name, "type": kind, "dataType": TYPES.get(name, TEXT)} for name in properties]


def _relationship(kind: str) -> dict[str, Any]:
    return {
        "id": kind,
        "name": kind,
        "properties": _typed(kind, RELATIONSHIP_PROPERTIES.get(kind, ())),
        "color": LINE,
        "size": 1,
        "captionKeys": [CAPTIONS.get(kind, "0_REL_TYPE_CAPTION_KEY")],
        "styleRules": [],
    }


def _template(place: int, phrase: Phrase) -> dict[str, Any]:
    found = statement(phrase.path)
    return {
        "name": found.title,
        "id": f"tmpl:{_MADE + place}",
        "createdAt": _MADE + place,
        "text": phrase.text,
        "cypher": found.body,
        "isUpdateQuery": None,
        "params": [parameter(declared, phrase) for declared in found.parameters],
        "hasCypherErrors": False,
    }


def _action(place: int, action: SceneAction) -> dict[str, Any]:
    return {
        "name": action.name,
        "id": str(uuid5(NAMESPACE_URL, f"qcg-neo4j/bloom/{action.path}")),
        "createdAt": _MADE + place,
        "cypher": statement(action.path).body,
        "isUpdateQuery": None,
        "categories": [number for number, label in enumerate(LOOKS, start=1) if label in action.labels],
        "relationshipTypes": [],
        "hasCypherErrors": False,
    }


def _metadata() -> dict[str, Any]:
    return {
        "pathSegments": [
            {"source": mark(source), "relationshipType": kind, "target": mark(target)}
            for kind, ends in SEGMENTS.items()
            for source, target in ends
        ],
        "indexes": [
            {"label": label, "type": "native", "propertyKeys": [{"key": key, "metadataProp": False} for key in keys]}
            for label, keys in indexes()
            if label in map(mark, LOOKS)
        ],
        "stats": {"labels": {}, "relationshipTypes": {}},
    }


@dataclass(frozen=True)
class Phrase:
    """A search phrase; ``suggestions`` has label and property from which Bloom proposes a parameter's value."""

    text: str
    path: str
    suggestions: dict[str, tuple[str, str]]


@dataclass(frozen=True)
class SceneAction:
    """An action on selected nodes; ``labels`` are the labels that it is offered for."""

    name: str
    path: str
    labels: tuple[str, ...]


_QUESTION = {"question": ("Query", "question")}
_NAME = {"name": ("Entity", "name")}
PHRASES = (
    Phrase("Evidence for $question", "inspect/answer/qcg", _QUESTION),
    Phrase("Evidence by triples for $question", "inspect/answer/kg_cqr", _QUESTION),
    Phrase("Evidence by atoms for $question", "inspect/answer/atomic", _QUESTION),
    Phrase("Evidence by predicted links for $question", "inspect/answer/lp", _QUESTION),
    Phrase("Evidence by entities for $question", "inspect/answer/graphrag_local", _QUESTION),
    Phrase("Evidence by reports for $question", "inspect/answer/graphrag_global", _QUESTION),
    Phrase("Evidence by all layers for $question", "inspect/answer/layers", _QUESTION),
    Phrase("Path from $document to its atoms", "inspect/atoms_of_document", {"document": ("Document", "id")}),
    Phrase("What is known about $name", "inspect/entity", _NAME),
    Phrase("Communities of $name", "inspect/communities_of_entity", _NAME),
    Phrase("Report on $title", "inspect/report_on", {"title": ("Community", "title")}),
    Phrase("Queries like $query", "inspect/nearest_queries", {"query": ("Query", "question")}),
    Phrase("The $limit nearest synonyms", "inspect/synonyms", {}),
)
SCENE_ACTIONS = (
    SceneAction("What is made from it", "inspect/selected/made_from", ("Document", "Chunk")),
    SceneAction("Where it is stated", "inspect/selected/stated_in", ("Query", "Entity", "Atom", "Claim")),
    SceneAction("What is like it", "inspect/selected/similar", ("Query", "Entity", "Atom")),
    SceneAction("Triples between these", "inspect/selected/relations", ("Entity",)),
    SceneAction("Communities up to the root", "inspect/selected/communities", ("Entity",)),
)
_TYPES = {"STRING": "String", "INTEGER": "Integer", "FLOAT": "Float"}


def parameter(declared: Parameter, phrase: Phrase) -> dict[str, Any]:
    """A parameter of a phrase, as the file has it."""
    kind, name = phrase.suggestions.get(declared.name, (None, None))
    return {
        "name": f"${declared.name}",
        "dataType": _TYPES[declared.type],
        "collapsed": False,
        "suggestionLabel": None if kind is None else mark(kind),
        "suggestionProp": name,
        "suggestionBoolean": False,
        "cypher": None,
    }
