"""Any OpenAI-compatible endpoint as a source of replies and as a writer of streamed answers."""

from qcg_neo4j.language_model.endpoint import Completion, Endpoint, TextStream
from qcg_neo4j.language_model.estimate import Estimate, cost, estimate
from qcg_neo4j.language_model.live import LiveModel
from qcg_neo4j.language_model.settings import LanguageModelSettings

__all__ = [
    "Completion",
    "Endpoint",
    "Estimate",
    "LanguageModelSettings",
    "LiveModel",
    "TextStream",
    "cost",
    "estimate",
]
