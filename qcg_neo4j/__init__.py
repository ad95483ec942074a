"""Graph retrieval-augmented generation that lives inside Neo4j.

What most programs need can be imported from here; each name is loaded when it is first used. No name is that of a
package of this one, so that `qcg_neo4j.indexing.load` is always the package and `load_documents` always the function.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from qcg_neo4j.core.records import Evidence as Evidence
    from qcg_neo4j.database.asynchronous import AsyncGraph as AsyncGraph
    from qcg_neo4j.database.embedder import open_embedder_of as open_embedder_of
    from qcg_neo4j.database.graph import Graph as Graph
    from qcg_neo4j.indexing.adopt import AdoptSettings as AdoptSettings
    from qcg_neo4j.indexing.adopt import adopt_chunks as adopt_chunks
    from qcg_neo4j.indexing.build import build_atoms as build_atoms
    from qcg_neo4j.indexing.build import build_communities as build_communities
    from qcg_neo4j.indexing.build import build_queries as build_queries
    from qcg_neo4j.indexing.build import build_synonyms as build_synonyms
    from qcg_neo4j.indexing.extract import ExtractSettings as ExtractSettings
    from qcg_neo4j.indexing.extract import extract_graph as extract_graph
    from qcg_neo4j.indexing.generate import GenerateSettings as GenerateSettings
    from qcg_neo4j.indexing.generate import generate_queries as generate_queries
    from qcg_neo4j.indexing.load import load_documents as load_documents
    from qcg_neo4j.indexing.load import read_documents as read_documents
    from qcg_neo4j.indexing.report import ReportSettings as ReportSettings
    from qcg_neo4j.indexing.report import write_reports as write_reports
    from qcg_neo4j.indexing.run import IndexSettings as IndexSettings
    from qcg_neo4j.indexing.run import index_files as index_files
    from qcg_neo4j.models.embedding.embedder import EmbeddingSettings as EmbeddingSettings
    from qcg_neo4j.retrieval import Atomic as Atomic
    from qcg_neo4j.retrieval import AtomicSettings as AtomicSettings
    from qcg_neo4j.retrieval import Auto as Auto
    from qcg_neo4j.retrieval import AutoSettings as AutoSettings
    from qcg_neo4j.retrieval import GraphragGlobal as GraphragGlobal
    from qcg_neo4j.retrieval import GraphragGlobalSettings as GraphragGlobalSettings
    from qcg_neo4j.retrieval import GraphragLocal as GraphragLocal
    from qcg_neo4j.retrieval import GraphragLocalSettings as GraphragLocalSettings
    from qcg_neo4j.retrieval import KgCqr as KgCqr
    from qcg_neo4j.retrieval import KgCqrSettings as KgCqrSettings
    from qcg_neo4j.retrieval import Layers as Layers
    from qcg_neo4j.retrieval import LayersSettings as LayersSettings
    from qcg_neo4j.retrieval import Lp as Lp
    from qcg_neo4j.retrieval import LpSettings as LpSettings
    from qcg_neo4j.retrieval import Qcg as Qcg
    from qcg_neo4j.retrieval import QcgSettings as QcgSettings
    from qcg_neo4j.retrieval import filtered as filtered
    from qcg_neo4j.retrieval.answer import Conversation as Conversation
    from qcg_neo4j.retrieval.answer import Turn as Turn
    from qcg_neo4j.retrieval.answer import answer as answer
    from qcg_neo4j.retrieval.answer import answer_question as answer_question

_METHODS = ("Atomic", "Auto", "GraphragGlobal", "GraphragLocal", "KgCqr", "Layers", "Lp", "Qcg")
_PACKAGES = {
    "core.records": ("Evidence",),
    "database.asynchronous": ("AsyncGraph",),
    "database.embedder": ("open_embedder_of",),
    "database.graph": ("Graph",),
    "indexing.adopt": ("AdoptSettings", "adopt_chunks"),
    "indexing.build": ("build_atoms", "build_communities", "build_queries", "build_synonyms"),
    "indexing.extract": ("ExtractSettings", "extract_graph"),
    "indexing.generate": ("GenerateSettings", "generate_queries"),
    "indexing.load": ("load_documents", "read_documents"),
    "indexing.report": ("ReportSettings", "write_reports"),
    "indexing.run": ("IndexSettings", "index_files"),
    "models.embedding.embedder": ("EmbeddingSettings",),
    "retrieval": (*_METHODS, *(f"{name}Settings" for name in _METHODS), "filtered"),
    "retrieval.answer": ("Conversation", "Turn", "answer", "answer_question"),
}
_HOMES = {name: package for package, names in _PACKAGES.items() for name in names}
__all__ = sorted(_HOMES)  # noqa: PLE0605 - the names stand once


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    found = globals()[name] = getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)
    return found


def __dir__() -> list[str]:
    return [*globals(), *__all__]
