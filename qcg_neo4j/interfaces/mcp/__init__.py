"""A server of the Model Context Protocol: agents retrieve, answer, inspect and, where allowed, load."""

from qcg_neo4j.interfaces.mcp.serving import serve, server_of
from qcg_neo4j.interfaces.mcp.tools import McpSettings, Tools

__all__ = ["McpSettings", "Tools", "serve", "server_of"]
