"""Any method as a retriever of LangChain."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from qcg_neo4j.core.errors import needs
from qcg_neo4j.core.filters import Where
from qcg_neo4j.core.records import Passage
from qcg_neo4j.retrieval.around.wrapper import Answering
from qcg_neo4j.retrieval.method import filtered

with needs("LangChain's retriever", "langchain-core", "langchain"):
    from langchain_core.documents import Document
    from langchain_core.retrievers import BaseRetriever


class LangchainRetriever(BaseRetriever):
    """The passages of a method as LangChain's documents: ``LangchainRetriever(graph=graph, method=Qcg())``.

    ``where`` is a filter on the metadata of documents, also for a single call: ``retriever.invoke(question, where=…)``.
    """

    graph: Any
    method: Any
    where: Any = None

    def _get_relevant_documents(self, query: str, *, where: Where | None = None, **_: Any) -> list[Document]:
        method = self.method
        for one in (self.where, where):
            method = method if one is None else filtered(method, one)
        evidence = Answering(method).retrieve(self.graph, query)
        return [_document(passage) for passage in evidence.passages]


def _document(passage: Passage) -> Document:
    facts = asdict(passage)
    return Document(page_content=facts.pop("text"), metadata=facts, id=passage.id)
