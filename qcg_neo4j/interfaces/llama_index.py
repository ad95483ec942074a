"""Any method as a retriever of LlamaIndex."""

from __future__ import annotations

from dataclasses import asdict

from qcg_neo4j.core.errors import needs
from qcg_neo4j.core.filters import Where
from qcg_neo4j.core.records import Passage
from qcg_neo4j.database.graph import Graph
from qcg_neo4j.retrieval.around.wrapper import Answering
from qcg_neo4j.retrieval.method import Method, filtered

with needs("LlamaIndex's retriever", "llama-index-core", "llama-index"):
    from llama_index.core.retrievers import BaseRetriever
    from llama_index.core.schema import NodeWithScore, QueryBundle, TextNode


class LlamaIndexRetriever(BaseRetriever):
    """The passages of a method as LlamaIndex's nodes with scores: ``LlamaIndexRetriever(graph, Qcg())``.

    ``where`` is a filter on the metadata of documents.
    """

    def __init__(self, graph: Graph, method: Method, where: Where | None = None) -> None:
        self.graph = graph
        self.method = method if where is None else filtered(method, where)
        super().__init__()

    def _retrieve(self, query_bundle: QueryBundle) -> list[NodeWithScore]:
        evidence = Answering(self.method).retrieve(self.graph, query_bundle.query_str)
        return [NodeWithScore(node=_node(passage), score=passage.score) for passage in evidence.passages]


def _node(passage: Passage) -> TextNode:
    facts = asdict(passage)
    # The paths are for people and programs; what a language model or an embedder reads of a node is its text.
    return TextNode(
        id_=passage.id,
        text=facts.pop("text"),
        metadata=facts,
        excluded_llm_metadata_keys=list(facts),
        excluded_embed_metadata_keys=list(facts),
    )
