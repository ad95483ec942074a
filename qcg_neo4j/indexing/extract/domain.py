"""What the texts are about: the types of entities to look for, and examples of good replies."""

from __future__ import annotations

import json
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from qcg_neo4j.core.errors import InvalidReplyError, SettingsError
from qcg_neo4j.core.settings import nearest
from qcg_neo4j.models.prompts import task

ENTITY_TYPES = ("person", "organization", "place", "event", "activity", "product", "work", "concept")
_FIELDS = ("about", "entity_types", "examples")


@dataclass(frozen=True)
class Example:
    """A text with the reply that a good reader would give, as JSON."""

    text: str
    reply: str


@dataclass(frozen=True)
class Domain:
    """A domain as a person describes it in a TOML file."""

    about: str = ""
    entity_types: tuple[str, ...] = ENTITY_TYPES
    examples: tuple[Example, ...] = ()

    def variables(self) -> dict[str, str]:
        """Its part of the prompts."""
        shown = [f"Text: {example.text}\nReply: {example.reply}" for example in self.examples]
        return {
            "about": f"\nAbout the texts: {self.about}\n" if self.about else "",
            "types": ", ".join(self.entity_types),
            "examples": "".join(f"\nAn example.\n{text}\n" for text in shown),
        }


def read_domain(path: str | None) -> Domain:
    """The domain in a TOML file; the general one without a file.

    Raises:
        SettingsError: the file cannot be read, or holds something else than a domain.
    """
    if path is None:
        return Domain()
    try:
        fields = tomllib.loads(Path(path).read_text(encoding="utf-8"))
    except OSError as error:
        raise SettingsError(f"The domain file {path} cannot be read: {error.strerror}.") from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise SettingsError(f"The domain file {path} is not TOML: {error}.") from None
    for name in fields:
        if name not in _FIELDS:
            raise SettingsError(f"{path}: there is no {name!r} in a domain.", nearest(name, list(_FIELDS)))
    about, types = fields.get("about", ""), fields.get("entity_types", list(ENTITY_TYPES))
    if not isinstance(about, str) or not _texts(types):
        raise SettingsError(f"{path}: 'about' must be a text, and 'entity_types' a list of texts that is not empty.")
    examples = fields.get("examples", [])
    if not isinstance(examples, list):
        raise SettingsError(f"{path}: 'examples' must be tables: [[examples]].")
    found = tuple(_example(example, f"{path}: example {number}") for number, example in enumerate(examples, start=1))
    return Domain(about.strip(), tuple(types), found)


def _texts(value: Any) -> bool:
    return isinstance(value, list) and bool(value) and all(isinstance(item, str) and item.strip() for item in value)


def _example(example: Any, where: str) -> Example:
    if not isinstance(example, Mapping) or not isinstance(example.get("text"), str):
        raise SettingsError(f"{where} needs a 'text', and the 'entities', 'relations' and 'atoms' of a reply.")
    reply = {name: value for name, value in example.items() if name != "text"}
    try:
        checked = task("extract/graph").check(reply)
    except InvalidReplyError as error:
        raise SettingsError(f"{where}: {error.problem}") from None
    return Example(example["text"], json.dumps(checked, ensure_ascii=False))
