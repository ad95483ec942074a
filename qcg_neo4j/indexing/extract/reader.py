"""Who reads chunks where no language model does: spaCy in their language, else capital letters."""

from __future__ import annotations

from qcg_neo4j.indexing.extract.capitals import NAME, WITHOUT_CASE, CapitalsSource
from qcg_neo4j.indexing.extract.settings import SPACY, ExtractSettings
from qcg_neo4j.indexing.extract.spacy_source import SpacySource, is_installed, load_spacy, model_of


def spacy_model(settings: ExtractSettings, language: str | None) -> str | None:
    """The spaCy model that reads texts of a language; None where none is installed."""
    model = settings.spacy_model or model_of(language)
    return model if settings.spacy_model or is_installed(model) else None


def reader(settings: ExtractSettings, language: str | None) -> SpacySource | CapitalsSource:
    """Who reads texts of a language.

    Raises:
        MissingPackageError: spaCy, or the model of the settings, is not installed.
    """
    model = spacy_model(settings, language)
    if model is None:
        return CapitalsSource(language or "en")
    load_spacy(model)  # or end here
    return SpacySource(model)


def writer(settings: ExtractSettings, language: str | None) -> str:
    """What the graph calls who reads, without loading anything."""
    model = spacy_model(settings, language)
    return NAME if model is None else f"{SPACY}:{model}"


def reading_note(settings: ExtractSettings, language: str | None) -> str | None:
    """The note for a person where capital letters have to do."""
    if spacy_model(settings, language) is not None:
        return None
    found = "no names are found" if language in WITHOUT_CASE else "only names are found, by their capital letters"
    return (
        f"spaCy has no model for the language of the documents here ({language}), so {found}; "
        f"`python -m spacy download {model_of(language)}` brings one"
    )
