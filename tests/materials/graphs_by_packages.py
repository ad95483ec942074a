"""Graphs that neo4j-graphrag and LangChain make themselves; apart, as these two take seconds to import."""

from __future__ import annotations

import asyncio
import json
from typing import Any

from graphs_of_others import SMALL, TALKS
from langchain_core.documents import Document
from langchain_core.embeddings import Embeddings
from langchain_neo4j import Neo4jVector
from neo4j_graphrag.components.kg_writer import Neo4jWriter
from neo4j_graphrag.components.text_splitters.fixed_size_splitter import FixedSizeSplitter
from neo4j_graphrag.components.types import Neo4jRelationship
from neo4j_graphrag.embeddings import Embedder as GraphRagEmbedder
from neo4j_graphrag.experimental.pipeline.kg_builder import SimpleKGPipeline
from neo4j_graphrag.llm import LLMInterface, LLMResponse

from qcg_neo4j.database.graph import Graph


class TheirEmbedder(GraphRagEmbedder, Embeddings):  # type: ignore[misc] # one for both packages
    """The small embedder, as neo4j-graphrag and LangChain want it."""

    def embed_query(self, text: str) -> list[float]:
        return SMALL.embed([text])[0].tolist()  # type: ignore[no-any-return]

    def embed_documents(self, texts: list[str]) -> list[list[float]]:
        return SMALL.embed(texts).tolist()  # type: ignore[no-any-return]


class TheirModel(LLMInterface):
    """A model that finds the same two entities in every chunk."""

    def invoke(self, *args: Any, **options: Any) -> LLMResponse:
        nodes = [
            {"id": str(n), "label": "Person", "properties": {"name": name}} for n, name in enumerate(("Ann", "Bob"))
        ]
        knows = {"type": "KNOWS", "start_node_id": "0", "end_node_id": "1", "properties": {}}
        return LLMResponse(content=json.dumps({"nodes": nodes, "relationships": [knows]}))

    async def ainvoke(self, *args: Any, **options: Any) -> LLMResponse:
        return self.invoke(*args, **options)


class TheirWriter(Neo4jWriter):
    """Their writer; its one call of APOC, which the servers of the tests lack, is said in Cypher."""

    def _upsert_relationships(self, rels: list[Neo4jRelationship]) -> None:
        self.driver.execute_query(
            "UNWIND $rows AS row MATCH (start:__KGBuilder__ {__tmp_internal_id: row.start_node_id}), "
            "(end:__KGBuilder__ {__tmp_internal_id: row.end_node_id}) "
            "MERGE (start)-[rel:$(row.type)]->(end) SET rel += row.properties",
            rows=self._relationships_to_rows(rels),
        )


def by_graphrag(graph: Graph, talks: dict[str, str] = TALKS) -> None:
    """neo4j-graphrag's SimpleKGPipeline: chunks without id, documents by path, entities that lead FROM_CHUNK."""
    pipeline = SimpleKGPipeline(
        llm=TheirModel("scripted"),
        driver=graph.driver,
        embedder=TheirEmbedder(),
        from_file=False,
        text_splitter=FixedSizeSplitter(chunk_size=50, chunk_overlap=5),
        kg_writer=TheirWriter(graph.driver),
        perform_entity_resolution=False,
        schema="FREE",
    )
    for path, text in talks.items():
        asyncio.run(pipeline.run_async(file_path=path, text=text))


def by_langchain(graph: Graph, password: str, talks: dict[str, str] = TALKS) -> None:
    """LangChain's Neo4jVector: chunks with ids and a source, a constraint, a vector index, no documents."""
    documents = [
        Document(sentence, metadata={"source": path, "page": number})
        for path, text in talks.items()
        for number, sentence in enumerate(text.split(". "))
    ]
    address = graph.address
    store = Neo4jVector.from_documents(
        documents, TheirEmbedder(), url=address.uri, username=address.user, password=password
    )
    store._driver.close()  # which it leaves to the end of the process
