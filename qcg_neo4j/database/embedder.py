"""Which model embeds for a graph: the database's own, one on this machine, or one behind an endpoint."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from qcg_neo4j.core.errors import MissingPackageError, MissingPluginError, ModelMismatchError, SettingsError
from qcg_neo4j.database.connection import Connection
from qcg_neo4j.database.database_embedder import DatabaseEmbedder, find_database_embedder
from qcg_neo4j.database.model import prefixes_of, recorded_model
from qcg_neo4j.models.embedding import open_embedder
from qcg_neo4j.models.embedding.embedder import Embedder, EmbeddingSettings, chosen_prefixes
from qcg_neo4j.models.embedding.local import local_is_installed
from qcg_neo4j.models.embedding.model_files import short_name

PLUGIN = (
    "An embedded server brings the plug-in qcg-embedding (`qcg server start --embedding`); for another server, "
    "`qcg server plugins FOLDER` copies it, and what it needs, into the folder of plug-ins."
)
CHOICE = "`qcg server start --database-model` chooses the model of an embedded server."


def open_embedder_of(
    graph: Connection, settings: EmbeddingSettings = EmbeddingSettings(), api_key: str | None = None
) -> Embedder:
    """The embedder that the settings name; ``auto`` prefers the database where it has the model.

    Where the settings name no model, the database's is taken for a new graph, and for one that was made by it. An
    endpoint, and prefixes, that the graph remembers are used again, unless the settings name something else.

    Raises:
        MissingPluginError: the database shall embed and cannot.
        ModelMismatchError: the database shall embed and has another model.
        MissingPackageError: neither the database nor this machine can embed.
        SettingsError: the settings do not fit together.
        EmbeddingError: the model does not exist, or its files are not complete.
    """
    recorded = recorded_model(graph)
    if settings.embedder != "local" and not settings.endpoint:
        settings = _with_database_model(graph, recorded, settings)
    if recorded is not None:
        settings = _with_prefixes(recorded, settings)
    if settings.embedder == "database":
        return _in_database(graph, settings)
    if recorded is not None:
        settings = _with_endpoint(recorded, settings)
    if settings.embedder == "local" or settings.endpoint or _is_folder(settings.model):
        return open_embedder(settings, api_key)
    found = find_database_embedder(graph, settings)
    if found is not None and _names(settings, found.name):
        return found
    if not local_is_installed():
        raise _nothing(graph, settings, found)
    return open_embedder(settings, api_key)


def open_question_embedder(
    graph: Connection, settings: EmbeddingSettings | None = None, api_key: str | None = None
) -> Embedder:
    """The embedder for questions: by the model that the graph was made with, unless the settings name another.

    Raises:
        The errors of `open_embedder_of`.
    """
    settings = settings or EmbeddingSettings()
    recorded = recorded_model(graph)
    if recorded and not settings.endpoint and settings.model == EmbeddingSettings().model:
        settings = replace(settings, model=recorded["model"])
    return open_embedder_of(graph, settings, api_key)


def _with_database_model(
    graph: Connection, recorded: Mapping[str, Any] | None, settings: EmbeddingSettings
) -> EmbeddingSettings:
    """The settings with the database's model, where they name none and the graph is new or was made by it."""
    default = EmbeddingSettings().model
    if settings.model != default or (recorded and (recorded["endpoint"] or recorded["model"] == default)):
        return settings
    found = find_database_embedder(graph, settings)
    if found is None or (recorded and recorded["model"] != found.name):
        return settings
    return replace(settings, model=found.name)


def _names(settings: EmbeddingSettings, model: str) -> bool:
    """Whether the settings name this model, with or without its organisation, or by a folder."""
    return settings.model == model or short_name(settings.model) == model


def _with_prefixes(recorded: Mapping[str, Any], settings: EmbeddingSettings) -> EmbeddingSettings:
    """The settings with the graph's own prefixes, where they say nothing about them and name its model, or none."""
    if not _names(settings, recorded["model"]) and not _may_be_recorded(recorded, settings):
        return settings
    chosen = chosen_prefixes(settings, prefixes_of(recorded))
    return replace(settings, question_prefix=chosen.question, passage_prefix=chosen.passage)


def _may_be_recorded(recorded: Mapping[str, Any], settings: EmbeddingSettings) -> bool:
    """Whether the graph's own endpoint is meant: the settings say nothing about model and place."""
    mentioned = settings.endpoint or settings.embedder != "auto"
    return bool(recorded["endpoint"]) and not mentioned and settings.model == EmbeddingSettings().model


def _with_endpoint(recorded: Mapping[str, Any], settings: EmbeddingSettings) -> EmbeddingSettings:
    """The settings with the graph's own endpoint, where they say nothing about model and place."""
    names_it = settings.embedder == "auto" and not settings.endpoint and settings.model == recorded["model"]
    if not recorded["endpoint"] or not (names_it or _may_be_recorded(recorded, settings)):
        return settings
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


def _in_database(graph: Connection, settings: EmbeddingSettings) -> DatabaseEmbedder:
    if settings.endpoint:
        raise SettingsError(
            f"The embedder 'database' and the embedding endpoint {settings.endpoint} cannot be combined.",
            "Give --embedding NAME@database or --embedding NAME@URL.",
        )
    found = find_database_embedder(graph, settings)
    if found is None:
        raise MissingPluginError(
            f"The server at {graph.address.uri} cannot embed: it lacks the plug-in qcg-embedding.", PLUGIN
        )
    if _is_folder(settings.model) or not _names(settings, found.name):
        raise ModelMismatchError(
            f"The database embeds with {found.name!r}, but {settings.model!r} is wanted.",
            "Give --embedding NAME@local, or no embedder; `qcg server start --database-model` chooses what an embedded "
            "server embeds with.",
        )
    return found


def _is_folder(model: str) -> bool:
    """A folder may hold anything under the name of a known model, so only this machine reads it."""
    return Path(model).expanduser().is_dir()


def _nothing(graph: Connection, settings: EmbeddingSettings, found: DatabaseEmbedder | None) -> MissingPackageError:
    server = f"embeds by {found.name!r} only" if found else "lacks the plug-in qcg-embedding"
    install = "pip install 'qcg-neo4j[sentence-transformers]'"
    return MissingPackageError(
        f"No embedder for {settings.model!r}: the server at {graph.address.uri} {server}, and "
        "sentence-transformers is not installed on this machine.",
        f"Install it with: {install}\nOr let the database embed. {CHOICE if found else PLUGIN}",
    )
