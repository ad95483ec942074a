"""Settings of the stage."""

from __future__ import annotations

from dataclasses import dataclass

from qcg_neo4j.core.settings import Settings, setting

MODEL, REPLIES, SPACY = "model", "replies", "spacy"
PARTS = "parts"


@dataclass(frozen=True)
class ExtractSettings(Settings):
    """Where entities, relations and atoms come from, and what else is asked."""

    source: str = setting(
        MODEL,
        "Who extracts: a language model, recorded replies, or spaCy (no language model: co-occurrence, sentences).",
        choices=(MODEL, REPLIES, SPACY),
    )
    domain: str | None = setting(None, "TOML file that describes the texts: `about`, `entity_types`, `examples`.")
    gleaning_rounds: int | None = setting(
        None,
        "How often the model is asked what it missed; else 1, and of recorded replies what is there.",
        source="GraphRAG, public code, max_gleanings",
        minimum=0,
        maximum=10,
    )
    claims: bool = setting(False, "Also ask for claims about the entities, one more call a chunk.")
    describe: bool = setting(
        True, "Have the descriptions of an entity summarized where they are longer than 1,000 characters together."
    )
    triple_text: str = setting(
        "ttr",
        "The text of a relation, which is embedded: its textual representation, or just its three parts.",
        source="KG-CQR paper, §3.1.1",
        choices=("ttr", PARTS),
    )
    spacy_model: str = setting("en_core_web_sm", "The spaCy model of the source spacy: a package's name or a folder.")
