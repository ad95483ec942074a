"""Text to vectors: a model on this machine or behind an endpoint, and texts longer than it reads."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:  # numpy waits until something is embedded
    from qcg_neo4j.models.embedding.embedder import Embedder, EmbeddingSettings


def open_embedder(settings: EmbeddingSettings, api_key: str | None = None) -> Embedder:
    """The model on this machine or behind an endpoint; a local model is loaded at its first use, not here.

    For one that may run in the database see `qcg_neo4j.database.open_embedder_of`.

    Raises:
        MissingPackageError: the model needs a package that is not installed.
        SettingsError: the settings do not fit together.
        EmbeddingError: the model does not exist, or its files are not complete.
    """
    if settings.endpoint:
        from qcg_neo4j.models.embedding.endpoint import EndpointEmbedder

        return EndpointEmbedder(settings, api_key)
    from qcg_neo4j.models.embedding.local import LocalEmbedder

    return LocalEmbedder(settings)
