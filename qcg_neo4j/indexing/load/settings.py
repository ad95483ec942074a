"""How documents are read and cut."""

from __future__ import annotations

import re
from dataclasses import dataclass

from qcg_neo4j.core.errors import SettingsError
from qcg_neo4j.core.settings import Settings, setting

_CODE = re.compile("[a-z]{2}")
LONG_TEXT = ("windows", "mean", "truncate")


@dataclass(frozen=True)
class LoadSettings(Settings):
    """How documents are read, cut into chunks and written."""

    chunk_tokens: int = setting(
        1200,
        "Largest size of a chunk, in tokens of the embedding model; the paper's other setting is 512.",
        source="QCG-RAG paper, §4.1",
        minimum=16,
        maximum=100_000,
    )
    overlap_tokens: int = setting(
        100,
        "How many tokens neighbouring chunks share at most; the paper's other setting is 64.",
        source="QCG-RAG paper, §4.1",
        minimum=0,
    )
    section_tokens: int = setting(
        256,
        "Text is cut at its headings, where it has some; neighbouring sections below the same heading stay together up "
        "to so many tokens.",
        source="what the default embedding model reads at once",
        minimum=0,
        maximum=100_000,
    )
    long_text: str = setting(
        "windows",
        "A chunk longer than the model reads: 'windows' gives each window a vector of its own, 'mean' keeps only their "
        "mean, 'truncate' ignores what the model does not read.",
        source="truncate: QCG-RAG; windows: measured on LiHua-World",
        choices=LONG_TEXT,
    )
    window_overlap_tokens: int = setting(
        # Recall@5 (MRR) of the best window on LiHua-World: 0 tokens 75.3 (64.3), 32 tokens 75.8 (65.0), 48 tokens
        # 75.5 (64.4), 64 tokens 75.5 (64.3), 96 tokens 75.1 (63.8). Mean of windows 71.7 (60.7), truncated 67.3 (57.7).
        32,
        "How many tokens neighbouring windows of a long chunk share.",
        source="measured on LiHua-World",
        minimum=0,
    )
    chunks_per_transaction: int = setting(
        200,
        "How many chunks are embedded and written together; a document with more of them takes several transactions.",
        minimum=1,
        maximum=10_000,
    )
    largest_document: int = setting(
        64 * 1024 * 1024,
        "Largest line of JSON Lines and largest file, in bytes; larger ones are rejected, and so is an archive (.docx, "
        ".xlsx …) that unpacks to four times as much.",
        minimum=1024,
    )
    id_prefix: str | None = setting(
        None,
        "What ids begin with, such as 'handbook/': a file's is then this and its path inside the given folder; without "
        "it, its absolute path.",
    )
    language: str | None = setting(
        None,
        "Language of the documents (ISO 639-1, such as de), by which words are compared; else that of the corpus, else "
        "that of most documents.",
    )
    follow_links: bool = setting(False, "Read files and folders behind links that lead out of the given folder.")
    replace: bool = setting(
        False, "Replace documents whose id is in the graph from another source, instead of leaving the new ones out."
    )
    strict: bool = setting(False, "Stop at the first piece of input that cannot be used, instead of leaving it out.")

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.language is not None and not _CODE.fullmatch(self.language):
            raise SettingsError(f"LoadSettings.language is {self.language!r}, not a code of ISO 639-1.")
        if self.overlap_tokens >= self.chunk_tokens:
            raise SettingsError(
                f"LoadSettings.overlap_tokens is {self.overlap_tokens}, but must be smaller than "
                f"chunk_tokens ({self.chunk_tokens})."
            )
