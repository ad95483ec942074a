"""Language models, at any OpenAI-compatible endpoint or of a provider, as sources of replies and writers of answers."""

from qcg_neo4j.models.llm.attempts import Completion
from qcg_neo4j.models.llm.batch import BatchModel, batch_prices, still_waiting
from qcg_neo4j.models.llm.budget import Budget, Estimate, cost, estimate
from qcg_neo4j.models.llm.endpoint import Endpoint, TextStream
from qcg_neo4j.models.llm.live import LiveModel
from qcg_neo4j.models.llm.settings import LanguageModelSettings

__all__ = [
    "BatchModel",
    "Budget",
    "Completion",
    "Endpoint",
    "Estimate",
    "LanguageModelSettings",
    "LiveModel",
    "TextStream",
    "batch_prices",
    "cost",
    "estimate",
    "still_waiting",
]
