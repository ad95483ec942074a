"""``qcg mcp``: the graph as tools for agents (Model Context Protocol)."""

from __future__ import annotations

import signal

from qcg_neo4j.cli import models
from qcg_neo4j.cli.command import command
from qcg_neo4j.cli.options import Connect, Typed, connection_options, settings_options
from qcg_neo4j.cli.terminal import notices
from qcg_neo4j.core.errors import InputError
from qcg_neo4j.interfaces.mcp import McpSettings, Tools, serve
from qcg_neo4j.models.embedding.embedder import EmbeddingSettings
from qcg_neo4j.models.llm import Endpoint, LanguageModelSettings
from qcg_neo4j.server.machine import is_free


@command()
@settings_options(
    McpSettings,
    "mcp",
    Typed("http", meaning="serve HTTP on 127.0.0.1, not standard input"),
    Typed("port", "N", "port of HTTP"),
    Typed("allow_write", meaning="let agents load documents"),
    Typed("where", "FILTER", "documents that agents may know of; they can only narrow it"),
    Typed("passages", "N", "most passages that an agent may ask for"),
)
@models.llm_option
@models.embedding_option
@connection_options
def mcp(connect: Connect, mcp: McpSettings, embedding: EmbeddingSettings, llm: LanguageModelSettings) -> None:
    """Serve the graph to agents by the Model Context Protocol.

    Tools: retrieve, answer, inspect, status, and load with --allow-write. The server uses standard input and output;
    an agent's settings name this command.
    """
    if mcp.http and not is_free(mcp.port):
        raise InputError(f"Port {mcp.port} of this machine is not free.", "Choose another with --port.")
    with connect(where=mcp.where) as graph, models.reply_source((), llm, None) as source:
        graph.time_limit = mcp.seconds
        models.use_for_questions(graph, embedding)
        configured = llm.is_given
        budget = models.budget_of(llm)
        tools = Tools(
            graph,
            mcp,
            lambda: models.embedder_of(graph, embedding),
            (lambda: Endpoint(llm, models.api_key(llm), budget)) if configured else None,
            source,
        )
        if mcp.http:
            notices().print(f"Agents are served at http://127.0.0.1:{mcp.port}/mcp until Ctrl-C.")
        signal.signal(signal.SIGINT, signal.default_int_handler)  # else asyncio would not end in its own way
        serve(tools)
