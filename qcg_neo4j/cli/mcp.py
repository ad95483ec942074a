"""``qcg mcp``: the graph as tools for agents (Model Context Protocol)."""

from __future__ import annotations

import click

from qcg_neo4j.cli.embedder import embedder_of, use_for_questions
from qcg_neo4j.cli.language_model import api_key, budget_of
from qcg_neo4j.cli.options import Connect, connection_options, settings_file_option, settings_options
from qcg_neo4j.cli.terminal import notices
from qcg_neo4j.interfaces.mcp import McpSettings, Tools, serve
from qcg_neo4j.models.embedding.embedder import EmbeddingSettings
from qcg_neo4j.models.llm import Endpoint, LanguageModelSettings


@click.command()
@settings_options(McpSettings, "mcp")
@settings_options(EmbeddingSettings, "embedding", shared=True)
@settings_options(LanguageModelSettings, "language_model", shared=True)
@settings_file_option
@connection_options
def mcp(
    connect: Connect, mcp: McpSettings, embedding: EmbeddingSettings, language_model: LanguageModelSettings
) -> None:
    """Serve the graph to agents by the Model Context Protocol: retrieve, answer, inspect, load, status.

    An agent's settings name this command; it speaks over standard input and output. With --http it listens on
    127.0.0.1 instead, at /mcp. No tool changes the graph unless --allow-write is given; connecting creates the
    constraints and indexes that are missing.
    """
    with connect() as graph:
        graph.time_limit = mcp.seconds
        use_for_questions(graph, embedding)
        configured = language_model.is_given
        budget = budget_of(language_model)
        tools = Tools(
            graph,
            mcp,
            lambda: embedder_of(graph, embedding),
            (lambda: Endpoint(language_model, api_key(language_model), budget)) if configured else None,
        )
        if mcp.http:
            notices().print(f"Agents are served at http://127.0.0.1:{mcp.port}/mcp until Ctrl-C.")
        serve(tools)
