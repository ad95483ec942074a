"""What a person can type into Bloom's search bar, and do with what is selected: each a statement of ``inspect/``."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from qcg_neo4j.database.corpora import mark
from qcg_neo4j.database.statements import Parameter


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
