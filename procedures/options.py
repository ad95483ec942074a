"""Write what the settings of the Python package declare into the plug-in: `make plugins` runs it.

    python procedures/options.py

The options of every procedure with a configuration, and the texts that describe them, become a Java class; the lines
of `tests/golden/procedures.txt` that list them follow, and so do the embedding models that have a jar. All are
committed: the plug-ins can be built without Python's settings.
"""

from __future__ import annotations

import inspect
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import Field, fields
from pathlib import Path
from typing import Any, get_type_hints

from qcg_neo4j.core.settings import Settings, default_of, setting_type
from qcg_neo4j.database import corpora
from qcg_neo4j.database.conversion import camel, snake
from qcg_neo4j.models.embedding.known_models import IN_DATABASE
from qcg_neo4j.retrieval.method import FILTER
from qcg_neo4j.retrieval.procedures import PROCEDURES, EverywhereSettings

ROOT = Path(__file__).parents[1]
DECLARED = ROOT / "procedures/qcg/src/main/java/qcg/Declared.java"
MODELS = ROOT / "procedures/embedding/src/main/resources/qcg/embedding/models.tsv"
GOLDEN = ROOT / "tests/golden/procedures.txt"
FACTORIES = {int: "whole", float: "real", str: "text", bool: "flag", tuple: "texts", dict: "weights"}
MAYBE = {"where": "MAP", "permitted": "LIST<STRING>"}  # what may be left out, and is nothing then
MAP_FILTER = "Only of documents with this metadata, such as: {author: 'Wu', year: {`$gte`: 2025}}."
HEAD = """// Written by procedures/options.py from the settings of the Python package; `make plugins` keeps it current.
package qcg;

import java.util.List;
import java.util.Map;

/** The options of the procedures, by what declares them in Python, and their descriptions. */
final class Declared {
"""
TAIL = """
    private Declared() {}
}
"""


def models() -> str:
    """The models that have a jar: name, dimension, window, pooling and file of each."""
    rows = [(one.name, one.dimension, one.window_tokens, one.pooling, one.file) for one in IN_DATABASE.values()]
    return "".join("\t".join(map(str, row)) + "\n" for row in rows)


def declared() -> str:
    """The Java class."""
    kinds = sorted({*PROCEDURES.values()}, key=constant)
    blocks = [_described(kind) + "\n" + _options(kind) for kind in kinds]
    entries = [f'            Map.entry("{name}", {constant(kind)})' for name, kind in sorted(PROCEDURES.items())]
    names = [("DEFAULT", corpora.DEFAULT), ("NAME", corpora.NAME), ("OWN", corpora.OWN)]
    facts = [f"    static final String CORPUS_{name} = {_java(value, str)};\n" for name, value in names]
    facts.append(f"    static final int CORPUS_LONGEST = {corpora.LONGEST};\n")
    everything = "    static final Map<String, Options> ALL = Map.ofEntries(\n" + ",\n".join(entries) + ");\n"
    return HEAD + "\n".join(["".join(facts), *blocks, everything]) + TAIL


def golden(text: str) -> str:
    """The signatures with the descriptions of the configurations as they are declared."""
    line = re.compile(r"^(procedure (\S+?)\([^\n]*\n(?:  [^\n]*\n)*?  configuration: )[^\n]*", re.MULTILINE)
    return line.sub(lambda found: found[1] + described(PROCEDURES[found[2]]), text)


def described(kind: type[Settings]) -> str:
    """The keys with their defaults, those of the class itself first; of choices the default is the first.

    >>> described(PROCEDURES["qcg.retrieve.fulltext"])
    "contextTokens 6000, passages 5, candidateFactor 4, corpus 'default'"
    """
    return ", ".join(_keys(kind))


def options(kind: type[Settings]) -> list[Field[Any]]:
    """The settings of a class that the database knows, and what every procedure asks."""
    return [*(one for one in fields(kind) if one.metadata["in_database"]), *fields(EverywhereSettings)]


def meaning(one: Field[Any]) -> str:
    """What a setting means in Cypher, where a filter is a map."""
    told: str = one.metadata["help"]
    return told.replace(FILTER, MAP_FILTER)


def choices(one: Field[Any]) -> tuple[str, ...]:
    """Those of the choices of a setting that the database knows."""
    known: bool | tuple[str, ...] = one.metadata["in_database"]
    found: tuple[str, ...] = one.metadata["choices"] if isinstance(known, bool) else known
    return found


def constant(kind: type[Settings]) -> str:
    """The name of the Java constant.

    >>> constant(PROCEDURES["qcg.retrieve.kgCqr"])
    'KG_CQR'
    """
    return snake(kind.__name__.removesuffix("Settings")).upper()


def _keys(kind: type[Settings]) -> list[str]:
    declaring = [inspect.get_annotations(one) for one in kind.__mro__]
    ordered = sorted(options(kind), key=lambda one: _place(one, declaring))
    return [f"{camel(one.name)} {_values(one)}" for one in ordered]


def _place(one: Field[Any], declaring: Sequence[Mapping[str, Any]]) -> int:
    return next((place for place, own in enumerate(declaring) if one.name in own), len(declaring))


def _values(one: Field[Any]) -> str:
    default = default_of(one)
    others = [choice for choice in choices(one) if choice != default]
    return " | ".join(shown(value) for value in [default, *others])


def shown(value: Any) -> str:
    """A value as Cypher writes it.

    >>> shown({"a": 1e-8, "b": ("c",)}), shown(True)
    ("{a: 1e-8, b: ['c']}", 'true')
    """
    if isinstance(value, dict):
        return "{" + ", ".join(f"{key}: {shown(item)}" for key, item in value.items()) + "}"
    if isinstance(value, tuple):
        return "[" + ", ".join(map(shown, value)) + "]"
    if isinstance(value, str):
        return f"'{value}'"
    return "null" if value is None else str(value).lower().replace("e-0", "e-")


def _described(kind: type[Settings]) -> str:
    lines = [f'"{key}, "' for key in _keys(kind)]
    lines[-1] = lines[-1].replace(', "', '"')
    return f"    static final String {constant(kind)}_KEYS = " + "\n            + ".join(lines) + ";"


def _options(kind: type[Settings]) -> str:
    hints = {**get_type_hints(kind), **get_type_hints(EverywhereSettings)}
    lines = [f"            {_option(one, setting_type(hints[one.name]))}" for one in options(kind)]
    return f"    static final Options {constant(kind)} = Options.of(\n" + ",\n".join(lines) + ");\n"


def _option(one: Field[Any], kind: type) -> str:
    if one.name in MAYBE:
        return f'Option.maybe("{one.name}", "{MAYBE[one.name]}", {json.dumps(meaning(one), ensure_ascii=False)})'
    arguments = ", ".join([_java(camel(one.name), str), _java(default_of(one), kind), *_limits(one, kind)])
    return f"Option.{FACTORIES[kind]}({arguments}, {json.dumps(one.metadata['help'], ensure_ascii=False)})"


def _limits(one: Field[Any], kind: type) -> Iterator[str]:
    if kind in (int, float):
        yield from (_java(one.metadata[name], kind) for name in ("minimum", "maximum"))
    if kind is str:
        yield _java(choices(one), tuple)
    if kind in (tuple, dict):
        yield _java(one.metadata["minimum"], int)


def _java(value: Any, kind: type) -> str:
    """A literal of Java; of numbers that of the kind."""
    if value is None:
        return "null"
    if kind is dict:
        items = ", ".join(f"{_java(key, str)}, {_java(item, type(item))}" for key, item in value.items())
        return f"Map.of({items})"
    if kind is tuple:
        return "List.of(" + ", ".join(_java(item, str) for item in value) + ")"
    if kind is str:
        return json.dumps(value, ensure_ascii=False)
    return f"{value}L" if kind is int else shown(float(value) if kind is float else value)


def write() -> None:
    """Write all three files anew."""
    written = ((DECLARED, declared()), (MODELS, models()), (GOLDEN, golden(GOLDEN.read_text(encoding="utf-8"))))
    for file, text in written:
        file.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    write()
