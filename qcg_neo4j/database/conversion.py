"""Names and values on their way into the database and back.

Python says ``token_count``, Cypher says ``tokenCount``: the names of parameters, of the columns of ``$rows`` and
of the columns of a result are converted here and nowhere else. What lies deeper (a document's own metadata)
is data and stays as it is.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import fields
from typing import Any

import numpy as np
from neo4j.vector import Vector

from qcg_neo4j.core.settings import Settings

_SECOND_WORD = re.compile(r"_([a-z0-9])")
_CAPITAL = re.compile(r"(?<!^)(?=[A-Z])")


def camel(name: str) -> str:
    """Cypher's spelling of a name.

    >>> camel("token_count")
    'tokenCount'
    """
    return _SECOND_WORD.sub(lambda match: match.group(1).upper(), name)


def snake(name: str) -> str:
    """Python's spelling of a name.

    >>> snake("tokenCount")
    'token_count'
    """
    return _CAPITAL.sub("_", name).lower()


def to_cypher(parameters: Mapping[str, Any], *, vectors: bool) -> dict[str, Any]:
    """Parameters as the driver sends them; with ``vectors`` numpy arrays go as Bolt vectors, else as lists."""
    return {camel(name): _parameter(value, vectors) for name, value in parameters.items()}


def _parameter(value: Any, vectors: bool) -> Any:
    if isinstance(value, list) and value and isinstance(value[0], Mapping):
        return [{camel(name): _value(item, vectors) for name, item in row.items()} for row in value]
    return _value(value, vectors)


def _value(value: Any, vectors: bool) -> Any:
    if isinstance(value, np.ndarray):
        if value.ndim == 1 and vectors:
            return Vector.from_numpy(np.ascontiguousarray(value, dtype=np.float32))
        return [_value(row, vectors) for row in value] if value.ndim > 1 else value.astype(float).tolist()
    if isinstance(value, np.generic):
        return value.item()
    if isinstance(value, tuple | list):
        return [_value(item, vectors) for item in value]
    if isinstance(value, Mapping):
        return {name: _value(item, vectors) for name, item in value.items()}
    return value


def configuration(settings: Settings, kind: type[Settings] | None = None) -> dict[str, Any]:
    """Settings as a procedure of the plug-in takes them: only the database's, by Cypher's names.

    ``kind`` is a class that the settings are of, where the procedure has only what that one declares.
    """
    known = [declared.name for declared in fields(kind or settings) if declared.metadata["in_database"]]
    return {camel(name): settings.told(name) for name in known}


def from_cypher(record: Mapping[str, Any]) -> dict[str, Any]:
    """A row of a result with Python's names."""
    return {snake(name): value for name, value in record.items()}
