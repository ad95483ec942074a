"""The methods as retrievers of the package ``neo4j-graphrag``, for its ``GraphRAG(retriever, llm)`` and its tools."""

from __future__ import annotations

from dataclasses import asdict, replace
from typing import TYPE_CHECKING, Any, ClassVar, Generic, TypeVar

import numpy as np
from neo4j import Driver, Record

from qcg_neo4j import retrieval
from qcg_neo4j.core.errors import InputError, needs
from qcg_neo4j.database.address import Address
from qcg_neo4j.database.corpora import DEFAULT
from qcg_neo4j.database.graph import Graph
from qcg_neo4j.database.schema import check_corpus
from qcg_neo4j.models.replies import ReplySource
from qcg_neo4j.retrieval import Method, RetrieveSettings
from qcg_neo4j.retrieval.around.wrapper import Answering
from qcg_neo4j.retrieval.method import Vector, checked_question, filtered

with needs("A retriever for neo4j-graphrag", "neo4j-graphrag", "neo4j-graphrag"):
    from neo4j_graphrag.retrievers.base import Retriever
    from neo4j_graphrag.types import RawSearchResult, RetrieverResultItem

if TYPE_CHECKING:
    from neo4j_graphrag.embeddings import Embedder

S = TypeVar("S", bound=RetrieveSettings)


class MethodRetriever(Retriever):
    """A retrieval method in the contract of ``neo4j-graphrag``.

    ``embedder`` is one of that package; without it the question is embedded by the model that the graph names.
    ``corpus`` is the one of the database's corpora that is asked.
    """

    def __init__(
        self,
        driver: Driver,
        method: Method,
        embedder: Embedder | None = None,
        neo4j_database: str | None = None,
        corpus: str = DEFAULT,
    ) -> None:
        super().__init__(driver, neo4j_database)
        self.method = method
        self.embedder = embedder
        self.graph = Graph(driver, Address("the given driver", "", "", neo4j_database, corpus=corpus))
        check_corpus(self.graph)

    def get_search_results(
        self,
        query_text: str | None = None,
        query_vector: list[float] | None = None,
        top_k: int | None = None,
        filters: dict[str, Any] | None = None,
    ) -> RawSearchResult:
        """The chunks for a question given as text, as vector, or as both: ``top_k``, else as many as an answer takes.

        ``filters`` are those of ``neo4j-graphrag``, on the metadata of documents; they come on top of the method's own.

        Raises:
            InputError: neither text nor vector is given, the method needs the text, or the filter is wrong.
            SettingsError: the method cannot honour a filter.
        """
        method = self.method
        settings = method.settings
        method = Answering(method) if top_k is None else method.with_settings(replace(settings, passages=top_k))
        method = filtered(method, filters) if filters else method
        question = checked_question(query_text) if query_text is not None else ""
        if not question and (query_vector is None or method.needs_text):
            raise InputError(f"The method {method.name!r} needs the question as query_text.")
        vector = self._vector(question, query_vector) if method.needs_vector else None
        evidence = method.retrieve(self.graph, question, vector)
        records = [Record(asdict(passage)) for passage in evidence.passages]  # type: ignore[no-untyped-call] # untyped
        return RawSearchResult(
            records=records,
            metadata={
                "method": method.name,
                "subgraph": asdict(evidence.subgraph) if evidence.subgraph else None,
                "atoms": [asdict(atom) for atom in evidence.atoms],
                "thoughts": list(evidence.thoughts),
                "filter": evidence.settings.get("where"),
            },
        )

    def _vector(self, question: str, given: list[float] | None) -> Vector:
        if given is None:
            if self.embedder is None:
                return self.graph.embed_question(question)
            given = self.embedder.embed_query(question)
        return np.asarray(given, dtype=np.float32)

    def default_record_formatter(self, record: Record) -> RetrieverResultItem:
        """The chunk's text as content; everything else as metadata."""
        facts = dict(record)
        return RetrieverResultItem(content=facts.pop("text"), metadata=facts)


class SettledRetriever(MethodRetriever, Generic[S]):
    """A retriever of one ``kind`` of method; ``source`` is the language model (or recording) that it may ask."""

    kind: ClassVar[type[Any]]

    def __init__(
        self,
        driver: Driver,
        settings: S | None = None,
        embedder: Embedder | None = None,
        neo4j_database: str | None = None,
        *,
        source: ReplySource | None = None,
        corpus: str = DEFAULT,
    ) -> None:
        method: Method = self.kind() if settings is None else self.kind(settings)
        super().__init__(driver, method.with_source(source), embedder, neo4j_database, corpus)


class QcgRetriever(SettledRetriever[retrieval.QcgSettings]):
    """Query-centric graph retrieval (QCG-RAG)."""

    kind = retrieval.Qcg


class LayersRetriever(SettledRetriever[retrieval.LayersSettings]):
    """All layers of a chunk together, and a walk over shared entities."""

    kind = retrieval.Layers


class AutoRetriever(SettledRetriever[retrieval.AutoSettings]):
    """Communities for questions about all, layers else, of sub-questions for chains; ``source`` analyses if asked."""

    kind = retrieval.Auto


class KgCqrRetriever(SettledRetriever[retrieval.KgCqrSettings]):
    """Contextual query retrieval over a completed subgraph (KG-CQR); ``source`` filters and summarizes if set."""

    kind = retrieval.KgCqr


class AtomicRetriever(SettledRetriever[retrieval.AtomicSettings]):
    """Atoms by personalized PageRank (AtomicRAG); ``source`` analyses questions and filters atoms if set."""

    kind = retrieval.Atomic


class LpRetriever(SettledRetriever[retrieval.LpSettings]):
    """Atoms by the graph's trained link predictor (LP-RAG)."""

    kind = retrieval.Lp


class GraphragLocalRetriever(SettledRetriever[retrieval.GraphragLocalSettings]):
    """Chunks of the entities nearest to the question (GraphRAG, local search)."""

    kind = retrieval.GraphragLocal


class GraphragGlobalRetriever(SettledRetriever[retrieval.GraphragGlobalSettings]):
    """Chunks behind the reports of a level that are nearest to the question (GraphRAG)."""

    kind = retrieval.GraphragGlobal


class VectorBaselineRetriever(SettledRetriever[retrieval.VectorSettings]):
    """Naive RAG over windows or chunk vectors."""

    kind = retrieval.VectorBaseline


class FulltextBaselineRetriever(SettledRetriever[RetrieveSettings]):
    """BM25 over the text of chunks."""

    kind = retrieval.Fulltext


class HybridBaselineRetriever(SettledRetriever[retrieval.HybridSettings]):
    """Best window and BM25 together."""

    kind = retrieval.Hybrid


class D2qRetriever(SettledRetriever[RetrieveSettings]):
    """D2QRAG: chunk vectors with all generated queries in them."""

    kind = retrieval.D2q


class D2qFilteredRetriever(SettledRetriever[RetrieveSettings]):
    """D2Q--RAG: chunk vectors with the kept queries in them."""

    kind = retrieval.D2qFiltered
