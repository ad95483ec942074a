"""The options of the language model and of the store of its replies, for the verbs that ask one."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any, TypeVar

import click

from qcg_neo4j.language_model import LanguageModelSettings, LiveModel
from qcg_neo4j.replies import Recording, ReplySource, ReplyStore

F = TypeVar("F", bound=Callable[..., Any])


def api_key() -> str | None:
    """The key of the endpoint: only ever from the environment, where other users do not see it."""
    return os.environ.get("OPENAI_API_KEY") or None


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


@contextmanager
def reply_source(files: tuple[Path, ...], settings: LanguageModelSettings, store: Path) -> Iterator[ReplySource | None]:
    """Recorded replies, else the endpoint with its store; None where neither is given."""
    if files:
        yield Recording(files)
    elif settings.endpoint or settings.model:
        with ReplyStore(store) as opened, closing(LiveModel(settings, opened, api_key())) as model:
            yield model
    else:
        yield None


def given_home() -> Path | None:
    """The home that ``--home`` or QCG_HOME names, for commands that connect and so do not receive it."""
    home = click.get_current_context().params.get("home") or os.environ.get("QCG_HOME")
    return Path(home) if home else None
