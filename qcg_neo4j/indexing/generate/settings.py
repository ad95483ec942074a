"""Settings of the stage."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Self

from qcg_neo4j.core.errors import SettingsError
from qcg_neo4j.core.settings import Settings, setting
from qcg_neo4j.models.prompts import DEMONSTRATION

MODEL, REPLIES, SENTENCES = "model", "replies", "sentences"
BOTH, QUESTION, ANSWER = "question+answer", "question", "answer"
# Of ISO 639-1; a language without rules of its own is cut by those of one like it, else by those of English.
_CODES = (
    "aa ab ae af ak am an ar as av ay az ba be bg bi bm bn bo br bs ca ce ch co cr cs cu cv cy da de dv dz ee el en eo "
    "es et eu fa ff fi fj fo fr fy ga gd gl gn gu gv ha he hi ho hr ht hu hy hz ia id ie ig ii ik io is it iu ja jv ka "
    "kg ki kj kk kl km kn ko kr ks ku kv kw ky la lb lg li ln lo lt lu lv mg mh mi mk ml mn mr ms mt my na nb nd ne ng "
    "nl nn no nr nv ny oc oj om or os pa pi pl ps pt qu rm rn ro ru rw sa sc sd se sg si sk sl sm sn so sq sr ss st su "
    "sv sw ta te tg th ti tk tl tn to tr ts tt tw ty ug uk ur uz ve vi vo wa wo xh yi yo za zh zu"
)
LANGUAGES = tuple(_CODES.split())


@dataclass(frozen=True)
class GenerateSettings(Settings):
    """Where the queries of a chunk come from, how many there are, and which of them are kept."""

    source: str = setting(
        MODEL,
        "Source of the queries: a language model, recorded replies, or the chunk's own sentences (no model).",
        choices=(MODEL, REPLIES, SENTENCES),
    )
    pairs_per_chunk: int = setting(
        20, "Number of question–answer pairs per chunk.", source="QCG-RAG paper, §4.1", minimum=1, maximum=200
    )
    kept_share: float = setting(
        0.8,
        "Share of pairs kept per chunk, most similar first; sentences are all kept.",
        source="QCG-RAG paper, §4.2",
        minimum=0.001,
        maximum=1,
    )
    node_text: str = setting(
        BOTH, "Embedded text of a pair.", source="QCG-RAG paper, §3.3", choices=(BOTH, QUESTION, ANSWER)
    )
    demonstration: bool = setting(False, DEMONSTRATION)
    language: str = setting("en", "Language of the text (ISO 639-1) for sentence splitting.")

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.language not in LANGUAGES:
            raise SettingsError(
                f"GenerateSettings.language is {self.language!r}, which names no language.",
                f"Known are the codes of ISO 639-1: {', '.join(LANGUAGES)}.",
            )

    def as_used(self) -> Self:
        """What the stage goes by: a sentence has no answer, and no faithfulness to rank by."""
        return replace(self, kept_share=1.0, node_text=BOTH) if self.source == SENTENCES else self
