"""Settings of the stage."""

from __future__ import annotations

from dataclasses import dataclass

from qcg_neo4j.settings import Settings, setting

MODEL, REPLIES, SENTENCES = "model", "replies", "sentences"
BOTH, QUESTION, ANSWER = "question+answer", "question", "answer"


@dataclass(frozen=True)
class GenerateSettings(Settings):
    """Where the queries of a chunk come from, how many there are, and which of them are kept."""

    source: str = setting(
        MODEL,
        "Who writes the queries: a language model, recorded replies, or nobody (each sentence of a chunk is one).",
        choices=(MODEL, REPLIES, SENTENCES),
    )
    pairs_per_chunk: int = setting(
        20, "How many pairs of question and answer a chunk gets.", source="QCG-RAG, M", minimum=1, maximum=200
    )
    kept_share: float = setting(
        0.8,
        "Share of a chunk's pairs to keep, the most similar to the chunk; sentences are all kept.",
        source="QCG-RAG, α",
        minimum=0.001,
        maximum=1,
    )
    node_text: str = setting(
        BOTH, "Which text of a pair is embedded.", source="QCG-RAG, 3.3", choices=(BOTH, QUESTION, ANSWER)
    )
    language: str = setting("en", "Language of the text (ISO 639), to find the ends of sentences.")
