"""Profiles of ``qcg index``: the settings of the stages as a paper has them."""

from __future__ import annotations

import tomllib
from collections.abc import Callable
from importlib.resources import files
from typing import Any, TypeVar

import click

from qcg_neo4j.cli.command import option

F = TypeVar("F", bound=Callable[..., Any])
PROFILE = "qcg.profile"  # where the context keeps the tables of the profile
PROFILES: dict[str, dict[str, dict[str, Any]]] = tomllib.loads(
    (files("qcg_neo4j.cli") / "profiles.toml").read_text(encoding="utf-8")
)


def profile_option(command: F) -> F:
    """Add ``--profile NAME``: the settings file overrides its tables."""
    return option(
        "--profile",
        type=click.Choice(list(PROFILES)),
        metavar="NAME",
        is_eager=True,
        expose_value=False,
        callback=_chosen,
        help=f"settings of a paper: {', '.join(PROFILES)}",
    )(command)


def _chosen(context: click.Context, _: click.Parameter, name: str | None) -> None:
    context.meta[PROFILE] = PROFILES[name] if name else {}
