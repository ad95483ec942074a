"""What there is to choose: ``qcg settings`` and ``qcg methods``."""

from __future__ import annotations

import inspect
import textwrap
from collections.abc import Iterator
from dataclasses import asdict

import click

from qcg_neo4j.cli.command import WIDTH, Command, command
from qcg_neo4j.cli.options import json_option
from qcg_neo4j.cli.tables import RETRIEVE, Row, rows, tables
from qcg_neo4j.cli.terminal import print_json, print_table
from qcg_neo4j.core.errors import InputError
from qcg_neo4j.core.settings import nearest
from qcg_neo4j.retrieval import DEFAULT_METHOD, METHODS
from qcg_neo4j.retrieval.answer import ANSWERERS
from qcg_neo4j.retrieval.catalogue import TUNED_SETTINGS

HEAD = "Set by --set NAME=VALUE, by the variable, or in the file of --settings:\n[TABLE] and below it NAME = VALUE."


@command()
@click.argument("words", nargs=-1, metavar="[VERB|WORD]...")
@json_option
@click.pass_context
def settings(context: click.Context, /, words: tuple[str, ...], as_json: bool) -> None:
    """List settings: those of a verb, a table or a method, or all that contain a WORD.

    Without a word, the tables are listed.
    """
    root = context.find_root()
    found = [row for table in _tables(root, words) for row in rows(table, tables()[table])] or _containing(words)
    if as_json:
        print_json([asdict(row) for row in found])
    elif not words:
        click.echo("\n".join(_listed()))
    else:
        click.echo("\n".join([HEAD, *(line for row in found for line in described(row))]))


def _tables(root: click.Context, words: tuple[str, ...]) -> list[str]:
    """The tables that a verb, a table's name or a method's name stands for; none for any other word."""
    if not words:
        return []
    name = "_".join(words)
    if f"{RETRIEVE}.{words[0]}" in tables() and len(words) == 1:
        return [f"{RETRIEVE}.{words[0]}"]
    verb: click.Command | None = root.command
    for word in words:
        verb = verb.get_command(root, word) if isinstance(verb, click.Group) else None
    if isinstance(verb, Command) and verb.tables:
        return list(verb.known(DEFAULT_METHOD if RETRIEVE in verb.tables else None))
    return [name] if name in tables() else []


def _containing(words: tuple[str, ...]) -> list[Row]:
    """The settings whose name or meaning has all words.

    Raises:
        InputError: none has.
    """
    every = [row for table, kind in tables().items() for row in rows(table, kind)]
    found = [row for row in every if all(word.lower() in f"{row.name} {row.meaning}".lower() for word in words)]
    if not found:
        names = [*dict.fromkeys(row.name.rpartition(".")[2] for row in every)]
        hint = nearest(words[0], names) if words else ""
        raise InputError(f"No setting contains {' '.join(words)!r}.", hint or "`qcg settings` lists the tables.")
    return found


def _listed() -> Iterator[str]:
    """A line per table."""
    yield "Tables of settings. `qcg settings TABLE` lists one, `qcg settings WORD` searches."
    for table, kind in tables().items():
        told = METHODS.get(table.partition(".")[2], kind).__doc__ or ""
        meaning = textwrap.shorten(told.partition("\n")[0], WIDTH - 33, placeholder=" …")
        yield f"  {table:<26}{len(kind.__dataclass_fields__):>3}  {meaning}"


def described(row: Row) -> Iterator[str]:
    """A setting in two or more lines: name, default and values, then what it means and where it is from."""
    default = f" = {row.default}" if row.default else ""
    yield f"{row.name}{default}  ({row.values})"
    source = f" Source: {row.source}." if row.source else ""
    text = f"{row.meaning.rstrip('.')}.{source} {row.variable}"
    yield from textwrap.wrap(text, WIDTH, initial_indent="    ", subsequent_indent="    ", break_on_hyphens=False)


_MADE_BY = {"Query": ("generate", "build"), "Atom": ("extract", "build"), "RELATED_TO": ("extract",)}
_REQUIRED = {
    "graphrag-local": ("extract",),
    "graphrag-global": ("extract", "build", "report"),
    "d2q": ("generate --baselines",),
    "d2q--": ("generate --baselines",),
}  # by methods that do not tell what they look at


@command()
@json_option
def methods(as_json: bool) -> None:
    """List the retrieval methods: what each does, and which stages it requires."""
    rows = []
    for name, kind in METHODS.items():
        sentence = inspect.cleandoc(kind.__doc__ or "").partition("\n")[0].replace("``", "`").rstrip(".")
        # The stages behind loading that the method's nodes come from.
        looks_at = getattr(kind(), "looks_at", ())
        stages = _REQUIRED.get(name) or dict.fromkeys(one for label in looks_at for one in _MADE_BY.get(label, ()))
        found = {"method": name, "does": sentence, "requires": ", ".join(stages), "tuned": name in TUNED_SETTINGS}
        rows.append(found)
    only = [name for name in ANSWERERS if name not in METHODS]
    if as_json:
        print_json({"methods": rows, "answer only": only})
        return
    title = f"Retrieval methods; default: {DEFAULT_METHOD}; `qcg settings METHOD` lists the settings of each"
    print_table(title, ("method", "finds passages by", "requires"), [list(row.values())[:3] for row in rows])
