"""Writes what the pages of the manual take from the code: `make pages`. `test_pages` holds them to it."""

from __future__ import annotations

import asyncio
import json
import re
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
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
from bench.commands import bench
from configurations import PROCEDURES

from qcg_neo4j.cli import VERBS, qcg
from qcg_neo4j.cli.command import GROUPS, options_of
from qcg_neo4j.cli.tables import RETRIEVE, rows, tables
from qcg_neo4j.core import errors
from qcg_neo4j.core.settings import Settings, default_of, values_in_words
from qcg_neo4j.database.conversion import camel
from qcg_neo4j.database.statements import paths, statement
from qcg_neo4j.interfaces.mcp import McpSettings, Tools, server_of
from qcg_neo4j.models.embedding.known_models import KNOWN_MODELS, prefixes_by_name
from qcg_neo4j.retrieval import RetrieveSettings, settings_of
from qcg_neo4j.retrieval.catalogue import DEFAULT, METHODS, PAPER, PAPER_SETTINGS, TUNED, TUNED_SETTINGS
from qcg_neo4j.server.lines import read_lock

ROOT = Path(__file__).parents[2]
FOLDERS = ("cypher", "docker", "procedures", "qcg_neo4j", "tests")
# For agents: what language models read first, and what an agent's folder of skills takes.
FOR_AGENTS = (ROOT / "qcg_neo4j/interfaces/llms.txt", ROOT / "qcg_neo4j/interfaces/SKILL.md")
# The manual: a page beside what it describes.
MANUAL = sorted([ROOT / "README.md", *(page for name in FOLDERS for page in (ROOT / name).rglob("RE[AF]*.md"))])
PAGES = [*MANUAL, *FOR_AGENTS]
BLOCK = re.compile(r"(<!-- generated: (?P<name>[^>]+?) -->\n).*?(<!-- end -->)", re.DOTALL)
NAMES = {"exported": public_names.from_the_package, "others": public_names.by_package}
ALL = "all"  # what the settings are called that every method has
# How the commands that pages show begin.
ROOTS: dict[str, click.Command] = {"qcg ": qcg, ".venv/bin/python tests/bench ": bench}


def current(text: str) -> str:
    """The text of a page with every generated block as the code has it now."""
    return BLOCK.sub(lambda found: f"{found[1]}{_block(found['name'])}\n{found[3]}", text)


def _block(name: str) -> str:
    kind, _, rest = name.partition(" ")
    makers: dict[str, Callable[[str], str]] = {
        "commands": _commands,
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
        "index": lambda _: _index(),
        "verbs": lambda _: "\n".join(f"- `qcg {verb}`: {gloss}" for verb, gloss in VERBS.items()),
        "methods": lambda _: "\n".join(f"- `{it}`: {public_names.first_line(METHODS[it], it)}" for it in METHODS),
        "tools": lambda _: _tools(),
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
    """A context in which a command explains itself."""
    return click.Context(found, info_name=name, help_option_names=["-h", "--help"])


def _commands(_: str) -> str:
    """The help of every command, those of a verb together."""
    verbs = [[name for name in names() if name.split()[1:2] == [verb]] for verb in VERBS]
    shown = [f"### qcg {of[0].split()[1]}\n\n{_helps(of)}" for of in verbs]
    return "\n\n".join([f"### qcg\n\n{_helps(['qcg'])}", *shown])


def names(found: click.Command = qcg, name: str = "qcg") -> Iterator[str]:
    """The names of a command and of all that are in it."""
    yield name
    if isinstance(found, click.Group):
        for inner in found.list_commands(click.Context(found)):
            yield from names(command([*name.split()[1:], inner])[0], f"{name} {inner}")


def _helps(names: Iterable[str]) -> str:
    helps = "\n".join(_short_help(name) for name in names)
    return f"```text\n{helps}\n```"


def _short_help(name: str) -> str:
    """The help without the lines of what many commands share, which one line names."""
    starts = (
        "  -s, --set ",
        "      --settings ",
        "      --json ",
        *(f"{group:<10}" for group in GROUPS),
        " " * 10 + "--",
    )
    lines = help_of(name).splitlines()
    kept = [line for line in lines if not line.startswith(starts)]
    if len(kept) == len(lines):
        return "\n".join(lines)
    found = command(name.split()[1:])[0]
    groups = [group.lower() for group in GROUPS if options_of(found, group)]
    shared = [one.opts[-1] for one in options_of(found) if one.opts[-1] in ("--set", "--settings", "--json")]
    return "\n".join([*kept, f"Also     {', '.join([*shared, *groups])}"])


def help_of(name: str) -> str:
    """What ``--help`` prints of a command."""
    found = command(name.split()[1:])[0]
    return found.get_help(context(found, name))


def _settings(_: str) -> str:
    """A table per table of the settings file; those of the methods are on their page."""
    shown = {table: kind for table, kind in tables().items() if not table.startswith(f"{RETRIEVE}.")}
    return "\n\n".join(f"### [{table}]\n\n{_setting_rows(table, kind)}" for table, kind in shown.items())


def _setting_rows(table: str, kind: type[Settings]) -> str:
    found = [
        [
            f"`{row.name.removeprefix(f'{table}.')}`",
            f"`{row.default}`" if row.default else "",
            row.values,
            f"{row.meaning} *{row.source}*" if row.source else row.meaning,
        ]
        for row in rows(table, kind)
    ]
    return _table(["setting", "default", "values", "meaning"], found)


def _index() -> str:
    """The pages of the front page's table, as links from the folder of the agents' files."""
    rows = re.findall(r"^\| \[`([^`]+)`\]\(\1\) \| (.+) \|$", (ROOT / "README.md").read_text("utf-8"), re.MULTILINE)
    plain = [(path, re.sub(r"\[([^]]+)\]\([^)]+\)", r"\1", about)) for path, about in rows]
    return "\n".join(f"- [{path}](../../{path}): {about}" for path, about in plain)


def _tools() -> str:
    """The tools of ``qcg mcp`` with their arguments."""
    nothing: Any = None  # neither a graph nor a model is asked
    tools = Tools(nothing, McpSettings(allow_write=True), open_embedder=nothing)
    rows = []
    for tool in asyncio.run(server_of(tools).list_tools()):
        given = [
            f"{name}={json.dumps(facts['default'])}" if "default" in facts else name
            for name, facts in tool.input_schema.get("properties", {}).items()
        ]
        does = (tool.description or "").splitlines()[0].partition(". ")[0].rstrip(".")
        rows.append(f"- `{tool.name}({', '.join(given)})`: {does}.")
    return "\n".join(rows)


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
        values = values_in_words(declared, hints[declared.name])
        yield declared, ["" if default is None else f"`{shown}`", values, meaning]


def _statements(_: str) -> str:
    """A list per folder: of what people run with its sentence, of what the stages run by name."""
    parts = []
    for folder, group in groupby(sorted(paths(), key=_folder), _folder):
        links = {path: f"[`{path.rpartition('/')[2]}`]({path}.cypher)" for path in group}
        if folder.startswith("inspect") or folder == "retrieve":
            lines = [f"- {link}: {statement(path).title}" for path, link in links.items()]
        else:
            lines = [", ".join(links.values())]
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
