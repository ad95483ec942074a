"""The options that choose a retrieval method and its settings."""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Iterable
from typing import Any, TypeVar

import click

from qcg_neo4j.cli.options import file_section
from qcg_neo4j.errors import SettingsError
from qcg_neo4j.retrieve import METHODS, Method
from qcg_neo4j.retrieve import method as make_method

F = TypeVar("F", bound=Callable[..., Any])


def method_options(command: F) -> F:
    """Add ``--method`` and ``--set NAME=VALUE``."""
    choose = click.option(
        "-m",
        "--method",
        "method_name",
        type=click.Choice(list(METHODS)),
        default="qcg",
        show_default=True,
        envvar="QCG_METHOD",
        help="Retrieval method.",
    )
    settle = click.option(
        "-s",
        "--set",
        "assignments",
        metavar="NAME=VALUE",
        multiple=True,
        help="A setting of the method, such as hops=0; may be given several times. README: settings.",
    )
    return choose(settle(command))


def chosen_method(name: str, assignments: Iterable[str]) -> Method:
    """The method of that name with the settings of the file's table ``[retrieve.NAME]`` and of ``--set``."""
    return make_method(name, {**file_section(f"retrieve.{name}"), **dict(map(_assignment, assignments))})


def _assignment(text: str) -> tuple[str, Any]:
    name, separator, value = text.partition("=")
    if not separator or not name.strip():
        raise SettingsError(f"--set {text!r} is not of the form NAME=VALUE.", "Write for example --set hops=0.")
    try:
        return name.strip().replace("-", "_"), tomllib.loads(f"value = {value.strip()}")["value"]
    except tomllib.TOMLDecodeError:  # a word without quotes, as people write it
        return name.strip().replace("-", "_"), value.strip()
