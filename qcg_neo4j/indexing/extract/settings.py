"""Settings of the stage."""

from __future__ import annotations

from dataclasses import dataclass

from qcg_neo4j.core.settings import Settings, setting
from qcg_neo4j.models.prompts import DEMONSTRATION

MODEL, REPLIES, SPACY = "model", "replies", "spacy"
PARTS = "parts"
FACTS, GRANULAR = "facts", "granular"


@dataclass(frozen=True)
class ExtractSettings(Settings):
    """Where entities, relations and atoms come from, and what else is asked."""

    source: str = setting(
        MODEL,
        "Source of the extraction: a language model, recorded replies, or spaCy (co-occurrence, sentences).",
        choices=(MODEL, REPLIES, SPACY),
    )
    domain: str | None = setting(None, "TOML file that describes the texts: `about`, `entity_types`, `examples`.")
    gleaning_rounds: int | None = setting(
        None,
        "Rounds of asking the model for what it missed. Default: 1; for recorded replies, the recorded rounds.",
        source="GraphRAG, public code, max_gleanings",
        minimum=0,
        maximum=10,
    )
    claims: bool = setting(False, "Also extract claims about the entities; one more call per chunk.")
    summarize_claims: bool = setting(
        False,
        "Summarize an entity's claims if they exceed 1,000 characters together; reports show the summary in their "
        "place.",
    )
    atoms: str = setting(
        FACTS,
        "Atoms: each fact once, with its reasons (facts), or sentences cut as small as possible, by one more call per "
        "chunk (granular).",
        choices=(FACTS, GRANULAR),
    )
    dates: bool = setting(False, "Days that an atom names are entities, as in the AtomicRAG paper.")
    describe: bool = setting(True, "Summarize an entity's descriptions if they exceed 1,000 characters together.")
    triple_text: str = setting(
        "ttr",
        "Embedded text of a relation: its textual representation (TTR) or its three parts.",
        source="KG-CQR paper, §3.1.1",
        choices=("ttr", PARTS),
    )
    demonstration: bool = setting(False, DEMONSTRATION)
    spacy_model: str | None = setting(
        None,
        "spaCy model for source=spacy: a package name or a folder; else the small one of the corpus's language, or "
        "names by capital letters where none is installed.",
    )
