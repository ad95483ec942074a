"""Cut a document into chunks, sized in tokens of the embedding model."""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

from semantic_text_splitter import MarkdownSplitter, TextSplitter

from qcg_neo4j.core.records import SourceDocument, content_id
from qcg_neo4j.indexing.load.headings import sections

if TYPE_CHECKING:
    from tokenizers import Tokenizer


# Texts that are tokenized together; what the tokenizer says of each token takes far more memory than the text.
TEXTS_AT_ONCE = 256


class Place(NamedTuple):
    """Where in its document a chunk stands: the headings above all of it, its first and last page where it has some."""

    headings: tuple[str, ...] = ()
    page: int | None = None
    last_page: int | None = None


@dataclass(frozen=True)
class Chunk:
    """A piece of a document: an exact slice of its text, or one of its passages as given."""

    id: str
    index: int
    text: str
    token_count: int
    place: Place = Place()


class Chunker:
    """Cuts documents at natural borders: headings and paragraphs before sentences before words.

    No chunk is longer than ``chunk_tokens``; neighbours share at most ``overlap_tokens``, in whole units of text.
    Markdown is cut at each heading, but neighbouring sections of fewer than ``section_tokens`` together stay one chunk.
    """

    def __init__(self, tokenizer: Tokenizer, chunk_tokens: int, overlap_tokens: int, section_tokens: int = 0) -> None:
        self._tokenizer = tokenizer
        self._section_tokens = section_tokens
        self._size = (chunk_tokens, overlap_tokens)

    @cached_property  # as the next one: each takes a copy of the tokenizer, and passages need neither
    def _text(self) -> TextSplitter:
        return TextSplitter.from_huggingface_tokenizer(self._tokenizer, *self._size)

    @cached_property
    def _markdown(self) -> MarkdownSplitter:
        return MarkdownSplitter.from_huggingface_tokenizer(self._tokenizer, *self._size)

    def chunks(self, document: SourceDocument) -> list[Chunk]:
        """The chunks of a document in order; passages that are already cut stay exactly as they are."""
        pieces = [(text, Place()) for text in document.passages] or list(self._cut(document))
        texts = [text for text, _ in pieces]
        counted = zip(_ids(document.id, texts), pieces, self._sizes(texts), strict=True)
        return [Chunk(name, index, text, size, place) for index, (name, (text, place), size) in enumerate(counted)]

    def _cut(self, document: SourceDocument) -> Iterator[tuple[str, Place]]:
        if not document.markdown:
            for start, text in self._text.chunk_indices(document.text):
                yield text, Place((), *_pages(document.pages, start, start + len(text)))
            return
        for section in sections(document.text, self._sizes, self._section_tokens):
            for begins, text in self._markdown.chunk_indices(document.text[section.start : section.end]):
                start = section.start + begins
                yield text, Place(section.headings, *_pages(document.pages, start, start + len(text)))

    def _sizes(self, texts: Sequence[str]) -> list[int]:
        return token_counts(self._tokenizer, texts)


def token_counts(tokenizer: Tokenizer, texts: Sequence[str]) -> list[int]:
    """The numbers of tokens of texts, without those that a model adds at the ends."""
    return [
        len(encoding.ids)
        for start in range(0, len(texts), TEXTS_AT_ONCE)
        for encoding in tokenizer.encode_batch(list(texts[start : start + TEXTS_AT_ONCE]), add_special_tokens=False)
    ]


def _pages(ends: Sequence[int], start: int, end: int) -> tuple[int | None, int | None]:
    """The first and the last page of characters ``start`` to ``end``; none behind the last page."""
    if not ends or start >= ends[-1]:
        return None, None
    return bisect_right(ends, start) + 1, min(bisect_right(ends, end - 1) + 1, len(ends))


def _ids(document: str, texts: list[str]) -> list[str]:
    """Hashes of document and text; a text that occurs again in the document gets a running number."""
    seen: Counter[str] = Counter()
    identities = []
    for text in texts:
        seen[text] += 1
        number = () if seen[text] == 1 else (str(seen[text]),)
        identities.append(content_id(document, text, *number))
    return identities
