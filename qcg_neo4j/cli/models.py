"""The models of a command: their options, and how the embedder, the language model and recorded replies are opened."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import click

from qcg_neo4j.cli.command import option, several
from qcg_neo4j.cli.options import Typed, model_option, place_option, settings_options
from qcg_neo4j.cli.terminal import notices
from qcg_neo4j.core.errors import number_of
from qcg_neo4j.core.records import Usage
from qcg_neo4j.database.embedder import open_embedder_of, open_question_embedder
from qcg_neo4j.database.graph import Graph
from qcg_neo4j.models.embedding.embedder import Embedder, EmbeddingSettings
from qcg_neo4j.models.embedding.windows import ESTIMATE
from qcg_neo4j.models.llm import Budget, LanguageModelSettings, LiveModel
from qcg_neo4j.models.replies import Recording, ReplySource, ReplyStore

EMBEDDING_KEY = "OPENAI_API_KEY"
_KNOWN = {ESTIMATE: ", one token per five letters; install tiktoken or set embedding.tokenizer to count them"}


# The command receives the settings of the language model as ``llm``, and those of the embedding model as ``embedding``.
llm_option = several(
    model_option("--llm", "llm", "language model; after @ its address or a provider"),
    settings_options(
        LanguageModelSettings,
        "llm",
        Typed("max_cost", "AMOUNT", "stop before the run costs more; needs prices", group="Costs"),
    ),
)
embedding_option = several(
    model_option("--embedding", "embedding", "embedding model; after @ its address, database or local"),
    settings_options(EmbeddingSettings, "embedding"),
)
store_option = option(
    "--store",
    type=click.Path(dir_okay=False, path_type=Path),
    metavar="FILE",
    envvar="QCG_STORE",
    group="Model",
    help="file of paid replies [replies.sqlite in --home, else in the user's data folder]",
)
reply_home_option = place_option(
    "--home",
    type=click.Path(path_type=Path),
    metavar="FOLDER",
    envvar="QCG_HOME",
    group="Model",
    help="home whose reply store is used",
)
replies_option = option(
    "--replies",
    "files",
    type=click.Path(path_type=Path),
    metavar="FILE",
    multiple=True,
    group="Model",
    help="recorded replies instead of a language model; repeatable",
)


def embedder_of(graph: Graph, settings: EmbeddingSettings) -> Embedder:
    """The embedder for what is written into the graph; says how tokens are counted where only an endpoint knows."""
    embedder = _shown(open_embedder_of(graph, settings, api_key()))
    counting = getattr(embedder, "counting", None)
    if counting is not None:
        notices().print(f"Tokens: {counting.name}{_KNOWN.get(counting.name, '')}", style="dim")
    return embedder


def use_for_questions(graph: Graph, settings: EmbeddingSettings) -> None:
    """Let the graph embed questions by its own model, unless the settings name another; opened when one comes."""
    graph.open_embedder = lambda: _shown(open_question_embedder(graph, settings, api_key()))


def _shown(embedder: Embedder) -> Embedder:
    place = getattr(embedder, "place", "on this machine")
    notices().print(f"Embedding {place}: {embedder.name}", style="dim")
    return embedder


def api_key(settings: LanguageModelSettings | None = None) -> str | None:
    """The key of a model's endpoint, or of the embedding's: only ever from the environment, hidden from other users."""
    variable = settings.known_provider.key if settings else EMBEDDING_KEY
    return (os.environ.get(variable) or None) if variable else None


def rerank_key() -> str | None:
    """The key of a reranker's endpoint: of its own, since it is seldom the language model's."""
    return os.environ.get("QCG_RERANK_API_KEY") or None


def store_path(store: Path | None, home: Path | None) -> Path:
    """Where the replies are: as given, else in the home that was given, else where all graphs of the user share."""
    from platformdirs import user_data_path

    place = store or (home or user_data_path("qcg-neo4j", appauthor=False)) / "replies.sqlite"
    return place.expanduser()  # no shell does that in a variable of JSON, or behind --home=


def budget_of(settings: LanguageModelSettings) -> Budget:
    """What this command may still spend: one budget for all of its stages."""
    meta = click.get_current_context().meta
    budget: Budget = meta.setdefault(f"qcg.budget.{type(settings).__name__}", Budget(settings))
    return budget


@contextmanager
def live_model(
    settings: LanguageModelSettings, store: ReplyStore, key: str | None = None, budget: Budget | None = None
) -> Iterator[LiveModel]:
    """The endpoint with its store, paid from this or the command's budget; says what a killed run has lost."""

    def notice(text: str) -> None:
        notices().print(f"Note: {text}")

    paying = budget or budget_of(settings)
    with closing(LiveModel(settings, store, key or api_key(settings), paying, notice=notice)) as model:
        if model.lost:
            calls = number_of(model.lost, "call was", "calls were")
            notice(
                f"{calls} under way when an earlier run was killed. Their replies are lost and requested again, so "
                "they may be paid twice."
            )
        yield model


def tokens_told(usage: Usage, name: str) -> str:
    """``input_tokens`` or ``output_tokens`` in words; an endpoint may not report them."""
    if usage.untold and usage.untold >= usage.calls:
        return "not reported"
    more = f", not reported for {usage.untold:,} of {usage.calls:,} calls" if usage.untold else ""
    return f"{getattr(usage, name):,}{more}"


def usage_in_words(usage: Usage) -> str:
    """The tokens of calls in a line."""
    inputs, outputs = (tokens_told(usage, name) for name in ("input_tokens", "output_tokens"))
    if inputs == outputs == "not reported":
        return "tokens not reported"
    return f"{inputs} input and {outputs} output tokens"


@contextmanager
def reply_source(
    files: tuple[Path, ...], settings: LanguageModelSettings, store: Path | None
) -> Iterator[ReplySource | None]:
    """Recorded replies, else the endpoint with its store; None where neither is given."""
    if files:
        yield Recording(files)
    elif settings.is_given:
        with ReplyStore(store_path(store, given_home())) as opened, live_model(settings, opened) as model:
            yield model
    else:
        yield None


def given_home() -> Path | None:
    """The home that ``--home`` or QCG_HOME names, for commands that connect and so do not receive it."""
    home = click.get_current_context().params.get("home") or os.environ.get("QCG_HOME")
    return Path(home) if home else None
