"""Write what the settings of the Python package declare into the plug-in: `make plugins` runs it.

    python procedures/options.py

A configuration, and the text that describes it, becomes a Java record, and the keys of every procedure lines of a table
of what they may be. The lines of `tests/golden/procedures.txt` that list them follow, and so do the embedding models
that have a jar. All are committed, and so are the forms of days: the plug-ins can be built without Python's settings.
"""

from __future__ import annotations

import inspect
import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import Field, fields
from pathlib import Path
from textwrap import wrap
from typing import Any, get_type_hints

from configurations import PROCEDURES, EverywhereSettings

from qcg_neo4j.core.days import FORMS, months
from qcg_neo4j.core.settings import Settings, default_of, setting_type
from qcg_neo4j.database import corpora
from qcg_neo4j.database.conversion import camel
from qcg_neo4j.database.corpora import MARK
from qcg_neo4j.models.embedding.known_models import IN_DATABASE
from qcg_neo4j.retrieval.method import FILTER, RetrieveSettings

ROOT = Path(__file__).parents[1]
DECLARED = ROOT / "procedures/qcg/src/main/java/qcg/config/Configs.java"
OPTIONS = ROOT / "procedures/qcg/src/main/resources/options.tsv"
MODELS = ROOT / "procedures/embedding/src/main/resources/qcg/embedding/models.tsv"
DAYS = ROOT / "procedures/qcg/src/main/resources/days.tsv"
GOLDEN = ROOT / "tests/golden/procedures.txt"
TYPES = {  # in Java and in Cypher
    int: ("long", "INTEGER"),
    float: ("double", "FLOAT"),
    str: ("String", "STRING"),
    bool: ("boolean", "BOOLEAN"),
    tuple: ("List<String>", "LIST<STRING>"),
}
MAYBE = {"where": ("Object", "MAP"), "permitted": TYPES[tuple]}  # what may be left out, and is null then
INTERFACES = {RetrieveSettings: "RetrieveConfig", Settings: "Config"}
QUOTE = "'"
WIDTH = 95  # of a line of a text in Java
TOGETHER = "\N{NO-BREAK SPACE}"  # between a type and its name, which stay on one line
MAP_FILTER = "Only of documents with this metadata, such as: {author: 'Wu', year: {`$gte`: 2025}}."
HEAD = """// Written by procedures/options.py from the settings of the Python package; `make plugins` keeps it current.
package qcg.config;

import java.util.List;

/** What Python declares: the configurations as records, and how corpora are named; options.tsv has the ranges. */
public final class Configs {
"""
TAIL = """
    private Configs() {}
}
"""


def models() -> str:
    """The models that have a jar: name, dimension, window, pooling and file of each."""
    rows = [(one.name, one.dimension, one.window_tokens, one.pooling, one.file) for one in IN_DATABASE.values()]
    return "".join("\t".join(map(str, row)) + "\n" for row in rows)


def days() -> str:
    """The forms in which days are written, as Java's patterns, and the names of months with their numbers."""
    forms = [("form", form.replace("(?P<", "(?<")) for form in FORMS]
    return "".join(f"{name}\t{value}\n" for name, value in [*forms, *sorted(months().items())])


def declared() -> str:
    """The Java class."""
    names = [("DEFAULT", corpora.DEFAULT), ("MARK", MARK), ("NAME", corpora.NAME), ("OWN", corpora.OWN)]
    facts = [f"    public static final String CORPUS_{name} = {_java(value)};\n" for name, value in names]
    facts.append(f"    public static final int CORPUS_LONGEST = {corpora.LONGEST};\n")
    return HEAD + "\n".join(["".join(facts), *map(_record, sorted({*PROCEDURES.values()}, key=record))]) + TAIL


def table() -> str:
    """What the keys may be: procedure, key, type, default, minimum, maximum, choices and meaning."""
    return "".join(_row(name, kind, one) for name, kind in sorted(PROCEDURES.items()) for one in options(kind))


def golden(text: str) -> str:
    """The signatures with the descriptions of the configurations as they are declared."""
    line = re.compile(r"^(procedure (\S+?)\([^\n]*\n(?:  [^\n]*\n)*?  configuration: )[^\n]*", re.MULTILINE)
    return line.sub(lambda found: found[1] + described(PROCEDURES[found[2]]), text)


def described(kind: type[Settings]) -> str:
    """The keys with their defaults, those of the class itself first; of choices the default is the first.

    >>> described(PROCEDURES["qcg.retrieve.fulltext"])
    "contextTokens 6000, where null, passages 5, candidateFactor 4, corpus 'default'"
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


def record(kind: type[Settings]) -> str:
    """The name of the Java record.

    >>> record(PROCEDURES["qcg.retrieve.kgCqr"]), record(PROCEDURES["qcg.retrieve.fulltext"])
    ('KgCqrConfig', 'BaseConfig')
    """
    return ("Base" if kind is RetrieveSettings else kind.__name__.removesuffix("Settings")) + "Config"


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


def _record(kind: type[Settings]) -> str:
    components = ", ".join(f"{_types(kind, one)[0]}{TOGETHER}{camel(one.name)}" for one in options(kind))
    interface = next(name for base, name in INTERFACES.items() if issubclass(kind, base))
    lines = "\n            ".join(line.strip() for line in _lines(components)).replace(TOGETHER, " ")
    keys = "\n                + ".join(map(_java, _lines(", ".join(_keys(kind)))))
    return (
        f"    public record {record(kind)}(\n            {lines})\n            implements {interface} {{\n"
        f"        public static final String KEYS = {keys};\n    }}\n"
    )


def _types(kind: type[Settings], one: Field[Any]) -> tuple[str, str]:
    hints = {**get_type_hints(kind), **get_type_hints(EverywhereSettings)}
    return MAYBE.get(one.name) or TYPES[setting_type(hints[one.name])]


def _lines(text: str) -> list[str]:
    """The text in lines, each but the last with the blank at its end."""
    *lines, last = wrap(text, WIDTH, break_long_words=False, break_on_hyphens=False)
    return [*(f"{line} " for line in lines), last]


def _row(procedure: str, kind: type[Settings], one: Field[Any]) -> str:
    """A line of the table; what an option lacks is empty."""
    limits = [one.metadata[name] for name in ("minimum", "maximum")]
    default, several = default_of(one), " ".join(choices(one))
    standard = " ".join(default) if isinstance(default, tuple) else shown(default).strip(QUOTE)
    told = ["" if value is None else shown(value) for value in limits]
    cells = [procedure, camel(one.name), _types(kind, one)[1], "" if default is None else standard, *told, several]
    return "\t".join([*cells, meaning(one)]) + "\n"


def _java(text: str) -> str:
    """A text as Java writes it."""
    return json.dumps(text, ensure_ascii=False)


def write() -> None:
    """Write all files anew."""
    signatures = golden(GOLDEN.read_text(encoding="utf-8"))
    tables = ((OPTIONS, table()), (MODELS, models()), (DAYS, days()))
    for file, text in ((DECLARED, declared()), *tables, (GOLDEN, signatures)):
        file.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    write()
