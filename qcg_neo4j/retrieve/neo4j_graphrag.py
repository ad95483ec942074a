"""The methods as retrievers of the package ``neo4j-graphrag``, for its ``GraphRAG(retriever, llm)`` and its tools."""

from __future__ import annotations

from dataclasses import asdict, replace
from typing import TYPE_CHECKING, Any

import numpy as np
from neo4j import Driver, Record
from neo4j_graphrag.retrievers.base import Retriever
from neo4j_graphrag.types import RawSearchResult, RetrieverResultItem

from qcg_neo4j.errors import InputError
from qcg_neo4j.graph import Address, Graph
from qcg_neo4j.replies import ReplySource
from qcg_neo4j.retrieve.atomic import Atomic
from qcg_neo4j.retrieve.auto import Auto
from qcg_neo4j.retrieve.graphrag import GraphragGlobal, GraphragLocal
from qcg_neo4j.retrieve.kg_cqr import KgCqr
from qcg_neo4j.retrieve.lp import Lp
from qcg_neo4j.retrieve.method import Method, checked_question
from qcg_neo4j.retrieve.methods import D2q, D2qFiltered, Fulltext, Hybrid, Layers, OneStatement, Qcg, VectorBaseline
from qcg_neo4j.retrieve.settings import (
    AtomicSettings,
    AutoSettings,
    GraphragGlobalSettings,
    GraphragLocalSettings,
    HybridSettings,
    KgCqrSettings,
    LayersSettings,
    LpSettings,
    QcgSettings,
    RetrieveSettings,
    VectorSettings,
)

if TYPE_CHECKING:
    from neo4j_graphrag.embeddings import Embedder

    from qcg_neo4j.retrieve.method import Vector


class MethodRetriever(Retriever):
    """A retrieval method in the contract of ``neo4j-graphrag``.

    ``embedder`` is one of that package; without it the question is embedded by the model that the graph names.
    """

    def __init__(
        self,
        driver: Driver,
        method: Method,
        embedder: Embedder | None = None,
        neo4j_database: str | None = None,
    ) -> None:
        super().__init__(driver, neo4j_database)
        self.method = method
        self.embedder = embedder
        self.graph = Graph(driver, Address("the given driver", "", "", neo4j_database))

    def get_search_results(
        self, query_text: str | None = None, query_vector: list[float] | None = None, top_k: int | None = None
    ) -> RawSearchResult:
        """The chunks for a question given as text, as vector, or as both; ``top_k`` stands in for ``passages``.

        Raises:
            InputError: neither text nor vector is given, or the method needs the text.
        """
        method = self.method if top_k is None else _with_passages(self.method, top_k)
        question = checked_question(query_text) if query_text is not None else ""
        without_text = (
            isinstance(method, OneStatement) and method.needs_vector and not isinstance(method, Hybrid | Layers)
        )
        if not question and (query_vector is None or not without_text):
            raise InputError(f"The method {method.name!r} needs the question as query_text.")
        vector = self._vector(question, query_vector) if method.needs_vector else None
        if not isinstance(method, OneStatement):
            return self._by_steps(method, question, vector)
        call = method.call(question, vector)
        rows = self.graph.rows_of(call)
        return RawSearchResult(
            records=[Record(row) for row in rows],  # type: ignore[no-untyped-call] # the driver says nothing of it
            metadata={"method": method.name, "statement": call.path},
        )

    def _by_steps(self, method: Method, question: str, vector: Vector | None) -> RawSearchResult:
        """Methods of several statements, or that ask a model in between."""
        evidence = method.retrieve(self.graph, question, vector)
        records = [Record(asdict(passage)) for passage in evidence.passages]  # type: ignore[no-untyped-call] # as below
        found = asdict(evidence.subgraph) if evidence.subgraph else None
        return RawSearchResult(
            records=records,
            metadata={
                "method": method.name,
                "subgraph": found,
                "atoms": [asdict(atom) for atom in evidence.atoms],
                "thoughts": list(evidence.thoughts),
            },
        )

    def _vector(self, question: str, given: list[float] | None) -> np.ndarray[Any, np.dtype[np.float32]]:
        if given is None and self.embedder is None:
            return self.graph.embed_question(question)
        return np.asarray(given if given is not None else self._embedded(question), dtype=np.float32)

    def _embedded(self, question: str) -> list[float]:
        assert self.embedder is not None  # noqa: S101 - asked only where there is one
        return self.embedder.embed_query(question)

    def default_record_formatter(self, record: Record) -> RetrieverResultItem:
        """The chunk's text as content; everything else as metadata."""
        facts = dict(record)
        return RetrieverResultItem(content=facts.pop("text"), metadata=facts)


def _with_passages(method: Method, passages: int) -> Method:
    return method.with_settings(replace(method.settings, passages=passages))


class QcgRetriever(MethodRetriever):
    """Query-centric graph retrieval (QCG-RAG)."""

    def __init__(
        self,
        driver: Driver,
        settings: QcgSettings = QcgSettings(),
        embedder: Embedder | None = None,
        neo4j_database: str | None = None,
    ) -> None:
        super().__init__(driver, Qcg(settings), embedder, neo4j_database)


class LayersRetriever(MethodRetriever):
    """All layers of a chunk together, each standardized."""

    def __init__(
        self,
        driver: Driver,
        settings: LayersSettings = LayersSettings(),
        embedder: Embedder | None = None,
        neo4j_database: str | None = None,
    ) -> None:
        super().__init__(driver, Layers(settings), embedder, neo4j_database)


class AutoRetriever(MethodRetriever):
    """Communities for questions about all, layers (with atoms for chains) else; ``source`` analyses where asked to."""

    def __init__(
        self,
        driver: Driver,
        settings: AutoSettings = AutoSettings(),
        embedder: Embedder | None = None,
        neo4j_database: str | None = None,
        *,
        source: ReplySource | None = None,
    ) -> None:
        super().__init__(driver, Auto(settings, source), embedder, neo4j_database)


class KgCqrRetriever(MethodRetriever):
    """Contextual query retrieval over a completed subgraph (KG-CQR); ``source`` filters and sums up where asked to."""

    def __init__(
        self,
        driver: Driver,
        settings: KgCqrSettings = KgCqrSettings(),
        embedder: Embedder | None = None,
        neo4j_database: str | None = None,
        *,
        source: ReplySource | None = None,
    ) -> None:
        super().__init__(driver, KgCqr(settings, source), embedder, neo4j_database)


class AtomicRetriever(MethodRetriever):
    """Atoms by personalized PageRank (AtomicRAG); ``source`` analyses questions and sieves atoms where asked to."""

    def __init__(
        self,
        driver: Driver,
        settings: AtomicSettings = AtomicSettings(),
        embedder: Embedder | None = None,
        neo4j_database: str | None = None,
        *,
        source: ReplySource | None = None,
    ) -> None:
        super().__init__(driver, Atomic(settings, source), embedder, neo4j_database)


class LpRetriever(MethodRetriever):
    """Atoms by the graph's trained link predictor (LP-RAG)."""

    def __init__(
        self,
        driver: Driver,
        settings: LpSettings = LpSettings(),
        embedder: Embedder | None = None,
        neo4j_database: str | None = None,
    ) -> None:
        super().__init__(driver, Lp(settings), embedder, neo4j_database)


class GraphragLocalRetriever(MethodRetriever):
    """Chunks of the entities nearest to the question (GraphRAG, local search)."""

    def __init__(
        self,
        driver: Driver,
        settings: GraphragLocalSettings = GraphragLocalSettings(),
        embedder: Embedder | None = None,
        neo4j_database: str | None = None,
    ) -> None:
        super().__init__(driver, GraphragLocal(settings), embedder, neo4j_database)


class GraphragGlobalRetriever(MethodRetriever):
    """Chunks behind the reports of a level that are nearest to the question (GraphRAG)."""

    def __init__(
        self,
        driver: Driver,
        settings: GraphragGlobalSettings = GraphragGlobalSettings(),
        embedder: Embedder | None = None,
        neo4j_database: str | None = None,
    ) -> None:
        super().__init__(driver, GraphragGlobal(settings), embedder, neo4j_database)


class VectorBaselineRetriever(MethodRetriever):
    """Naive RAG over windows or chunk vectors."""

    def __init__(
        self,
        driver: Driver,
        settings: VectorSettings = VectorSettings(),
        embedder: Embedder | None = None,
        neo4j_database: str | None = None,
    ) -> None:
        super().__init__(driver, VectorBaseline(settings), embedder, neo4j_database)


class FulltextBaselineRetriever(MethodRetriever):
    """BM25 over the text of chunks."""

    def __init__(
        self,
        driver: Driver,
        settings: RetrieveSettings = RetrieveSettings(),
        neo4j_database: str | None = None,
    ) -> None:
        super().__init__(driver, Fulltext(settings), None, neo4j_database)


class HybridBaselineRetriever(MethodRetriever):
    """Best window and BM25 together."""

    def __init__(
        self,
        driver: Driver,
        settings: HybridSettings = HybridSettings(),
        embedder: Embedder | None = None,
        neo4j_database: str | None = None,
    ) -> None:
        super().__init__(driver, Hybrid(settings), embedder, neo4j_database)


class D2qRetriever(MethodRetriever):
    """D2QRAG and, with ``filtered``, D2Q--RAG: chunk vectors with the generated queries in them."""

    def __init__(
        self,
        driver: Driver,
        settings: RetrieveSettings = RetrieveSettings(),
        embedder: Embedder | None = None,
        neo4j_database: str | None = None,
        *,
        filtered: bool = False,
    ) -> None:
        super().__init__(driver, (D2qFiltered if filtered else D2q)(settings), embedder, neo4j_database)
