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
        "Maximum chunk size in tokens of the embedding model; the paper also uses 512.",
        source="QCG-RAG paper, §4.1",
        minimum=16,
        maximum=100_000,
    )
    overlap_tokens: int = setting(
        100,
        "Maximum overlap of neighbouring chunks in tokens; the paper also uses 64.",
        source="QCG-RAG paper, §4.1",
        minimum=0,
    )
    section_tokens: int = setting(
        256,
        "Text is split at headings; sections below the same heading stay together up to this many tokens.",
        source="what the default embedding model reads at once",
        minimum=0,
        maximum=100_000,
    )
    long_text: str = setting(
        "windows",
        "Chunks longer than the model's limit: 'windows' gives each window a vector, 'mean' keeps "
        "their mean, 'truncate' ignores the rest.",
        source="truncate: QCG-RAG; windows: measured on LiHua-World",
        choices=LONG_TEXT,
    )
    window_overlap_tokens: int = setting(
        # Recall@5 (MRR) of the best window on LiHua-World: 0 tokens 75.3 (64.3), 32 tokens 75.8 (65.0), 48 tokens
        # 75.5 (64.4), 64 tokens 75.5 (64.3), 96 tokens 75.1 (63.8). Mean of windows 71.7 (60.7), truncated 67.3 (57.7).
        32,
        "Overlap of neighbouring windows of a long chunk in tokens.",
        source="measured on LiHua-World",
        minimum=0,
    )
    chunks_per_transaction: int = setting(
        200,
        "Number of chunks per transaction.",
        minimum=1,
        maximum=10_000,
    )
    largest_document: int = setting(
        64 * 1024 * 1024,
        "Maximum size of a file, or of a line of JSON Lines, in bytes. An archive (.docx, .xlsx "
        "…) may unpack to four times this size.",
        minimum=1024,
    )
    id_prefix: str | None = setting(
        None,
        "Prefix of ids, such as 'handbook/'; a file's id is the prefix and its path inside the "
        "given folder. Default: its absolute path.",
    )
    language: str | None = setting(
        None,
        "Language of the documents (ISO 639-1, such as de) for full-text search. Default: the "
        "corpus's, then that of most documents.",
    )
    follow_links: bool = setting(False, "Follow links that lead out of the given folder.")
    replace: bool = setting(
        False, "Replace documents that have the same id but another source; otherwise the new ones are skipped."
    )
    strict: bool = setting(False, "Stop at the first unusable input; otherwise it is skipped.")

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.language is not None and not _CODE.fullmatch(self.language):
            raise SettingsError(f"LoadSettings.language is {self.language!r}, not a code of ISO 639-1.")
        if self.overlap_tokens >= self.chunk_tokens:
            raise SettingsError(
                f"LoadSettings.overlap_tokens is {self.overlap_tokens}, but must be smaller than "
                f"chunk_tokens ({self.chunk_tokens})."
            )
