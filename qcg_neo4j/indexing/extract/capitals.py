"""Names by their capital letters, where no spaCy model of a language is installed."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from qcg_neo4j.indexing.extract.findings import Findings, clean
from qcg_neo4j.indexing.extract.sentences_as_reply import MOST_WORDS, reply
from qcg_neo4j.indexing.generate.sentences import sentences
from qcg_neo4j.indexing.stage import StoredChunk

NAME = "capitals"
WITHOUT_CASE = (
    "ar",
    "bn",
    "fa",
    "he",
    "hi",
    "ja",
    "ka",
    "km",
    "ko",
    "lo",
    "mr",
    "my",
    "ne",
    "ta",
    "te",
    "th",
    "ur",
    "zh",
)
_EVERY_NOUN = ("de", "lb")  # where a capital letter alone says nothing, two words in a row with one do
_WORD = re.compile(r"[^\W\d_](?:[\w'’.-]*\w)?")


class CapitalsSource:
    """Reads chunks by their capital letters alone; no language model is involved, and ``name`` says so."""

    name = NAME

    def __init__(self, language: str) -> None:
        self._language = language

    def found(self, chunks: Iterable[StoredChunk]) -> Iterator[tuple[StoredChunk, Findings, str]]:
        """The findings of each chunk."""
        for chunk in chunks:
            texts = [sentence.question for sentence in sentences(chunk.text, self._language).pairs]
            named = [(text, dict.fromkeys(names(text, self._language), "")) for text in texts]
            yield chunk, clean([reply(named, chunk.marks.get("title"))]), self.name


def names(sentence: str, language: str) -> list[str]:
    """The names of a sentence: words with a capital letter in a row, but for its first word.

    >>> names("Then Anna Sommer met Li in Rome.", "en"), names("Der Jahresbeitrag der Hansa Werft steigt.", "de")
    (['Anna Sommer', 'Li', 'Rome'], ['Hansa Werft'])
    """
    if language in WITHOUT_CASE:
        return []
    fewest = 2 if language in _EVERY_NOUN else 1
    runs: list[list[re.Match[str]]] = []
    for place, word in enumerate(_WORD.finditer(sentence)):
        if not place or not word[0][0].isupper():
            continue
        if runs and sentence[runs[-1][-1].end() : word.start()].isspace():
            runs[-1].append(word)
        else:
            runs.append([word])
    return [sentence[run[0].start() : run[-1].end()] for run in runs if fewest <= len(run) <= MOST_WORDS]
