"""Retrieval methods as values; `METHODS` has each by the name that the command line uses."""

from qcg_neo4j.retrieval.around.expansion import Expanded, MultiStep
from qcg_neo4j.retrieval.around.reordered import Diverse, Fused
from qcg_neo4j.retrieval.around.scorers import CrossEncoderScorer, EndpointScorer, Reranked
from qcg_neo4j.retrieval.around.wrapper import Relevant
from qcg_neo4j.retrieval.atomic import Atomic
from qcg_neo4j.retrieval.atomic_question import AtomicSettings
from qcg_neo4j.retrieval.auto import Auto, AutoSettings
from qcg_neo4j.retrieval.baselines import (
    D2q,
    D2qFiltered,
    Fulltext,
    Hybrid,
    HybridSettings,
    VectorBaseline,
    VectorSettings,
)
from qcg_neo4j.retrieval.catalogue import DEFAULT_METHOD, METHODS, AroundSettings, compose, method, settings_of
from qcg_neo4j.retrieval.graphrag import (
    GraphragDriftSettings,
    GraphragGlobal,
    GraphragGlobalSettings,
    GraphragLocal,
    GraphragLocalSettings,
)
from qcg_neo4j.retrieval.kg_cqr import KgCqr, KgCqrSettings
from qcg_neo4j.retrieval.layers import Layers, LayersSettings
from qcg_neo4j.retrieval.lp import Lp, LpSettings
from qcg_neo4j.retrieval.method import Method, RetrieveSettings, filtered
from qcg_neo4j.retrieval.qcg import Qcg, QcgSettings

__all__ = [
    "DEFAULT_METHOD",
    "METHODS",
    "AroundSettings",
    "Atomic",
    "AtomicSettings",
    "Auto",
    "AutoSettings",
    "CrossEncoderScorer",
    "D2q",
    "D2qFiltered",
    "Diverse",
    "EndpointScorer",
    "Expanded",
    "Fulltext",
    "Fused",
    "GraphragDriftSettings",
    "GraphragGlobal",
    "GraphragGlobalSettings",
    "GraphragLocal",
    "GraphragLocalSettings",
    "Hybrid",
    "HybridSettings",
    "KgCqr",
    "KgCqrSettings",
    "Layers",
    "LayersSettings",
    "Lp",
    "LpSettings",
    "Method",
    "MultiStep",
    "Qcg",
    "QcgSettings",
    "Relevant",
    "Reranked",
    "RetrieveSettings",
    "VectorBaseline",
    "VectorSettings",
    "compose",
    "filtered",
    "method",
    "settings_of",
]
