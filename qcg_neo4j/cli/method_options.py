"""The options that choose a retrieval method, its settings and the steps behind it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from functools import wraps
from pathlib import Path
from typing import Any

import click

from qcg_neo4j.cli import models
from qcg_neo4j.cli.command import Decorator, Function, option, several
from qcg_neo4j.cli.options import WHERE, Typed, add_tables, name_and_place, table_settings, typed_option
from qcg_neo4j.cli.tables import RETRIEVE, method_tables
from qcg_neo4j.core.addresses import shown_addresses
from qcg_neo4j.core.errors import SettingsError
from qcg_neo4j.core.settings import nearest
from qcg_neo4j.models.llm import LanguageModelSettings
from qcg_neo4j.models.replies import ReplySource
from qcg_neo4j.retrieval import DEFAULT_METHOD, METHODS, Method, RetrieveSettings
from qcg_neo4j.retrieval.around.reordered import MOST
from qcg_neo4j.retrieval.catalogue import DEFAULT, PRESETS, AroundSettings, around_method, asks_a_model, preset_settings

STEPS = ("rerank", "judge", "mmr", "expand", "fuse", "steps")  # of `--then`: settings of [around]
USUAL = {"judge": str(MOST)}  # values of steps that need none
_TYPED = (
    Typed("passages", "N", "number of passages", ("-k", "--passages")),
    Typed("where", "FILTER", WHERE, ("-w", "--where")),
)


@dataclass(frozen=True)
class ChosenMethod:
    """The method that the options name, with the language model that it may ask."""

    name: str
    settings: RetrieveSettings
    around: AroundSettings
    llm: LanguageModelSettings
    files: tuple[Path, ...] = ()
    store: Path | None = None

    def source(self) -> AbstractContextManager[ReplySource | None]:
        """Recorded replies where there are some, else the endpoint; None where neither is given."""
        return models.reply_source(self.files, self.llm, self.store)

    @contextmanager
    def open(self) -> Iterator[Method]:
        """The method; what asks a language model gets recorded replies where there are some, else the endpoint."""
        if not asks_a_model(METHODS[self.name](self.settings), self.around):
            yield self.made(None)
            return
        with self.source() as source:
            yield self.made(source)

    def made(self, source: ReplySource | None) -> Method:
        """The method, with what it may ask."""
        return around_method(METHODS[self.name](self.settings), self.around, source, models.rerank_key())


def method_options(*more: str) -> Decorator:
    """Add ``--method``, ``--preset``, ``--then`` and what may ask a language model; the command receives ``chosen``.

    ``more`` are methods of this command alone.
    """
    return lambda command: _with_options(command, [*METHODS, *more])


def _with_options(command: Function, names: list[str]) -> Function:
    @wraps(command)
    def run(*args: Any, method_name: str, preset: str, steps: tuple[str, ...], **rest: Any) -> Any:
        typed = {one.key: rest.pop(f"{RETRIEVE}__{one.key}") for one in _TYPED}
        settings = method_settings(method_name, preset, typed)
        around = table_settings(AroundSettings, "around", step_settings(steps))
        given = {name: rest.pop(name) for name in ("llm", "files", "store")}
        return command(*args, chosen=ChosenMethod(method_name, settings, around, **given), **rest)

    add_tables(run, {RETRIEVE: RetrieveSettings, "around": AroundSettings})
    return several(
        option(
            "-m",
            "--method",
            "method_name",
            type=click.Choice(names),
            metavar="NAME",
            default=DEFAULT_METHOD,
            envvar="QCG_METHOD",
            help=f"{DEFAULT_METHOD} (default), auto, qcg, kg-cqr, atomic, lp, …",
            see="qcg methods",
        ),
        option(
            "--preset",
            type=click.Choice(PRESETS),
            metavar="NAME",
            default=DEFAULT,
            help="default, paper (of methods from papers) or tuned",
        ),
        *(typed_option(RetrieveSettings, RETRIEVE, one) for one in _TYPED),
        option(
            "--then",
            "steps",
            metavar="STEP",
            multiple=True,
            help="rerank=MODEL, judge, mmr=0.7, expand=hyde, fuse=fulltext, steps=3; repeatable",
            shell_complete=lambda *found: [f"{name}=" for name in STEPS if name.startswith(found[-1])],
        ),
        models.replies_option,
        models.store_option,
        models.llm_option,
    )(run)


def method_settings(name: str, preset: str, typed: Mapping[str, Any]) -> RetrieveSettings:
    """The settings of a method: typed, else of ``--set``, a variable, the preset, or the file's ``[retrieve.NAME]``.

    Raises:
        SettingsError: a value is out of its range, or the method has no such preset.
    """
    table = f"{RETRIEVE}.{name}"
    kind: Any = method_tables()[table]
    found: RetrieveSettings = table_settings(kind, table, typed, preset_settings(name, preset))
    return found


def step_settings(steps: tuple[str, ...]) -> dict[str, Any]:
    """The settings of [around] that the steps mean.

    Raises:
        SettingsError: it is no step, or it is given twice.
    """
    found: dict[str, Any] = {}
    for text in steps:
        name, separator, value = text.partition("=")
        if name not in STEPS:
            raise SettingsError(f"--then: there is no step {shown_addresses(name)!r}.", nearest(name, STEPS))
        value = value if separator else USUAL.get(name, "")
        if not value:
            raise SettingsError(f"--then {text!r} is not of the form STEP=VALUE.", "Write for example --then mmr=0.7.")
        if name in found:
            raise SettingsError(f"--then {name} is given twice.", "Give each step once.")
        model, at, place = name_and_place(value)
        if name == "rerank" and at and "://" in place:
            found |= {"rerank": model, "rerank_endpoint": place}
        else:
            found[name] = value
    return found
