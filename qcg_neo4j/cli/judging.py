"""What the verbs share that ask a language model and no database: who replies, the estimate, the costs."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import wraps
from pathlib import Path
from typing import Any, Protocol, TypeVar

import click

from qcg_neo4j.cli.asking import (
    MODEL,
    REPLIES,
    estimate_option,
    nothing_to_estimate,
    reply_source,
    show_costs,
    show_estimate,
)
from qcg_neo4j.cli.language_model import replies_option, store_option, store_path
from qcg_neo4j.cli.options import json_option, settings_file_option, settings_options
from qcg_neo4j.cli.terminal import progress_bar
from qcg_neo4j.language_model import Estimate, LanguageModelSettings
from qcg_neo4j.progress import Progress
from qcg_neo4j.records import Usage
from qcg_neo4j.replies import ReplySource, ReplyStore

F = TypeVar("F", bound=Callable[..., Any])
COUNTED = "a token for four bytes"


class Paid(Protocol):
    """A result that knows what it cost."""

    @property
    def usage(self) -> Usage:
        """What was paid now."""


P = TypeVar("P", bound=Paid)


@dataclass(frozen=True)
class Judging:
    """Who replies in this call: recordings, else the endpoint with its store."""

    files: tuple[Path, ...]
    estimate_only: bool
    store: Path
    language_model: LanguageModelSettings
    as_json: bool

    def run(
        self,
        description: str,
        expected: Callable[[ReplySource, ReplyStore], Estimate],
        work: Callable[[ReplySource, Progress], P],
    ) -> P | None:
        """Do the work with its estimate before and its costs behind; None after ``--estimate``."""
        with reply_source(MODEL, None, self.language_model, self.files, self.store) as (source, store):
            assert source is not None  # noqa: S101 - recordings or a model reply
            estimate = expected(source, store) if store else None
            if estimate:
                show_estimate(estimate, self.as_json and self.estimate_only, COUNTED)
            if self.estimate_only:
                if estimate is None:
                    raise nothing_to_estimate(REPLIES)
                return None
            with progress_bar(description) as progress:
                result = work(source, progress)
        if estimate and not self.as_json:
            show_costs(result.usage, estimate, self.language_model)
        return result


def judging_options(command: F) -> F:
    """Add the options of whoever replies; the command receives `Judging` as ``judging``."""

    @wraps(command)
    def run(*args: Any, store: Path | None, home: Path | None, **rest: Any) -> Any:
        names = ("files", "estimate_only", "language_model", "as_json")
        judging = Judging(store=store_path(store, home), **{name: rest.pop(name) for name in names})
        return command(*args, judging=judging, **rest)

    home = click.option(
        "--home", type=click.Path(path_type=Path), envvar="QCG_HOME", help="Home whose reply store is used."
    )
    model = settings_options(LanguageModelSettings, "language_model", shared=True)
    wrapped: Any = run
    for option in (json_option, home, settings_file_option, model, store_option, estimate_option, replies_option):
        wrapped = option(wrapped)
    return wrapped  # type: ignore[no-any-return] # click changes the signature
