"""Any method as a retriever of LangChain."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from qcg_neo4j.errors import needs
from qcg_neo4j.records import Passage

with needs("LangChain's retriever", "langchain-core", "langchain"):
    from langchain_core.documents import Document
    from langchain_core.retrievers import BaseRetriever


class LangchainRetriever(BaseRetriever):
    """The passages of a method as LangChain's documents: ``LangchainRetriever(graph=graph, method=Qcg())``."""

    graph: Any
    method: Any

    def _get_relevant_documents(self, query: str, **_: Any) -> list[Document]:
        evidence = self.method.retrieve(self.graph, query)
        return [_document(passage) for passage in evidence.passages]


def _document(passage: Passage) -> Document:
    facts = asdict(passage)
    return Document(page_content=facts.pop("text"), metadata=facts, id=passage.id)
