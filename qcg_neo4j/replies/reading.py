"""From the text that a model wrote to a reply of the right form."""

from __future__ import annotations

import json
from typing import Any

from qcg_neo4j.errors import InvalidReplyError
from qcg_neo4j.prompts import Task


def read_reply(task: Task, text: str) -> dict[str, Any]:
    """The reply in a model's text: JSON, or nearly JSON (fenced, commented, unquoted, trailing commas).

    Raises:
        InvalidReplyError: nothing of the form of the task's schema can be read from it.
    """
    if not text.strip():
        raise InvalidReplyError(f"{task.name}: the reply is empty.")
    try:
        value = json.loads(text)
    except ValueError:
        value = _repaired(text)
    return task.check(value)


def _repaired(text: str) -> Any:
    from json_repair import repair_json

    value = repair_json(text, return_objects=True)
    # Several JSON values in one text come back as a list: the object in it is what was asked for.
    objects = [item for item in value if isinstance(item, dict)] if isinstance(value, list) else []
    return objects[0] if len(objects) == 1 else value
