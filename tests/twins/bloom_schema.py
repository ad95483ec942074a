"""The form of perspectives, written from files that Bloom exported (versions 2.4.0 and 2.7.0)."""

from __future__ import annotations

from typing import Any

COLOUR = {"type": "string", "pattern": "^#[0-9A-Fa-f]{6}$"}
MOMENT = {"type": "integer", "minimum": 0}
TEXTS = {"type": "array", "items": {"type": "string"}}
DATA_TYPE = {"enum": ["string", "number", "bigint", "boolean", "Date", "DateTime", "Point", "array"]}
CYPHER_TYPE = {"enum": ["String", "Integer", "Float", "Boolean", "Date", "DateTime", "Point"]}
OPTIONAL_TEXT = {"type": ["string", "null"]}


def strict(required: dict[str, Any], optional: dict[str, Any] | None = None) -> dict[str, Any]:
    """An object with these keys and no others."""
    return {
        "type": "object",
        "properties": {**required, **(optional or {})},
        "required": list(required),
        "additionalProperties": False,
    }


def listed(items: dict[str, Any]) -> dict[str, Any]:
    return {"type": "array", "items": items}


TYPED = strict({"propertyKey": {"type": "string"}, "type": {"type": "string"}, "dataType": DATA_TYPE})
PROPERTY = strict(
    {"name": {"type": "string"}, "exclude": {"type": "boolean"}, "dataType": DATA_TYPE},
    {"isCaption": {"type": "boolean"}, "property": {}},
)
CATEGORY = {
    "id": {"type": "integer"},
    "name": {"type": "string"},
    "color": COLOUR,
    "icon": {"type": "string"},
    "labels": TEXTS,
    "properties": listed(PROPERTY),
    "size": {"type": "number"},
}
MADE = {"createdAt": MOMENT, "lastEditedAt": MOMENT}
PARAMETER = strict(
    {"name": {"type": "string", "pattern": r"^\$\w+$"}, "dataType": CYPHER_TYPE},
    {
        "collapsed": {"type": "boolean"},
        "suggestionLabel": OPTIONAL_TEXT,
        "suggestionProp": OPTIONAL_TEXT,
        "suggestionBoolean": {"type": "boolean"},
        "cypher": OPTIONAL_TEXT,
    },
)
TEMPLATE = strict(
    {
        "name": {"type": "string"},
        "id": {"type": "string", "pattern": "^tmpl:"},
        "createdAt": MOMENT,
        "text": {"type": "string"},
        "cypher": {"type": "string"},
        "params": listed(PARAMETER),
        "hasCypherErrors": {"type": "boolean"},
    },
    {"isUpdateQuery": {"type": ["boolean", "null"]}},
)
ACTION = strict(
    {
        "name": {"type": "string"},
        "id": {"type": "string"},
        "createdAt": MOMENT,
        "cypher": {"type": "string"},
        "isUpdateQuery": {"type": ["boolean", "null"]},
        "categories": {"type": ["array", "null"], "items": {"type": "integer"}},
        "relationshipTypes": {"type": ["array", "null"]},
        "hasCypherErrors": {"type": "boolean"},
    }
)
RELATIONSHIP = strict(
    {
        "id": {"type": "string"},
        "name": {"type": "string"},
        "properties": listed(TYPED),
        "color": COLOUR,
        "size": {"type": "number"},
        "captionKeys": TEXTS,
    },
    {"styleRules": {"type": "array"}},
)
INDEX = strict(
    {"label": OPTIONAL_TEXT, "type": {"type": "string"}, "propertyKeys": {"type": "array"}},
    {"isMetadataPropIndex": {"type": "boolean"}},
)
SEGMENT = strict({name: {"type": "string"} for name in ("source", "relationshipType", "target")})
COUNTS = {"type": "object", "additionalProperties": {"type": "integer"}}
PERSPECTIVE = strict(
    {
        "name": {"type": "string"},
        "id": {"type": "string", "pattern": "^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$"},
        "palette": strict({"colors": listed(COLOUR), "currentIndex": {"type": "integer"}}),
        "templates": listed(TEMPLATE),
        "hiddenRelationshipTypes": TEXTS,
        "hiddenCategories": {"type": "array"},
        "hideUncategorisedData": {"type": "boolean"},
        "parentPerspectiveId": {"type": ["string", "null", "boolean"]},
        **MADE,
        "version": {"type": "string", "pattern": r"^2\."},
        "categories": listed(strict({**CATEGORY, "captionKeys": TEXTS}, {**MADE, "styleRules": {"type": "array"}})),
        "labels": {"type": "object", "additionalProperties": listed(TYPED)},
        "relationshipTypes": listed(RELATIONSHIP),
        "sceneActions": listed(ACTION),
        "isAuto": {"type": "boolean"},
        "metadata": strict(
            {
                "pathSegments": listed(SEGMENT),
                "indexes": listed(INDEX),
                "stats": strict({"labels": COUNTS, "relationshipTypes": COUNTS}),
            }
        ),
    }
)
