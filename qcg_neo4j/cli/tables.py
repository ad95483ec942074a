"""Every setting by its table: what ``--set`` assigns, a settings file holds, the environment says, and pages list."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, fields
from functools import cache
from pathlib import Path
from typing import Any, get_type_hints

from qcg_neo4j.core.addresses import shown_addresses
from qcg_neo4j.core.errors import SettingsError
from qcg_neo4j.core.settings import (
    Settings,
    check_table,
    default_of,
    from_text,
    nearest,
    read_settings_file,
    values_in_words,
)

RETRIEVE = "retrieve"  # its tables are those of the methods, such as [retrieve.layers]
Kinds = Mapping[str, type[Settings]]


@cache
def tables() -> Kinds:
    """The tables of a settings file with the classes of their settings, in the order of the reference."""
    from qcg_neo4j.evaluation import settings as evaluate
    from qcg_neo4j.indexing import adopt, build, extract, generate, load, report, resolve, run, train
    from qcg_neo4j.interfaces.mcp import McpSettings
    from qcg_neo4j.models.embedding.embedder import EmbeddingSettings
    from qcg_neo4j.models.llm import LanguageModelSettings
    from qcg_neo4j.retrieval.catalogue import AroundSettings
    from qcg_neo4j.server import ServerSettings

    return {
        "server": ServerSettings,
        "embedding": EmbeddingSettings,
        "llm": LanguageModelSettings,
        "index": run.IndexSettings,
        "load": load.LoadSettings,
        "adopt": adopt.AdoptSettings,
        "generate": generate.GenerateSettings,
        "extract": extract.ExtractSettings,
        "resolve": resolve.ResolveSettings,
        "build": build.BuildSettings,
        "communities": build.CommunitySettings,
        "synonyms": build.SynonymSettings,
        "atoms": build.AtomSettings,
        "indexes": build.IndexesSettings,
        "report": report.ReportSettings,
        "questions": train.QuestionSettings,
        "link_predictor": train.PredictorSettings,
        **method_tables(),
        "around": AroundSettings,
        "mcp": McpSettings,
        "evaluate": evaluate.EvaluateSettings,
        "evaluate_answers": evaluate.AnswersSettings,
        "evaluate_questions": evaluate.QuestionsSettings,
        "evaluate_pairwise": evaluate.PairwiseSettings,
        "evaluate_claims": evaluate.ClaimsSettings,
        "judge": evaluate.JudgeSettings,
    }


@cache
def method_tables() -> Kinds:
    """The tables of the retrieval methods, and of methods that only answer."""
    from qcg_neo4j.retrieval import METHODS, settings_of
    from qcg_neo4j.retrieval.answer import ANSWERERS

    kinds = {name: settings_of(name) for name in METHODS} | {name: kind for name, (_, kind) in ANSWERERS.items()}
    return {f"{RETRIEVE}.{name}": kind for name, kind in kinds.items()}


@dataclass(frozen=True)
class Row:
    """A setting as it is listed: its name with its table, its default and values in words, and where else it is set."""

    name: str
    default: str
    values: str
    meaning: str
    source: str
    variable: str


def rows(table: str, kind: type[Settings]) -> Iterator[Row]:
    """The settings of a table."""
    hints = get_type_hints(kind)
    for declared in fields(kind):
        facts = declared.metadata
        yield Row(
            f"{table}.{declared.name}",
            value_in_words(default_of(declared)),
            values_in_words(declared, hints[declared.name]),
            facts["help"],
            facts["source"],
            variable(table, declared.name),
        )


def value_in_words(value: Any) -> str:
    """A default as a person would write it after ``--set NAME=``; empty for none."""
    if value is None or value == "":
        return ""
    return str(value).lower() if isinstance(value, bool) else str(value)


def variable(table: str, name: str) -> str:
    """The environment variable of a setting.

    >>> variable("retrieve.kg-cqr", "hops")
    'QCG_RETRIEVE_KG_CQR_HOPS'
    """
    return f"QCG_{table}_{name}".translate(str.maketrans(".-", "__")).upper()


def from_environment(table: str, kind: type[Settings]) -> dict[str, Any]:
    """The settings of a table that environment variables hold; an empty one holds none."""
    hints = get_type_hints(kind)
    found = {name: os.environ.get(variable(table, name)) for name in hints}
    return {name: from_text(text, hints[name]) for name, text in found.items() if text}


def assigned(text: str, known: Kinds) -> tuple[str, str, Any]:
    """An assignment of ``--set`` as table, name and value; ``known`` are the tables of the command, its own first.

    Raises:
        SettingsError: it is no assignment, or no setting or several settings have that name.
    """
    name, separator, value = text.partition("=")
    name = name.strip()
    if not separator or not name:
        shown = shown_addresses(text)
        raise SettingsError(f"--set {shown!r} is not of the form KEY=VALUE.", "Write for example --set passages=10.")
    section, _, key = name.rpartition(".")
    key = key.replace("-", "_")
    table = _table_of(name, section.replace("_", "-"), key, known)
    return table, key, from_text(value, get_type_hints(known[table])[key])


def _table_of(name: str, section: str, key: str, known: Kinds) -> str:
    named = [table for table in known if not section or f".{table}".replace("_", "-").endswith(f".{section}")]
    found = [table for table in named if key in known[table].__dataclass_fields__]
    if not found:
        _refuse(name, section, key, named, known)
    if len(found) > 1 and found[0] != next(iter(known)):
        raise SettingsError(
            f"--set {name}: several settings have this name: {', '.join(f'{table}.{key}' for table in found)}.",
            "Write the name of the table before it.",
        )
    return found[0]


def _refuse(name: str, section: str, key: str, named: Sequence[str], known: Kinds) -> None:
    """Raises `SettingsError`: no setting of this command has that name; says which one is near or where it belongs."""
    elsewhere = [table for table, kind in tables().items() if table not in known and key in kind.__dataclass_fields__]
    if section and not named:
        if any(f".{table}".replace("_", "-").endswith(f".{section}") for table in elsewhere):
            raise SettingsError(f"--set {name}: this command does not use it.", "`qcg settings` lists what each uses.")
        raise SettingsError(f"--set {name}: there is no table {section!r}.", nearest(section, list(known)))
    hint = nearest(key, [setting for table in named for setting in known[table].__dataclass_fields__])
    if not hint.startswith("Did"):
        hint = f"`qcg settings {named[0].removeprefix(f'{RETRIEVE}.')}` lists them."
    raise SettingsError(f"--set {name}: there is no setting {key!r}.", hint)


def read_tables(path: Path) -> dict[str, dict[str, Any]]:
    """The tables of a settings file by their names, with every table and key known.

    Raises:
        SettingsError: the file cannot be read, or holds a table or a key that no setting has.
    """
    found = read_settings_file(path)
    for name, inner in found.pop(RETRIEVE, {}).items():
        if not isinstance(inner, dict) and f"{RETRIEVE}.{name}" not in tables():
            raise SettingsError(
                f"{path}: [{RETRIEVE}] holds {name!r}, but only tables of methods belong there.",
                f"Write it below the method's table, such as [{RETRIEVE}.layers].",
            )
        check_table(inner, f"{path}: {RETRIEVE}.{name}", f"[{RETRIEVE}.{name}]")
        found[f"{RETRIEVE}.{name}"] = inner
    for table, values in found.items():
        if table not in tables():
            raise SettingsError(f"{path}: there is no table [{table}].", nearest(table, list(tables())))
        names = list(tables()[table].__dataclass_fields__)
        for key in values:
            if key not in names:
                raise SettingsError(f"{path}: [{table}] has no setting {key!r}.", nearest(key, names))
    return found
