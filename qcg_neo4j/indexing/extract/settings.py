"""Settings of the stage, and its domain: the types of entities to look for, and examples of good replies."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from qcg_neo4j.core.errors import InvalidReplyError, SettingsError
from qcg_neo4j.core.settings import Settings, nearest, read_toml, setting
from qcg_neo4j.models.prompts import DEMONSTRATION, task

MODEL, REPLIES, SPACY = "model", "replies", "spacy"
PARTS = "parts"
FACTS, GRANULAR = "facts", "granular"
ENTITY_TYPES = ("person", "organization", "place", "event", "activity", "product", "work", "concept")
_FIELDS = ("about", "entity_types", "examples")


@dataclass(frozen=True)
class ExtractSettings(Settings):
    """Where entities, relations and atoms come from, and what else is asked."""

    source: str = setting(
        MODEL,
        "Source of the extraction: a language model, recorded replies, or spaCy (co-occurrence, sentences).",
        choices=(MODEL, REPLIES, SPACY),
    )
    domain: str | None = setting(None, "TOML file that describes the texts: `about`, `entity_types`, `examples`.")
    gleaning_rounds: int | None = setting(
        None,
        "Rounds of asking the model for what it missed. Default: 1; for recorded replies, the recorded rounds.",
        source="GraphRAG, public code, max_gleanings",
        minimum=0,
        maximum=10,
    )
    claims: bool = setting(False, "Also extract claims about the entities; one more call per chunk.")
    summarize_claims: bool = setting(
        False,
        "Summarize an entity's claims if they exceed 1,000 characters together; reports show the summary in their "
        "place.",
    )
    atoms: str = setting(
        FACTS,
        "Atoms: each fact once, with its reasons (facts), or sentences cut as small as possible, by one more call per "
        "chunk (granular).",
        choices=(FACTS, GRANULAR),
    )
    dates: bool = setting(False, "Days that an atom names are entities, as in the AtomicRAG paper.")
    describe: bool = setting(True, "Summarize an entity's descriptions if they exceed 1,000 characters together.")
    triple_text: str = setting(
        "ttr",
        "Embedded text of a relation: its textual representation (TTR) or its three parts.",
        source="KG-CQR paper, §3.1.1",
        choices=("ttr", PARTS),
    )
    demonstration: bool = setting(False, DEMONSTRATION)
    spacy_model: str | None = setting(
        None,
        "spaCy model for source=spacy: a package name or a folder; else the small one of the corpus's language, or "
        "names by capital letters where none is installed.",
    )

    @property
    def rounds(self) -> int:
        """Rounds of gleaning, at most."""
        return 1 if self.gleaning_rounds is None else self.gleaning_rounds

    @property
    def requires_gleaning(self) -> bool:
        """Whether a gleaning without a reply is missing; else it is skipped."""
        return self.source == MODEL or self.gleaning_rounds is not None


@dataclass(frozen=True)
class Domain:
    """A domain as a person describes it in a TOML file; an example is a text and a good reply to it, as shown."""

    about: str = ""
    entity_types: tuple[str, ...] = ENTITY_TYPES
    examples: tuple[str, ...] = ()

    def variables(self) -> dict[str, str]:
        """Its part of the prompts."""
        return {
            "about": f"\nAbout the texts: {self.about}\n" if self.about else "",
            "types": ", ".join(self.entity_types),
            "examples": "".join(f"\nAn example.\n{example}\n" for example in self.examples),
        }


def read_domain(path: str | None) -> Domain:
    """The domain in a TOML file; the general one without a file.

    Raises:
        SettingsError: the file cannot be read, or holds something else than a domain.
    """
    if path is None:
        return Domain()
    fields = read_toml(Path(path), "domain")
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


def _example(example: Any, where: str) -> str:
    if not isinstance(example, Mapping) or not isinstance(example.get("text"), str):
        raise SettingsError(f"{where} needs a 'text', and the 'entities', 'relations' and 'atoms' of a reply.")
    reply = {name: value for name, value in example.items() if name != "text"}
    try:
        checked = task("extract/graph").check(reply)
    except InvalidReplyError as error:
        raise SettingsError(f"{where}: {error.problem}") from None
    return f"Text: {example['text']}\nReply: {json.dumps(checked, ensure_ascii=False)}"
