"""Profiles of ``qcg index``: the settings of the stages as a paper has them."""

from __future__ import annotations

import tomllib
from collections.abc import Callable
from importlib.resources import files
from typing import Any, TypeVar

import click

F = TypeVar("F", bound=Callable[..., Any])
PROFILES: dict[str, dict[str, dict[str, Any]]] = tomllib.loads(
    (files("qcg_neo4j.cli") / "profiles.toml").read_text(encoding="utf-8")
)


def profile_option(command: F) -> F:
    """Add ``--profile NAME``: its tables stand below those of the settings file."""
    return click.option(
        "--profile",
        type=click.Choice(list(PROFILES)),
        is_eager=True,
        expose_value=False,
        callback=_chosen,
        help="Chunks, extraction and joining as a paper has them; a settings file and options come before.",
    )(command)


def _chosen(context: click.Context, _: click.Parameter, name: str | None) -> None:
    context.meta["qcg.profile"] = PROFILES[name] if name else {}
