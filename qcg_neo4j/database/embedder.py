"""Who embeds for a graph: the database's own model, one on this machine, or one behind an endpoint.

The database embeds by the plug-in qcg-embedding: no torch, nothing to load on this side.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from qcg_neo4j.core.addresses import is_of_this_machine, shown_address
from qcg_neo4j.core.errors import EmbeddingError, MissingPackageError, MissingPluginError, ModelMismatchError
from qcg_neo4j.database.connection import Connection
from qcg_neo4j.database.model import prefixes_of, recorded_model
from qcg_neo4j.models.embedding import open_embedder
from qcg_neo4j.models.embedding.embedder import (
    Embedder,
    EmbeddingSettings,
    Vectors,
    chosen_prefixes,
    unit_rows,
)
from qcg_neo4j.models.embedding.known_models import Prefixes, prefixes_by_name
from qcg_neo4j.models.embedding.local import local_is_installed
from qcg_neo4j.models.embedding.model_files import short_name
from qcg_neo4j.models.embedding.windows import beginnings, embed_whole
from qcg_neo4j.models.llm.settings import ANY, PROVIDERS

if TYPE_CHECKING:
    from tokenizers import Tokenizer

PLUGIN = (
    "An embedded server brings the plug-in qcg-embedding (`qcg server start --embedding`); for another server, "
    "`qcg server plugins FOLDER` copies it, and what it needs, into the folder of plug-ins."
)
CHOICE = "`qcg server start --database-model` chooses the model of an embedded server."
# One call is one transaction: as much as the model does in about half a minute, and no huge message.
TEXTS_AT_ONCE = 256
CHARACTERS_AT_ONCE = 1_000_000


class DatabaseEmbedder(Embedder):
    """The database's own model, known by `find_database_embedder`; ``window`` is how much it reads by default."""

    place = "in the database"

    def __init__(
        self, graph: Connection, model: Mapping[str, Any], prefixes: Prefixes, window: int | None = None
    ) -> None:
        self._graph, self._model, self._window = graph, model, window
        self.name: str = model["name"]
        self.dimension: int = model["dimension"]
        self.prefixes = prefixes
        self.reads = min(model["window_tokens"], window or model["window_tokens"])
        self._reads_less = self.reads < model["window_tokens"]

    def of(self, graph: Connection) -> DatabaseEmbedder:
        """The same model by another connection."""
        return DatabaseEmbedder(graph, self._model, self.prefixes, self._window)

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (None, self._model, self.prefixes, self._window)  # another process connects itself: `of`

    @cached_property
    def tokenizer(self) -> Tokenizer:
        """The model's tokenizer, which the database hands out, without truncation and padding."""
        from tokenizers import Tokenizer

        tokenizer = Tokenizer.from_str(self._graph.rows("embed/tokenizer")[0]["tokenizer"])
        tokenizer.no_truncation()
        tokenizer.no_padding()
        return tokenizer

    def _vectors(self, texts: Sequence[str], prefix: str) -> Vectors:
        batches = [self._embed_batch(batch, prefix) for batch in _batches(texts)]
        return np.concatenate(batches) if batches else np.empty((0, self.dimension), np.float32)

    def embed_whole(self, text: str, *, as_passage: bool = False) -> Vectors:
        """The vector of a question (or passage), (dimension,); of a longer one than it reads, that of its parts."""
        if self._reads_less:
            return embed_whole(text, self, as_passage=as_passage)
        prefix = self.prefixes.passage if as_passage else self.prefixes.question
        found = self._graph.rows("embed/text", text=text, prefix=prefix)
        return np.asarray(unit_rows([found[0]["embedding"]], 1, self.name, self.dimension)[0])

    def _embed_batch(self, texts: list[str], prefix: str) -> Vectors:
        if self._reads_less:
            texts = beginnings(texts, lambda: self.tokenizer, self._room(prefix))
        texts = [prefix + text for text in texts]
        rows: list[Any] = [None] * len(texts)
        for row in self._graph.rows("embed/texts", texts=texts):
            rows[row["index"]] = row["embedding"]
        return unit_rows(rows, len(texts), self.name, self.dimension)


def _batches(texts: Sequence[str]) -> Iterator[list[str]]:
    batch: list[str] = []
    characters = 0
    for text in texts:
        if batch and (len(batch) == TEXTS_AT_ONCE or characters + len(text) > CHARACTERS_AT_ONCE):
            yield batch
            batch, characters = [], 0
        batch.append(text)
        characters += len(text)
    if batch:
        yield batch


def find_database_embedder(graph: Connection, settings: EmbeddingSettings) -> DatabaseEmbedder | None:
    """The database's own model, whichever it is; None where the server lacks the plug-in."""
    try:
        found = graph.rows("embed/model")[0]
    except MissingPluginError:
        return None
    prefixes = chosen_prefixes(settings, prefixes_by_name(found["name"]))
    return DatabaseEmbedder(graph, found, prefixes, settings.window_tokens)


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
        EmbeddingError: the model does not exist, its files are not complete, or the key would go to an address that the
            graph alone names.
    """
    recorded = recorded_model(graph)
    if settings.embedder != "local" and not settings.endpoint:
        settings = _with_database_model(graph, recorded, settings)
    if recorded is not None:
        settings = _with_prefixes(recorded, settings)
    if settings.embedder == "database":
        return _in_database(graph, settings)
    if recorded is not None:
        settings = _with_endpoint(recorded, settings, api_key)
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


def _with_endpoint(recorded: Mapping[str, Any], settings: EmbeddingSettings, api_key: str | None) -> EmbeddingSettings:
    """The settings with the graph's own endpoint and what it needs, where they name it or nothing else."""
    is_meant = not settings.endpoint or shown_address(settings.endpoint) == recorded["endpoint"]
    names_it = settings.embedder == "auto" and is_meant and settings.model == recorded["model"]
    if not recorded["endpoint"] or not (names_it or _may_be_recorded(recorded, settings)):
        return settings
    if api_key and not settings.endpoint:
        _check_address(recorded)
    return replace(
        settings,
        endpoint=settings.endpoint or recorded["endpoint"],
        model=recorded["model"],
        tokenizer=settings.tokenizer or _if_here(recorded["tokenizer"]),
        window_tokens=settings.window_tokens or recorded["window_tokens"],
    )


def _check_address(recorded: Mapping[str, Any]) -> None:
    """Refuse to send the key to the graph's own endpoint: whoever may write into the graph chooses that address.

    OpenAI gave the key, and servers on this machine are the person's own.
    """
    address = recorded["endpoint"]
    if address.rstrip("/") != PROVIDERS[ANY].address and not is_of_this_machine(address):
        shown = shown_address(address)
        raise EmbeddingError(
            f"The graph embeds at {shown}, and OPENAI_API_KEY is set.",
            f"Name it to send your key there: --embedding {recorded['model']}@{shown}",
        )


def _if_here(tokenizer: str | None) -> str | None:
    """A tokenizer's name; its file only where this machine has it, as another may have written the graph."""
    is_file = tokenizer is not None and (tokenizer.endswith(".json") or Path(tokenizer).is_absolute())
    return None if is_file and not Path(tokenizer or "").exists() else tokenizer


def _in_database(graph: Connection, settings: EmbeddingSettings) -> DatabaseEmbedder:
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
    return MissingPackageError(
        f"No embedder for {settings.model!r}: the server at {graph.address.uri} {server}, and "
        "sentence-transformers is not installed on this machine.",
        "Install it with: pip install 'qcg-neo4j[sentence-transformers]'\n"
        f"Or let the database embed. {CHOICE if found else PLUGIN}",
    )
