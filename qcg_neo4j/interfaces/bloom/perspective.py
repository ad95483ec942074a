"""The perspective: categories, relationships, search phrases and scene actions, as Bloom imports them.

There is no published description of the file; its form is that of perspectives which Bloom itself exported, of the
versions 1.4 and 2.4 to 2.7. The same call always makes the same file.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any
from uuid import NAMESPACE_URL, uuid5

from qcg_neo4j.core.errors import InputError
from qcg_neo4j.database.corpora import DEFAULT, RELATED_TO, mark, suffix, translated
from qcg_neo4j.database.statements import paths, statement
from qcg_neo4j.interfaces.bloom.phrases import PHRASES, SCENE_ACTIONS, Phrase, SceneAction, parameter
from qcg_neo4j.interfaces.palette import LINE, LOOKS, RELATIONSHIPS

# Label -> the properties that are for people, with their types as Bloom names them. Vectors are for programs.
PROPERTIES: dict[str, dict[str, str]] = {
    "Document": {"title": "string", "id": "string", "source": "string", "publishedAt": "string"},
    "Chunk": {"text": "string", "id": "string", "index": "bigint", "tokenCount": "bigint"},
    "Window": {"index": "bigint", "start": "bigint", "end": "bigint", "id": "string"},
    "Query": {
        "question": "string",
        "answer": "string",
        "similarity": "number",
        "source": "string",
        "text": "string",
        "id": "string",
    },
    "SyntheticQuery": {"text": "string", "source": "string", "id": "string"},
    "Entity": {"name": "string", "type": "string", "description": "string", "id": "string"},
    "Atom": {"text": "string", "source": "string", "id": "string"},
    "Claim": {
        "description": "string",
        "type": "string",
        "status": "string",
        "startDate": "string",
        "endDate": "string",
        "id": "string",
    },
    "Community": {
        "title": "string",
        "summary": "string",
        "level": "bigint",
        "size": "bigint",
        "rating": "number",
        "report": "string",
        "reportSource": "string",
        "id": "string",
    },
}
# Type of relationship -> the labels that it joins, and its properties for people.
SEGMENTS: dict[str, tuple[tuple[str, str], ...]] = {
    "FROM_DOCUMENT": (("Chunk", "Document"),),
    "NEXT_CHUNK": (("Chunk", "Chunk"),),
    "SAME_TEXT_AS": (("Chunk", "Chunk"),),
    "FROM_CHUNK": tuple((label, "Chunk") for label in ("Window", "Query", "Entity", "Atom", "Claim")),
    "SIMILAR_TO": (("Query", "Query"), ("Atom", "Atom")),
    "ANSWERED_BY": (("SyntheticQuery", "Atom"),),
    "RELATED_TO": (("Entity", "Entity"),),
    "MENTIONS": (("Atom", "Entity"),),
    "ABOUT": (("Claim", "Entity"),),
    "SYNONYM_OF": (("Entity", "Entity"),),
    "IN_COMMUNITY": (("Entity", "Community"),),
    "PARENT": (("Community", "Community"),),
}
RELATIONSHIP_PROPERTIES: dict[str, dict[str, str]] = {
    "SIMILAR_TO": {"score": "number"},
    "RELATED_TO": {"predicate": "string", "strength": "number", "ttr": "string", "chunkId": "string", "id": "string"},
    "SYNONYM_OF": {"score": "number"},
}
_ON_NODES = re.compile(r"FOR \((?P<node>\w+):(?P<label>\w+)\)\s+(?:ON|REQUIRE) (?P<properties>.*)")


def indexes() -> Iterator[tuple[str, tuple[str, ...]]]:
    """Label and properties of every index and constraint on nodes that finds whole values, as the schema has them."""
    for path in paths():
        found = _ON_NODES.search(statement(path).body) if path.startswith("schema/index/") else None
        if found:
            yield found["label"], tuple(re.findall(rf"{found['node']}\.(\w+)", found["properties"]))


VERSIONS = {"2": "2.4.0", "1": "1.4.0"}
NAME = "qcg: from documents to answers"
_MADE = 1_767_225_600_000  # the first moment of 2026 in milliseconds; a fixed one keeps the file the same
_LARGEST = 80  # Browser's diameter that is size 1.6 here


def perspective(version: str = "2", corpus: str = DEFAULT) -> dict[str, Any]:
    """The perspective of the newer (`2`) or the older form (`1`) on a corpus, ready to be written as JSON.

    Raises:
        InputError: there is no such form.
    """
    if version not in VERSIONS:
        raise InputError(f"There is no form {version!r} of perspectives.", f"Choose one of {', '.join(VERSIONS)}.")
    made: dict[str, Any] = _of_corpus(_newer() if version == "2" else _older(), corpus)
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


def _frame(version: str) -> dict[str, Any]:
    return {
        "name": NAME,
        "id": str(uuid5(NAMESPACE_URL, f"qcg-neo4j/bloom/{version}")),
        "palette": {"colors": [look.colour for look in LOOKS.values()], "currentIndex": len(LOOKS)},
        "createdAt": _MADE,
        "lastEditedAt": _MADE,
        "hiddenRelationshipTypes": [],
        "hiddenCategories": [],
        "hideUncategorisedData": True,
        "parentPerspectiveId": None,
        "templates": [_template(place, phrase) for place, phrase in enumerate(PHRASES)],
        "version": VERSIONS[version],
    }


def _newer() -> dict[str, Any]:
    return {
        **_frame("2"),
        "categories": [_category(place, label) for place, label in enumerate(LOOKS, start=1)],
        "labels": {mark(label): _typed(mark(label), properties) for label, properties in PROPERTIES.items()},
        "relationshipTypes": [_relationship(kind) for kind in SEGMENTS],
        "sceneActions": [_action(place, action) for place, action in enumerate(SCENE_ACTIONS)],
        "isAuto": False,
        "metadata": _metadata(),
    }


def _older() -> dict[str, Any]:
    return {
        **_frame("1"),
        "categories": [_older_category(place, label) for place, label in enumerate(LOOKS, start=1)],
        "relationshipTypes": [{"id": kind, "name": kind, "properties": []} for kind in SEGMENTS],
    }


def _category(place: int, label: str) -> dict[str, Any]:
    look = LOOKS[label]
    return {
        "id": place,
        "name": label,
        "labels": [mark(label)],
        "properties": [
            {"name": name, "exclude": False, "isCaption": name == look.caption, "dataType": kind}
            for name, kind in PROPERTIES[label].items()
        ],
        "createdAt": _MADE,
        "lastEditedAt": _MADE,
        "color": look.colour,
        "size": round(1.6 * look.diameter / _LARGEST, 2),
        "icon": "no-icon",
        "captionKeys": [look.caption],
        "styleRules": [],
    }


def _older_category(place: int, label: str) -> dict[str, Any]:
    newer = _category(place, label)
    return {**{name: newer[name] for name in newer if name not in ("captionKeys", "styleRules")}, "caption": [""]}


def _typed(kind: str, properties: dict[str, str]) -> list[dict[str, str]]:
    return [{"propertyKey": name, "type": kind, "dataType": of} for name, of in properties.items()]


def _relationship(kind: str) -> dict[str, Any]:
    caption = RELATIONSHIPS[kind]
    return {
        "id": kind,
        "name": kind,
        "properties": _typed(kind, RELATIONSHIP_PROPERTIES.get(kind, {})),
        "color": LINE,
        "size": 1,
        "captionKeys": ["0_REL_TYPE_CAPTION_KEY" if caption == "<type>" else caption],
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
