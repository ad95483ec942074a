"""The options of the language model and of the store of its replies, for the verbs that ask one."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any, TypeVar

import click

from qcg_neo4j.cli.terminal import notices
from qcg_neo4j.core.records import Usage
from qcg_neo4j.models.llm import Budget, LanguageModelSettings, LiveModel
from qcg_neo4j.models.llm.provider import provider_of
from qcg_neo4j.models.replies import Recording, ReplySource, ReplyStore

F = TypeVar("F", bound=Callable[..., Any])
EMBEDDING_KEY = "OPENAI_API_KEY"


def api_key(settings: LanguageModelSettings | None = None) -> str | None:
    """The key of a model's endpoint, or of the embedding's: only ever from the environment, hidden from other users."""
    variable = provider_of(settings).key if settings else EMBEDDING_KEY
    return (os.environ.get(variable) or None) if variable else None


def rerank_key() -> str | None:
    """The key of a reranker's endpoint: of its own, since it is seldom the language model's."""
    return os.environ.get("QCG_RERANK_API_KEY") or None


def store_option(command: F) -> F:
    """Add ``--store``: the file of the replies that were paid for."""
    return click.option(
        "--store",
        type=click.Path(dir_okay=False, path_type=Path),
        envvar="QCG_STORE",
        help="File of the stored replies; QCG_STORE. "
        "[default: replies.sqlite in --home if that is given, else in the user's data folder]",
    )(command)


def store_path(store: Path | None, home: Path | None) -> Path:
    """Where the replies are: as given, else in the home that was given, else where all graphs of the user share."""
    from platformdirs import user_data_path

    return store or (home or user_data_path("qcg-neo4j", appauthor=False)) / "replies.sqlite"


def replies_option(command: F) -> F:
    """Add ``--replies FILE``: what a language model would be asked is taken from recordings."""
    return click.option(
        "--replies",
        "files",
        type=click.Path(path_type=Path),
        multiple=True,
        help="Take the replies from this recording, and ask nobody; may be given several times.",
    )(command)


def budget_of(settings: LanguageModelSettings) -> Budget:
    """What this command may still spend: one budget for all of its stages, and another one for a judge."""
    meta = click.get_current_context().meta
    budget: Budget = meta.setdefault(f"qcg.budget.{type(settings).__name__}", Budget(settings))
    return budget


@contextmanager
def live_model(settings: LanguageModelSettings, store: ReplyStore, key: str | None = None) -> Iterator[LiveModel]:
    """The endpoint with its store, paid from the command's budget; says what a killed run has lost."""
    with closing(LiveModel(settings, store, key or api_key(settings), budget_of(settings))) as model:
        if model.lost:
            calls = "1 call was" if model.lost == 1 else f"{model.lost:,} calls were"
            notices().print(
                f"Note: {calls} under way when an earlier run was killed. What came for them is lost, and is asked for "
                "again: it may be paid twice.",
                markup=False,
            )
        yield model


def tokens_told(usage: Usage, name: str) -> str:
    """``input_tokens`` or ``output_tokens`` in words; an endpoint need not tell them."""
    if usage.untold and usage.untold >= usage.calls:
        return "not told"
    more = f", not told for {usage.untold:,} of {usage.calls:,} calls" if usage.untold else ""
    return f"{getattr(usage, name):,}{more}"


def usage_in_words(usage: Usage) -> str:
    """The tokens of calls in a line."""
    inputs, outputs = (tokens_told(usage, name) for name in ("input_tokens", "output_tokens"))
    if inputs == outputs == "not told":
        return "tokens not told"
    return f"{inputs} input and {outputs} output tokens"


@contextmanager
def reply_source(files: tuple[Path, ...], settings: LanguageModelSettings, store: Path) -> Iterator[ReplySource | None]:
    """Recorded replies, else the endpoint with its store; None where neither is given."""
    if files:
        yield Recording(files)
    elif settings.is_given:
        with ReplyStore(store) as opened, live_model(settings, opened) as model:
            yield model
    else:
        yield None


def given_home() -> Path | None:
    """The home that ``--home`` or QCG_HOME names, for commands that connect and so do not receive it."""
    home = click.get_current_context().params.get("home") or os.environ.get("QCG_HOME")
    return Path(home) if home else None
