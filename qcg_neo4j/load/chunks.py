"""Cut a document into chunks, sized in tokens of the embedding model."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

from semantic_text_splitter import MarkdownSplitter, TextSplitter

from qcg_neo4j.records import SourceDocument, content_id

if TYPE_CHECKING:
    from tokenizers import Tokenizer


@dataclass(frozen=True)
class Chunk:
    """A piece of a document: an exact slice of its text, or one of its passages as given."""

    id: str
    index: int
    text: str
    token_count: int


class Chunker:
    """Cuts documents at natural borders: headings and paragraphs before sentences before words.

    No chunk is longer than ``chunk_tokens``; neighbours share at most ``overlap_tokens``, in whole units of text.
    """

    def __init__(self, tokenizer: Tokenizer, chunk_tokens: int, overlap_tokens: int) -> None:
        self._tokenizer = tokenizer
        size = (tokenizer, chunk_tokens, overlap_tokens)
        self._text = TextSplitter.from_huggingface_tokenizer(*size)
        self._markdown = MarkdownSplitter.from_huggingface_tokenizer(*size)

    def chunks(self, document: SourceDocument) -> list[Chunk]:
        """The chunks of a document in order; passages that are already cut stay exactly as they are."""
        texts = list(document.passages) or self._cut(document)
        encodings = self._tokenizer.encode_batch(texts, add_special_tokens=False)
        return [
            Chunk(identity, index, text, len(encoding.ids))
            for index, (identity, text, encoding) in enumerate(
                zip(_ids(document.id, texts), texts, encodings, strict=True)
            )
        ]

    def _cut(self, document: SourceDocument) -> list[str]:
        splitter = self._markdown if document.markdown else self._text
        return splitter.chunks(document.text)


def _ids(document: str, texts: list[str]) -> list[str]:
    """Hashes of document and text; a text that occurs again in the document gets a running number."""
    seen: Counter[str] = Counter()
    identities = []
    for text in texts:
        seen[text] += 1
        number = () if seen[text] == 1 else (str(seen[text]),)
        identities.append(content_id(document, text, *number))
    return identities
