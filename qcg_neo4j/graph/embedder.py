"""Which model embeds for a graph: the database's own, one on this machine, or one behind an endpoint."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from qcg_neo4j.embedding import Embedder, EmbeddingSettings, local_is_installed, open_embedder, short_name
from qcg_neo4j.errors import MissingPackageError, MissingPluginError, ModelMismatchError, SettingsError
from qcg_neo4j.graph.database_embedder import DatabaseEmbedder, find_database_embedder

if TYPE_CHECKING:
    from qcg_neo4j.graph.graph import Graph

PLUGIN = (
    "An embedded server brings the plug-in qcg-embedding (`qcg server start --embedding`); for another server, "
    "`qcg server plugins FOLDER` copies it, and what it needs, into the folder of plug-ins."
)


def open_embedder_of(graph: Graph, settings: EmbeddingSettings, api_key: str | None = None) -> Embedder:
    """The embedder that the settings name; ``auto`` prefers the database where it has the model.

    An endpoint that the graph remembers is used again, unless the settings name something else.

    Raises:
        MissingPluginError: the database shall embed and cannot.
        ModelMismatchError: the database shall embed and has another model.
        MissingPackageError: neither the database nor this machine can embed.
        SettingsError: the settings do not fit together.
        EmbeddingError: the model does not exist, or its files are not complete.
    """
    if settings.embedder == "database":
        return _in_database(graph, settings)
    settings = _with_endpoint(graph, settings)
    if settings.embedder == "local" or settings.endpoint or _is_folder(settings.model):
        return open_embedder(settings, api_key)
    found = find_database_embedder(graph, settings)
    if found is not None and found.name == short_name(settings.model):
        return found
    if not local_is_installed():
        raise _nothing(graph, settings, found)
    return open_embedder(settings, api_key)


def open_question_embedder(
    graph: Graph, settings: EmbeddingSettings | None = None, api_key: str | None = None
) -> Embedder:
    """The embedder for questions: by the model that the graph was made with, unless the settings name another.

    Raises:
        The errors of `open_embedder_of`.
    """
    settings = settings or EmbeddingSettings()
    recorded = graph.rows("schema/model")
    if recorded and not settings.endpoint and settings.model == EmbeddingSettings().model:
        settings = replace(settings, model=recorded[0]["model"])
    return open_embedder_of(graph, settings, api_key)


def _with_endpoint(graph: Graph, settings: EmbeddingSettings) -> EmbeddingSettings:
    """The settings with the graph's own endpoint, where they say nothing about model and place."""
    found = graph.rows("schema/model") if settings.embedder == "auto" and not settings.endpoint else []
    if not found or not found[0]["endpoint"] or settings.model not in (EmbeddingSettings().model, found[0]["model"]):
        return settings
    recorded = found[0]
    tokenizer = settings.tokenizer or _if_here(recorded["tokenizer"])
    window = settings.window_tokens or recorded["window_tokens"]
    return replace(
        settings,
        endpoint=recorded["endpoint"],
        model=recorded["model"],
        tokenizer=tokenizer,
        window_tokens=window,
    )


def _if_here(tokenizer: str | None) -> str | None:
    """A tokenizer's name; its file only where this machine has it, as another may have written the graph."""
    is_file = tokenizer is not None and (tokenizer.endswith(".json") or Path(tokenizer).is_absolute())
    return None if is_file and not Path(tokenizer or "").exists() else tokenizer


def _in_database(graph: Graph, settings: EmbeddingSettings) -> DatabaseEmbedder:
    if settings.endpoint:
        raise SettingsError(
            f"The database shall embed, but an endpoint is given as well: {settings.endpoint}.",
            "Leave one of --embedder and --embedding-endpoint out.",
        )
    found = find_database_embedder(graph, settings)
    if found is None:
        raise MissingPluginError(
            f"The server at {graph.address.uri} cannot embed: it lacks the plug-in qcg-embedding.", PLUGIN
        )
    if _is_folder(settings.model) or found.name != short_name(settings.model):
        raise ModelMismatchError(
            f"The database embeds by {found.name!r}, but {settings.model!r} is wanted.",
            "Leave --embedder out, or give `--embedder local`.",
        )
    return found


def _is_folder(model: str) -> bool:
    """A folder may hold anything under the name of a known model, so only this machine reads it."""
    return Path(model).expanduser().is_dir()


def _nothing(graph: Graph, settings: EmbeddingSettings, found: DatabaseEmbedder | None) -> MissingPackageError:
    server = f"embeds by {found.name!r} only" if found else "lacks the plug-in qcg-embedding"
    install = "pip install 'qcg-neo4j[sentence-transformers]'"
    return MissingPackageError(
        f"Nothing here embeds by {settings.model!r}: the server at {graph.address.uri} {server}, and "
        "sentence-transformers is not installed on this machine.",
        f"Install it with: {install}" + ("" if found else f"\nOr let the database embed. {PLUGIN}"),
    )
