"""What shall be adopted, where that is not to be found out."""

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
        "Use their vectors, which are by the embedding model, as whoever names that says; else new ones are made.",
    )
    document_relationship: str | None = setting(
        None, "The type of the relationship that joins chunks and documents, in whichever direction."
    )
    document_property: str | None = setting(
        None, "The property of a chunk that names its document, where there are no nodes of documents."
    )
    order_property: str | None = setting(None, "The property that says where in its document a chunk stands.")
    beside: bool = setting(
        False, "Give each chunk and document a node of ours beside theirs, which then stays without any mark."
    )
