"""`neo4j-mcp-server`, Neo4j's own server for agents, which needs APOC: our procedures through its tool for reading."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

from bench.databases import own_database
from mcp import Client, StdioServerParameters
from mcp_client import with_client

from qcg_neo4j.core.progress import silent
from qcg_neo4j.core.records import SourceDocument
from qcg_neo4j.database.embedder import open_embedder_of
from qcg_neo4j.indexing.load import load_documents
from qcg_neo4j.models.embedding.embedder import EmbeddingSettings
from qcg_neo4j.retrieval import Layers
from qcg_neo4j.server import ServerSettings

QUESTION = "Which gym did Wolfgang recommend to Li Hua?"
CALL = "CALL qcg.retrieve.layers($question, {passages: 2}) YIELD chunk, score RETURN chunk.id AS id, chunk.text AS text"
TEXTS = ("Wolfgang recommends the gym FitZone to Li Hua.", "Adam Smith repairs the tap.", "Hot pot at seven.")


def test_an_agent_of_neo4js_own_server_finds_what_the_method_finds() -> None:
    with own_database(ServerSettings(heap="768m", page_cache="64m"), silent, with_apoc=True) as graph:
        embedder = graph.embedder = open_embedder_of(graph, EmbeddingSettings())
        load_documents(graph, embedder, [SourceDocument(str(number), text) for number, text in enumerate(TEXTS)])
        place = graph.address
        given = ["--uri", place.uri, "--username", place.user, "--database", "neo4j", "--read-only", "true"]
        secret = {"NEO4J_MCP_PASSWORD": place.password, "NEO4J_MCP_TELEMETRY": "false"}
        program = str(Path(sys.executable).with_name("neo4j-mcp-server"))

        async def work(client: Client) -> tuple[Any, Any]:
            arguments = {"query": CALL, "params": {"question": QUESTION}}
            return await client.list_tools(), await client.call_tool("read-cypher", arguments)

        tools, found = with_client(StdioServerParameters(command=program, args=given, env=secret), work)
        assert "read-cypher" in {tool.name for tool in tools.tools}
        assert not found.is_error, found.content[0].text
        expected = [{"id": item.id, "text": item.text} for item in Layers().retrieve(graph, QUESTION).passages[:2]]
        assert json.loads(found.content[0].text) == expected, found.content
        assert expected[0]["text"] == TEXTS[0]
