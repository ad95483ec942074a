"""Writes what the pages of the manual take from the code: `make pages`. `test_pages` holds them to it."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Iterator, Mapping
from dataclasses import Field, fields
from itertools import groupby
from pathlib import Path
from typing import Any, get_type_hints

sys.path += [str(Path(__file__).parents[1] / name) for name in ("", "materials", "twins", "reproduction")]
sys.path.append(str(Path(__file__).parents[2] / "procedures"))
import click
import front_table
import options
import public_names
import published
import shown
from bench.commands import MEASUREMENTS, bench
from bench.measurement import Numbers

from qcg_neo4j.cli import qcg
from qcg_neo4j.core import errors
from qcg_neo4j.core.settings import Settings, default_of, setting_type
from qcg_neo4j.database.conversion import camel
from qcg_neo4j.database.statements import paths, statement
from qcg_neo4j.evaluation import EvaluateSettings
from qcg_neo4j.evaluation.settings import (
    AnswersSettings,
    ClaimsSettings,
    JudgeSettings,
    PairwiseSettings,
    QuestionsSettings,
)
from qcg_neo4j.indexing.adopt import AdoptSettings
from qcg_neo4j.indexing.build import AtomSettings, BuildSettings, CommunitySettings, SynonymSettings
from qcg_neo4j.indexing.extract import ExtractSettings
from qcg_neo4j.indexing.generate import GenerateSettings
from qcg_neo4j.indexing.load import LoadSettings
from qcg_neo4j.indexing.report import ReportSettings
from qcg_neo4j.indexing.resolve import ResolveSettings
from qcg_neo4j.indexing.run import IndexSettings
from qcg_neo4j.indexing.train import PredictorSettings, QuestionSettings
from qcg_neo4j.interfaces.mcp import McpSettings
from qcg_neo4j.models.embedding.embedder import EmbeddingSettings
from qcg_neo4j.models.embedding.known_models import KNOWN_MODELS
from qcg_neo4j.models.embedding.prefixes import prefixes_by_name
from qcg_neo4j.models.llm import LanguageModelSettings
from qcg_neo4j.retrieval import RetrieveSettings, settings_of
from qcg_neo4j.retrieval.around.composition import AroundSettings
from qcg_neo4j.retrieval.catalogue import DEFAULT, METHODS, PAPER, PAPER_SETTINGS, TUNED, TUNED_SETTINGS
from qcg_neo4j.retrieval.procedures import PROCEDURES
from qcg_neo4j.server import ServerSettings
from qcg_neo4j.server.lock import read_lock

ROOT = Path(__file__).parents[2]
FOLDERS = ("cypher", "docker", "procedures", "qcg_neo4j", "tests")
# The manual: a page beside what it describes.
PAGES = sorted([ROOT / "README.md", *(page for name in FOLDERS for page in (ROOT / name).rglob("RE[AF]*.md"))])
BLOCK = re.compile(r"(<!-- generated: (?P<name>[^>]+?) -->\n).*?(<!-- end -->)", re.DOTALL)
NAMES = {"exported": public_names.from_the_package, "others": public_names.by_package}
WIDTH = 100
ALL = "all"  # what the settings are called that every method has
# How the commands that pages show begin.
ROOTS: dict[str, click.Command] = {"qcg ": qcg, ".venv/bin/python tests/bench ": bench}
# Table of the settings file -> its class, and the command that has its options.
SECTIONS: dict[str, tuple[type[Settings], str]] = {
    "server": (ServerSettings, "server start"),
    "index": (IndexSettings, "index"),
    "load": (LoadSettings, "load"),
    "adopt": (AdoptSettings, "adopt"),
    "generate": (GenerateSettings, "generate"),
    "extract": (ExtractSettings, "extract"),
    "resolve": (ResolveSettings, "resolve"),
    "build": (BuildSettings, "build"),
    "communities": (CommunitySettings, "build"),
    "synonyms": (SynonymSettings, "build"),
    "atoms": (AtomSettings, "build"),
    "questions": (QuestionSettings, "train questions"),
    "link_predictor": (PredictorSettings, "train link-predictor"),
    "report": (ReportSettings, "report"),
    "evaluate": (EvaluateSettings, "evaluate retrieval"),
    "evaluate_answers": (AnswersSettings, "evaluate answers"),
    "evaluate_questions": (QuestionsSettings, "evaluate questions"),
    "evaluate_pairwise": (PairwiseSettings, "evaluate pairwise"),
    "evaluate_claims": (ClaimsSettings, "evaluate claims"),
    "around": (AroundSettings, "retrieve"),
    "mcp": (McpSettings, "mcp"),
    "embedding": (EmbeddingSettings, "load"),
    "language_model": (LanguageModelSettings, "generate"),
    "judge": (JudgeSettings, "evaluate answers"),
}


def current(text: str) -> str:
    """The text of a page with every generated block as the code has it now."""
    return BLOCK.sub(lambda found: f"{found[1]}{_block(found['name'])}\n{found[3]}", text)


def _block(name: str) -> str:
    kind, _, rest = name.partition(" ")
    makers: dict[str, Callable[[str], str]] = {
        "commands": _commands,
        "measurements": _measurements,
        "settings": _settings,
        "method": _method,
        "presets": _presets,
        "statements": _statements,
        "procedures": _procedures,
        "configurations": _configurations,
        "configuration": _configuration,
        "embedding-models": _embedding_models,
        "errors": _errors,
        "names": lambda which: NAMES[which](),
        "results": lambda _: front_table.as_markdown(),
        "table": shown.as_markdown,
        "published": lambda _: published.as_markdown(),
    }
    return makers[kind](rest)


def command(words: list[str], root: click.Command = qcg) -> tuple[click.Command, list[str]]:
    """The command that the words after ``qcg`` name, and the words that are left: its arguments."""
    found = root
    while isinstance(found, click.Group) and words:
        inner = found.get_command(click.Context(found), words[0])
        if inner is None:
            break
        found, words = inner, words[1:]
    return found, words


def context(found: click.Command, name: str) -> click.Context:
    """A context in which a command explains itself in lines of `WIDTH`."""
    names = ["-h", "--help"]
    return click.Context(found, info_name=name, terminal_width=WIDTH, max_content_width=WIDTH, help_option_names=names)


def _commands(_: str) -> str:
    """The help of every command, a group before what is in it."""
    return "\n\n".join(_help(name) for name in names())


def names(found: click.Command = qcg, name: str = "qcg") -> Iterator[str]:
    """The names of a command and of all that are in it."""
    yield name
    if isinstance(found, click.Group):
        for inner in found.list_commands(click.Context(found)):
            yield from names(command([*name.split()[1:], inner])[0], f"{name} {inner}")


def _help(name: str) -> str:
    found = command(name.split()[1:])[0]
    found._help_option = None  # which a call without these names has left there
    text = context(found, name)
    shown = "\n".join(line.rstrip() for line in found.get_help(text).splitlines())
    return f"### {name}\n\n```text\n{shown}\n```"


def _settings(_: str) -> str:
    """A table per table of the settings file."""
    return "\n\n".join(f"### [{section}]\n\n{_setting_rows(section)}" for section in SECTIONS)


def _setting_rows(section: str) -> str:
    kind, verb = SECTIONS[section]
    options = {option.name: option for option in command(verb.split())[0].params}
    rows = []
    for declared, facts in _facts(kind):
        option: Any = options[f"{section}__{declared.name}"]
        rows.append([f"`{declared.name}`", f"`{option.opts[0]}`", f"`{option.envvar}`", *facts])
    return _table(["setting", "option", "environment", "default", "values", "meaning"], rows)


def _measurements(_: str) -> str:
    """A row per option that is a measurement's own."""
    rows = []
    for found in MEASUREMENTS:
        told = {declared.name: facts for declared, facts in _facts(found.settings)}
        for option in found.params:
            if isinstance(option, Numbers):
                facts = [f"`{option.default}`", "whole numbers", option.help or ""]
            elif (option.name or "").startswith("bench_"):
                facts = told[(option.name or "").partition("__")[2]]
            else:
                continue
            rows.append([f"`{found.name}`", f"`{option.opts[0]}`", *facts])
    return _table(["command", "option", "default", "values", "meaning"], rows)


def _method(name: str) -> str:
    """The settings of a method that are its own; those that every method has under the name ``all``."""
    shared = {declared.name for declared in fields(RetrieveSettings)}
    kind = RetrieveSettings if name == ALL else settings_of(name)
    found = [(declared.name, facts) for declared, facts in _facts(kind) if name == ALL or declared.name not in shared]
    if not found:
        return "It has no settings of its own."
    return _table(["setting", "default", "values", "meaning"], [[f"`{own}`", *facts] for own, facts in found])


def _presets(_: str) -> str:
    rows = []
    for name in (name for name in METHODS if name in PAPER_SETTINGS or name in TUNED_SETTINGS):
        defaults = settings_of(name)()
        paper, tuned = PAPER_SETTINGS.get(name, {}), TUNED_SETTINGS.get(name, {})
        usual = {setting: getattr(defaults, setting) for setting in {**paper, **tuned}}
        rows.append([f"[`{name}`](#{name})", *map(_listed, (usual, paper, tuned))])
    return _table(["method", DEFAULT, PAPER, TUNED], rows)


def _listed(settings: Mapping[str, Any]) -> str:
    return ", ".join(f"`{name}` {'none' if value is None else value}" for name, value in settings.items())


def _facts(kind: type[Settings]) -> Iterator[tuple[Field[Any], list[str]]]:
    """Per setting: default, values, meaning with the source of the default."""
    hints = get_type_hints(kind)
    for declared in fields(kind):
        default, source = default_of(declared), declared.metadata["source"]
        shown = options.shown(default) if isinstance(default, bool | tuple | dict) else str(default)
        meaning = f"{declared.metadata['help']} *{source}*" if source else declared.metadata["help"]
        values = _values(declared, setting_type(hints[declared.name]))
        yield declared, ["" if default is None else f"`{shown}`", values, meaning]


def _values(declared: Field[Any], kind: type) -> str:
    facts = declared.metadata
    if kind in (tuple, dict):
        return "map" if kind is dict else "texts, at least one" if facts["minimum"] else "texts"
    if facts["choices"]:
        return ", ".join(f"`{choice}`" for choice in facts["choices"])
    low, high = facts["minimum"], facts["maximum"]
    if low is None and high is None:
        return {bool: "true, false", int: "whole number", float: "number", str: "text"}[kind]
    return f"from {low:,}" if high is None else f"{low:,} to {high:,}"


def _statements(_: str) -> str:
    """A list per folder; what parameters a statement has is told in its file."""
    parts = []
    for folder, group in groupby(sorted(paths(), key=_folder), _folder):
        lines = [f"- [`{path}`]({path}.cypher): {statement(path).title}" for path in group]
        parts.append("\n".join([f"**{folder}**", "", *lines]))
    return "\n\n".join(parts)


def _folder(path: str) -> str:
    return path.rpartition("/")[0]


def _procedures(_: str) -> str:
    """The procedures and functions of the golden file, with what they do."""
    text = options.GOLDEN.read_text(encoding="utf-8")
    shown = re.findall(r"^(?:procedure|function) (\S+?)\(.*\n  (.*)", text, re.MULTILINE)
    return _table(["procedure or function", "what it does"], [[f"`{name}`", meaning] for name, meaning in shown])


def _configurations(_: str) -> str:
    """The keys of all configurations; procedures that have the same are one row."""
    held: dict[type[Settings], list[str]] = {}
    for name, kind in sorted(PROCEDURES.items()):
        held.setdefault(kind, []).append(f"`{name}`")
    keys = {kind: re.sub(r"(\w+) (.+?)(, (?=\w+ )|$)", r"`\1` \2\3", options.described(kind)) for kind in held}
    return _table(["procedure", "keys and defaults"], [[", ".join(names), keys[kind]] for kind, names in held.items()])


def _configuration(name: str) -> str:
    """The keys of one procedure, with their ranges and meanings."""
    kind = PROCEDURES[name]
    known = options.options(kind)
    rows = [[f"`{camel(one.name)}`", *facts] for one, facts in _facts(kind) if one in known]
    return _table(["key", "default", "values", "meaning"], rows)


def _embedding_models(_: str) -> str:
    sizes = {jar.coordinates: jar.size for jar in read_lock("embedding")}
    rows = []
    for model in KNOWN_MODELS:
        prefixes = prefixes_by_name(model.name)
        rows.append(
            [
                f"`{model.name}`",
                f"{model.dimension:,}",
                f"{model.window_tokens:,}",
                model.languages,
                model.licence,
                f"{sizes[model.artefact] / 1e6:.0f} MB" if model.artefact else "from its folder",
                " ".join(f"`{prefix}`" for prefix in (prefixes.question, prefixes.passage) if prefix),
            ]
        )
    return _table(["model", "numbers", "tokens", "languages", "licence", "in the database", "prefixes"], rows)


def _errors(_: str) -> str:
    kinds = [kind for kind in vars(errors).values() if isinstance(kind, type) and issubclass(kind, errors.QcgError)]
    rows = [
        [
            f"`{kind.__name__}`",
            f"`{kind.__bases__[0].__name__}`",
            str(kind.exit_code),
            (kind.__doc__ or "").replace("``", "`"),
        ]
        for kind in kinds
    ]
    return _table(["error", "is a", "exit code", "meaning"], rows)


def _table(columns: list[str], rows: list[list[str]]) -> str:
    lines = [columns, ["---"] * len(columns), *rows]
    return "\n".join(f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in line)} |" for line in lines)


if __name__ == "__main__":
    for page in PAGES:
        page.write_text(current(page.read_text(encoding="utf-8")), encoding="utf-8")
