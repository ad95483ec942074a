"""The options that choose a retrieval method and its settings."""

from __future__ import annotations

import json
import tomllib
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from functools import wraps
from pathlib import Path
from typing import Any, TypeVar

import click

from qcg_neo4j.cli.language_model import given_home, replies_option, reply_source, rerank_key, store_option, store_path
from qcg_neo4j.cli.options import file_section, settings_options
from qcg_neo4j.core.errors import SettingsError
from qcg_neo4j.core.settings import Settings, from_mapping
from qcg_neo4j.models.llm import LanguageModelSettings
from qcg_neo4j.models.replies import ReplySource
from qcg_neo4j.retrieval import DEFAULT_METHOD, METHODS, Method, method
from qcg_neo4j.retrieval.around.composition import AroundSettings, asks_a_model, compose
from qcg_neo4j.retrieval.catalogue import DEFAULT, PAPER, TUNED, preset_settings
from qcg_neo4j.retrieval.method import FILTER

F = TypeVar("F", bound=Callable[..., Any])


@dataclass(frozen=True)
class ChosenMethod:
    """The method that the options name, with the language model that it may ask."""

    name: str
    settings: Mapping[str, Any]
    around: AroundSettings
    language_model: LanguageModelSettings
    files: tuple[Path, ...] = ()
    store: Path | None = None

    @contextmanager
    def source(self) -> Iterator[ReplySource | None]:
        """Recorded replies where there are some, else the endpoint; None where neither is given."""
        with reply_source(self.files, self.language_model, store_path(self.store, given_home())) as source:
            yield source

    @contextmanager
    def open(self) -> Iterator[Method]:
        """The method; what asks a language model gets recorded replies where there are some, else the endpoint."""
        if not asks_a_model(self.name, self.settings, self.around):
            yield compose(self.name, self.settings, self.around, None, rerank_key())
            return
        with self.source() as source:
            yield compose(self.name, self.settings, self.around, source, rerank_key())


def method_options(more: Mapping[str, type[Settings]] = {}) -> Callable[[F], F]:
    """Add ``--method``, ``--preset``, ``--set`` and what may ask a language model; the command receives ``chosen``.

    ``more`` are methods of this command alone, with the classes of their settings.
    """
    return lambda command: _with_options(command, more)


def _with_options(command: F, more: Mapping[str, type[Settings]]) -> F:
    @wraps(command)
    def run(
        *args: Any, method_name: str, preset: str, assignments: tuple[str, ...], where: str | None, **rest: Any
    ) -> Any:
        given = {name: rest.pop(name) for name in ("around", "language_model", "files", "store")}
        asked = assignments if where is None else (*assignments, f"where={json.dumps(where)}")
        chosen = ChosenMethod(method_name, settings_of_method(method_name, asked, more, preset), **given)
        return command(*args, chosen=chosen, **rest)

    choose = click.option(
        "-m",
        "--method",
        "method_name",
        type=click.Choice([*METHODS, *more]),
        default=DEFAULT_METHOD,
        show_default=True,
        envvar="QCG_METHOD",
        help="Retrieval method.",
    )
    prepare = click.option(
        "--preset",
        type=click.Choice([DEFAULT, PAPER, TUNED]),
        default=DEFAULT,
        show_default=True,
        help="Settings of the method: the paper's, or those that did better in our measurements.",
    )
    settle = click.option(
        "-s",
        "--set",
        "assignments",
        metavar="NAME=VALUE",
        multiple=True,
        help="A setting of the method, such as hops=0; may be given several times. See the methods' page.",
    )
    restrict = click.option("--where", metavar="FILTER", help=FILTER)
    around = settings_options(AroundSettings, "around")
    language_model = settings_options(LanguageModelSettings, "language_model", shared=True)
    for option in (language_model, store_option, replies_option, around, restrict, settle, prepare, choose):
        run = option(run)
    return run  # type: ignore[return-value] # click changes the signature


def settings_of_method(
    name: str, assignments: Iterable[str], more: Mapping[str, type[Settings]] = {}, preset: str = DEFAULT
) -> dict[str, Any]:
    """The checked settings of ``--set``, else of the preset, else of the file's table ``[retrieve.NAME]``.

    Raises:
        SettingsError: no such setting, a value out of its range, or the method has no such preset.
    """
    given = dict(map(_assignment, assignments))
    settings = {**file_section(f"retrieve.{name}"), **preset_settings(name, preset), **given}
    if name in more:
        from_mapping(more[name], settings, name)
    else:
        method(name, settings)
    return settings


def _assignment(text: str) -> tuple[str, Any]:
    name, separator, value = text.partition("=")
    if not separator or not name.strip():
        raise SettingsError(f"--set {text!r} is not of the form NAME=VALUE.", "Write for example --set hops=0.")
    try:
        return name.strip().replace("-", "_"), tomllib.loads(f"value = {value.strip()}")["value"]
    except (ValueError, RecursionError):  # a word without quotes, as people write it
        return name.strip().replace("-", "_"), value.strip()
