"""What is adopted, if it cannot be detected."""

from __future__ import annotations

from dataclasses import dataclass

from qcg_neo4j.core.settings import Settings, setting


@dataclass(frozen=True)
class AdoptSettings(Settings):
    """Which nodes of others are chunks, and what their properties and relationships mean; what is not said is found."""

    chunk_label: str | None = setting(None, "The label of the chunks.")
    text_property: str | None = setting(None, "The property with the text of a chunk.")
    embedding_property: str | None = setting(None, "The property with the vector of a chunk.")
    their_vectors: bool = setting(
        False,
        "Reuse the existing vectors; they must come from the embedding model. Off: embed again.",
    )
    document_relationship: str | None = setting(
        None, "The type of the relationship between chunks and documents, in either direction."
    )
    document_property: str | None = setting(
        None, "The property of a chunk that names its document, if documents have no nodes."
    )
    order_property: str | None = setting(None, "The property with the position of a chunk in its document.")
    beside: bool = setting(False, "Create a node of our own for each chunk and document; theirs stay unmarked.")
